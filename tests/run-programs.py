#!/usr/bin/python3
"""Runs the programs of tests/programs bare and measured: same output, same end, right counts.

What a program must do and how it is built stands at the head of its source; the words are
described in transparency/sources.py.
"""

import functools
import os
import sys

from transparency import attach, attach_tools, browse, checks, job_control, results, running, sources, top, trammel, windows

LONGEST = ("attach-compressor", "attach-killed", "attach-waits", "terminal-stop_and_go", "window-events",
           "window-flags", "window-contexts", "window-times", "terminal-interactive_shell")


def test_variant(source, variant, name, folder, tool, options):
    checks.check_needs(source)
    program = sources.build(source, variant, os.path.join(folder, name))
    return checks.check_program(source, program, tool, options)


def main():
    arguments = results.arguments(__doc__.splitlines()[0])
    arguments.add_argument("--tool", metavar="FILE.c", help=trammel.TOOL_HELP)
    options = trammel.tool_options(arguments.parse_args())
    tool = None if options.list else trammel.find(options.build)
    with running.Scratch("programs") as folder:
        running.own_folders(folder)
        if trammel.TOOL in options.measure.split(",") and not options.list:
            sources.build_tool(options.tool or "lib/tool_busy.c", folder)
        tests = []
        for source in sources.read_all():
            for variant in source.builds:
                name = source.name + (f"-{variant}" if variant else "")
                tests.append((name, functools.partial(
                    test_variant, source, variant, name, folder, tool, options)))
        others = job_control.TESTS + top.TESTS
        if not trammel.preloads(options.measure) and trammel.TOOL not in options.measure.split(","):
            others = others + attach.TESTS + windows.TESTS
        if options.measure == "functions":
            others = others + attach_tools.TESTS + browse.TESTS
        for name, test in others:
            tests.append((name, functools.partial(test, folder, tool, options)))
        return results.run_all(tests, options, LONGEST)


if __name__ == "__main__":
    sys.exit(main())
