#!/usr/bin/python3
"""Debugs measured programs: `trammel debug` with a real gdb, and its own prompt.

Usage: run-debug.py [--trammel PATH] [--only NAME] [--keep DIR]

The programs in debug/ say in their heads what they do. Each case runs one while a debugger stops it,
and compares what the debugger says with that; the program must print and end as without. Ends with
`N passed, N failed`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "debug")
FLAGS = {"O2": ["-O2", "-g"], "O0": ["-O0", "-g"]}
BEGIN = """set pagination off
set confirm off
set sysroot /
set debuginfod enabled off
set width 0
target remote {place}
"""
SECONDS = 120


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Place:
    """Where a case runs."""

    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder

    def build(self, name, variant="O2"):
        program = os.path.join(self.folder, f"{name}-{variant}")
        source = os.path.join(SOURCES, name + ".c")
        if not os.path.exists(program):
            subprocess.run(["gcc", *FLAGS[variant], "-pthread", "-o", program, source], check=True)
        return program

    def gdb(self, program, script, measure="functions", options=()):
        """Runs a program measured, and a gdb on it. Returns what gdb prints, what the program does, and its
        status."""
        socket = os.path.join(self.folder, "socket")
        commands = os.path.join(self.folder, "commands")
        with open(commands, "w", encoding="utf-8") as file:
            file.write(BEGIN.format(place=socket) + script)
        run = subprocess.Popen(
            [self.trammel, "debug", "-q", "-m", measure, "--gdb", "unix:" + socket, "-o",
             os.path.join(self.folder, "out.trm"), *options, "--", program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        try:
            said = run.stderr.readline()
            expect("target remote" in said, f"it does not wait for gdb: {said}")
            gdb = subprocess.run(["gdb", "-nx", "-batch", "-x", commands, program], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                 check=False, stdin=subprocess.DEVNULL)
            output, errors = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
            run.wait()
        expect("rror in sourced" not in gdb.stdout, f"gdb: {gdb.stdout}\n{errors}")
        return gdb.stdout, output, run.returncode

    def calls(self, function):
        """Returns how often the profile says that a function was called."""
        text = subprocess.run([self.trammel, "report", "--all", os.path.join(self.folder, "out.trm")],
                              text=True, stdout=subprocess.PIPE, check=True).stdout
        found = re.search(rf"^ *([0-9,]+) .* {function}$", text, re.M)
        return int(found.group(1).replace(",", "")) if found else 0


def bare(program):
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    return run.stdout, run.returncode


def hits_of(text):
    return [int(n) for n in re.findall(r"already hit (\d+) time", text)]


HITS = """break *leaf
ignore 1 100000
break *middle
ignore 2 100000
break *(leaf+4)
ignore 3 100000
continue
info breakpoints
"""


def test_hits(place, measure):
    program = place.build("loops")
    text, output, status = place.gdb(program, HITS, measure)
    expect((output, status) == bare(program), f"the program: {output!r}, {status}")
    expect(hits_of(text) == [4950, 100, 4950], f"hits: {hits_of(text)}\n{text}")
    if measure == "functions":
        expect(place.calls("leaf") == 4950, f"calls: {place.calls('leaf')}")


THREADS = """handle SIGUSR1 nostop noprint pass
break touch
ignore 1 100000
break on_usr1
break child_work
continue
backtrace
finish
stepi
stepi
continue
info breakpoints
"""


def test_threads(place, measure):
    program = place.build("threads")
    text, output, status = place.gdb(program, THREADS, measure)
    expect((output, status) == bare(program), f"the program: {output!r}, {status}")
    expect(hits_of(text) == [801, 1], f"hits: {hits_of(text)}\n{text}")
    expect("<signal handler called>" in text and re.search(r"#\d+ .*in main \(\) at", text),
           f"no stack: {text}")


CASES = {
    **{f"hits-{measure}": lambda place, measure=measure: test_hits(place, measure)
       for measure in ("functions", "blocks", "callgraph")},
    **{f"threads-{measure}": lambda place, measure=measure: test_threads(place, measure)
       for measure in ("functions", "edges")},
}


def run_case(name, arguments):
    folder = tempfile.mkdtemp(prefix="debug-")
    try:
        CASES[name](Place(os.path.abspath(arguments.trammel), folder))
    except (Failure, subprocess.SubprocessError, OSError) as failure:
        print(f"FAIL {name}: {failure}", flush=True)
        return False
    finally:
        if arguments.keep:
            shutil.copytree(folder, os.path.join(arguments.keep, name), dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"ok   {name}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if not shutil.which("gdb"):
        print("no gdb here\n0 passed, 0 failed")
        return 0
    results = [run_case(name, arguments) for name in CASES if arguments.only in name]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
