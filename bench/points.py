#!/usr/bin/python3
"""Measures what tools and paths cost, beside valgrind's tools, on the ten programs of run.py.

Each of them does a quarter of what it does there, unless --whole is given. Each round runs every
program bare and under each tool, one after the other. Given are ratios of the program's user time to
that of the bare run: of each the least of its rounds, since what else the machine does can only add
to it. What trammel's tracer takes beside it, mostly once, to plan, is in a table of its own.
Valgrind's tools run once. A whole run writes its tables to RESULTS.md.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
sys.path.insert(0, HERE)

import run  # noqa: E402
import runner  # noqa: E402
import tables  # noqa: E402
import tools  # noqa: E402
import workloads  # noqa: E402

HEADING = "## Tools and paths: user time of the program, ratio to bare\n"
ONE_LEVEL = "32k/8/64"

# What trammel is given, by the name of a row; {points} is the tool of programs/points.c.
MEASURED = {
    "-m blocks": ["-m", "blocks"],
    "-m paths": ["-m", "paths"],
    "counter at each block": ["--tool", "{points}:count"],
    "empty routine at each block": ["--tool", "{points}:call"],
    "memory trace, dropped": ["--tool", "{points}:trace"],
    "cache, one level": ["--tool", f"cache:l1={ONE_LEVEL}"],
}
PEERS = {
    "valgrind --tool=none": ["--tool=none"],
    "callgrind": ["--tool=callgrind", "--callgrind-out-file={folder}/callgrind"],
    "callgrind, caches": ["--tool=callgrind", "--callgrind-out-file={folder}/callgrind", "--cache-sim=yes"],
}


def trammel(name, words, path, points, cache):
    def prefix(folder):
        return [path, "run", "--quiet", *(word.format(points=points) for word in words),
                "-o", os.path.join(folder, "profile.trm"), "--"]
    return tools.Tool(name, path, prefix, warm=True,
                      environment={"TRAMMEL_CACHE_DIR": os.path.join(cache, name.replace(" ", "-"))})


def valgrind(name, words):
    return tools.Tool(name, "valgrind", lambda folder: [
        "valgrind", "-q", *(word.format(folder=folder) for word in words)], slow=True)


def chosen_tools(options, folder):
    points = os.path.join(folder, "points.so")
    subprocess.run([options.trammel, "tool", "build", "-o", points,
                    os.path.join(workloads.PROGRAMS, "points.c")], check=True)
    every = [tools.BARE, *(trammel(name, words, options.trammel, points, os.path.join(folder, "cache"))
                           for name, words in MEASURED.items()),
             *(valgrind(name, words) for name, words in PEERS.items())]
    return [tool for tool in every if tool.name == "bare" or not options.tools or
            any(word in tool.name for word in options.tools.split(","))]


def ratio(by_tool, name):
    sound = [one for one in by_tool[name] if (one.output, one.status) ==
             (by_tool["bare"][0].output, by_tool["bare"][0].status)]
    bare = min(one.user for one in by_tool["bare"])
    return min(one.user for one in sound) / max(bare, 1e-3) if sound else None


def table(chosen, results):
    """A row for each tool, a column for each program."""
    bare = [f"{min(one.user for one in by_tool['bare']):.2f}" for by_tool in results.values()]
    rows = [["", *results, "geometric mean"], ["bare, s", *bare, ""]]
    for tool in chosen[1:]:
        ratios = [ratio(by_tool, tool.name) for by_tool in results.values()]
        mean = None if None in ratios else tables.geometric_mean(ratios)
        rows.append([tool.name + ("*" if tool.slow else ""),
                     *(tables.show(value) for value in ratios), f"**{tables.show(mean)}**"])
    return tables.markdown(rows)


def tracer_table(chosen, results):
    """What the tracer took, in seconds: a row for each tool that has one."""
    rows = [["tracer, s", *results]]
    for tool in chosen[1:]:
        if not tool.slow:
            rows.append([tool.name, *(f"{min(one.beside for one in by_tool[tool.name]):.2f}"
                                      for by_tool in results.values())])
    return tables.markdown(rows)


def measure(options, folder):
    workloads.prepare(folder)
    chosen = chosen_tools(options, folder)
    programs = workloads.commands() if options.whole else workloads.short_commands()
    programs = {name: command for name, command in programs.items()
                if not options.only or name in options.only.split(",")}
    progress = run.Progress()
    results = {name: {tool.name: [] for tool in chosen} for name in programs}
    for tool in chosen:
        for command in programs.values() if tool.warm and "-m" in tool.prefix("") else ():
            progress.show(f"warming: {tool.name}")
            runner.run(tool, command, folder)
    for number in range(options.rounds):
        for name, command in programs.items():
            for tool in chosen:
                if not tool.slow or not number:
                    progress.show(f"round {number + 1} of {options.rounds}: {name} {tool.name}")
                    results[name][tool.name].append(runner.run(tool, command, folder))
    progress.end()
    return chosen, results


def commit():
    found = subprocess.run(["git", "-C", TOP, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                           check=False)
    return found.stdout.strip() or "no commit"


def write_section(path, text, heading=HEADING):
    """Puts the section in place of the one with its heading, or at the end."""
    with open(path, encoding="utf-8") as file:
        old = file.read()
    head, _, rest = old.partition(heading)
    tail = rest.partition("\n## ")[2]
    with open(path, "w", encoding="utf-8") as file:
        file.write(head.rstrip("\n") + "\n\n" + text + (f"\n## {tail}" if tail else ""))


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--whole", action="store_true", help="as much to do as in run.py")
    parser.add_argument("--rounds", type=int, default=2, help="how many (2)")
    parser.add_argument("--tools", metavar="WORDS", help="only those whose names have one of the words, with commas")
    parser.add_argument("--only", metavar="NAMES", help="programs, with commas")
    parser.add_argument("--note", default="", help="a sentence about the conditions, for the results")
    parser.add_argument("--work", metavar="DIR", help="keep inputs here for another time")
    parser.add_argument("--trammel", metavar="PATH", default=os.path.join(TOP, "build/src/cli/trammel"))
    options = parser.parse_args()
    options.trammel = os.path.abspath(options.trammel)
    return options


def main():
    options = options_of()
    runner.become_reaper()
    with tempfile.TemporaryDirectory(prefix="trammel-bench-") as scratch:
        folder = os.path.abspath(options.work or scratch)
        os.makedirs(folder, exist_ok=True)
        chosen, results = measure(options, folder)
    wrong = run.wrong_outputs(results)
    conditions = f"Measured on {datetime.date.today().isoformat()} with {commit()} in {options.rounds} round{'s' * (options.rounds > 1)}, " \
                 f"on {run.machine()}. {options.note}".rstrip()
    amount = "" if options.whole else f"Each program does one part in {workloads.PARTS} of what it does above. "
    text = f"{HEADING}\n{conditions}\n{amount}The least of the rounds; those with * ran once.\n\n" \
           + table(chosen, results) + "\n" + tracer_table(chosen, results)
    print(text, *wrong, sep="\n")
    if not options.only and not options.tools and not wrong:
        write_section(os.path.join(HERE, "RESULTS.md"), text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
