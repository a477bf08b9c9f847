"""What the scripts have in common whose tests are methods of one class, run by their names."""

import argparse
import os
import subprocess
import sys
import tempfile

from transparency.results import Disturbed, Failure, asked, attempts

BUILT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "src", "cli", "trammel")


def expect(condition, text):
    if not condition:
        raise Failure(text)


def expect_undisturbed(condition, text):
    """Expects what a machine that holds the program up can make wrong: see results.Disturbed."""
    if not condition:
        raise Disturbed(text)


def run_one(test, name):
    """Whether it passed; says why not."""
    try:
        attempts(test)
        return True
    except Failure as failure:
        print(f"FAILED {name}: {failure}")
    except subprocess.CalledProcessError as error:
        print(f"FAILED {name}: {error}: {error.stderr}")
    return False


def main(text, make, choose):
    """Runs tests, and ends the script. `make` gets the path of trammel and a folder and returns the
    tests; `choose` gets these and returns the names of those that can be run here."""
    parser = argparse.ArgumentParser(description=text.split("\n", maxsplit=1)[0])
    parser.add_argument("--trammel", default=BUILT)
    parser.add_argument("--only", help="tests with this in their name")
    parser.add_argument("--keep", metavar="DIR", help="the folder for programs and profiles, which stay")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or made
        os.makedirs(folder, exist_ok=True)
        tests = make(os.path.abspath(given.trammel), folder)
        results = [run_one(getattr(tests, name), name) for name in choose(tests)
                   if (not given.only or given.only in name) and asked(name)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(failed != 0 or not results)
