#!/usr/bin/python3
"""What `trammel advise` says of the programs in advise/.

Usage: run-advise.py [--trammel PATH] [--only NAME] [--keep DIR]

Each program is built in three ways: one that its rule is to find, one that follows the advice, and one
that is much like it, but well (see their heads). Ends with `N passed, N failed`.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

from transparency.results import asked

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "advise"))
import programs  # noqa: E402 (it lies in the folder above)

OWN = """\
# Rules of this test's own.
[called-often]
about = a function that is called very often
query = SELECT module, function, sum(calls) AS calls, percent_total(calls) AS part
    WHERE calls GROUP BY module, function ORDER BY calls DESC
when = calls > 1000
share = part
of = calls
confidence = high
text = %{function} was called %{calls} times, %{nothing}
try = call %{function} less
needs = -m functions

[of-nothing]
query = SELECT no.such.thing WHERE no.such.thing > 3
text = never
needs = another measurement
"""
PYTHON = """\
import sys
import trammel_advice
for path in sys.argv[1:]:
    for record in trammel_advice.records(path):
        if int(record.get("calls", 0)) > 1000:
            trammel_advice.finding("python-often", "often", f"{record['calls']} calls",
                                   function=record["function"], share=12.5, confidence="low")
"""


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder
        self.measured = {}

    def advise(self, *words, status=0):
        done = subprocess.run([self.trammel, "advise", *words], capture_output=True, text=True, check=False)
        expect(done.returncode == status, f"advise {words}: status {done.returncode}: {done.stderr}")
        return done

    def json(self, *words, status=0):
        return json.loads(self.advise("--json", *words, status=status).stdout)

    def profiles(self, program, variant):
        if (program.name, variant) not in self.measured:
            executable = programs.compile_one(program, variant, self.folder)
            bare = subprocess.run([executable], capture_output=True, text=True, check=True).stdout
            profiles, outputs = programs.measure(self.trammel, program, executable)
            expect(all(output == bare for output in outputs), f"printed {outputs}, bare {bare!r}")
            self.measured[program.name, variant] = profiles
        return self.measured[program.name, variant]

    def check(self, program):
        for variant in programs.VARIANTS:
            found = self.json(*self.profiles(program, variant))
            lacks = {lack["rule"] for lack in found["lacks"]}
            rows = [row for row in found["findings"] if row["rule"] == program.rule and
                    program.function in row.get("function", "")]
            expect(program.rule not in lacks, f"{variant}: it says that it could not look")
            expect(bool(rows) == (variant == "HIT"), f"{variant}: {found['findings']}")
            for row in rows:
                expect(row["evidence"] and row["try"], f"{variant}: nothing to go by: {row}")
                expect("share" not in row or 0 <= row["share"] <= 100, f"{variant}: {row}")
        # Where the source is known, the place is in it.
        row = next(row for row in self.json(*self.profiles(program, "HIT"))["findings"]
                   if row["rule"] == program.rule)
        if program.function and program.rule != "lock":
            expect(row["source.file"].endswith(os.path.basename(program.source)), f"{row}")

    def program(self, name):
        return next(program for program in programs.programs() if program.name == name)

    def check_words(self):
        """Lists, choices, exit statuses."""
        rules = self.json("--list")["rules"]
        names = {rule["rule"] for rule in rules}
        expect(names == {program.rule for program in programs.programs()}, f"{names}")
        expect(all(rule["needs"] and rule["try"] for rule in rules), f"{rules}")
        text = self.advise("--list").stdout
        expect(all(name in text for name in names), text)
        profiles = self.profiles(self.program("inline"), "HIT")
        expect("called most from one place" in self.advise("--no-pager", *profiles).stdout, "no text")
        table = list(csv.DictReader(self.advise("--csv", "--columns", "function,rule", "--sort=-rule",
                                                *profiles).stdout.splitlines()))
        findings = self.json(*profiles)["findings"]
        expect([row["Rule"] for row in table] == sorted((row["rule"] for row in findings), reverse=True), f"{table}")
        expect(list(table[0]) == ["Function", "Rule"], f"{table}")
        found = self.json("--rule", "inline,cold", *profiles)
        expect({row["rule"] for row in found["findings"]} == {"inline"} and not found["lacks"], f"{found}")
        lacks = self.json("--rule", "division", *profiles)["lacks"]
        expect("-m values" in lacks[0]["needs"], f"{lacks}")
        self.advise("--fail-on", "high", *profiles, status=1)
        self.advise("--fail-on", "high", "--rule", "cold", *profiles)
        expect("'inline'" in self.advise("--rule", "inlines", *profiles, status=2).stderr, "no hint")
        self.advise("--least", "x", *profiles, status=2)
        self.advise(os.path.join(self.folder, "none.trm"), status=4)
        expect(not self.json("--least", "99", "--rule", "inline", *profiles)["findings"], "--least")

    def own(self, name, text, *words, status=0):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.advise("--json", "--rules", path, *words, status=status)

    def check_own(self):
        """Rules in the query language."""
        profiles = self.profiles(self.program("inline"), "HIT")
        found = json.loads(self.own("own.rules", OWN, *profiles).stdout)
        rows = [row for row in found["findings"] if row["rule"] == "called-often"]
        expect(len(rows) == 1 and rows[0]["function"] == "mix" and rows[0]["of"] == "calls" and
               rows[0]["evidence"] == "mix was called 200,000 times, ?" and rows[0]["share"] > 90 and
               rows[0]["confidence"] == "high" and rows[0]["try"] == "call mix less", f"{found}")
        expect({"rule": "of-nothing", "title": "of-nothing", "needs": "another measurement"}
               in found["lacks"], f"{found['lacks']}")
        for text, place in (("x = 1\n", ":1:"), ("[a]\nquery = SELECT calls\n", ":1:"), ("", ":1:"),
                            ("[a]\n\nwrong = 1\n", ":3:"), ("[a]\nquery = SELECT (\ntext = x\n", ":1:"),
                            ("[a]\nquery = SELECT calls\ntext = x\nconfidence = sure\n", ":1:")):
            message = self.own("wrong.rules", text, *profiles, status=2).stderr
            expect(place in message, f"{text!r}: {message}")

    def check_python(self):
        """Rules in Python."""
        if not os.path.exists(os.path.join(os.path.dirname(self.trammel), "../pyreader/caliperreader.py")):
            raise Skip("no Python module was built")
        profiles = self.profiles(self.program("inline"), "HIT")
        found = json.loads(self.own("own.py", PYTHON, *profiles).stdout)
        rows = [row for row in found["findings"] if row["rule"] == "python-often"]
        expect(len(rows) == 1 and rows[0]["function"] == "mix" and rows[0]["share"] == 12.5 and
               rows[0]["confidence"] == "low", f"{found}")
        self.own("fails.py", "raise SystemExit(3)\n", *profiles, status=2)
        expect("line 1" in self.own("talks.py", "print('hello')\n", *profiles, status=2).stderr, "line")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    folder = arguments.keep or tempfile.mkdtemp()
    tests = Tests(os.path.abspath(arguments.trammel), folder)
    todo = [(program.name, lambda program=program: tests.check(program)) for program in programs.programs()]
    todo += [(name[len("check_"):], getattr(tests, name)) for name in ("check_words", "check_own", "check_python")]
    passed = failed = 0
    for name, check in todo:
        if arguments.only not in name or not asked(name):
            continue
        try:
            check()
        except Skip as reason:
            print(f"skip {name}: {reason}")
            continue
        except (Failure, subprocess.CalledProcessError, KeyError, IndexError, StopIteration,
                ValueError) as error:
            failed += 1
            print(f"FAIL {name}: {error} {getattr(error, 'stderr', '')}")
        else:
            passed += 1
            print(f"ok   {name}")
    if not arguments.keep:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
