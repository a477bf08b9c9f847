#!/usr/bin/python3
"""Runs annotated programs bare and measured: same output, same end, and what they said is there."""

import functools
import os
import sys

from context import (calls, channels, common, compat, configured, counting, foreign, hard, held, interface, languages,
                     monitors, mpi, objects, openmp, outside, packages, paths, phase_sources, phases, processes, properties, ranks, services, spans, tasks,
                     viewed)
from transparency import results, running, trammel

GROUPS = {"count": counting, "process": processes, "hard": hard, "held": held, "language": languages,
          "mpi": mpi, "rank": ranks, "channel": channels, "configured": configured, "monitor": monitors, "path": paths, "openmp": openmp,
          "foreign": foreign, "outside": outside, "service": services, "call": calls, "spans": spans, "phases": phases, "phases-of": phase_sources, "task": tasks,
          "object": objects, "property": properties, "cali": interface, "compat": compat, "viewed": viewed, "package": packages}

LONGEST = ("spans-counted", "spans-intervals", "spans-timed-parts", "rank-uneven")


def run_test(test, name, programs, tool):
    records = os.path.join(os.path.dirname(tool), "..", "..", "tests", "context", "records")
    with running.Scratch(name) as folder:
        return test(common.Place(programs, os.path.realpath(folder), tool, records))


def main():
    options = results.arguments(__doc__.splitlines()[0]).parse_args()
    tool = None if options.list else os.path.realpath(trammel.find(options.build))
    tests = []
    with running.Scratch("context") as folder:
        if tool:
            running.own_folders(folder)
            common.build_all(folder)
        for group, module in GROUPS.items():
            for test in module.TESTS:
                name = f"{group}-{test.__name__.replace('_', '-')}"
                tests.append((name, functools.partial(run_test, test, name, folder, tool)))
        return results.run_all(tests, options, LONGEST)


if __name__ == "__main__":
    sys.exit(main())
