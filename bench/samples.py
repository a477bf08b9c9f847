#!/usr/bin/python3
"""Measures what sampling costs: `trammel run -m samples` beside `perf record` at the same frequency.

Each round runs each of the ten programs bare and under each tool, one after the other. Given is the
least processor time over the rounds (user and system, of the program and of all that the tool runs),
as a ratio to the bare run's, and the size of the files; and what the tool's own processes took of
that, in percent of the bare run, by the profile (`samples.own.ns`). "thr" has four threads, the others
one. With --results the table is written to that file, too.

With --interrupts the same is measured of values (`-m values`) and of upcalls (trammel/upcall.h, by the object of
tests/upcalls preloaded) at 1 kHz, beside `perf record`; what one upcall takes, by the difference to the
bare run; and what `-m waits` takes for a system call, beside strace.
"""

import argparse
import datetime
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import runner  # noqa: E402
import workloads  # noqa: E402

TEXT_BYTES = 8_000_000  # of workloads.py's 20 million: many short runs tell more than few long ones
TITLES = ("# What sampling costs: processor time, ratio to bare, and files",
          "# What values, upcalls and waits cost: processor time, ratio to bare, and files")


class Tool:
    environment = {}

    def __init__(self, name, words, file):
        self.name, self.words, self.file = name, words, file
        self.folder = None

    def prefix(self, _folder):
        return [word.replace("FILE", os.path.join(self.folder, self.file)) for word in self.words]


def tool_list(trammel):
    def ours(name, measure, frequency):
        return Tool(name, [trammel, "run", "-q", "-m", measure, "--frequency", str(frequency), "-o",
                           "FILE", "--"], name.replace(" ", "-") + ".trm")

    def perf(name, frequency, *words):
        return Tool(name, ["perf", "record", "-q", "-F", str(frequency), "-e", "cpu-clock:u", *words,
                           "-o", "FILE", "--"], name.replace(" ", "-") + ".data")

    return [Tool("bare", [], "bare"), ours("1 kHz", "samples", 1000), perf("perf 1 kHz", 1000),
            ours("paths 1 kHz", "samples:callpath", 1000),
            perf("perf -g 1 kHz", 1000, "-g"), perf("perf dwarf 1 kHz", 1000, "--call-graph", "dwarf"),
            ours("10 kHz", "samples", 10000), ours("paths 10 kHz", "samples:callpath", 10000), perf("perf -g 10 kHz", 10000, "-g"),
            perf("perf dwarf 10 kHz", 10000, "--call-graph", "dwarf")]


def interrupt_list(trammel, folder):
    """Values and upcalls. The object's handler is called and does next to nothing."""
    library = os.path.realpath(os.path.join(os.path.dirname(trammel), "..", "runtime", "libtrammel.so.0"))
    preloaded = os.path.join(folder, "preload.so")
    source = os.path.join(HERE, "..", "tests", "upcalls", "preload.c")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "..", "include"), source,
                    "-o", preloaded, library, "-Wl,-rpath," + os.path.dirname(library)], check=True)

    def upcalls(name, frequency):
        return Tool(name, ["env", "LD_PRELOAD=" + preloaded, f"UPCALLS_FREQUENCY={frequency}", "UPCALLS_FOUND=FILE"],
                    name.replace(" ", "-") + ".found")

    def values(name, *words):
        return Tool(name, [trammel, "run", "-q", "-m", "values", *words, "-o", "FILE", "--"], name.replace(" ", "-") + ".trm")

    return [Tool("bare", [], "bare"), values("values 1 kHz"), values("64 a time", "--ninterpret", "64"),
            upcalls("upcalls 1 kHz", 1000), upcalls("upcalls 10 kHz", 10000),
            Tool("perf 1 kHz", ["perf", "record", "-q", "-F", "1000", "-e", "cpu-clock:u", "-o", "FILE", "--"], "perf.data")]


def count_upcalls(path):
    with open(path, encoding="utf-8") as file:
        return sum(map(int, re.findall(r"^upcalls (\d+)", file.read(), re.M)))


CALLS = 200_000


def call_costs(trammel, rounds):
    """Lines on what tools take for each of dd's calls of read and write, which wait for nothing."""
    command = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={CALLS // 2}", "status=none"]
    tools = [("bare", []), ("trammel run -m waits", [trammel, "run", "-q", "-m", "waits", "-o", "/dev/null", "--"]),
             ("strace -f -o /dev/null", ["strace", "-f", "-o", "/dev/null"]), ("strace -f -c", ["strace", "-f", "-c", "-o", "/dev/null"])]
    lines = ["", f"Wall time of {CALLS:,} system calls that wait for nothing (dd), for each:", "", "| tool | us a call |", "|---|---|"]
    for name, words in tools:
        with tempfile.TemporaryDirectory() as folder:
            tool = Tool(name, words, "none")
            tool.folder = folder
            wall = min(runner.run(tool, command, folder).wall for _ in range(rounds))
        lines.append(f"| {name} | {wall / CALLS * 1e6:.2f} |")
    return "\n".join(lines) + "\n"


def upcall_costs(measured):
    """A line on what one upcall takes."""
    times, _, _, upcalls = measured
    lines = [""]
    for name in ("upcalls 1 kHz", "upcalls 10 kHz"):
        each = [(min(of[name]) - min(of["bare"])) / upcalls[program][name] * 1e6 for program, of in times.items()
                if upcalls.get(program, {}).get(name)]
        each.sort()
        lines.append(f"One upcall of {name[8:]} takes {each[len(each) // 2]:.1f} us in all (median over the programs, "
                     f"{each[0]:.1f} to {each[-1]:.1f}), the interrupt and the start of the library included.")
    return "\n".join(lines) + "\n"


def own_ns(trammel, path):
    out = subprocess.run([trammel, "report", "--json", path], capture_output=True, text=True,
                         check=True).stdout
    return json.loads(out)["profile"]["samples.own.ns"]


def measure(given, tools, folder):
    """{program: {tool: [seconds]}}, {program: {tool: bytes}}, {program: {tool: own seconds}}, {program: {tool:
    upcalls}}"""
    times, sizes, own, upcalls = {}, {}, {}, {}
    commands = workloads.commands()
    for number in range(given.rounds):
        for program in given.only or commands:
            for tool in tools:
                run = runner.run(tool, commands[program], folder)
                times.setdefault(program, {}).setdefault(tool.name, []).append(run.cpu)
                path = os.path.join(folder, tool.file)
                if not tool.words:
                    continue
                sizes.setdefault(program, {})[tool.name] = os.path.getsize(path)
                if path.endswith(".found"):
                    upcalls.setdefault(program, {})[tool.name] = count_upcalls(path)
                if path.endswith(".trm") and not given.interrupts:
                    seconds = own_ns(given.trammel, path) / 1e9
                    known = own.setdefault(program, {}).get(tool.name, seconds)
                    own[program][tool.name] = min(seconds, known)
                os.remove(path)
            print(number, program, {name: round(min(all_), 3) for name, all_ in times[program].items()},
                  file=sys.stderr)
    return times, sizes, own, upcalls


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def table(given, tools, measured):
    times, sizes, own, _ = measured
    named = [tool.name for tool in tools if tool.words]
    lines = [TITLES[given.interrupts], "",
             f"Written by `bench/samples.py` on {datetime.date.today()}, commit {commit()}, least of "
             f"{given.rounds} rounds; {given.remark}.", "",
             "| program | bare s | " + " | ".join(named) + " |",
             "|---" * (len(named) + 2) + "|"]
    ratios = {name: [] for name in named}
    for program, of in times.items():
        bare = min(of["bare"])
        for name in named:
            ratios[name].append(min(of[name]) / bare)
        lines.append(f"| {program} | {bare:.2f} | " +
                     " | ".join(f"{ratios[name][-1]:.3f}" for name in named) + " |")
    lines.append("| **geometric mean** |  | " +
                 " | ".join(f"{mean(ratios[name]):.3f}" for name in named) + " |")
    shares = {name: [100 * own[program][name] / min(times[program]["bare"]) for program in times]
              for name in named if own and name in next(iter(own.values()))}
    if shares:
        lines.append("| **own processes, mean** |  | " +
                     " | ".join(f"{mean(shares[name]):.2f} %" if name in shares else "" for name in named)
                     + " |")
    kib = {name: [sizes[program][name] / 1024 for program in times] for name in named}
    lines.append("| **file, KiB, mean** |  | " +
                 " | ".join(f"{mean(kib[name]):,.0f}" for name in named) + " |")
    return "\n".join(lines) + "\n"


def commit():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trammel", default=os.path.join(HERE, "..", "build", "src", "cli", "trammel"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", help="a program")
    parser.add_argument("--interrupts", action="store_true", help="values, upcalls and waits instead of samples")
    parser.add_argument("--bytes", type=int, default=TEXT_BYTES, help="of the text that is compressed (%(default)s)")
    parser.add_argument("--remark", default="on a machine that did nothing else")
    parser.add_argument("--results", help="the file that gets the table")
    given = parser.parse_args()
    given.trammel = os.path.abspath(given.trammel)
    workloads.TEXT_BYTES = given.bytes
    runner.become_reaper()
    with tempfile.TemporaryDirectory() as folder:
        workloads.prepare(folder)
        tools = interrupt_list(given.trammel, folder) if given.interrupts else tool_list(given.trammel)
        for tool in tools:
            tool.folder = folder
        measured = measure(given, tools, folder)
        text = table(given, tools, measured)
        if given.interrupts:
            text += upcall_costs(measured) + call_costs(given.trammel, given.rounds)
    print(text)
    if given.results:
        with open(given.results, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
