#!/usr/bin/python3
"""Checks what trammel does with what cannot work: bad programs, files, caches, its own death."""

import functools
import os
import sys

from failure import caches, corrupt, daemons, databases, killed, memory, profiles, refusals, servers, tools
from failure.common import Place
from transparency import results, running, trammel

GROUPS = {"refusal": refusals, "profile": profiles, "corrupt": corrupt, "cache": caches, "daemon": daemons,
          "database": databases, "server": servers, "killed": killed, "memory": memory, "tool": tools}


def run_test(test, name, tool, options):
    with running.Scratch(name) as folder:
        return test(Place(os.path.realpath(folder), tool, options))


def main():
    options = results.arguments(__doc__.splitlines()[0]).parse_args()
    tool = None if options.list else os.path.realpath(trammel.find(options.build))
    tests = []
    with running.Scratch("failure-cache") as folder:
        running.own_folders(folder)
        for group, module in GROUPS.items():
            for test in module.TESTS:
                name = f"{group}-{test.__name__}"
                tests.append((name, functools.partial(run_test, test, name, tool, options)))
        return results.run_all(tests, options)


if __name__ == "__main__":
    sys.exit(main())
