"""Records of tools of one's own, and their counters: what is in profiles, however programs end."""

import json
import os
import re
import subprocess

from kernels import expect, kernel

HERE = os.path.dirname(os.path.abspath(__file__))
ONLY = ["--only", "ends:*"]
KERNELS = ["--only", "kernel:kernel_*"]


def build(runner, name):
    path = os.path.join(runner.folder, name + ".so")
    if not os.path.exists(path):
        subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-fPIC", "-shared", "-I",
                        os.path.join(HERE, "../../include"), "-o", path,
                        os.path.join(HERE, name + ".c")], check=True)
    return path


LEAF = {"record#calls": 1000, "record#half": 500, "record#min#least": 0, "record#max#most": 999,
        "record#sum": 499500, "tool.records": 1000}


def check_record_ends(runner):
    tool, program = build(runner, "record"), runner.compile("ends.c", "-O1", "-g", "-pthread")
    for how in ("", "exit", "_exit", "signal", "exec", "fork", "threads"):
        said = runner.run(tool, program, *ONLY, words=[how] if how else [],
                          status=-15 if how == "signal" else 0)
        expect(f"said, {how}", said, "")
        rows = runner.query("SELECT * WHERE tool.table=calls,function=leaf")
        first = [row for row in rows if row["image"] == 1]
        expect(f"rows, {how}", len(first), 1)
        expect(f"leaf, {how}", {key: first[0][key] for key in LEAF}, LEAF)
        expect(f"place, {how}",
               (os.path.basename(first[0]["source.file"]), first[0]["source.line"] > 10,
                first[0]["module"], first[0]["record#caller"].startswith("work ends.c:")),
               ("ends.c", True, "ends", True))
        rest = runner.query("SELECT * WHERE tool.table=numbers")
        expect(f"remainders, {how}",
               sorted((row["record#remainder"], row["record#name"]) for row in rest
                      if row["image"] == 1 and row["record#remainder"] in (1, 2)),
               [(1, "some"), (2, "some")])
        ends = runner.query("SELECT * WHERE tool.table=functions,function=leaf,image=1")
        expect(f"at the end, {how}", [(row["record#calls"], row["record#text"]) for row in ends],
               [(1000, 1000 * "t")])
        if how == "fork":
            child = [row for row in rows if row["image"] == 2]
            expect("in the child", [(row["record#calls"], row["record#sum"], row["record#max#most"])
                                    for row in child], [(10, -10, -1)])
    return "7 ways to end"


def check_record_bound(runner):
    tool, program = build(runner, "record"), runner.compile("ends.c", "-O1", "-g", "-pthread")
    runner.run(tool + ":300000", program, *ONLY)
    rows = runner.query("SELECT count(),sum(record#times) WHERE tool.table=flood GROUP BY tool.table")
    lost = re.search(r"(\d+) records of tools are missing: there is room for 256 MiB",
                     runner.report("tool.trm"))
    assert lost, "the report tells nothing of missing records"
    expect("kept and lost", rows[0]["sum#record#times"] + int(lost[1]), 300000)
    assert rows[0]["count"] > 200000, rows
    return f"{lost[1]} of 300000 lost, and told"


def check_counters(runner):
    program, run = kernel(runner)
    runner.run(build(runner, "counters"), program, "-m", "blocks", *KERNELS)
    own = {row["function"]: row for row in runner.query("SELECT * WHERE tool=counters")}
    blocks = runner.query("SELECT function,sum(count) WHERE block GROUP BY function")
    for row in blocks:
        got = own[row["function"]]
        expect(row["function"], (got["counters#blocks"], got["counters#again"]), (row["sum#count"],) * 2)
    expect("instructions", sum(row["counters#instructions"] for row in own.values()), len(run.steps))
    return f"{len(blocks)} functions"


def check_memory(runner):
    program, run = kernel(runner)
    runner.run(build(runner, "counters"), program, "-m", "memory", *KERNELS)
    right = {}
    for step in run.steps:
        row = right.setdefault(run.function_of(step.pc).name, [0] * 4)
        for kind, _, size in step.references:
            for at, counts in ((0, kind in "LM"), (1, kind in "SM")):
                row[at] += counts
                row[2 + at] += counts * size
    report = json.loads(runner.report("tool.trm", "--json", "--sort=bytes"))["rows"]
    got = {row["function"]: [row["function.loads"], row["function.stores"], row["function.loads.bytes"],
                             row["function.stores.bytes"]] for row in report}
    expect("loads, stores, bytes", got, right)
    order = [sum(got[row["function"]][2:]) for row in report]
    expect("order", order, sorted(order, reverse=True))
    assert re.search(r"Loads +Bytes +Stores +Bytes", runner.report("tool.trm")), "no columns"
    return f"{len(got)} functions"


def check_moments(runner):
    tool, program = build(runner, "moments"), runner.compile("loads.c", "-O1", "-ldl")
    library = os.path.join(runner.folder, "plugin.so")
    subprocess.run(["gcc", "-O1", "-fPIC", "-shared", "-o", library, os.path.join(HERE, "plugin.c")], check=True)
    said = [line[2:] for line in runner.run(tool, program, words=[library]).splitlines() if line[:2] == "= "]
    expect("first and last", (said[0], said[-1]), ("start", "end"))
    loads = [line.split()[1] for line in said if line.startswith("load ")]
    expect("all at whole pages", [line for line in said if line.endswith(" odd")], [])
    for name in ("loads", "libc.so.6", "plugin.so"):
        expect(f"loads of {name}", loads.count(name), 2 if name == "plugin.so" else 1)
    once = ["load plugin.so whole", "plugin_begin", "plugin_work", "forked", "plugin_work",
            "unload plugin.so whole", "end", "unload plugin.so whole"]
    expect("in this order", said[said.index(once[0]):], 2 * once + ["end"])
    static = os.path.join(runner.folder, "static")
    subprocess.run(["gcc", "-O1", "-static", "-w", "-o", static, os.path.join(HERE, "loads.c")], check=True,
                   stderr=subprocess.DEVNULL)
    said = [line[2:] for line in runner.run(tool, static).splitlines() if line[:2] == "= "]
    expect("static program", said, ["start", "load static whole", "end"])
    return f"{len(loads)} loads"


def check_forks(runner):
    program = runner.compile("ends.c", "-O1", "-g", "-pthread")
    for tool, table, number in (("prof", "functions", "prof#calls"), ("gprof", "functions", "gprof#calls"),
                                ("dyninst", "functions", "dyninst#executed"),
                                ("pipe", "blocks", "pipe#executed"), ("cache", "functions", None),
                                ("stride", "loads", "stride#executed"), ("reuse", "distances", None)):
        runner.run(tool, program, *ONLY, words=["fork"])
        if not number:
            level = {"cache": ("cache#loads", "levels"), "reuse": ("reuse#references", "distances")}[tool]
            rows = runner.query(f"SELECT * WHERE tool.table={level[1]}")
            sums = [sum(row[level[0]] for row in rows if row["image"] == image) for image in (1, 2)]
            assert 0 < sums[1] < sums[0] / 10, f"{tool}: {sums}"
            continue
        rows = runner.query(f"SELECT * WHERE tool.table={table},function=leaf")
        parent, child = (sum(row[number] for row in rows if row["image"] == image) for image in (1, 2))
        expect(f"{tool} in the child, times 100", child * 100, parent)
    return "7 tools"


def check_skeleton(runner):
    program, _ = kernel(runner)
    for words in (["new", "mine"], ["build", "mine.c"]):
        subprocess.run([runner.trammel, "tool", *words], cwd=runner.folder, env=runner.environment, check=True,
                       stdout=subprocess.DEVNULL)
    said = runner.run("./mine.so", program, *KERNELS)
    mine = runner.sums("mine", "branches", "code.address", "mine#times mine#jumped")
    runner.run("branch", program, *KERNELS)
    expect("as branch", mine, runner.sums("branch", "branches", "code.address", "branch#executed branch#taken"))
    expect("said", said, f"{sum(times for times, _ in mine.values())} branches were executed\n")
    return f"{len(mine)} branches"


def check_record_names(runner):
    """Two tools of one name have tables of their own; one file cannot be two tools."""
    program = runner.compile("ends.c", "-O1", "-g", "-pthread")
    second = os.path.join(runner.folder, "again.so")
    counters = build(runner, "counters")
    subprocess.run(["cp", counters, second], check=True)
    runner.run(counters, program, *ONLY, "--tool", second)
    blocks = [runner.sums(tool, "counters", "function", f"{tool}#blocks") for tool in ("counters", "counters-2")]
    expect("the same counts", blocks[0], blocks[1])
    assert blocks[0]["leaf"], blocks
    done = subprocess.run([runner.trammel, "run", "--tool", counters, "--tool", counters, "--", program],
                          capture_output=True, text=True, check=False, env=runner.environment)
    assert done.returncode == 2 and "is given twice" in done.stderr, done
    return "two tools of one name"


def check_record_regions(runner):
    """By the program's regions, which have ended, and whose threads have, when they are recorded."""
    program = os.path.join(runner.folder, "regions")
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-I", runner.include, "-o", program,
                    os.path.join(HERE, "../probes/regions.c"), "-ldl"], check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    right = {name: int(number) for name, number in re.findall(r"key (\S+) (\d+)", said)}
    runner.run(build(runner, "in_regions"), program, "--only", "regions:solve")
    expect("own tool", runner.sums("regions", "calls", "region.path", "regions#calls"), right)
    report = runner.report("tool.trm")
    assert re.search(r"main/inner/inner +.*10|10 .*main/inner/inner", report), report
    runner.run("prof:by=region", program, "--only", "regions:solve")
    rows = runner.query("SELECT * WHERE tool=prof,function=solve")
    # Of the child's places there are rows, too, with what it did itself.
    expect("prof", {(row["region.path"], row["prof#calls"]) for row in rows if row["prof#calls"]},
           set(right.items()))
    runner.run("syscall:by=region", program)
    rows = runner.query("SELECT * WHERE tool=syscall,syscall#name=wait4")
    expect("syscall", [(row["region.path"], row["syscall#calls"]) for row in rows], [("(none)", 1)])
    runner.run("prof", program, "--only", "regions:solve")
    rows = runner.query("SELECT * WHERE tool=prof,function=solve")
    expect("not asked for", ["region.path" in row for row in rows], [False] * len(rows))
    return f"{len(right)} regions"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
