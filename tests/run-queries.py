#!/usr/bin/python3
"""Runs the examples of docs/queries.md, and compares what they find with what reports say.

Usage: run-queries.py [--trammel PATH] [--only WORDS] [--keep DIR]

Each section's block is lines for a shell; those that begin with a space go on with the one before. Ends
with `N passed, N failed`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../docs/queries.md")
ROWS = 20000
SQL = """CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 1000) FROM n;
SELECT count(*), sum(a) FROM t WHERE b LIKE '%99';
SELECT b, count(*) FROM t GROUP BY b ORDER BY 2 DESC, 1 LIMIT 3;
"""


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def sections():
    """[(title, [command])] of the page."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    found = []
    for part in text.split("\n## ")[1:]:
        block = re.search(r"^```\n(.*?)^```", part, re.M | re.S)
        commands = []
        for line in block.group(1).splitlines():
            if line.startswith(" "):
                commands[-1] += "\n" + line
            else:
                commands.append(line)
        found.append((part.split("\n")[0], commands))
    return found


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8",
                            "PATH": os.path.dirname(trammel) + ":" + os.environ["PATH"]}
        shutil.rmtree(folder)
        os.makedirs(folder)
        for name, rows in (("work.sql", ROWS), ("more.sql", 3 * ROWS)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(SQL.format(rows=rows))

    def shell(self, command, status=(0,)):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        expect(done.returncode in status, f"{command}: status {done.returncode}: {done.stderr}")
        expect("warning" not in done.stderr, f"{command}: {done.stderr}")
        return done.stdout

    def rows(self, command):
        """What a query finds: its rows."""
        return json.loads(self.shell(command.replace("trammel query", "trammel query --json")))["rows"]

    def report(self, profile, *options):
        return json.loads(self.shell(f"trammel report --json {' '.join(options)} {profile}"))

    def run(self, command):
        self.shell(command)

    def instructions(self, profile):
        """{function: instructions} of a report, without phases."""
        sums = {}
        for row in self.report(profile)["rows"]:
            name = row["module"], row["function"]
            if row.get("instructions"):
                sums[name] = sums.get(name, 0) + row["instructions"]
        return sums

    def by_phase(self, profile):
        """{(module, function): {phase: instructions}}, whose sums are those of the report."""
        found = {}
        for row in self.rows("trammel query 'SELECT module, region.path, function, sum(instructions) AS n "
                             f"WHERE instructions GROUP BY module, region.path, function' {profile}"):
            found.setdefault((row["module"], row["function"]), {})[row["region.path"]] = row["n"]
        counted = self.instructions(profile)
        expect({name: sum(phases.values()) for name, phases in found.items()} == counted,
               f"the sums over phases of {profile} are not those of the report")
        return found

    def check_time(self, commands):
        self.run(commands[0])
        self.run(commands[1])
        rows = self.rows(commands[2])
        phases = {}
        for (_, function), found in self.by_phase("phases.trm").items():
            for phase, number in found.items():
                phases[phase, function] = phases.get((phase, function), 0) + number
        both = [row for row in rows if "ns each" in row]
        expect(any(row["region.path"] == "sqlite3_step" for row in both), f"{rows}")
        for row in both:
            expect(row["instructions"] == phases[row["region.path"], row["function"]], f"{row}")
            expect(abs(row["ns each"] * row["instructions"] - row["ns"]) <= 1e-6 * row["ns"], f"{row}")

    def check_hottest(self, commands):
        self.run(commands[0])
        rows = self.rows(commands[1])
        blocks = {(row["function"], row["block"]) for row in self.report("hot.trm", "--by", "block")["rows"]}
        paths = [row["region.path"] for row in rows]
        expect(rows and len(set(paths)) == len(paths), f"{rows}")
        for row in rows:
            expect("block" not in row or (row["function"], row["block"]) in blocks, f"{row}")
        expect(any("block" in row for row in rows), f"no sample is in a block: {rows}")
        self.run(commands[2])
        rows = self.rows(commands[3])
        found = json.loads(self.shell("trammel values --json --all values.trm"))["rows"]
        tops = {(row["function"], row["what"], count["value"]) for row in found for count in row["values"]}
        expect(rows and len({row["block"] for row in rows}) == len(rows), f"{rows[:5]}")
        for row in rows:
            expect((row["function"], row["values#what"], row["values#value"]) in tops, f"{row}")

    def check_calls(self, commands):
        self.run(commands[0])
        rows = self.rows(commands[1])
        step = next(row for row in rows if row.get("region.path") == "sqlite3_step")
        found = self.rows("trammel query 'SELECT region.path, sum(count) AS n WHERE NOT function GROUP BY region.path' calls.trm")
        entries = next(row["n"] for row in found if row.get("region.path") == "sqlite3_step")
        expect(3 < step["entries"] == entries < ROWS <= step["calls"] and
               abs(step["each"] - step["calls"] / step["entries"]) < 1e-6, f"{rows}")

    def check_bytes(self, commands):
        self.run(commands[0])
        rows = self.rows(commands[1])
        reading = [row for row in rows if row.get("bytes")]
        expect(reading and all(row["waited"] > 0 for row in reading), f"{rows}")
        for row in reading:
            expect("time" not in row or row["time"] > 0, f"{row}")

    def check_grew(self, commands):
        self.run(commands[0])
        rows = json.loads(self.shell(commands[1].replace("diff", "diff --json --all"), (1,)))["rows"]
        sums = []
        for name in ("phases.trm", "more.trm"):
            side = {}
            for (_, function), found in self.by_phase(name).items():
                for phase, number in found.items():
                    side[phase, function] = side.get((phase, function), 0) + number
            sums.append(side)
        grown = {}
        for key in set(sums[0]) | set(sums[1]):
            a, b = (of.get(key, 0) for of in sums)
            if a != b:
                grown[key] = (a, b)
        got = {(row["keys"]["region.path"], row["keys"]["function"]): (row["a"], row["b"]) for row in rows}
        expect(got == grown, f"{set(got.items()) ^ set(grown.items())}"[:600])
        expect(any(key[0] == "sqlite3_step" for key in got), f"{list(got)[:5]}")
        self.run(commands[2])
        text = self.shell(commands[3], (0, 1))
        expect("σ" in text or "0 rows differ" in text, text)
        rows = json.loads(self.shell(commands[4].replace("diff", "diff --json"), (1,)))["rows"]
        expect(all(row["keys"]["program"].endswith("/sqlite3") for row in rows), f"{rows[:3]}")


CHECKS = {"Instructions per": Tests.check_time, "The hottest": Tests.check_hottest, "Calls of": Tests.check_calls,
          "Bytes read": Tests.check_bytes, "What grew": Tests.check_grew}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    folder = arguments.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    tests = Tests(os.path.abspath(arguments.trammel), folder)
    passed = failed = 0
    for title, commands in sections():
        check = next((check for begin, check in CHECKS.items() if title.startswith(begin)), None)
        if arguments.only not in title:
            continue
        try:
            expect(check, "no check knows this section")
            check(tests, commands)
        except (Failure, subprocess.CalledProcessError, KeyError, IndexError, StopIteration, ValueError) as error:
            failed += 1
            print(f"FAIL {title}: {error!r}")
        else:
            passed += 1
            print(f"ok   {title}")
    if not arguments.keep:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
