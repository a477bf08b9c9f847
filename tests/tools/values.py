"""What tools can be given and do, by small tools of the tests' own."""

import bisect
import collections
import json
import os
import re
import struct
import subprocess

import kernels

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


def expand(records):
    """References (kind, address, bytes) one by one: repeated ones are told as one record, or, if they
    copy, as two."""
    references, i = [], 0
    while i < len(records):
        address, size, word = records[i]
        unit, kind, pc = word >> 2 & 0x3fff, "LSM"[word & 3], word >> 16
        other = records[i + 1] if size != unit and i + 1 < len(records) and records[i + 1][2] >> 16 == pc \
            else None
        for at in range(0, size, unit):
            pair = [(kind, address + at, unit)]
            if other:
                pair.append(("LSM"[other[2] & 3], other[0] + at, unit))
            references += sorted(pair)
        i += 2 if other else 1
    return references


def check_buffer(runner):
    """The trace of a program's memory equals lackey's, reference by reference."""
    program, run = kernels.kernel(runner)
    tool = runner.tool("buffer_tool.c")
    text = runner.run(tool, program, *kernels.ONLY)
    with open(os.path.join(runner.folder, "trace.bin"), "rb") as file:
        got = expand(list(struct.iter_unpack("<QQQ", file.read())))
    right = [reference for step in run.steps for reference in step.references]
    assert len(got) == len(right), f"{len(got)} references, right would be {len(right)}: {text}"
    for number, (ours, theirs) in enumerate(zip(got, right)):
        assert ours == theirs, f"reference {number}: {ours}, right would be {theirs}"
    full = int(re.search(r"(\d+) times full", text)[1])
    assert full > 10, text
    return f"{len(got)} references, {full} times full"


def check_buffer_threads(runner):
    """Threads, signals, a child: as many records as calls. What is in the buffer at a fork is the
    parent's, not the child's, which ends first."""
    tool = runner.tool("buffer_tool.c") + ":count"
    told = []
    for name, processes in (("interrupted", 2), ("sharing", 1)):
        program = runner.compile(name + ".c", "-O1", "-pthread")
        text = runner.run(tool, program, "--only", name + ":*")
        counts = [tuple(map(int, row)) for row in re.findall(r"(\d+) records, (\d+) calls", text)]
        assert len(counts) == processes, text
        records, calls = counts[-1]
        assert records == calls > 1000, text
        assert all(0 <= calls - records <= 4096 // 24 for records, calls in counts), text
        told.append(f"{records} records")
    text = runner.run(runner.tool("buffer_tool.c") + ":drop", program, "--only", "sharing:*")
    assert "buffer: 0 records, 0 calls" in text, text
    return ", ".join(told)


def check_vectors(runner):
    """Vector registers, whole and as doubles; the regions of the program."""
    program = runner.compile("vectors.c", "-O1", "-pthread", "-I", runner.include)
    text = runner.run(runner.tool("vector_tool.c"), program, "-m", "regions", "--only", "vectors:*")
    total, width = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    line = re.search(r"sum (\S+) returned (\S+) bytes (\d+) wrong (\d+)", text)
    assert line and line.groups() == (total, total, width, "0"), text
    rows = [(int(region, 16), int(count)) for region, count in re.findall(r"region (\w+) (\d+)", text)]
    assert sorted(count for _, count in rows) == [3, 6, 7, 30], text
    assert dict(rows)[0] == 3, text
    threads = {count: region >> 32 for region, count in rows if region}
    assert threads[6] == threads[7] != threads[30], text
    text = runner.run(runner.tool("vector_tool.c"), program, "--only", "vectors:*")
    assert re.findall(r"region (\w+) (\d+)", text) == [("0", "46")], text
    return f"{width} bytes, {len(rows) - 1} regions"


def check_replace(runner):
    """Functions that a routine replaces, also while signals come whose handler calls them."""
    tool = runner.tool("replace_tool.c")
    program = runner.compile("replaced.c", "-O1", "-DEXPECTED=3")
    folder = ["-o", "tool.trm", "--tool", tool]
    done = runner.command("run", "--quiet", *folder, "--only", "replaced:*", "--", program)
    assert done.stdout == "0 700 3.5 1\n", done.stdout + done.stderr
    made, left = map(int, re.search(r"(\d+) made, (\d+) left", done.stderr).groups())
    assert made > 100 and left > 100, done.stderr
    # Where blocks are counted nothing is replaced, and the report says why.
    done = runner.command("run", *folder, "-m", "blocks", "--only", "replaced:constant", "--", program)
    assert " 600 3.5 " in done.stdout, done.stdout
    assert "is not replaced" in done.stderr + runner.command("report", "tool.trm").stdout, done.stderr
    return f"{made} calls made, {left} left"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
