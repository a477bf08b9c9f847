#!/usr/bin/python3
"""Runs programs of many runtimes bare and measured in several ways: same output, same end.

The table of programs is real/matrix.py. Each is run with an empty cache, and once more with
what that run left there. A program whose package is not there is skipped; --write makes the table.
"""

import functools
import os
import shlex
import shutil
import subprocess
import sys
import threading

from real import matrix
from transparency import results, running, trammel
from transparency.results import Failure, Skip

MEASURES = ("functions", "edges", "callgraph", "blocks,calls")
TIMEOUT_SECONDS = 300
WRITING = threading.Lock()

HEAD = """# Programs of many runtimes, bare and measured

Made by `tests/run-matrix.py --write docs/matrix.md`. Each program was run bare, and with each
measurement twice: with an empty cache, and with what that run left there. *same*: both printed the
same to both streams and ended with the same status.

| program | package | version | runtime | {} |
|---|---|---|---|{}
"""


def version_of(program):
    """The version of its Debian package, or what it says itself; empty if it is not there."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}",
                           program.package], capture_output=True, check=False, text=True)
    state, _, version = done.stdout.partition(" ")
    if state == "installed":
        return version
    done = subprocess.run(["sh", "-c", program.version or "false"], capture_output=True,
                          check=False, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def build(program, folder):
    """Writes and builds the program, unmeasured."""
    os.makedirs(folder)
    if program.file:
        with open(os.path.join(folder, program.file), "w", encoding="utf-8") as file:
            file.write(program.source)
    if program.build:
        done = subprocess.run(["sh", "-c", program.build], cwd=folder, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise Skip(f"it cannot be built: {said[-200:]!r}")


def run_once(program, built, work, words, cache):
    """A run in a fresh copy of the folder that was built, always of the same name."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(built, work)
    variables = running.base_environment() | {"HOME": work, "TRAMMEL_CACHE_DIR": cache}
    return running.run(words, work, variables, timeout=TIMEOUT_SECONDS)


def check_bare(program, outcomes):
    """A program that fails, is silent or says something else each time would tell nothing."""
    first, second = outcomes
    if first.status != program.status or not first.stdout + first.stderr:
        said = (first.stdout[-100:] + first.stderr[-200:]).decode(errors="replace")
        raise Failure(f"bare run: {first.status_text()}: {said!r}")
    problems = running.compare(first, second, program.normalise)
    if problems:
        raise Failure("two bare runs: " + "; ".join(problems))


def check_counted(tool, profile):
    """Something must have been measured, or it is no wonder that nothing changed."""
    try:
        report = trammel.Report(tool, profile)
    except trammel.ReportError as error:
        return [str(error)]
    return [] if sum(row.get("calls", 0) for row in report.rows) else ["nothing was counted"]


def measured(program, tool, measure, bare, scratch):
    """The differences of two measured runs, each one line."""
    cache = os.path.join(scratch, "cache-" + measure)
    os.mkdir(cache, 0o700)
    problems = []
    for state in ("cold", "warm"):
        profile = os.path.join(scratch, f"{measure}-{state}.trm")
        line = trammel.run_command(tool, profile, shlex.split(program.command), measure)
        outcome = run_once(program, os.path.join(scratch, "built"), os.path.join(scratch, "work"),
                           line, cache)
        found = running.compare(bare, outcome, program.normalise)
        if measure == "functions" and state == "warm" and not found:
            found = check_counted(tool, profile)
        problems += [f"{state}: {problem}" for problem in found]
    return problems


def run_test(program, tool, measures, table, path):
    version = version_of(program)
    if not version:
        raise Skip(f"needs the package '{program.package}'")
    with running.Scratch("matrix") as scratch:
        built, work = os.path.join(scratch, "built"), os.path.join(scratch, "work")
        build(program, built)
        words = shlex.split(program.command)
        outcomes = [run_once(program, built, work, words, scratch) for _ in range(2)]
        check_bare(program, outcomes)
        differences = {measure: measured(program, tool, measure, outcomes[0], scratch)
                       for measure in measures}
    table[program.name] = (program, version, differences)
    if path:
        write(path, measures, table)
    told = [f"{measure}: {problem}" for measure, problems in differences.items()
            for problem in problems]
    if told and not program.known:
        raise Failure("; ".join(told))
    return f"differs as known ({program.known}): {'; '.join(told)}" if told else ""


def cell(program, problems):
    if not problems:
        return "same"
    text = program.known or "; ".join(problems)
    return "**differs**: " + text.replace("|", "/").replace("\n", " ")[:120]


def write(path, measures, table):
    """Writes the table, in the order of the list: after each program, so that a run that is
    stopped has told of those before."""
    with WRITING, open(path, "w", encoding="utf-8") as file:
        file.write(HEAD.format(" | ".join(measures), "---|" * len(measures)))
        for name in [program.name for program in matrix.ALL if program.name in table]:
            program, version, differences = table[name]
            cells = [name, program.package, version, program.runtime]
            cells += [cell(program, differences[measure]) for measure in measures]
            file.write("| " + " | ".join(cells) + " |\n")
        same = sum(not any(row[2].values()) for row in list(table.values()))
        file.write(f"\n{len(table)} programs, {same} the same with all measurements.\n")


def main():
    arguments = results.arguments(__doc__.splitlines()[0])
    arguments.set_defaults(measure="")
    arguments.add_argument("--small", action="store_true",
                           help="only programs that need no package but those of the tests")
    arguments.add_argument("--write", metavar="FILE", help="write the table of results")
    options = arguments.parse_args()
    measures = (options.measure,) if options.measure else MEASURES
    tool = "" if options.list else os.path.realpath(trammel.find(options.build))
    table = {}
    with running.Scratch("matrix-all") as folder:
        running.own_folders(folder)
        tests = [(program.name, functools.partial(run_test, program, tool, measures, table,
                                                  options.write))
                 for program in (matrix.SMALL if options.small else matrix.ALL)]
        return results.run_all(tests, options)


if __name__ == "__main__":
    sys.exit(main())
