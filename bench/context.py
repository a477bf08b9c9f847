#!/usr/bin/python3
"""Measures what a program's own context costs, and writes bench/RESULTS-context.md.

Nanoseconds are CPU time of the thread an operation, and have the clock reads in them; instructions
are callgrind's, of two runs that differ in length only.
"""

import argparse
import datetime
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {"nothing measures": None, "aggregated": "regions", "traced": "regions,trace"}
# Those whose program says much before it is measured.
LONG = ("many", "numbers", "set-many", "set-context-many")
# What is done, its name in context_costs.c, how often, clock reads in it, and the goal aggregated.
ROWS = (
    ("reading the clock (rdtsc)", "rdtsc", 1000000, 1, ""),
    ("region, begin and end by macro", "region", 1000000, 2, "12 beside the clock"),
    ("iteration of a loop, by macro", "loop", 1000000, 2, ""),
    ("pair by attribute", "attribute", 1000000, 2, ""),
    ("pair by name", "named", 1000000, 2, ""),
    ("pair, 10,000 texts at one level", "many", 500000, 2, "60"),
    ("pair, 10,000 numbers at one level", "numbers", 500000, 2, ""),
    ("set a metric", "set", 1000000, 0, "15"),
    ("set a metric, 1,000,000 values", "set-many", 1000000, 0, "15"),
    ("set a context", "set-context", 1000000, 1, ""),
    ("set a context, 1,000,000 values", "set-context-many", 1000000, 1, ""),
    ("first event of a thread", "first", 300, 2, "5,000"),
    ("the same, of 300 that all live", "first-live", 300, 2, "5,000"),
)

# The same through caliper/cali.h: CALI_CONFIG, and what is done with its goal when nothing measures.
CALI_MODES = {"nothing measures": "", "runtime-report": "runtime-report(output=none)",
              "event-trace": "event-trace(output=none)"}
CALI_ROWS = (
    ("pair of begin and end", "pair", 1000000, "10"),
    ("the same, 10,000 names at one level", "many", 500000, "30"),
    ("set a metric", "set", 1000000, ""),
    ("get", "get", 1000000, ""),
)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = re.search(r"model name\s*: (.*)", file.read())[1]
    return f"{name}, {os.cpu_count()} cores, Linux {os.uname().release}"


class Bench:
    """The program, the library, and a folder for spools."""

    def __init__(self, folder, build):
        self.folder = folder
        self.library = os.path.realpath(os.path.join(build, "src/runtime/libtrammel.so.0"))
        self.trammel = os.path.realpath(os.path.join(build, "src/cli/trammel"))
        self.program = os.path.join(folder, "context_costs")
        subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-pthread", "-I", os.path.join(HERE, "../include"),
                        os.path.join(HERE, "programs/context_costs.c"), "-o", self.program], check=True)

    def run(self, what, words, before=()):
        spools = os.path.join(self.folder, "spools")
        os.makedirs(spools, exist_ok=True)
        environment = dict(os.environ)
        if what:
            environment |= {"LD_PRELOAD": self.library, "TRAMMEL_CONTEXT": what,
                            "TRAMMEL_CONTEXT_FOLDER": spools}
        try:
            return subprocess.run([*before, self.program, *map(str, words)], env=environment,
                                  check=True, capture_output=True, text=True, cwd=self.folder)
        finally:
            shutil.rmtree(spools)

    def ns(self, what, words, rounds):
        return [float(self.run(what, words).stdout) for _ in range(rounds)]

    def instructions(self, what, name):
        """Of one operation: the difference of two lengths. Of a trace they are short: under
        valgrind it ends with the first piece of the spool, since mremap cannot map it again."""
        lengths = (5000, 10000) if what == MODES["traced"] else (20000, 40000)
        counts = []
        for length in lengths:
            done = self.run(what, (name, length), ("valgrind", "--tool=callgrind",
                                                   "--callgrind-out-file=/dev/null"))
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        return (counts[1] - counts[0]) / (lengths[1] - lengths[0])

    def build_cali(self, peer=None):
        """With the library at hand, or that of a peer that is installed there."""
        library = (os.path.join(peer, "lib") if peer
                   else os.path.realpath(os.path.join(os.path.dirname(self.library), "../cali")))
        include = os.path.join(peer or os.path.join(HERE, ".."), "include")
        program = os.path.join(self.folder, "peer_costs" if peer else "cali_costs")
        subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-I", include,
                        os.path.join(HERE, "programs/cali_costs.c"), "-o", program, "-L", library,
                        "-lcaliper" if peer else "-ltrammel-cali", f"-Wl,-rpath,{library}"], check=True)
        return program

    def run_cali(self, program, config, name, count, before=()):
        return subprocess.run([*before, program, name, str(count)], check=True, capture_output=True, text=True,
                              env=os.environ | {"CALI_CONFIG": config}, cwd=self.folder)

    def cali_instructions(self, program, config, name):
        counts = []
        for length in (20000, 40000):
            done = self.run_cali(program, config, name, length, ("valgrind", "--tool=callgrind",
                                                                 "--callgrind-out-file=/dev/null"))
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        return (counts[1] - counts[0]) / 20000

    def whole(self, program, config, count, rounds):
        """Seconds of processor time of whole runs, with what they write."""
        found = []
        for _ in range(rounds):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run_cali(program, config, "pair", count)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return found

    def event_bytes(self):
        """On disk, of an event: the profile of a long run less that of a short one."""
        sizes = []
        for length in (1000, 501000):
            profile = os.path.join(self.folder, "profile.trm")
            subprocess.run([self.trammel, "run", "-q", "-m", "trace", "-o", profile, "--", self.program,
                            "region", str(length)], check=True, stdout=subprocess.DEVNULL)
            sizes.append(os.path.getsize(profile))
        return (sizes[1] - sizes[0]) / 1000000


def text(values):
    return f"{min(values):.1f} / {statistics.median(values):.1f}"


def cost_table(bench, options):
    lines = ["| operation | " + " | ".join(f"{mode}: ns, min / median" for mode in MODES)
             + " | goal, ns | " + " | ".join(f"{mode}: instructions" for mode in MODES) + " |",
             "|---" * (2 + 2 * len(MODES)) + "|"]
    for title, name, count, _, goal in ROWS:
        cells = [text(bench.ns(what, (name, count), options.rounds)) for what in MODES.values()]
        counts = ["" if name.startswith("first") or (name in LONG and what == "regions,trace")
                  else f"{bench.instructions(what, name):.0f}" for what in MODES.values()] if options.instructions else [""] * len(MODES)
        lines.append(f"| {title} | " + " | ".join([*cells, goal, *counts]) + " |")
        print(lines[-1], file=sys.stderr)
    for name in ("region", "many"):
        cells = [text(bench.ns(what, (name, 1000000, 2), options.rounds)) for what in MODES.values()]
        lines.append(f"| {name}, two threads at once: of the slower one | " + " | ".join(cells)
                     + " | as one thread" + " |" * (1 + len(MODES)))
    return lines


def call_table(bench, options):
    """A call of a function that nobody annotated: bare, and as a region; its events in one row."""
    command = (bench.trammel, "run", "-q", "-o", "call.trm", "--regions", "context_costs:called")
    lines = ["| call of a function | ns, min / median |", "|---|---|"]
    for title, before in (("bare", ()), ("a region, by `--regions`", command)):
        values = [float(bench.run(None, ("call", 1000000), before).stdout) for _ in range(options.rounds)]
        lines.append(f"| {title} | {text(values)} |")
        print(lines[-1], file=sys.stderr)
    return lines


PATH_MODES = {"time by region": "event,timer,aggregate",
              "time by region and call path, of 13 functions": "event,timer,aggregate,callpath"}


def path_table(bench, options):
    """Pairs of begin and end below some callers."""
    program = bench.build_cali()

    def run(services, count, before=()):
        return subprocess.run([*before, program, "deep", str(count)], check=True, capture_output=True, text=True,
                              env=os.environ | {"CALI_SERVICES_ENABLE": services}, cwd=bench.folder)

    lines = ["| pair of begin and end | ns, min / median | instructions |", "|---|---|---|"]
    for title, services in PATH_MODES.items():
        values = [float(run(services, 200000).stdout) for _ in range(options.rounds)]
        counts = [int(re.search(r"Collected : (\d+)",
                                run(services, length, ("valgrind", "--tool=callgrind",
                                                       "--callgrind-out-file=/dev/null")).stderr)[1])
                  for length in (20000, 40000)] if options.instructions else (0, 0)
        lines.append(f"| {title} | {text(values)} | {(counts[1] - counts[0]) / 20000:.0f} |")
        print(lines[-1], file=sys.stderr)
    return lines


# What interrupts the same work: services of a channel, with a timer of 10,000 strikes a second.
SAMPLE_MODES = {"a signal and an empty handler": ("signals", None),
                "a sample": ("work", "event,sampler,aggregate"),
                "a sample with its call path": ("work", "event,sampler,aggregate,callpath")}


def sample_table(bench, options):
    """How much longer work takes that is sampled, a sample: runs in turn, and their minima."""
    program, count = bench.build_cali(), 300000000

    def run(name, services):
        sampler = {"CALI_SERVICES_ENABLE": services, "CALI_SAMPLER_FREQUENCY": "10000",
                   "CALI_SAMPLER_CLOCK": "wall"} if services else {}
        return float(subprocess.run([program, name, str(count)], check=True, capture_output=True,
                                    text=True, env=os.environ | sampler, cwd=bench.folder).stdout) * count

    found = {title: [] for title in ("", *SAMPLE_MODES)}
    for _ in range(options.rounds):
        for title, mode in {"": ("work", None), **SAMPLE_MODES}.items():
            found[title].append(run(*mode))
    quiet = min(found.pop(""))
    costs = {title: (min(values) - quiet) / (min(values) / 100000) for title, values in found.items()}
    empty = costs["a signal and an empty handler"]
    lines = ["| at 10,000 a second | ns each | beside the bare signal | goal |", "|---|---|---|---|"]
    for title, cost in costs.items():
        lines.append(f"| {title} | {cost:.0f} | {cost - empty:.0f} | {'3,000' if title == 'a sample' else ''} |")
        print(lines[-1], file=sys.stderr)
    return lines


def cali_table(bench, options):
    program = bench.build_cali()
    lines = ["| caliper/cali.h | " + " | ".join(f"{mode}: ns, min / median" for mode in CALI_MODES)
             + " | goal, nothing measures: ns | " + " | ".join(f"{mode}: instructions" for mode in CALI_MODES) + " |",
             "|---" * (2 + 2 * len(CALI_MODES)) + "|"]
    for title, name, count, goal in CALI_ROWS:
        cells = [text([float(bench.run_cali(program, config, name, count).stdout)
                       for _ in range(options.rounds)]) for config in CALI_MODES.values()]
        counts = [f"{bench.cali_instructions(program, config, name):.0f}" if options.instructions else ""
                  for config in CALI_MODES.values()]
        lines.append(f"| {title} | " + " | ".join([*cells, goal, *counts]) + " |")
        print(lines[-1], file=sys.stderr)
    return lines


PAIRS = 300000


def whole_table(bench, options):
    """Whole runs with a trace that is written at the end."""
    programs = {"trammel": bench.build_cali()}
    if options.peer:
        programs["Caliper"] = bench.build_cali(options.peer)
    lines = [f"| whole run of {PAIRS:,} pairs, its trace written as .cali | s, min / median |", "|---|---|"]
    for title, program in programs.items():
        values = bench.whole(program, "event-trace(output=whole.cali)", PAIRS, options.rounds)
        lines.append(f"| {title} | {min(values):.3f} / {statistics.median(values):.3f} |")
        print(lines[-1], file=sys.stderr)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(HERE, "../build"), metavar="DIR")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--no-instructions", dest="instructions", action="store_false")
    parser.add_argument("--results", default=os.path.join(HERE, "RESULTS-context.md"))
    parser.add_argument("--peer", metavar="DIR", help="where LLNL's Caliper is installed, to compare with")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trammel-bench-") as folder:
        bench = Bench(folder, options.build)
        table = [*cost_table(bench, options), "", *call_table(bench, options), "", *cali_table(bench, options), "",
                 *whole_table(bench, options), "",
                 *path_table(bench, options), "", *sample_table(bench, options)]
        disk = bench.event_bytes()
    lines = ["# What a program's own context costs", "",
             f"Written by `bench/context.py` on {datetime.date.today().isoformat()}, on {machine()}.", "",
             f"{options.rounds} runs each. Nanoseconds have the clock reads in them: two in a pair, one in a",
             "set of a context or in a trace, as long as the first row says each. Callgrind counts no",
             "clock of its own: there it may be read by the kernel's function, which takes more.", "",
             *table, "",
             f"An event that is traced takes 4 bytes in memory, if less than 2^20 ticks went by (else 8; a set 16), and {disk:.1f} bytes in the profile",
             "(of this trace, in which each event is like the last; others take more).",
             "A live thread takes 4 KiB (traced: 8 KiB more after some 310 events, and 32 KiB more every 8,170), and one that",
             "has ended nothing but 56 bytes for each of its contexts, of the first 4,096 threads.", ""]
    with open(options.results, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
