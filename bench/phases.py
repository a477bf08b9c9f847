#!/usr/bin/python3
"""Measures what `--by-region` costs: a begin and an end of a region, and phases of a microsecond and longer.

The processor time of a thread for a round, the best of several series in several runs, with counts of edges and regions,
and with the same counts kept apart by region.
"""

import argparse
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def build(folder):
    program = os.path.join(folder, "phase_costs")
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-I", os.path.join(ROOT, "include"), "-o", program,
                    os.path.join(HERE, "programs", "phase_costs.c")], check=True)
    return program


def measure(trammel, folder, program, words, options, runs):
    """Nanoseconds a round: the best of some runs."""
    command = [program, *words]
    if options is not None:
        command = [trammel, "run", "-q", "-o", os.path.join(folder, "x.trm"), "-m", "edges,regions", *options, "--", *command]
    return min(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    trammel = os.path.join(options.build, "src", "cli", "trammel")
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        print(f"{'a round, ns':>24} {'bare':>9} {'edges':>9} {'by region':>9}  ratio  a change, ns")
        for turns, number in ((0, 300000), (300, 30000), (1000, 10000), (10000, 1000)):
            words = ["region", str(number), str(turns)]
            bare, apart, together = (measure(trammel, folder, program, words, how, options.runs)
                                     for how in (None, ["--by-region"], []))
            print(f"{'region, ' + str(turns) + ' turns':>24} {bare:9.1f} {together:9.1f} {apart:9.1f}  "
                  f"{apart / together:5.3f}  {(apart - together) / 2:6.1f}")


if __name__ == "__main__":
    main()
