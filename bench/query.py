#!/usr/bin/python3
"""Measures how fast profiles are read and asked, and writes bench/RESULTS-query.md.

The profile is an event trace as LLNL's Caliper writes it, made here: 1,200,000 records of 100
regions, as .cali and as .trm. Times are CPU time of one process that reads one file, which one
thread does; instructions are callgrind's, of two lengths.
"""

import argparse
import datetime
import os
import random
import re
import subprocess
import sys
import tempfile

from context import machine

HERE = os.path.dirname(os.path.abspath(__file__))
BY_REGION = "SELECT region, count(), sum(time.duration.ns) GROUP BY region FORMAT csv"
# What is asked, the file, cali-query's or query's words, the goal, and Caliper's: thousands of
# records a second. Caliper's figures are of version 2.15, on another machine (7 runs, median).
ROWS = (
    ("count and sum by region", "trm", ("query", BY_REGION), 15000, None),
    ("count and sum by region", "cali", ("query", BY_REGION), 6000, 1154),
    ("run metadata alone", "cali", ("-G",), None, 3158),
    ("count()", "cali", ("-q", "SELECT count() FORMAT expand"), None, 1818),
    ("WHERE, and five operators by event.end#region", "cali",
     ("-q", "SELECT event.end#region, count(), sum(t), min(t), max(t), avg(t) WHERE event.end#region "
      "GROUP BY event.end#region FORMAT table".replace("(t)", "(time.duration.ns)")), None, 945),
    ("LET, sum and inclusive sum by path, a tree", "cali",
     ("-q", "LET t = scale(time.duration.ns, 1e-9) SELECT path, sum(t), inclusive_sum(t) GROUP BY path "
      "FORMAT tree"), None, 1017),
    ("every record, as lines (-e)", "cali", ("-e",), 5 * 467, 467),
    ("every record, as json-split", "cali", ("-q", "FORMAT json-split"), 5 * 603, 603),
    ("every record, as .cali", "trm", ("query", "FORMAT cali"), None, None),
)
HEAD = """__rec=node,id=18,attr=10,data=276,parent=3
__rec=node,id=20,attr=8,data=region,parent=18
__rec=node,id=25,attr=10,data=1612,parent=3
__rec=node,id=26,attr=8,data=cali.caliper.version,parent=25
__rec=node,id=27,attr=26,data=2.15.0-dev
__rec=node,id=35,attr=10,data=2133,parent=2
__rec=node,id=36,attr=8,data=region.count,parent=35
__rec=node,id=37,attr=8,data=time.duration.ns,parent=35
__rec=node,id=38,attr=10,data=85,parent=2
__rec=node,id=39,attr=8,data=time.offset.ns,parent=38
__rec=node,id=40,attr=10,data=64,parent=3
__rec=node,id=41,attr=8,data=event.end#region,parent=40
__rec=node,id=42,attr=8,data=event.begin#region,parent=40
"""


def write_trace(path, pairs, names):
    chance = random.Random(1)
    now = 1000
    with open(path, "w", encoding="ascii") as file:
        file.write(HEAD)
        for i in range(names):
            file.write(f"__rec=node,id={100 + 3 * i},attr=20,data=region_{i}\n"
                       f"__rec=node,id={101 + 3 * i},attr=41,data=region_{i},parent={100 + 3 * i}\n"
                       f"__rec=node,id={102 + 3 * i},attr=42,data=region_{i}\n")
        for i in range(pairs):
            name = 3 * (i % names)
            spent = [chance.randrange(200, 2000) for _ in range(2)]
            now += spent[0]
            file.write(f"__rec=ctx,ref={102 + name}=27,attr=39=37,data={now}={spent[0]}\n")
            now += spent[1]
            file.write(f"__rec=ctx,ref={101 + name}=27,attr=39=37=36,data={now}={spent[1]}=1\n")
        file.write("__rec=globals,ref=27\n")


def write_siblings(path, count):
    with open(path, "w", encoding="ascii") as file:
        file.write(HEAD)
        for i in range(count):
            file.write(f"__rec=node,id={100 + i},attr=20,data=r{i}\n__rec=ctx,ref={100 + i}\n")


class Bench:
    """The programs, and a folder with profiles."""

    def __init__(self, folder, build, pairs):
        self.programs = {"query": os.path.join(build, "src/cli/trammel"),
                         "": os.path.join(build, "src/cli/cali-query")}
        self.files = {}
        for size, count in (("", pairs), ("-short", pairs // 10), ("-shorter", pairs // 20)):
            cali, trm = (os.path.join(folder, f"trace{size}.{kind}") for kind in ("cali", "trm"))
            write_trace(cali, count, 100)
            subprocess.run([self.programs["query"], "merge", "-o", trm, cali], check=True)
            self.files |= {("cali", size): cali, ("trm", size): trm}

    def command(self, words, path):
        own = words[0] == "query"
        return [self.programs["query" if own else ""], *words, path]

    @staticmethod
    def measure(command):
        """CPU seconds of a process."""
        pid = os.posix_spawn(command[0], command, os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        if status:
            sys.exit(f"{command}: status {status}")
        return usage.ru_utime + usage.ru_stime

    @staticmethod
    def peak(command):
        """MiB; by GNU time, since a child of Python's begins with Python's."""
        done = subprocess.run(["time", "-f", "%M", *command], check=True, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return float(done.stderr.split()[-1]) / 1024

    def instructions(self, words, kind, records):
        counts = []
        for size in ("-shorter", "-short"):
            done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                   *self.command(words, self.files[kind, size])], check=True,
                                  capture_output=True, text=True)
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        return (counts[1] - counts[0]) / records


def row(bench, options, what, kind, words, goal, other):
    command = bench.command(words, bench.files[kind, ""])
    runs = [bench.measure(command) for _ in range(options.rounds)]
    records = 2 * options.pairs
    count = bench.instructions(words, kind, records // 20) if options.instructions else 0
    line = (f"| {what} | .{kind} | {records / min(runs) / 1000:,.0f} | "
            + (f"{goal:,}" if goal else "") + f" | {count:,.0f} | {bench.peak(command):.1f} | "
            + (f"{other:,}" if other else "") + " |")
    print(line, file=sys.stderr)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(HERE, "../build"), metavar="DIR")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=600000)
    parser.add_argument("--no-instructions", dest="instructions", action="store_false")
    parser.add_argument("--results", default=os.path.join(HERE, "RESULTS-query.md"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trammel-bench-") as folder:
        bench = Bench(folder, os.path.realpath(options.build), options.pairs)
        lines = [row(bench, options, *what) for what in ROWS]
        siblings = os.path.join(folder, "siblings.cali")
        write_siblings(siblings, 100000)
        seconds = min(bench.measure(bench.command(("-q", "SELECT count() FORMAT expand"), siblings))
                      for _ in range(options.rounds))
    text = ["# What asking profiles costs", "",
            f"Written by `bench/query.py` on {datetime.date.today().isoformat()}, on {machine()}.", "",
            f"A trace of {2 * options.pairs:,} records, {options.rounds} runs each, the fastest. Caliper's figures "
            "are those of its cali-query 2.15,", "of a trace of the same kind, on another machine (Sapphire Rapids, "
            "2 cores): medians of 7 runs.", "",
            "| query | file | thousand records/s | goal | instructions a record | peak MiB | Caliper: thousand "
            "records/s |", "|---|---|---|---|---|---|---|", *lines, "",
            f"A file with 100,000 nodes below one takes {seconds:.2f} s (goal 0.1; Caliper 86 s).", ""]
    with open(options.results, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
