#!/usr/bin/python3
"""Compares values of instructions with what single steps find.

Usage: run-values.py [--trammel PATH] [--only NAME] [--keep DIR]

values/forms.py writes a program of more than 2,000 forms of instructions, which are executed in
rounds that begin with eight different states; values/steps.c steps through it. Each value that
samples saw must be one that the steps saw at that instruction, and the most frequent one must be
about as frequent. The program must do the same as in the bare run. Ends with
`N passed, N failed`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = os.path.join(HERE, "values")
sys.path.insert(0, VALUES)
import forms  # noqa: E402 (it lies in the folder above)

FORMS = 2000     # at least
STATES = 8       # of values/main.c
ENOUGH = 64      # samples from which on shares are compared
TOLERANCE = 0.3  # of shares: with so few samples chance alone makes much
FUNCTIONS = {"forms", "small", "small_pops"}


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def requests_of(rows):
    """{what the steps are asked for: rows}; loads and stores only at one address."""
    addresses = {}
    for row in rows:
        if row["kind"] == "address" and len(row["values"]) == 1 and row["values"][0]["times"] == row["seen"]:
            addresses[row["address"], row["what"]] = row["values"][0]["value"]
    asked = {}
    for row in rows:
        place = addresses.get((row["address"], row["what"]))
        text = {"result": f"after {row['what']}", "target": "next"}.get(row["kind"])
        if place is not None and row["kind"] in ("load", "store"):
            text = f"{'before' if row['kind'] == 'load' else 'after'} {place:#x} 8"
        if text:
            asked[f"{row['address']:x} {text}"] = row
    return asked


def single_steps(folder, program, asked):
    """{request: {value: times}}"""
    wanted, found = os.path.join(folder, "requests"), os.path.join(folder, "results")
    with open(wanted, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in asked)
    subprocess.run([os.path.join(folder, "steps"), wanted, found, program, str(STATES)],
                   check=True, stdout=subprocess.DEVNULL)
    counts = defaultdict(dict)
    with open(found, encoding="ascii") as file:
        for line in file:
            request, _, rest = line.rstrip("\n").partition(" = ")
            value, times = rest.split()
            counts[request][value if value == "other" else int(value)] = int(times)
    return counts


def same_values(row, counted):
    """Whether the values are among those counted, cut to the size of the access."""
    masks = [64]
    if row["kind"] in ("load", "store"):
        masks = [64, 32, 16, 8]
    values = {count["value"] & (1 << 64) - 1 for count in row["values"]}
    return any(values <= {value & (1 << bits) - 1 for value in counted if value != "other"}
               for bits in masks)


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder
        self.program = os.path.join(folder, "forms")
        assembly = os.path.join(folder, "forms.S")
        self.count = forms.write(assembly)
        subprocess.run(["gcc", "-O1", "-g", "-static", "-no-pie", "-o", self.program,
                        os.path.join(VALUES, "main.c"), assembly], check=True)
        subprocess.run(["gcc", "-O2", "-o", os.path.join(folder, "steps"),
                        os.path.join(VALUES, "steps.c")], check=True)

    def bare(self, rounds):
        return subprocess.run([self.program, str(rounds)], check=True, capture_output=True,
                              text=True).stdout

    def measure(self, name, options, rounds, period_us="50"):
        """The rows that `trammel values` shows."""
        profile = os.path.join(self.folder, name + ".trm")
        environment = dict(os.environ)
        if period_us:
            environment["TRAMMEL_VALUES_US"] = period_us
        run = subprocess.run([self.trammel, "run", "-q", "-o", profile, *options, "--", self.program,
                              str(rounds)], capture_output=True, text=True, check=False,
                             env=environment)
        expect(run.returncode == 0 and not run.stderr, f"run: {run.returncode}: {run.stderr!r}")
        expect(run.stdout == self.bare(rounds),
               f"the program printed {run.stdout!r}, bare {self.bare(rounds)!r}")
        show = subprocess.run([self.trammel, "values", "--json", profile], capture_output=True,
                              text=True, check=True)
        return json.loads(show.stdout)["rows"]

    def compare(self, rows):
        """Compares all that can be with single steps; returns how many instructions that is."""
        asked = requests_of([row for row in rows if row["function"] in FUNCTIONS])
        counts = single_steps(self.folder, self.program, asked)
        wrong = []
        for request, row in asked.items():
            counted = counts[request]
            if "other" in counted:
                continue
            if not same_values(row, counted):
                wrong.append(f"{request}: {row['kind']} {row['what']}: {row['values']}, "
                             f"but by steps {counted}")
        expect(not wrong, f"{len(wrong)} of {len(asked)} differ: " + "; ".join(wrong[:6]))
        return len({row["address"] for row in asked.values()})

    def sampled(self):
        """Values that samples saw are values that were there."""
        expect(self.count >= FORMS, f"only {self.count} forms")
        rows = self.measure("sampled", ["-m", "values", "--seed", "5", "--ninterpret", "48"], 10000, "20")
        seen = self.compare(rows)
        expect(seen > FORMS // 3, f"values of {seen} instructions only")
        print(f"     {self.count} forms, values of {seen} instructions compared")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only")
    parser.add_argument("--keep", metavar="DIR")
    given = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or made
        os.makedirs(folder, exist_ok=True)
        tests = Tests(os.path.abspath(given.trammel), folder)
        for name in ("sampled",):
            if given.only and given.only != name:
                continue
            try:
                getattr(tests, name)()
                passed += 1
                print(f"ok   {name}")
            except (Failure, subprocess.CalledProcessError) as failure:
                failed += 1
                print(f"FAIL {name}: {failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
