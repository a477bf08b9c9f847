#!/usr/bin/python3
"""Measures what trammel costs, beside other tools, on ten real programs.

Each round runs every program bare and under each tool, one after the other, so that a change
of the machine's speed meets all of them. Given are medians over the rounds of the tool's CPU time
(user and system, of all processes) and wall time, as ratios to the bare run of the same round.
Slow tools run once. Every run's output is compared with the bare run's by its hash. A whole run,
with neither --quick, --only nor --tools, writes its tables to RESULTS.md and the first one to the
README; with --shorter, --longer or --startup only those sections of RESULTS.md.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import attaching  # noqa: E402
import costs  # noqa: E402
import rebuilds  # noqa: E402
import runner  # noqa: E402
import tables  # noqa: E402
import tools  # noqa: E402
import workloads  # noqa: E402

# Sections of the results that can be measured by themselves, by their options.
SECTIONS = {"shorter": tables.shorter_sections, "longer": tables.longer_sections,
            "startup": tables.startup_sections}


class Progress:
    """One line on standard error that is written over, on a terminal; else a line a program."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()
        self.last = ""

    def show(self, text):
        if self.terminal:
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()
        elif text.split(":")[0] != self.last.split(":")[0]:
            print(text, file=sys.stderr)
        self.last = text

    def end(self):
        if self.terminal:
            sys.stderr.write("\r\033[K")


def tool_runs(tool, number, rounds):
    """Whether the tool takes part in this round: slow ones only in the first."""
    return not tool.slow or number == 0 or rounds == 0


def programs_of(options, times=1):
    return {name: command for name, command in workloads.commands(times).items()
            if not options.only or name in options.only}


def measure_programs(chosen, folder, options, progress, results, keep, times=1):
    """Fills {program: {tool: [runner.Run]}}, interleaved over the rounds, and calls `keep` after
    each; `times` as commands() has it."""
    programs = programs_of(options, times)
    results.update({name: {tool.name: [] for tool in chosen} for name in programs})
    for number in range(options.rounds):
        for name, command in programs.items():
            for tool in chosen:
                if tool_runs(tool, number, options.rounds):
                    progress.show(f"round {number + 1} of {options.rounds}: {name} {tool.name}")
                    results[name][tool.name].append(runner.run(tool, command, folder))
        keep()


def wrong_outputs(results):
    """One line for each program and tool whose output or status is not the bare run's."""
    lines = []
    for name, by_tool in results.items():
        first = by_tool["bare"][0]
        for tool, runs in by_tool.items():
            for run in runs:
                if (run.output, run.status) != (first.output, first.status):
                    lines.append(f"{name} under {tool}: output or exit status differs "
                                 f"(status {run.status}): {run.message}")
                    break
    return lines


def machine():
    model = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    name = "unknown system"
    with open("/etc/os-release", encoding="utf-8") as file:
        for line in file:
            if line.startswith("PRETTY_NAME="):
                name = line.split("=", 1)[1].strip().strip('"')
    kernel = os.uname().release
    return f"{model}, {os.cpu_count()} cores, Linux {kernel}, {name}"


def quote(readme, table):
    """Puts the table between the two marks of the README, in place of the last one."""
    begin, end = "<!-- bench: begin -->\n", "<!-- bench: end -->"
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    if begin not in text or end not in text:
        return
    head, tail = text.split(begin, 1)[0], text.split(end, 1)[1]
    with open(readme, "w", encoding="utf-8") as file:
        file.write(f"{head}{begin}\n{table}\n{end}{tail}")


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true",
                        help="2 rounds of bare and trammel alone, few start-ups")
    parser.add_argument("--rounds", type=int, metavar="N", help="how many rounds (5)")
    parser.add_argument("--tools", metavar="A,B",
                        help="beside bare: " + ",".join(tools.names()))
    parser.add_argument("--only", metavar="NAMES", help="programs, with commas")
    alone = parser.add_mutually_exclusive_group()
    alone.add_argument("--shorter", dest="section", action="store_const", const="shorter",
                       help="runs of a second alone, whose tables are put into the results")
    alone.add_argument("--longer", dest="section", action="store_const", const="longer",
                       help="the same for longer runs")
    alone.add_argument("--startup", dest="section", action="store_const", const="startup",
                       help="the same for start-up")
    parser.add_argument("--json", metavar="FILE",
                        help="write every single run to FILE, as far as it has come")
    parser.add_argument("--trammel", metavar="PATH", help="the trammel to measure",
                        default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--work", metavar="DIR", help="keep inputs here for another time")
    parser.add_argument("--results", metavar="FILE", help="where the tables go",
                        default=os.path.join(HERE, "RESULTS.md"))
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.only = options.only.split(",") if options.only else None
    unknown = set(options.only or ()) - set(workloads.commands())
    if unknown or options.rounds < 1:
        parser.error(f"no such program: {', '.join(sorted(unknown))}" if unknown
                     else "--rounds wants at least 1")
    options.partial = bool(options.quick or options.only or options.tools)
    return options


def measure_shorter(done, folder, options, progress, keep):
    measure_programs(done.chosen, folder, options, progress, done.results, keep)


def measure_longer(done, folder, options, progress, keep):
    measure_programs(done.fast, folder, options, progress, done.longer, keep, workloads.LONGER)


def measure_startup(done, folder, options, progress, _keep):
    done.startup = costs.startup(done.chosen, folder, options, progress)


def measure_rest(done, folder, options, progress, keep):
    done.memory = costs.memory(done.chosen, folder, options, progress)
    done.rebuilders, done.rebuilt = rebuilds.measure(done.chosen, folder, options, progress)
    keep()
    done.attaching = attaching.measure(folder, os.path.join(folder, "cache"), options, progress)


def parts_of(options):
    """Whether each part is wanted, and what measures it."""
    every = not options.section
    return ((options.section == "shorter" or every, measure_shorter),
            (options.section == "longer" or (every and not options.quick), measure_longer),
            (options.section == "startup" or (every and not options.only), measure_startup),
            (every and not options.only, measure_rest))


def measure(folder, options, done, keep):
    """Fills `done`, and calls `keep` whenever there is more in it."""
    workloads.prepare(folder)
    cache = os.path.join(folder, "cache")
    shutil.rmtree(cache, ignore_errors=True)
    done.chosen = tools.choose(options, cache)
    done.fast = [tool for tool in done.chosen if not tool.slow]
    progress = Progress()
    progress.show("preparing: " + ", ".join(tool.name for tool in done.chosen))
    if options.section != "startup":
        tools.warm(done.chosen, programs_of(options), folder, progress)
    for wanted, part in parts_of(options):
        if wanted:
            part(done, folder, options, progress, keep)
            keep()
    progress.end()


def write_json(path, when, done):
    """Writes all that was measured so far; the file is whole at any time."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(tables.raw(machine(), when, done), file, indent=1)
    os.replace(path + ".new", path)


def quote_ratios(done):
    quote(os.path.join(HERE, "../README.md"), tables.readme_table(done.chosen, done.results))


def show_sections(options, done, when, wrong):
    """Prints sections that were measured by themselves; if they are whole, they are the results."""
    rounds = f" in {options.rounds} rounds" if options.section != "startup" else ""
    sections = [tables.section_by_itself(section, f"on {when}{rounds}, on {machine()}")
                for section in SECTIONS[options.section](done)]
    print(*sections, *wrong, sep="\n")
    if options.partial or wrong:
        return
    for section in sections:
        tables.replace_section(options.results, section)
    if options.section == "shorter":
        quote_ratios(done)


def main():
    options = options_of(sys.argv[1:])
    runner.become_reaper()
    when = datetime.date.today().isoformat()
    done = tables.Measured()

    def keep():
        if options.json:
            write_json(options.json, when, done)

    if options.work:
        os.makedirs(options.work, exist_ok=True)
        measure(os.path.abspath(options.work), options, done, keep)
    else:
        with tempfile.TemporaryDirectory(prefix="trammel-bench-") as folder:
            measure(folder, options, done, keep)
    wrong = [line for part in (done.results, done.longer, done.rebuilt) for line in wrong_outputs(part)]
    if options.section:
        show_sections(options, done, when, wrong)
        return 1 if wrong else 0
    text = tables.document(machine(), when, options.rounds, done, wrong)
    print(text)
    if options.partial:
        print(f"A part only: {options.results} is left as it is.", file=sys.stderr)
    else:
        with open(options.results, "w", encoding="utf-8") as file:
            file.write(text)
        quote_ratios(done)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
