#!/usr/bin/python3
"""Compares what `trammel export` writes with what reports show, by readers of the formats of their
own and by the programs that read them; imports it again; and imports what is odd or damaged.

The tests are in exports/. Ends with `N passed, N failed`.
"""

import functools
import os
import sys

from exports import consumers, names, tables, whole
from transparency import results, running, sources, trammel


def main():
    options = results.arguments(__doc__.splitlines()[0]).parse_args()
    tool = None if options.list else trammel.find(options.build)
    with running.Scratch("exports") as folder:
        running.own_folders(folder)
        tests = []

        def add(name, function, *more):
            own = os.path.join(folder, name)
            os.makedirs(own)
            tests.append((name, functools.partial(function, tool, own, *more)))

        for source in sources.read_all():
            if source.name in whole.PROGRAMS:
                for what in whole.MEASURES:
                    add(f"{source.name}-{what}", whole.check_program, os.path.basename(source.path), what)
        for name, function in whole.TESTS + consumers.TESTS + names.TESTS + tables.TESTS:
            add(name, function)
        return results.run_all(tests, options)


if __name__ == "__main__":
    sys.exit(main())
