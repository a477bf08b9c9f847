"""One line per test, and the totals at the end."""

import argparse
import concurrent.futures
import fnmatch
import os
import sys
import threading
import time
import traceback


class Skip(Exception):
    """Raised by a test that cannot be run here; the text says why."""


class Failure(Exception):
    """Raised by a test that found something wrong; the text says what, on one line."""


class Disturbed(Failure):
    """A failure that a machine which held the program up may be the reason of, as times and samples
    tell of it: the test is run again, at most ATTEMPTS times. A fault of ours comes each time."""


ATTEMPTS = 3


def attempts(function):
    """Calls a test, again where it was disturbed. Returns its note, with the number of attempts."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            note = function() or ""
        except Disturbed:
            if attempt == ATTEMPTS:
                raise
        else:
            return note if attempt == 1 else f"{note} attempt {attempt}".strip()
    return ""


def asked(name):
    """Whether the check asks for this test: for all, or, when it runs again what failed, for these by name."""
    names = os.environ.get("CHECK_TESTS")
    return not names or name in names.split()


class Results:
    """Counts outcomes and prints them as they come in. Safe to use from several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = 0
        self.failed = []
        self.skipped = []

    def run(self, name, function):
        """Runs a test: what it returns is a note for its line; see Skip and Failure."""
        start = time.monotonic()
        try:
            note = attempts(function)
        except Skip as reason:
            self.add("skip", name, str(reason), start)
        except Failure as problem:
            self.add("FAIL", name, str(problem), start)
        except Exception:  # a broken test is a failed one, not the end of the others
            text = traceback.format_exc().strip().splitlines()
            self.add("FAIL", name, " / ".join(text[-3:]), start)
        else:
            self.add("ok", name, note or "", start)

    def add(self, verdict, name, text, start):
        seconds = time.monotonic() - start
        with self.lock:
            if verdict == "ok":
                self.passed += 1
            elif verdict == "skip":
                self.skipped.append((name, text))
            else:
                self.failed.append(name)
            line = f"{verdict:4} {name} ({seconds:.1f} s)"
            print(line + (f": {text}" if text else ""), flush=True)

    def finish(self):
        """Prints the totals; returns the exit status."""
        total = f"{self.passed} passed, {len(self.failed)} failed"
        if self.skipped:
            total += f", {len(self.skipped)} skipped"
            for name, reason in self.skipped:
                print(f"skipped {name}: {reason}")
        for name in self.failed:
            print(f"failed {name}")
        print(total)
        return 1 if self.failed else 0


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", metavar="DIR", help="build folder with the trammel to test")
    parser.add_argument("--filter", metavar="GLOB", action="extend", nargs="+",
                        help="only tests whose names match (may be repeated)")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count() or 1,
                        help="tests run at once (default: the number of processors)")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--no-profile", action="store_true",
                        help="compare the runs only and read no profile")
    parser.add_argument("--measure", default="functions", metavar="NAME",
                        help="measurement: functions (default), coverage, blocks, edges or calls; "
                             "several with commas")
    return parser


def run_all(tests, options, longest=()):
    """Runs (name, function) pairs as the options say; returns the exit status.

    The longest, by name, begin first, so that none of them runs on alone at the end.
    """
    tests = sorted(tests, key=lambda test: test[0] not in longest)
    if options.filter:
        tests = [test for test in tests
                 if any(fnmatch.fnmatchcase(test[0], glob) for glob in options.filter)]
    tests = [test for test in tests if asked(test[0])]
    if options.list:
        print("\n".join(name for name, _ in tests))
        return 0
    if not tests:
        sys.exit("no test has such a name")
    results = Results()
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for name, function in tests:
            pool.submit(results.run, name, function)
    return results.finish()
