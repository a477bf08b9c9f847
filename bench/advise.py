#!/usr/bin/python3
"""Measures what following the advice of `trammel advise` gains, and writes its section of RESULTS.md.

Usage: bench/advise.py [--trammel PATH] [--rounds N] [--only NAME] [--write]

For each program in tests/advise: the variant that the rule finds (HIT) and the one that follows the
advice (MENDED). Instructions are those that `trammel run -m blocks` counts in the program and all its
libraries, start included; times the least of N bare runs. Results of both variants must be equal.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/advise"))
import points  # noqa: E402
import programs  # noqa: E402 (it lies in the folder above)

HEADING = "## Advice that was followed: what it gained\n"
# What the programs' rounds are multiplied by, so that a run takes some tenths of a second.
ROUNDS = {"branch": 10000, "cold": 100000000, "copies": 20000000, "division": 3000000, "exceptions": 200000,
          "heap": 5000000, "inline": 100000000, "locks": 100, "one_trip": 100000, "repeated": 5000, "sharing": 100000000,
          "strlen": 3000, "unused": 1}


def instructions(trammel, executable, rounds, folder):
    profile = os.path.join(folder, "count.trm")
    subprocess.run([trammel, "run", "-q", "-m", "blocks", "-o", profile, "--", executable, rounds],
                   check=True, stdout=subprocess.DEVNULL)
    query = "LET n = count * block.instructions SELECT sum(n) AS n GROUP BY () FORMAT csv"
    done = subprocess.run([trammel, "query", query, profile], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[1])


def times(executable, rounds, count):
    """Least user and wall times in seconds, and what was printed."""
    users, walls, printed = [], [], ""
    for _ in range(count):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
        printed = subprocess.run([executable, rounds], check=True, capture_output=True, text=True).stdout
        walls.append(time.monotonic() - start)
        users.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(users), min(walls), printed


def text_bytes(executable):
    done = subprocess.run(["size", executable], check=True, capture_output=True, text=True)
    return int(done.stdout.splitlines()[1].split()[0])


def row_of(options, program, folder):
    numbers, printed = [], set()
    rounds = str(ROUNDS[program.name])
    few = str(max(1, ROUNDS[program.name] // 20))
    for variant in ("HIT", "MENDED"):
        executable = programs.compile_one(program, variant, folder)
        user, wall, output = times(executable, rounds, options.rounds)
        printed.add(output)
        numbers.append((instructions(options.trammel, executable, few, folder), user, wall,
                        text_bytes(executable)))
    if len(printed) != 1:
        sys.exit(f"{program.name}: the two variants print different things")
    before, after = numbers
    cells = [f"{before[0]:,} → {after[0]:,} ({after[0] / before[0]:.2f})"]
    cells += [f"{1000 * a:.0f} → {1000 * b:.0f} ms ({b / a if a else 1:.2f})"
              for a, b in zip(before[1:3], after[1:3])]
    cells.append(f"{before[3]:,} → {after[3]:,}")
    return f"| {program.rule} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    options = parser.parse_args()
    lines = ["", "`bench/advise.py` (programs of `tests/advise`, before → after; instructions in runs of a twentieth "
             "of the rounds):", "",
             "| rule | instructions | user time | wall time | bytes of code |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for program in programs.programs():
            if options.only in program.name:
                lines.append(row_of(options, program, folder))
                print(lines[-1], flush=True)
    if options.write:
        points.write_section(os.path.join(HERE, "RESULTS.md"), HEADING + "\n".join(lines) + "\n", HEADING)


if __name__ == "__main__":
    main()
