"""Tools at all functions of a stripped program and its libraries, whose calls run in relocated code
and whose banks grow as its libraries are loaded."""

import re

from kernels import expect, numbers


def gzip(runner, tool, lines):
    runner.write("input", "".join(f"line {i % 977} {i * i % 613}\n" for i in range(lines)))
    return runner.run(tool, "/usr/bin/gzip", words=("-kf", "input"))


def check_gprof_whole(runner):
    text = gzip(runner, "gprof:top=1000", 5000)
    unknown = re.findall(r"^ +(\d+)  <- \(code that is not instrumented\)$", text, re.M)
    known = re.findall(r"^ +(\d+)  <- \S+:\S+ \S+$", text, re.M)
    expect("calls from no function", all(int(calls) < 100 for calls in unknown) and len(unknown) < 10, True)
    expect("calls from functions", max(int(calls) for calls in known) > 1000, True)
    return f"{len(known)} callers, {len(unknown)} unknown"


def check_falseshare_whole(runner):
    expect("lines that one thread's writes move", numbers(gzip(runner, "falseshare", 1000), r"falseshare: (\d+) lines"), (0,))
    return "no line"


def check_empty_whole(runner):
    """A program at fixed addresses, which starts others, with code for each access."""
    source = runner.write("empty_whole.c", "int main(void) { return 3; }\n")
    for _ in range(2):
        runner.run(runner.tool("empty.c"), "/usr/bin/gcc", "-m", "tools",
                   words=("-c", "-o", "empty_whole.o", source))
    told = runner.report("tool.trm")
    expect("modules that could not be measured", "Not measured" in told, False)
    return "as bare"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
