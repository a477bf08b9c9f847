"""Counts of edges: against single steps, and against gcov."""

import functools
import json
import os

import edges
from judge import judge, judge_blocks, judge_edges
from runs import PLAIN, execute, run_steps, run_trammel


# Programs that are stepped through, each with its arguments.
STEPPED = {"plain": [], "branches": [], "branches-fixed": [], "branches-shared": [], "rare": ["1"],
           "rare-stripped": ["1"]}


def check_edges(name, folder, options):
    """Counts of edges of a program against single steps."""
    command = [f"./{name}", *STEPPED[name]]
    steps, expected = run_steps(command, folder, "edges", PLAIN)
    ways = edges.Ways(os.path.join(folder, "edges.steps.ways"))
    reports, output = run_trammel(options.trammel, command, folder, name, PLAIN, "edges")
    right = judge(f"{name}, with edges", steps, reports[0], {}, options)
    right = judge_blocks(f"{name}, with edges", steps, reports[1], {}) and right
    return judge_edges(name, steps, ways, reports[2]) and right and output == expected


def gcov_branches(folder, level):
    """{line: sorted counts} of the lines of branches.cc with one branch, by gcov."""
    place = os.path.join(folder, "gcov" + level)
    os.makedirs(place, exist_ok=True)
    execute(["g++", "--coverage", level, "-g", "-o", "branches", "../branches.cc"], place, PLAIN)
    execute(["./branches"], place, PLAIN)
    notes = next(name for name in os.listdir(place) if name.endswith(".gcno"))
    found = json.loads(execute(["gcov", "--json-format", "--stdout", "-b", "-c", notes], place,
                               PLAIN))
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


# They run only if they are asked for: it steps through the relocation of libstdc++.
LONG = ("edges of branches-shared",)

CHECKS = {
    **{f"edges of {name}": functools.partial(check_edges, name) for name in STEPPED},
    "gcov": check_gcov,
}
