#!/usr/bin/python3
"""Compares what trammel counts with what valgrind's callgrind and single steps say.

Usage: run-exactness.py [--trammel PATH] [--only NAME] [--jobs N] [--keep DIR] [--settled]
                        [--verbose]

Both run the same program on the same input. callgrind's output gives how often each
instruction ran and each jump was taken; a function's calls are the executions of its first
instruction less the jumps to it from inside the function. Every function of the executable
and of all libraries is compared, in both directions. So is every basic block: its count is the
number of times that its first instruction ran. So are edges, with single steps.

Under valgrind a program finds another CPU and no vDSO, and starts in another way. A small
program is therefore also counted one instruction at a time on the real CPU (exactness/step.c).
There trammel must be right without exception; and the functions in which callgrind differs
from the single steps are the only ones that may differ in the other programs too.
Prints a table and ends with `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import io
import multiprocessing
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "exactness"))

import agreement  # noqa: E402
import branches  # noqa: E402
import derived  # noqa: E402
import judge  # noqa: E402
import pairs  # noqa: E402
import paths  # noqa: E402
import programs  # noqa: E402
import returns  # noqa: E402
import runs  # noqa: E402
import seldom  # noqa: E402
import tracefiles  # noqa: E402

# What is looked at, by its name: functions of a folder with the programs and of the options.
CHECKS = {
    "single steps": programs.check_steps,
    **branches.CHECKS,
    "block coverage": agreement.check_block_coverage,
    "coverage of what is left": agreement.check_left,
    "fired probes": agreement.check_fired,
    "seldom": seldom.check_seldom,
    "contexts": agreement.check_contexts,
    "thread sums": agreement.check_threads,
    **derived.CHECKS,
    **pairs.CHECKS,
    **tracefiles.CHECKS,
    **returns.CHECKS,
    **paths.CHECKS,
}


# ld.so searches it: where a package is installed between two runs, they count differently.
LOADER_CACHE = "/etc/ld.so.cache"
ATTEMPTS = 3  # with a loader's cache that changed meanwhile


def loader_cache():
    """What tells one state of the loader's cache from another."""
    try:
        status = os.stat(LOADER_CACHE)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def attempt(name, folder, options, excuses=None):
    """Whether a check passed, what it printed, and its totals; with excuses one of a program.
    Made again where it failed and the loader's cache is another than at its beginning."""
    for _ in range(ATTEMPTS):
        before = loader_cache()
        result = attempt_once(name, folder, options, excuses)
        if result[0] or loader_cache() == before:
            break
    return result


def attempt_once(name, folder, options, excuses):
    """As attempt. The check has a copy of the programs in a folder of its own."""
    own = os.path.join(folder, name.replace(" ", "-"))
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(os.path.join(folder, "programs"), own)
    out = io.StringIO()
    judge.TOTALS.clear()
    with contextlib.redirect_stdout(out):
        try:
            passed = (programs.check(name, own, options, excuses) if excuses
                      else CHECKS[name](own, options))
        except (runs.Failure, ValueError, KeyError) as error:
            print(f"FAIL {name}: {type(error).__name__}: {error}")
            passed = False
    return passed, out.getvalue(), judge.TOTALS


def submit_all(pool, folder, options):
    """Starts all checks that are wanted; those of programs when it is known what to excuse."""
    def wanted(names):
        return [name for name in names if options.only == name
                or (not options.only and name not in branches.LONG)]
    checks = [pool.submit(attempt, name, folder, options) for name in wanted(CHECKS)]
    if wanted(programs.PROGRAMS):
        excuses = programs.find_excuses(os.path.join(folder, "programs"))
        checks += [pool.submit(attempt, name, folder, options, excuses)
                   for name in wanted(programs.PROGRAMS)]
    return checks


def run(folder, options):
    runs.fix_addresses()
    runs.own_home(os.path.join(folder, "home"))
    runs.settled = options.settled
    runs.prepare(os.path.join(folder, "programs"))
    totals, results = collections.Counter(), []
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=fork) as pool:
        for check in submit_all(pool, folder, options):
            passed, text, counted = check.result()
            results.append(passed)
            totals.update(counted)
            print(text, end="", flush=True)
    for kind in judge.KINDS:
        print(f"{kind}:", ", ".join(f"{totals[kind, word]} {word}" for word in judge.OUTCOMES))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


def main():
    default = os.path.join(os.path.dirname(HERE), "build/src/cli/trammel")
    names = [*CHECKS, *programs.PROGRAMS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=default, help="the program to test")
    parser.add_argument("--only", metavar="NAME", choices=names,
                        help="one of: " + ", ".join(names))
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1,
                        help="how many checks are made at once")
    parser.add_argument("--keep", metavar="DIR", help="leave all files in this folder")
    parser.add_argument("--settled", action="store_true",
                        help="count blocks and edges by plans that earlier runs made better")
    parser.add_argument("--verbose", action="store_true", help="show every difference")
    options = parser.parse_args()
    options.trammel = os.path.abspath(options.trammel)
    if not shutil.which("valgrind"):
        print("valgrind is missing: install it with `apt-get install valgrind`")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    if options.keep:
        return run(options.keep, options)
    with tempfile.TemporaryDirectory(prefix="trammel-exactness-") as folder:
        return run(folder, options)


if __name__ == "__main__":
    sys.exit(main())
