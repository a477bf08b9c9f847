"""What the programs that read the formats find in them: totals must be those of the report."""

import os
import re
import shutil
import subprocess

from exports.whole import expect, export, measure, run, shown
from transparency.results import Skip


def need(program):
    if not shutil.which(program):
        raise Skip(f"no {program} here")


def whole(folder, tool, what="blocks,calls"):
    """A profile of all modules, and what is to be in it: {function: {type: sum}}."""
    program, profile = measure(tool, folder, "calls_from.c", what)
    options = ["--module", program]
    return profile, options, shown(tool, profile, *options)[0]


def total(wanted, kind):
    return sum(values.get(kind, 0) for values in wanted.values())


def pprof(tool, folder):
    """go tool pprof: sums of each type, of functions and in all."""
    need("go")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "pprof", *options)
    for kind in ("calls", "instructions"):
        text = run(["go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0",
                    f"-sample_index={kind}", path], env=None).stdout
        expect(f"of {total(wanted, kind)} total" in text, f"{kind}: {text.splitlines()[:6]}")
        for number, name in re.findall(r"^ *(\d+) +\S+% +\S+% +\d+ +\S+% +(.*)$", text, re.M):
            # Here one function of another that was put into it is a row of its own.
            if "(inline)" not in name and kind == "calls":
                expect(wanted.get(name, {}).get(kind, 0) == int(number), f"{name}: {number}")
    text = run(["go", "tool", "pprof", "-raw", path], env=None).stdout
    mapping = re.search(r"Mappings\n1: \S+ (\S+) .*\[FN\]\[FL\]\[LN\]\[IN\]", text)
    expect(mapping and os.path.basename(mapping.group(1)) == "calls_from", text[-600:])


def callgrind_annotate(tool, folder):
    """Totals, functions, and calls, also from the folder of the source."""
    need("callgrind_annotate")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "callgrind", *options)
    for place in (folder, "/", os.path.join(os.path.dirname(__file__), "..", "programs")):
        text = run(["callgrind_annotate", "--threshold=100", "--tree=caller", "--auto=no", path],
                   cwd=place).stdout.replace(",", "")
        sums = re.search(r"^(\d+) \(100.0%\) +(\d+) \(100.0%\) +PROGRAM TOTALS", text, re.M)
        expect(sums and [int(n) for n in sums.groups()] ==
               [total(wanted, "calls"), total(wanted, "instructions")], text[:900])
        for number, name in re.findall(r"^ *(\d+) \([^)]*\) .*\* +\S*:(.*?) \[", text, re.M):
            expect(wanted[name]["calls"] == int(number), f"{name}: {number} in {place}")
        expect(re.search(r"\* +\S*:leaf \[", text) and re.search(r"< \S*:\w+ \(\d+x\)", text), text[-2000:])
        names = re.findall(r"[*<] +(\S*:\w+)", text)
        bare = {name.rsplit("/", 1)[-1] for name in names}
        expect(len(bare) == len(set(names)), f"names in two forms: {sorted(set(names))}")


def cg_annotate(tool, folder):
    need("cg_annotate")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "cachegrind", *options)
    text = run(["cg_annotate", "--auto=no", path]).stdout.replace(",", "")
    sums = re.search(r"^(\d+) \(100.0%\) +(\d+) \(100.0%\) +PROGRAM TOTALS", text, re.M)
    expect(sums and [int(n) for n in sums.groups()] ==
           [total(wanted, "calls"), total(wanted, "instructions")], text[:900])


def sqlite(tool, folder):
    """sqlite3 reads the comma-separated values."""
    need("sqlite3")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "csv", *options)
    text = run(["sqlite3", ":memory:", "-cmd", ".mode csv", "-cmd", f".import {path} t",
                "SELECT sum(calls), sum(instructions) FROM t"]).stdout
    expect(text.strip() == f"{total(wanted, 'calls')},{total(wanted, 'instructions')}", text)


def compressed(tool, folder):
    """What ends in .gz is gzip; pprof is it anyway, and once."""
    need("gzip")
    profile, options, _ = whole(folder, tool, "functions")
    plain = export(tool, profile, "csv", *options)
    for name in ("csv", "pprof"):
        run([tool, "export", "--to", name, "-o", f"{plain}.{name}.gz", *options, profile])
    done = subprocess.run(["gzip", "-dc", f"{plain}.csv.gz"], capture_output=True, check=True)
    with open(plain, "rb") as file:
        expect(file.read() == done.stdout, "another text")
    done = subprocess.run(["gzip", "-dc", f"{plain}.pprof.gz"], capture_output=True, check=True)
    expect(done.stdout[:2] != b"\x1f\x8b", "gzip in gzip")


def to_pipe(tool, folder):
    """Without -o it is standard output."""
    profile, options, _ = whole(folder, tool, "functions")
    plain = export(tool, profile, "folded", *options)
    with open(plain, encoding="utf-8") as file:
        expect(run([tool, "export", "--to", "folded", *options, profile]).stdout == file.read(),
               "another text")


TESTS = [("reader-pprof", pprof), ("reader-callgrind", callgrind_annotate), ("reader-cachegrind", cg_annotate),
         ("reader-sqlite", sqlite), ("gzip", compressed), ("pipe", to_pipe)]
