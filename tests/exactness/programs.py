"""Real programs, and small ones, against callgrind: calls, call sites, blocks."""

import dataclasses
import os
import re

import blocks
import compare
from judge import OWN_ONLY, judge, judge_arcs, judge_blocks
from runs import ALIKE, PLAIN, Failure, run_callgrind, run_steps, run_trammel

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

PROGRAMS = {
    "gzip": ["/usr/bin/gzip", "-6", "-n", "-c", "text"],
    "bzip2": ["/usr/bin/bzip2", "-9", "-c", "text"],
    "sqlite3": ["/usr/bin/sqlite3", "-batch", "-init", "queries.sql", ":memory:", ".quit"],
    "lua": ["/usr/bin/lua5.4", "script.lua"],
    "c++": ["./shapes"],
    "rare": ["./rare"],
    "threads": ["./threads", "4"],
}


def steady_programs():
    """Those that two runs execute alike, with their commands."""
    return [(name, command) for name, command in PROGRAMS.items()
            if name not in UNSTEADY and name not in OWN_ONLY]


def unsteady(command, folder, name, truth):
    """Excuses where runs under callgrind alone differ."""
    excuses = Excuses({}, {})
    for number in range(UNSTEADY_RUNS):
        # A longer environment moves the stack, and with it the address of a local variable.
        profile, _ = run_callgrind(command, folder, name, {"PAD": "x" * (1 + 613 * number)})
        other, reason = compare.Truth(profile), UNSTEADY[name]
        excuses.calls.update(differences(truth, other, reason))
        excuses.blocks.update(blocks.functions_that_differ(truth, other, reason))
    return excuses


def differences(one, other, reason):
    """{(object, address): reason} of the functions in which two truths differ."""
    found = {}
    for module in one.calls:
        calls, again = one.calls[module], other.calls.get(module, {})
        found.update({(module, address): reason for address in set(calls) | set(again)
                      if calls.get(address) != again.get(address)})
    return found


@dataclasses.dataclass
class Excuses:
    """{(object, address): reason} of the functions in which callgrind's calls are not right, and
    of those in which its counts of instructions are not."""
    calls: dict
    blocks: dict


def find_excuses(folder):
    """Where callgrind differs from single steps."""
    steps, _ = run_steps(["./plain"], folder, "alike", ALIKE)
    profile, _ = run_callgrind(["./plain"], folder, "alike")
    truth, own = compare.Truth(profile), os.path.realpath(os.path.join(folder, "plain"))
    excuses = Excuses(differences(steps, truth, VALGRIND_REASON),
                      blocks.functions_that_differ(steps, truth, VALGRIND_REASON))
    if any(module == own for module, _ in excuses.calls):
        raise Failure("callgrind and the single steps differ in the program itself")
    return excuses


def check_steps(folder, options):
    """Single steps, in the usual environment and in the one for callgrind."""
    right, command = True, ["./plain"]
    for name, environment in (("single steps", PLAIN),
                              ("single steps, CPU features masked", ALIKE)):
        steps, expected = run_steps(command, folder, "plain", environment)
        for measure, judge_rows in (("functions", None), ("blocks", judge_blocks),
                                    ("calls", judge_arcs)):
            reports, output = run_trammel(options.trammel, command, folder, "plain", environment,
                                          measure)
            report, rows = reports if judge_rows else (reports, None)
            right = judge(f"{name}, {measure}", steps, report, {}, options) and right
            right = (not judge_rows or judge_rows(name, steps, rows, {})) and right
            right = output == expected and right
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


def check(name, folder, options, excuses):
    """One of PROGRAMS: its calls, call sites and blocks."""
    command = PROGRAMS[name]
    profile, expected = run_callgrind(command, folder, name)
    report, output = run_trammel(options.trammel, command, folder, name, ALIKE)
    if output != expected:
        raise Failure("the program's output under trammel and under callgrind differs")
    truth = compare.Truth(profile)
    more = unsteady(command, folder, name, truth) if name in UNSTEADY else Excuses({}, {})
    in_calls = {**more.calls, **loader_callees(truth, excuses.calls), **excuses.calls}
    in_blocks = {**more.blocks, **excuses.blocks}
    if name in OWN_ONLY:
        program = os.path.realpath(os.path.join(folder, command[0]))
        others = {**truth.calls, **compare.Report(report).calls}
        in_calls = {(module, address): OWN_ONLY[name] for module in others if module != program
                    for address in {**truth.calls.get(module, {}), **others[module]}}
    right = judge(name, truth, report, in_calls, options)
    right = check_arcs(name, command, folder, options, truth, {**in_blocks, **in_calls}) and right
    return check_blocks(name, command, folder, options, truth, in_blocks) and right
