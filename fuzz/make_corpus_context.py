#!/usr/bin/python3
"""Writes the seed corpus of context_fuzz: spools of small runs, without what is of one machine.

    make_corpus_context.py LIBTRAMMEL PROGRAM FOLDER

PROGRAM is tests/context/work.c, built.
"""

import os
import struct
import subprocess
import sys
import tempfile

BLOCK = 4 << 10  # CONTEXT_BLOCK
RUNS = {"regions": ("regions", "regions", "2"), "trace": ("regions,trace", "regions", "1"),
        "threads": ("regions", "threads", "3"), "mismatches": ("regions", "mismatches", "2"),
        "cut": ("regions,trace", "ends", "1"), "channels": ("regions", "regions", "2"),
        "long_time": ("regions,trace", "regions", "1")}
CONFIG = {"channels": "runtime-report(output=none),event-trace(output=none)"}
BLOCKS_AT = 64 + 8 + 4 * 4
END_AT = BLOCKS_AT + 8 + 8 + 16  # the moment of the end, whose ticks come first


def main():
    library, program, target = sys.argv[1:]
    for name, (what, *words) in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, *words], stdout=subprocess.DEVNULL, check=False,
                           env={"LD_PRELOAD": library, "TRAMMEL_CONTEXT": what,
                                "TRAMMEL_CONFIG": CONFIG.get(name, ""), "TRAMMEL_CONTEXT_FOLDER": folder})
            (spool,) = os.listdir(folder)
            with open(os.path.join(folder, spool), "rb") as file:
                data = bytearray(file.read(1 << 20))
        (blocks,) = struct.unpack_from("<Q", data, BLOCKS_AT)
        del data[blocks * BLOCK:]
        path = os.path.realpath(program).encode()
        at = data.find(path)
        data[at:at + len(path)] = b"program".ljust(len(path), b"\0")
        if name == "long_time":
            struct.pack_into("<Q", data, END_AT, (1 << 63) + 1)
        with open(os.path.join(target, name), "wb") as file:
            file.write(data.rstrip(b"\0"))


if __name__ == "__main__":
    main()
