"""What tools can be given and do, by small tools of the tests' own."""

import bisect
import collections
import json
import os
import re
import subprocess

SWITCH_BUILDS = (("-O0",), ("-O1",), ("-O2",), ("-O2", "-no-pie", "-fno-pie"))


def labels_of(program, pattern):
    """Names of symbols that match, by address."""
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {int(line.split()[0], 16): line.split()[2] for line in lines
            if re.fullmatch(pattern, line.split()[-1])}


def count_lines(text, pattern):
    """Sums of the numbers behind what a pattern finds."""
    counts = collections.Counter()
    for name, count in re.findall(pattern, text, re.M):
        counts[name] += int(count)
    return counts


def switches(runner, number):
    """A program with switches, and how often these should lead to each label."""
    program = runner.compile("switching.c", *SWITCH_BUILDS[number], name=f"switching{number}")
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return program, count_lines(text, r"^(\w+) (\d+)$")


def by_label(program, rows):
    """Counts by label, of counts by target: a label stands in the block that is led to."""
    labels = labels_of(program, r"(near|far)_(\d+|even|default)")
    places = sorted(labels)
    counts = collections.Counter()
    for target, count in rows:
        counts[labels[places[bisect.bisect_left(places, target)]]] += int(count)
    return counts


def check_switch(runner):
    tool = runner.tool("switch_tool.c")
    for number, flags in enumerate(SWITCH_BUILDS):
        program, right = switches(runner, number)
        text = runner.run(tool, program, "--only", f"switching{number}:*")
        assert "out of order" not in text, text
        got = by_label(program, [(int(target, 16), count) for target, count
                                 in re.findall(r"^target (\w+) (\d+)$", text, re.M)])
        assert got == right, f"{flags}: {got}, right would be {right}"
    return f"{sum(right.values())} jumps, {len(SWITCH_BUILDS)} ways"


def check_mbr(runner):
    """The same by labels: the numbers of targets, which a summary tells."""
    analysis = runner.tool("mbr_analysis.c")
    program, right = switches(runner, 2)
    labels = runner.write("mbr.labels", "")
    os.unlink(labels)
    runner.command("label", "-mbr", "-o", labels, program)
    summary = json.loads(runner.command("summarize", "--json", labels).stdout)
    targets = {label["id"]: label["targets"] for module in summary["modules"]
               for function in module["functions"] for block in function["blocks"]
               for label in block.get("labels", ())}
    text = runner.command("run", "--quiet", "-o", "mbr.trm", "--labels", labels, "--analysis", analysis,
                          "--", program).stderr
    got = by_label(program, [(targets[int(number)][int(index)], count) for number, index, count
                             in re.findall(r"^mbr (\d+) (\d+) (\d+)$", text, re.M)])
    assert got == right, f"{got}, right would be {right}"
    return f"{len(targets)} switches"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
