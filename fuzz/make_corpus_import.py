#!/usr/bin/python3
"""Makes the corpora of the fuzzers of imports: make_corpus_import.py [FOLDER]. Each is a file of one
form that another program writes, or that goes to a corner of the reader."""

import gzip
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))

from exports import names  # noqa: E402

CALLGRIND = {
    "valgrind": names.REAL["callgrind"],
    "trammel": ("# callgrind format\nversion: 1\ncreator: trammel 1\ndesc: type calls count calls\n"
                "desc: type Ir count instructions\npositions: line\nevents: calls Ir\n\nob=(1) /a\n"
                "fl=(1) /./a.c\nfn=(1) f\\x0a [a]\n1 2 3\ncob=(1)\ncfi=(1)\ncfn=(2) g\ncalls=2 1\n1 0 0\n"
                "fi=(2) b.h\njcnd=1/2 3\n2\njump=1 +1\n*\n\ntotals: 2 3\n"),
    "parts": "version: 1\nevents: Ir\npart: 1\nfn=f\n1 2\ntotals: 2\npart: 2\nevents: Ir\nfn=f\n+1 3\ntotals: 3\n",
    "cut": "version: 1\nevents: Ir\nfn=f\n1 2\ncfn=g\ncalls=1 1\n",
}
PERF = {
    "perf": names.REAL["perf"],
    "trammel": ("# trammel: addresses are those of files\nx 1/1 0.000000: 5 calls:\n\t  1130 f+0x10 (/a)\n"
                "\t     0 solve ([region])\n\n"),
    "odd": "a b 1/2 [000] 1.5: cycles:u: \n\t12 [unknown] ([unknown])\n\nx 7 2.5:  9 e: 12 f (x)\n",
}
FOLDED = {
    "plain": names.REAL["folded"],
    "trammel": "a`b\\x3bc;d`e\\\\f 18446744073709551615\n# note\n\nx 0\n",
    "wrong": "a;;b 1\n",
}
GCOV = {
    "gcc": names.REAL["gcov"],
    "order": ('{"files": [{"lines": [{"line_number": 3, "count": 1}], "functions": [{"name": "f", "start_line": 1, '
              '"execution_count": 2}], "file": "\\u00e9.c"}], "data_file": "d"}'),
    "cut": '{"files": [{"file": "a',
}


def pprof():
    types = [("samples", "count"), ("cpu", "nanoseconds"), ("calls", "count"), ("time", "nanoseconds")]
    rows = [(("f", "main"), (1, 10, 3, 7)), (("g", "f", "main"), (2, 20, 0, 9))]
    whole = names.make_pprof(rows, types)
    return {
        "plain": whole,
        "labels": whole + names.field(2, names.field(1, 1) + b"".join(names.field(2, n) for n in (1, 2, 3, 4)) +
                                      names.field(3, names.field(1, 1) + names.field(3, 77))),
        "cut": whole[:len(whole) // 2],
        "packed": gzip.compress(whole, mtime=0),
    }


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus")
    for name, files in (("callgrind", CALLGRIND), ("perf_script", PERF), ("folded", FOLDED), ("gcov", GCOV),
                        ("pprof", pprof())):
        folder = os.path.join(top, "import_" + name)
        os.makedirs(folder, exist_ok=True)
        for file, data in files.items():
            with open(os.path.join(folder, file), "wb") as out:
                out.write(data if isinstance(data, bytes) else data.encode())


if __name__ == "__main__":
    main()
