#!/usr/bin/python3
"""Checks the tools that come with trammel against computations of their own.

Usage: run-tools.py [--build PATH] [--only NAME] [--jobs N] [--verbose]

The references, branches and calls of tools/kernel.c are those of a trace of valgrind's lackey,
from which caches, predictors and histograms are computed here in the plainest way. Programs with
threads, files and heaps say themselves what is right. Prints a line for each check and ends with
`N passed, N failed`.
"""

import argparse
import concurrent.futures
import functools
import multiprocessing
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

from transparency.results import asked

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "tools"))

import kernels  # noqa: E402
import records  # noqa: E402
import systems  # noqa: E402
import threads  # noqa: E402
import values  # noqa: E402
import whole  # noqa: E402

CHECKS = {**kernels.CHECKS, **systems.CHECKS, **threads.CHECKS, **values.CHECKS, **records.CHECKS,
          **whole.CHECKS}


class Runner:
    """Builds programs, and runs them with a tool."""

    def __init__(self, build, shared, folder, verbose):
        """Programs are built in `shared`; files of the checks are in `folder`."""
        self.build, self.shared, self.folder, self.verbose = build, shared, folder, verbose
        self.trammel = os.path.join(build, "src/cli/trammel")
        self.include = os.path.join(os.path.dirname(HERE), "include")
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8",
                            "XDG_CACHE_HOME": os.path.join(folder, "cache")}

    def compile(self, source, *flags, name=None):
        program = os.path.join(self.shared, name or os.path.splitext(source)[0])
        if not os.path.exists(program):
            own = f"{program}.{os.getpid()}"
            subprocess.run(["gcc", "-o", own, os.path.join(HERE, "tools", source), *flags],
                           check=True)
            os.rename(own, program)
        return program

    def tool(self, source):
        """A tool of the tests' own."""
        return self.compile(source, "-O2", "-fPIC", "-shared", "-Wall", "-Werror", "-I", self.include,
                            name=os.path.splitext(source)[0] + ".so")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def command(self, *words):
        """Runs a command of trammel's."""
        return subprocess.run([self.trammel, *words], capture_output=True, text=True, check=True,
                              cwd=self.folder, env=self.environment)

    def run(self, tool, program, *options, words=(), status=0):
        """What a tool printed about a program; the program's own output and status are as bare."""
        bare = subprocess.run([program, *words], capture_output=True, text=True, cwd=self.folder,
                              check=False)
        done = subprocess.run([self.trammel, "run", "--quiet", "-o", "tool.trm", "--tool", tool, *options,
                               "--", program, *words], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, check=False)
        if self.verbose:
            print(done.stderr, end="")
        assert done.returncode == bare.returncode == status, \
            f"status {done.returncode}, bare {bare.returncode}: {done.stderr[-500:]}"
        assert done.stdout == bare.stdout, "the program's output differs"
        return done.stderr

    def query(self, text, profile="tool.trm"):
        """The rows of a query of a profile, as dictionaries."""
        out = subprocess.run([self.trammel, "query", text + " FORMAT json", profile], capture_output=True,
                             text=True, cwd=self.folder, env=self.environment, check=True).stdout
        return json.loads(out)

    def sums(self, tool, table, keys, numbers):
        """Of a table of a tool's in the last profile: {keys: numbers}, one or several of each."""
        def pick(row, names):
            values = tuple(row.get(name, 0) for name in names)
            return values if len(values) > 1 else values[0]

        rows = self.query(f"SELECT * WHERE tool={tool},tool.table={table}")
        found = {pick(row, keys.split()): pick(row, numbers.split()) for row in rows}
        assert len(found) == len(rows), f"{len(rows)} rows of {tool} have {len(found)} keys"
        return found

    def report(self, profile, *options):
        """What trammel report says of a profile."""
        return subprocess.run([self.trammel, "report", *options, profile], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment, check=True).stdout


def run_check(name, options, folder):
    """Whether a check passed, in a folder of its own, and a line that says so."""
    own = os.path.join(folder, name)
    os.mkdir(own)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        told = CHECKS[name](Runner(os.path.abspath(options.build), os.path.join(folder, "programs"),
                                   own, options.verbose))
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
        return True, f"ok   {name}: {told}" + (f" ({used:.1f} s of CPU)" if options.verbose else "")
    except (AssertionError, subprocess.CalledProcessError) as error:
        return False, f"FAIL {name}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"))
    parser.add_argument("--only", help="part of the names of checks")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="checks at once (default: the number of processors)")
    parser.add_argument("--verbose", action="store_true", help="show what the tools print")
    options = parser.parse_args()
    names = [name for name in CHECKS if (not options.only or options.only in name) and asked(name)]
    folder = tempfile.mkdtemp(prefix="tools-")
    passed = 0
    try:
        programs = os.path.join(folder, "programs")
        os.mkdir(programs)
        kernels.kernel(Runner(os.path.abspath(options.build), programs, programs, False))
        fork = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=fork) as pool:
            for good, line in pool.map(functools.partial(run_check, options=options, folder=folder),
                                       names):
                print(line, flush=True)
                passed += good
    finally:
        shutil.rmtree(folder)
    failed = len(names) - passed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
