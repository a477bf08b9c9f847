#!/usr/bin/python3
"""Compares trammel's call counts with the counts that follow from valgrind's callgrind.

Usage: run-exactness.py [--trammel PATH] [--only NAME] [--keep DIR] [--settled] [--verbose]

Both run the same program on the same input. callgrind's output gives how often each
instruction ran and each jump was taken; a function's calls are the executions of its first
instruction less the jumps to it from inside the function. Every function of the executable
and of all libraries is compared, in both directions. So is every basic block: its count is the
number of times that its first instruction ran. So are edges, with single steps.

Under valgrind a program finds another CPU and no vDSO, and starts in another way. A small
program is therefore also counted one instruction at a time on the real CPU (exactness/step.c).
There trammel must be right without exception; and the functions in which callgrind differs
from the single steps are the only ones that may differ in the other programs too.
Prints a table and ends with `N passed, N failed`.
"""

import argparse
import contextlib
import copy
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "exactness")
sys.path.insert(0, SOURCES)

import arcs  # noqa: E402
import blocks  # noqa: E402
import callgrind  # noqa: E402
import compare  # noqa: E402
import contexts  # noqa: E402
import edges  # noqa: E402
import pbo  # noqa: E402

TIMEOUT = 600  # seconds for one run; single steps take microseconds, on busy machines many
ADDR_NO_RANDOMIZE = 0x0040000  # personality(2)

# Both runs choose the plainest variants: valgrind shows the program another CPU.
CPU_FEATURES = """AVX AVX2 AVX_VNNI AVX512F AVX512BW AVX512CD AVX512DQ AVX512ER AVX512PF
    AVX512VL BMI1 BMI2 ERMS FMA FMA4 FSRM LZCNT MOVBE OSXSAVE POPCNT RTM SSE3 SSE4_1 SSE4_2
    SSSE3 XSAVE XSAVEC AVX_Fast_Unaligned_Load Fast_Copy_Backward Fast_Rep_String
    Fast_Unaligned_Copy Fast_Unaligned_Load Prefer_ERMS Prefer_FSRM
    Prefer_No_AVX512_Probing Prefer_No_VZEROUPPER Prefer_PMINUB_for_stringop Slow_BSF
    Slow_SSE4_2""".split()

# What callgrind's run preloads: loaded in both runs, ld.so has the same work in both.
PRELOAD = "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"

LOADER = "/ld-linux-x86-64.so.2"
VALGRIND_REASON = "valgrind shows another CPU and no vDSO, as the single steps show"
LOADER_REASON = "called by a function of the loader whose calls change under valgrind"

# Programs whose counts change from run to run by themselves, and why. What changes is found
# by runs under callgrind alone, so that trammel's own mistakes cannot hide behind this.
UNSTEADY = {
    "lua": "lua seeds its string hashes with the time and the address of a variable",
}
UNSTEADY_RUNS = 8

# Functions whose calls are the same, but not what they do.
OTHER_BLOCKS = {
    "getenv": "valgrind adds variables to the environment, and puts them first",
    "strstr": "its resolver asks for features of the CPU, which is another under valgrind",
}

# The C library's string functions, which read ahead if that crosses no page.
STRING_FUNCTION = re.compile(r"_*(str|mem|wcs|wmem|rawmem|stp)\w*?_(sse|avx|evex)")
STRING_REASON = "it goes by the place of its operands in a page, which is another under valgrind"

# Programs of which only the executable's own functions must be equal.
OWN_ONLY = {
    "threads": "what libraries do when threads meet at a lock is a matter of time",
}

PROGRAMS = {
    "gzip": ["/usr/bin/gzip", "-6", "-n", "-c", "text"],
    "bzip2": ["/usr/bin/bzip2", "-9", "-c", "text"],
    "sqlite3": ["/usr/bin/sqlite3", "-batch", "-init", "queries.sql", ":memory:", ".quit"],
    "lua": ["/usr/bin/lua5.4", "script.lua"],
    "c++": ["./shapes"],
    "rare": ["./rare"],
    "threads": ["./threads", "4"],
}
BUILDS = [
    ["g++", "-O2", "-g", "-o", "shapes", "shapes.cc"],
    ["gcc", "-O2", "-g", "-pthread", "-o", "threads", "threads.c"],
    ["gcc", "-O2", "-g", "-Wl,-z,lazy", "-o", "plain", "plain.c",
     "-Wl,--no-as-needed", "-lgcc_s"],
    ["g++", "-O2", "-g", "-o", "rare", "rare.cc"],
    ["g++", "-O2", "-s", "-o", "rare-stripped", "rare.cc"],
    ["gcc", "-O2", "-o", "step", "step.c"],
    ["gcc", "-O2", "-ftree-vectorize", "-fno-stack-protector", "-nostdlib", "-static", "-o", "bare",
     "bare.c"],
    ["clang", "-O2", "-gline-tables-only", "-fdebug-info-for-profiling", "-fno-stack-protector",
     "-nostdlib", "-static", "-Wl,--emit-relocs,--build-id", "-o", "lean", "bare.c"],
    ["g++", "-O2", "-g", "-o", "branches", "branches.cc"],
    ["g++", "-O1", "-g", "-fno-pie", "-no-pie", "-static-libstdc++",
     "-static-libgcc", "-o", "branches-fixed", "branches.cc"],
]


class Failure(Exception):
    """A run that gave no result to compare."""


PLAIN = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C"}
ALIKE = {
    **PLAIN,
    "LD_BIND_NOW": "1",  # lazy binding counts calls of the resolver instead
    "LD_PRELOAD": PRELOAD,
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join("-" + name for name in CPU_FEATURES),
    "OPENSSL_ia32cap": "0:0",
}
# callgrind preloads that library by itself.
UNDER_VALGRIND = {name: value for name, value in ALIKE.items() if name != "LD_PRELOAD"}


def fix_addresses():
    """What this process executes lies where it lay the last time: string functions go by the
    place of their operands in a page."""
    if ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE) == -1:
        print("note: addresses are random: some counts may differ", file=sys.stderr)


def execute(command, folder, environment):
    """Standard output of the command; Failure when it does not end with status 0."""
    try:
        done = subprocess.run(command, cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Failure(f"{command[0]}: status {done.returncode}: {' / '.join(lines[-3:])}")
    return done.stdout


def prepare(folder):
    for name in os.listdir(SOURCES):
        if not name.endswith(".py") and os.path.isfile(os.path.join(SOURCES, name)):
            shutil.copy(os.path.join(SOURCES, name), folder)
    with open(os.path.join(folder, "text"), "w", encoding="ascii") as file:
        seed = 7
        for number in range(9000):
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            file.write(f"line {number % 97} word{seed >> 20} {'ab' * (seed >> 27)}\n")
    for build in BUILDS:
        execute(build, folder, PLAIN)


def run_callgrind(command, folder, name, extra=None):
    out = os.path.join(folder, f"{name}.callgrind")
    output = execute(
        ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
         "--collect-jumps=yes", "--skip-plt=no", "--run-libc-freeres=no",
         "--run-cxx-freeres=no", f"--callgrind-out-file={out}", *command],
        folder, {**UNDER_VALGRIND, **(extra or {})})
    return callgrind.read(out), output


def unsteady(command, folder, name, truth, differ=None):
    """{(object, address): reason} where runs under callgrind alone differ."""
    excuses = {}
    for number in range(UNSTEADY_RUNS):
        # A longer environment moves the stack, and with it the address of a local variable.
        profile, _ = run_callgrind(command, folder, name, {"PAD": "x" * (1 + 613 * number)})
        other = compare.Truth(profile)
        excuses.update((differ or differences)(truth, other, UNSTEADY[name]))
    return excuses


def differences(one, other, reason):
    """{(object, address): reason} of the functions in which two truths differ."""
    found = {}
    for module in one.calls:
        calls, again = one.calls[module], other.calls.get(module, {})
        found.update({(module, address): reason for address in set(calls) | set(again)
                      if calls.get(address) != again.get(address)})
    return found


def run_steps(command, folder, name, environment):
    """Truth and output by single steps on the real CPU."""
    out = os.path.join(folder, f"{name}.steps")
    output = execute(["./step", out, *command], folder, environment)
    return compare.Truth(callgrind.read(out)), output


# How many reports a measurement gives: by function, by block, by edge.
REPORTS = {"blocks": 2, "block-coverage": 2, "edges": 3}


PR_SET_CHILD_SUBREAPER = 36

# Set by --settled.
settled = False


def settle(command, folder, environment):
    """Runs a command of trammel's until counters lie where they run least."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for _ in range(2):
        execute(command, folder, environment | {"TRAMMEL_REPLAN": "always"})
        with contextlib.suppress(ChildProcessError):
            while True:  # who plans anew is our child once the front has ended
                os.wait()


def run_trammel(trammel, command, folder, name, environment, measure="functions"):
    """Output, and the report by function; of blocks and edges also the reports by those, of
    calls that by place."""
    out = os.path.join(folder, f"{name}-{measure}.trm")
    if settled and measure in ("blocks", "edges"):
        settle([trammel, "run", "--quiet", "-m", measure, "-o", out, "--", *command], folder,
               environment)
    output = execute([trammel, "run", "--quiet", "-m", measure, "-o", out, "--", *command], folder,
                     environment)
    kinds = {"functions": ["function"], "calls": ["function", "arc"],
             "callgraph": ["function", "callgraph"],
             "calls,callgraph": ["function", "arc", "callgraph"]}
    reports = [json.loads(execute([trammel, "report", out, "--json", "--by", kind], folder, PLAIN))
               for kind in kinds.get(measure, ("function", "block", "edge")[:REPORTS.get(measure, 1)])]
    if measure in ("calls", "calls,callgraph"):
        execute([trammel, "report", out, "--check"], folder, PLAIN)
    return reports[0] if len(reports) == 1 else reports, output


def show(rows, truth, limit):
    for row in rows[:limit]:
        name = truth.elf(row.object).name_at(row.address)
        print(f"    {os.path.basename(row.object)}:{name} ({row.address:#x}): "
              f"truth {row.truth}, trammel {row.counted}")
    if len(rows) > limit:
        print(f"    ... and {len(rows) - limit} more (--verbose shows all)")


TOTALS = {"equal": 0, "explained": 0, "wrong": 0}
BLOCK_TOTALS = dict(TOTALS)
ARC_TOTALS = dict(TOTALS)
EDGE_TOTALS = dict(TOTALS)


def judge(name, truth, report, excuses, options):
    """Whether the counts are right; prints the program's line of the table."""
    result = compare.compare(truth, compare.Report(report), excuses)
    explained = sum(len(rows) for rows in result.explained.values())
    TOTALS["equal"] += result.equal
    TOTALS["explained"] += explained
    TOTALS["wrong"] += len(result.wrong)
    bad = bool(result.wrong) or result.equal < (4 if name in OWN_ONLY else 50)
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} functions equal, "
          f"{explained} explained, {len(result.wrong)} wrong")
    for reason, rows in sorted(result.explained.items()):
        print(f"  {len(rows)}: {reason}")
        if options.verbose:
            show(rows, truth, len(rows))
    show(result.wrong, truth, len(result.wrong) if options.verbose else 10)
    self_test(truth, report, excuses)
    return not bad


def judge_blocks(name, truth, report, excuses, modules=None):
    """The same for the counts of blocks."""
    result = blocks.compare(truth, report, excuses, modules)
    bad = (bool(result.wrong) or bool(result.uncovered)
           or result.equal < (20 if name in OWN_ONLY else 50))
    explained = sum(len(rows) for rows in result.explained.values())
    for key, number in (("equal", result.equal), ("explained", explained),
                        ("wrong", len(result.wrong) + len(result.uncovered))):
        BLOCK_TOTALS[key] += number
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} blocks equal, {explained} explained, "
          f"{len(result.wrong)} wrong, {len(result.uncovered)} instructions in no block, "
          f"{result.parts[0]} cold parts counted, {result.parts[1]} not")
    for reason, rows in sorted(result.explained.items()):
        print(f"  {len(rows)}: {reason}")
    show(result.wrong + result.uncovered, truth, 10)
    return not bad


def judge_arcs(name, truth, report, excuses, modules=None):
    """The same for counts of calls by their places."""
    counted = arcs.Report(report)
    result = arcs.compare(truth, counted, excuses, modules)
    bad = bool(result.wrong) or result.equal < (10 if name in OWN_ONLY else 50)
    explained = sum(len(rows) for rows in result.explained.values())
    for key, number in (("equal", result.equal), ("explained", explained),
                        ("wrong", len(result.wrong))):
        ARC_TOTALS[key] += number
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} places of calls equal, "
          f"{explained} explained, {len(result.wrong)} wrong; "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(counted.kinds.items())))
    for reason, rows in sorted(result.explained.items()):
        print(f"  {len(rows)}: {reason}")
    show(result.wrong, truth, 10)
    test_arcs(truth, report, excuses, modules)
    return not bad


def test_arcs(truth, report, excuses, modules):
    """The comparison must see a call too many, and one at another place."""
    def wrong(changed):
        return len(arcs.compare(truth, arcs.Report(changed), excuses, modules).wrong)

    before = wrong(report)
    for key, change in (("arc.count", lambda old: old + 1),
                        ("arc.site", lambda old: hex(int(old, 16) + 1))):
        for index, row in enumerate(report["rows"]):
            if row["arc.kind"] != "direct" or (modules and row["caller.path"] not in modules):
                continue
            changed = copy.copy(report)
            changed["rows"] = list(report["rows"])
            changed["rows"][index] = dict(row, **{key: change(row[key])})
            if wrong(changed) > before:
                break
        else:
            raise Failure(f"the comparison itself is broken: another {key} was not seen")


def judge_edges(name, truth, ways, report):
    """The same for the counts of edges, which nothing explains."""
    result = edges.compare(truth, ways, report)
    EDGE_TOTALS["equal"] += result.equal
    EDGE_TOTALS["wrong"] += len(result.wrong)
    bad = bool(result.wrong) or min(result.kinds[kind] for kind in ("jump", "next")) < 500
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} edges equal, "
          f"{len(result.wrong)} wrong")
    for row in result.wrong[:10]:
        print(f"    {os.path.basename(row.object)}:{truth.elf(row.object).name_at(row.function)}"
              f" ({row.address:#x} to {row.to}): truth {row.truth}, trammel {row.counted}")
    return not bad and edges_are_seen(truth, ways, report)


def edges_are_seen(truth, ways, report):
    """The comparison must see a count that is off by one, and a row missing."""
    for change in ("count", "missing"):
        changed = copy.deepcopy(report)
        rows = changed["rows"]
        index = next(i for i, row in enumerate(rows)
                     if row["edge.kind"] == "jump" and "edge.to" in row)
        if change == "count":
            rows[index]["count"] += 1
        else:
            # Of a branch that went both ways.
            places = [(row["module.path"], row["edge"]) for row in rows]
            index = next(i for i, place in enumerate(places) if places.count(place) > 1
                         and rows[i]["edge.kind"] == "jump")
            del rows[index]
        if not edges.compare(truth, ways, changed).wrong:
            raise Failure(f"the comparison itself is broken: {change} was not seen")
    return True


def check_edges(folder, options):
    """Counts of edges against single steps."""
    right = True
    for name in ("plain", "branches", "branches-fixed", "rare", "rare-stripped"):
        command = [f"./{name}"]
        steps, expected = run_steps(command, folder, "edges", PLAIN)
        ways = edges.Ways(os.path.join(folder, "edges.steps.ways"))
        reports, output = run_trammel(options.trammel, command, folder, name, PLAIN, "edges")
        right = output == expected and right
        right = judge(f"{name}, with edges", steps, reports[0], {}, options) and right
        right = judge_blocks(f"{name}, with edges", steps, reports[1], {}) and right
        right = judge_edges(name, steps, ways, reports[2]) and right
    return right


def gcov_branches(folder, level):
    """{line: sorted counts} of the lines of branches.cc with one branch, by gcov."""
    place = os.path.join(folder, "gcov" + level)
    os.makedirs(place, exist_ok=True)
    execute(["g++", "--coverage", level, "-g", "-o", "branches", "../branches.cc"], place, PLAIN)
    execute(["./branches"], place, PLAIN)
    notes = next(name for name in os.listdir(place) if name.endswith(".gcno"))
    found = json.loads(execute(["gcov", "--json-format", "--stdout", "-b", "-c", notes], place, PLAIN))
    lines = next(file for file in found["files"] if file["file"].endswith("branches.cc"))["lines"]
    return {line["line_number"]: sorted(branch["count"] for branch in line["branches"])
            for line in lines if len(line["branches"]) == 2}


def own_branches(options, folder, level):
    """The same by trammel, with the lines that have one branch in machine code, too."""
    program, profile = f"./branches{level}", os.path.join(folder, f"branches{level}.trm")
    execute(["g++", level, "-g", "-o", program, "branches.cc"], folder, PLAIN)
    execute([options.trammel, "run", "-q", "-m", "edges", "-o", profile, "--", program], folder,
            PLAIN)
    ways = {}
    for line in execute([options.trammel, "coverage", profile, "--lcov", "--source",
                         "*/branches.cc"], folder, PLAIN).decode().splitlines():
        if line.startswith("BRDA:"):
            number, _, _, count = line[5:].split(",")
            ways.setdefault(int(number), []).append(int(count))
    return {number: sorted(counts) for number, counts in ways.items() if len(counts) == 2}


def check_gcov(folder, options):
    """Both ways of the conditions of `if`, in plain builds, against builds that count themselves.
    Loops are turned over by compilers, so that their first test is another branch, or none."""
    right = True
    with open(os.path.join(folder, "branches.cc"), encoding="ascii") as file:
        conditions = {number for number, line in enumerate(file, 1)
                      if line.strip().startswith("if (")}
    for level in ("-O1", "-O2"):
        theirs, own = gcov_branches(folder, level), own_branches(options, folder, level)
        both = sorted(conditions & set(theirs) & set(own))
        wrong = [(line, theirs[line], own[line]) for line in both if theirs[line] != own[line]]
        bad = bool(wrong) or len(both) < 4
        print(f"{'FAIL' if bad else 'ok':4} gcov {level}: {len(both) - len(wrong)} branches equal, "
              f"{len(wrong)} wrong {wrong or ''}")
        right = right and not bad
    return right


def self_test(truth, report, excuses):
    """The comparison must see a count that is off by one, a row missing, a row too many."""
    def wrong(changed):
        return len(compare.compare(truth, compare.Report(changed), excuses).wrong)

    def is_right(row):
        place = row["module.path"], int(row["offset"], 16)
        return place not in excuses and truth.count(*place) == row["calls"]

    index = next((i for i, row in enumerate(report["rows"]) if is_right(row)), None)
    if index is None:
        raise Failure("not one count is right")
    before = wrong(report)
    for change in ("calls", "missing", "invented"):
        changed = copy.deepcopy(report)
        row = changed["rows"][index]
        if change == "calls":
            row["calls"] += 1
        elif change == "missing":
            del changed["rows"][index]
        else:
            changed["rows"].append(dict(row, offset=hex(int(row["offset"], 16) + 1)))
        if wrong(changed) == before:
            raise Failure(f"the comparison itself is broken: {change} was not seen")


def check_steps(folder, options, excuses, block_excuses):
    """Single steps, in the usual environment and in the one for callgrind. Adds to `excuses`
    the functions in which callgrind's calls are not right, to `block_excuses` those in which
    its counts of instructions are not."""
    truth, expected = run_steps(["./plain"], folder, "plain", PLAIN)
    report, output = run_trammel(options.trammel, ["./plain"], folder, "plain", PLAIN)
    right = judge("single steps", truth, report, {}, options) and output == expected
    truth, _ = run_steps(["./plain"], folder, "alike", ALIKE)
    report, _ = run_trammel(options.trammel, ["./plain"], folder, "alike", ALIKE)
    right = judge("single steps, CPU features masked", truth, report, {}, options) and right
    for name, environment in (("single steps", PLAIN), ("single steps, masked", ALIKE)):
        steps, _ = run_steps(["./plain"], folder, "blocks", environment)
        (report, by_block), output = run_trammel(options.trammel, ["./plain"], folder, "plain",
                                                 environment, "blocks")
        right = judge(name, steps, report, {}, options) and right and output == expected
        right = judge_blocks(name, steps, by_block, {}) and right
        (report, by_arc), output = run_trammel(options.trammel, ["./plain"], folder, "plain",
                                               environment, "calls")
        right = judge(name, steps, report, {}, options) and right and output == expected
        right = judge_arcs(name, steps, by_arc, {}) and right
    profile, _ = run_callgrind(["./plain"], folder, "alike")
    own = os.path.realpath(os.path.join(folder, "plain"))
    found = differences(truth, compare.Truth(profile), VALGRIND_REASON)
    excuses.update(found)
    block_excuses.update(blocks.functions_that_differ(truth, compare.Truth(profile),
                                                      VALGRIND_REASON))
    if any(module == own for module, _ in found):
        raise Failure("callgrind and the single steps differ in the program itself")
    return right


def loader_callees(truth, excuses):
    """With another number of modules the loader's heap takes another number of pages, and so
    on: {(object, address): reason} of what functions of the loader in `excuses` call."""
    loader = next(module for module in truth.calls if module.endswith(LOADER))
    callers = [address for module, address in excuses if module == loader]
    return {(loader, address): LOADER_REASON for address in truth.callees(loader, callers)}


def check_blocks(name, command, folder, options, truth, excuses):
    (_, by_block), _ = run_trammel(options.trammel, command, folder, name, ALIKE, "blocks")
    rows = by_block["rows"]
    excuses = {**{(row["module.path"], int(row["offset"], 16)): OTHER_BLOCKS[row["function"]]
                  for row in rows if row["function"] in OTHER_BLOCKS},
               **{(row["module.path"], int(row["offset"], 16)): STRING_REASON
                  for row in rows if STRING_FUNCTION.match(row["function"])}, **excuses}
    # The loader's own work is another under valgrind: the single steps look at that.
    modules = {row["module.path"] for row in rows
               if not row["module.path"].endswith(LOADER)}
    if name in OWN_ONLY:
        modules = {os.path.realpath(os.path.join(folder, command[0]))}
    return judge_blocks(name, truth, by_block, excuses, modules)


def check_arcs(name, command, folder, options, truth, excuses):
    (report, by_arc), _ = run_trammel(options.trammel, command, folder, name, ALIKE, "calls")
    # As for blocks; and what reads ahead is called as often as ever.
    modules = {row["module.path"] for row in report["rows"]
               if not row["module.path"].endswith(LOADER)}
    if name in OWN_ONLY:
        modules = {os.path.realpath(os.path.join(folder, command[0]))}
        excuses = {**excuses, **{(row["module.path"], int(row["offset"], 16)): OWN_ONLY[name]
                                 for row in report["rows"] if row["module.path"] not in modules}}
    right = judge(name, truth, report, excuses, options)
    return judge_arcs(name, truth, by_arc, excuses, modules) and right


def check(name, command, folder, options, excuses, block_excuses):
    profile, expected = run_callgrind(command, folder, name)
    report, output = run_trammel(options.trammel, command, folder, name, ALIKE)
    if output != expected:
        raise Failure("the program's output under trammel and under callgrind differs")
    truth = compare.Truth(profile)
    excuses = {**loader_callees(truth, excuses), **excuses}
    if name in UNSTEADY:
        excuses = {**unsteady(command, folder, name, truth), **excuses}
    if name in OWN_ONLY:
        program = os.path.realpath(os.path.join(folder, command[0]))
        others = {**truth.calls, **compare.Report(report).calls}
        excuses = {(module, address): OWN_ONLY[name] for module in others if module != program
                   for address in {**truth.calls.get(module, {}), **others[module]}}
    right = judge(name, truth, report, excuses, options)
    if name in UNSTEADY:
        block_excuses = {**unsteady(command, folder, name, truth, blocks.functions_that_differ),
                         **block_excuses}
    right = check_arcs(name, command, folder, options, truth,
                       {**block_excuses, **excuses}) and right
    return check_blocks(name, command, folder, options, truth, block_excuses) and right


def own_calls(report, program):
    return {row["function"]: row["calls"] for row in report["rows"]
            if row["module"] == program and row["function"] in ("stir", "fold", "work_part")}


def check_threads(folder, options):
    """The sum over threads is the single-threaded count of the same work."""
    counts = {}
    for threads in ("1", "2", "16"):
        report, _ = run_trammel(options.trammel, ["./threads", threads], folder,
                                f"threads{threads}", PLAIN)
        counts[threads] = own_calls(report, "threads")
    right = counts["1"].get("work_part") == 240 and len(counts["1"]) == 3
    right = right and counts["1"] == counts["2"] == counts["16"]
    print(f"{'ok' if right else 'FAIL':4} thread sums: "
          + "; ".join(f"{n} threads {c}" for n, c in counts.items()))
    return right


def steady_programs():
    """Those that two runs execute alike, with their commands."""
    return [(name, command) for name, command in PROGRAMS.items()
            if name not in UNSTEADY and name not in OWN_ONLY]


def executed_blocks(report):
    return {(row["module"], row["block"]) for row in report["rows"] if row["count"]}


def check_block_coverage(folder, options):
    """The blocks that are covered are those whose counts are not 0."""
    right, total = True, 0
    for name, command in steady_programs():
        (_, counted), _ = run_trammel(options.trammel, command, folder, name, ALIKE, "blocks")
        (_, covered), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                      "block-coverage")
        differ = executed_blocks(counted) ^ executed_blocks(covered)
        total += len(executed_blocks(covered))
        right = right and not differ and {row["count"] for row in covered["rows"]} == {1}
        for place in sorted(differ)[:5]:
            print(f"    {name}: {place}")
    print(f"{'ok' if right else 'FAIL':4} block coverage: {total} blocks covered")
    return right and total > 5000


def check_both(folder, name, command, options, by_arc, by_context):
    """Places and contexts of one run are those of two."""
    both, _ = run_trammel(options.trammel, command, folder, name, ALIKE, "calls,callgraph")
    right = contexts.places_of(both[1]) == contexts.places_of(by_arc)
    right = contexts.paths_of(both[2]) == contexts.paths_of(by_context) and right
    if not right:
        print(f"    {name}: places and contexts of one run are not those of two")
    return right


def check_contexts(folder, options):
    """Calls of a function in all contexts are those from all places. By pairs of caller and callee
    they are not: what functions without frames call (unwinders), and what follows a jump to another
    function, has the call around it as context."""
    right, total = True, 0
    for name, command in steady_programs():
        (by_place, by_arc), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                            "calls")
        (in_contexts, by_context), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                                    "callgraph")
        reports = by_place, in_contexts
        calls, inside = map(contexts.totals_of, reports)
        skipped = {(row["module"], row["offset"])
                   for report in reports for row in report["skipped"]}
        differ = [key for key in calls.keys() | inside.keys()
                  if calls.get(key) != inside.get(key) and key not in skipped]
        total += sum(inside.values())
        right = right and not differ
        for key in sorted(differ)[:5]:
            print(f"    {name}: {key}: {calls.get(key)} calls, {inside.get(key)} in contexts")
        right = check_both(folder, name, command, options, by_arc, by_context) and right
    print(f"{'ok' if right else 'FAIL':4} contexts: {total} calls")
    return right and total > 1000000


def run_lackey(folder):
    """What valgrind's lackey says of the program without libraries: instructions, and loads and
    stores of all types. It counts each pass of a repeated string instruction as one of each, and
    the load of a locked instruction twice: as it is read, and as it is compared and exchanged."""
    environment = dict(UNDER_VALGRIND)
    log = os.path.join(folder, "lackey.out")
    execute(["valgrind", "--tool=lackey", "--basic-counts=yes", "--detailed-counts=yes",
             f"--log-file={log}", "./bare"], folder, environment)
    with open(log, encoding="utf-8") as file:
        text = file.read().replace(",", "")
    kinds = re.findall(r"== +[IFVD]\d+ +(\d+) +(\d+) +\d+", text)
    return (int(re.search(r"guest instrs: +(\d+)", text).group(1)),
            sum(int(loads) for loads, _ in kinds), sum(int(stores) for _, stores in kinds))


def check_mix(folder, options):
    """Instructions, loads and stores of a program, by the instruction mix and by lackey."""
    passes = 300  # REPEATED in bare.c
    run_trammel(options.trammel, ["./bare"], folder, "bare", PLAIN, "blocks")
    mix = json.loads(execute([options.trammel, "mix", "--json", "bare-blocks.trm"], folder, PLAIN))
    truth = run_lackey(folder)
    # The last pass of the string instruction finds that nothing is left.
    got = (mix["instructions"] + passes, mix["loads"] + mix["classes"]["atomic"],
           mix["stores"] + passes)
    branches = mix["branches.taken"] + mix["branches.passed"]
    right = got == truth and mix["repeated"] == 1 and mix["functions.uncounted"] == 0
    right = right and sum(mix["classes"].values()) == mix["instructions"]
    right = right and 0 < branches <= mix["branches"]
    print(f"{'ok' if right else 'FAIL':4} mix: instructions, loads, stores {got}, lackey {truth}")
    return right


def check_loops(folder, options):
    """Loops whose trips follow from the source of bare.c."""
    expected = {"mix": [(499, 499 * 500 // 2)], "series": [(1, 1000)], "triple": [(50, 50 * 128)]}
    run_trammel(options.trammel, ["./bare"], folder, "bare", PLAIN, "blocks")
    loops = json.loads(execute([options.trammel, "loops", "--json", "bare-blocks.trm"], folder, PLAIN))
    got = {name: [(row.get("entries"), row["iterations"]) for row in loops["rows"]
                  if row["function"].split(".")[0] == name] for name in expected}
    right = got == expected and loops["irregular"] == 0
    print(f"{'ok' if right else 'FAIL':4} loops: entries and iterations {got}")
    return right


def symbols_of(folder, program):
    """{name: address}, with the names that BOLT gives: "name/1" is the first local one."""
    found, numbers = {}, {}
    lines = execute(["nm", "-n", program], folder, PLAIN).decode().splitlines()
    for address, kind, name in (line.split() for line in lines if len(line.split()) == 3):
        if kind.islower():
            numbers[name] = numbers.get(name, 0) + 1
            name = f"{name}/{numbers[name]}"
        found[name] = int(address, 16)
    return found


def readers_of_pbo(folder):
    """Has the programs that read these forms read them, those that are installed: their names."""
    bolt = next((name for name in ("llvm-bolt", "llvm-bolt-16", "llvm-bolt-19")
                 if shutil.which(name)), None)
    commands = [
        ["llvm-profdata", "merge", "--sample", "--text", "lean.afdo", "-o", "merged.afdo"],
        ["clang", "-O2", "-gline-tables-only", "-fno-stack-protector", "-nostdlib", "-static",
         "-Werror", "-fprofile-sample-use=lean.afdo", "-o", "lean2", "bare.c"],
        [bolt, "lean", "-o", "lean3", "-data=lean.fdata", "-reorder-blocks=ext-tsp", "-dyno-stats"],
    ]
    done = []
    for command in commands:
        if not command[0] or not shutil.which(command[0]):
            continue
        said = execute(command, folder, PLAIN).decode()
        if command[0] == bolt and not re.search(
                r"BOLT-INFO: [1-9]\d* out of \d+ functions .* have non-empty execution profile", said):
            raise Failure(f"{bolt}: knows no function: {said}")
        done.append(command[0])
    if "llvm-profdata" in done:
        with open(os.path.join(folder, "merged.afdo"), encoding="utf-8") as file:
            merged = pbo.read_autofdo(file.read())
        with open(os.path.join(folder, "lean.afdo"), encoding="utf-8") as file:
            own = pbo.read_autofdo(file.read())
        if {name: vars_of(node) for name, node in merged.items()} != {
                name: vars_of(node) for name, node in own.items()}:
            raise Failure("llvm-profdata reads other numbers")
    return done


def vars_of(node):
    return (node.total, node.head, node.samples, node.calls,
            {place: vars_of(inner) for place, inner in node.inlined.items()})


def check_pbo(folder, options):
    """Branches for BOLT against callgrind's, and samples for clang against the source."""
    execute([options.trammel, "run", "--quiet", "-m", "pbo", "-o", "lean.trm", "./lean"], folder, PLAIN)
    texts = {}
    for form in ("fdata", "afdo"):
        with open(os.path.join(folder, f"lean.{form}"), encoding="utf-8") as file:
            texts[form] = file.read()
    profile, _ = run_callgrind(["./lean"], folder, "lean")
    branches = pbo.read_fdata(texts["fdata"])
    # valgrind knows no object of a program without libraries; it lies where it was linked.
    equal, wrong = pbo.compare(branches, profile, callgrind.UNKNOWN, symbols_of(folder, "lean"))
    functions = pbo.read_autofdo(texts["afdo"])
    mix = functions["mix"]
    # What the loop in mix() runs, and how often the function is called.
    right = not wrong and equal > 20 and mix.head == 500 and 124750 in mix.samples.values()
    right = right and functions["descend"].head == 101
    print(f"{'ok' if right else 'FAIL':4} pbo: {equal} branches equal, {len(wrong)} wrong; "
          f"read by {', '.join(readers_of_pbo(folder))}")
    for line in wrong[:10]:
        print(f"    {line}")
    return right


def attempt(name, test, *arguments):
    try:
        return test(*arguments)
    except (Failure, ValueError, KeyError) as error:
        print(f"FAIL {name}: {type(error).__name__}: {error}")
        return False


def run(folder, options):
    fix_addresses()
    prepare(folder)
    excuses, block_excuses = {}, {}
    results = [attempt("single steps", check_steps, folder, options, excuses, block_excuses)]
    if options.only in (None, "edges"):
        results.append(attempt("edges", check_edges, folder, options))
        results.append(attempt("gcov", check_gcov, folder, options))
    for name, command in PROGRAMS.items():
        if options.only in (None, name):
            results.append(attempt(name, check, name, command, folder, options, excuses,
                                   block_excuses))
            sys.stdout.flush()
    if options.only in (None, "thread-sums"):
        results.append(attempt("thread sums", check_threads, folder, options))
    if options.only in (None, "block-coverage"):
        results.append(attempt("block coverage", check_block_coverage, folder, options))
    if options.only in (None, "contexts"):
        results.append(attempt("contexts", check_contexts, folder, options))
    if options.only in (None, "mix"):
        results.append(attempt("mix", check_mix, folder, options))
    if options.only in (None, "loops"):
        results.append(attempt("loops", check_loops, folder, options))
    if options.only in (None, "pbo"):
        results.append(attempt("pbo", check_pbo, folder, options))
    for what, totals in (("calls", TOTALS), ("places of calls", ARC_TOTALS),
                         ("blocks", BLOCK_TOTALS), ("edges", EDGE_TOTALS)):
        print(f"{what}:", ", ".join(f"{number} {word}" for word, number in totals.items()))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


def main():
    default = os.path.join(os.path.dirname(HERE), "build/src/cli/trammel")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=default, help="the program to test")
    parser.add_argument("--only", metavar="NAME",
                        help="one of: " + " ".join(["edges", *PROGRAMS, "thread-sums", "block-coverage", "contexts",
                                                    "mix", "loops", "pbo"]))
    parser.add_argument("--keep", metavar="DIR", help="leave all files in this folder")
    parser.add_argument("--settled", action="store_true",
                        help="count blocks and edges by plans that earlier runs made better")
    parser.add_argument("--verbose", action="store_true", help="show every difference")
    options = parser.parse_args()
    options.trammel = os.path.abspath(options.trammel)
    global settled
    settled = options.settled
    if not shutil.which("valgrind"):
        print("valgrind is missing: install it with `apt-get install valgrind`")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        return run(options.keep, options)
    with tempfile.TemporaryDirectory(prefix="trammel-exactness-") as folder:
        return run(folder, options)


if __name__ == "__main__":
    sys.exit(main())
