#!/usr/bin/python3
"""Compares where time goes by call graphs with where samples say that it goes.

Each program runs once under `perf record` (processor time, user mode) and once under `trammel run
-m callgraph`. The distance of the two is half the sum of the differences of all functions' shares:
0 where they agree, 100 % where they have nothing in common. Functions whose time is their callers'
(leaves) have samples and no time; `leaves` is what they have of the samples, below which no
distance can be. `others` is the distance without the leaves' samples.
"""

import argparse
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import workloads  # noqa: E402

MAPPING = re.compile(r"PERF_RECORD_MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)"
                     r" .*\]: \S*x\S* (/.*)$")


def segments(path):
    """(offset in the file, size, address) of what a file has to be mapped."""
    with open(path, "rb") as file:
        head = file.read(64)
        start, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(start)
        table = file.read(size * count)
    found = []
    for i in range(count):
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", table, i * size)
        if kind == 1:
            found.append((offset, in_file, address))
    return found


def link_address(path, offset, known):
    """The address in a file that lies at an offset of it; None: there is none."""
    if path not in known:
        try:
            known[path] = segments(path)
        except (OSError, struct.error):
            known[path] = []
    for start, size, address in known[path]:
        if start <= offset < start + size:
            return address + offset - start
    return None


def sampled(command, folder, frequency):
    """{(module, address): samples}."""
    data = os.path.join(folder, "perf.data")
    subprocess.run(["perf", "record", "-q", "-F", str(frequency), "-e", "cpu-clock:u", "-o", data,
                    "--", *command], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    text = subprocess.run(["perf", "script", "-i", data, "-F", "ip", "--show-mmap-events"],
                          check=True, capture_output=True, text=True).stdout
    mappings, known, counts = [], {}, collections.Counter()
    for line in text.splitlines():
        mapping = MAPPING.search(line)
        if mapping:
            start, size, offset = (int(mapping[i], 16) for i in (1, 2, 3))
            mappings.append((start, start + size, offset, os.path.realpath(mapping[4])))
        elif re.fullmatch(r"\s*[0-9a-f]+\s*", line):
            counts[int(line, 16)] += 1
    found = collections.Counter()
    for place, count in counts.items():
        for start, end, offset, path in reversed(mappings):
            if start <= place < end:
                address = link_address(path, place - start + offset, known)
                found[path, address or 0] += count
                break
        else:
            found["", 0] += count
    return found


def counted(trammel, command, folder):
    """Rows of functions."""
    profile = os.path.join(folder, "shares.trm")
    for _ in range(2):  # the first one fills the cache
        subprocess.run([trammel, "run", "--quiet", "-m", "callgraph", "-o", profile, "--",
                        *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    report = subprocess.run([trammel, "report", "--json", profile], check=True,
                            capture_output=True, text=True).stdout
    return json.loads(report)["rows"]


def by_function(samples, rows):
    """{(module, offset of the function): samples}."""
    starts = collections.defaultdict(list)
    for row in rows:
        starts[os.path.realpath(row["module.path"])].append(int(row["offset"], 16))
    for offsets in starts.values():
        offsets.sort()
    found = collections.Counter()
    for (path, address), count in samples.items():
        at = bisect.bisect_right(starts[path], address)
        found[path, starts[path][at - 1] if at else 0] += count
    return found


def shares(values):
    total = sum(values.values()) or 1
    return {key: value / total for key, value in values.items()}


def distance(left, right):
    left, right = shares(left), shares(right)
    return sum(abs(left.get(key, 0) - right.get(key, 0)) for key in {*left, *right}) / 2


def compare(name, samples, rows, details):
    names = {(os.path.realpath(row["module.path"]), int(row["offset"], 16)): row for row in rows}
    times = {key: row.get("time.exclusive.ns", 0) for key, row in names.items()}
    found = by_function(samples, rows)
    leaves = {key for key, row in names.items() if "time.exclusive.ns" not in row}
    others = {key: count for key, count in found.items() if key not in leaves}
    part = sum(count for key, count in found.items() if key in leaves) / sum(found.values())
    print(f"{name:10} {100 * distance(times, found):8.1f} % {100 * part:8.1f} % "
          f"{100 * distance(times, others):8.1f} % {sum(found.values()):9}", flush=True)
    here, there = shares(times), shares(found)
    by_size = sorted({*here, *there},
                     key=lambda key: -abs(here.get(key, 0) - there.get(key, 0)))
    for key in by_size[:details]:
        row = names.get(key, {})
        print(f"    {row.get('function', '?')[:40]:40} {100 * here.get(key, 0):6.1f} % of time "
              f"{100 * there.get(key, 0):6.1f} % of samples {row.get('calls', 0):12} calls"
              f"{'' if key not in leaves else ', a leaf'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help="programs, with commas")
    parser.add_argument("--trammel", metavar="PATH",
                        default=os.path.join(HERE, "..", "build", "src", "cli", "trammel"))
    parser.add_argument("--work", metavar="DIR", help="keep inputs here for another time")
    parser.add_argument("--frequency", type=int, default=2000, help="samples a second (2000)")
    parser.add_argument("--details", type=int, default=0, metavar="N",
                        help="show the N functions that differ most")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else list(workloads.commands())
    folder = options.work or tempfile.mkdtemp(prefix="shares")
    workloads.prepare(folder)
    print(f"{'':10} {'distance':>10} {'leaves':>10} {'others':>10} {'samples':>9}")
    for name in only:
        command = workloads.commands()[name]
        samples = sampled(command, folder, options.frequency)
        rows = counted(os.path.abspath(options.trammel), command, folder)
        compare(name, samples, rows, options.details)


if __name__ == "__main__":
    main()
