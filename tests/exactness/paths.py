"""Paths: the counts of blocks and edges that follow from them are those of -m edges."""

import collections
import json

from runs import PLAIN, execute, run_trammel

# Functions whose paths must be counted, and those whose edges are instead.
FOLLOWED = {"thrower(int)", "between(int)", "catcher(int)", "jumper(int)", "switches(int)",
            "irregular(int)", "recursive(int, int)", "handled(int)", "children(int)", "ender(int)"}
NOT_FOLLOWED = {"jumps(int)"}


def counts(trammel, profile, folder, what):
    """How often each block, or edge, of the program itself was passed."""
    report = json.loads(execute([trammel, "report", "--json", f"--by={what}", "--all", profile],
                                folder, PLAIN))
    sums = collections.Counter()
    for row in report["rows"]:
        if row["module"].startswith("paths"):
            key = (row["function"], row["offset"], row[what], row.get("edge.to"),
                   row.get("edge.kind"))
            sums[key] += row.get("count", 0)
    return {key: count for key, count in sums.items() if count}


def differences(options, program, folder):
    """What -m edges and -m paths do not say alike."""
    wrong = []
    for measure in ("edges", "paths"):
        run_trammel(options.trammel, [f"./{program}"], folder, program, PLAIN, measure)
    for what in ("block", "edge"):
        edges, paths = (counts(options.trammel, f"{program}-{measure}.trm", folder, what)
                        for measure in ("edges", "paths"))
        wrong += [f"{key}: {edges.get(key, 0)} by edges, {paths.get(key, 0)} by paths"
                  for key in sorted(set(edges) | set(paths), key=str)
                  if edges.get(key) != paths.get(key)]
        if len(edges) < 50:
            wrong.append(f"only {len(edges)} of {what}")
    return wrong


def sums_of_paths(options, program, folder):
    """The instructions on all paths are the functions' own."""
    profile = f"{program}-paths.trm"
    rows = json.loads(execute([options.trammel, "paths", "--json", "--module", program, profile],
                              folder, PLAIN))["rows"]
    names = {row["function"] for row in rows}
    wrong = [f"no paths of {name}" for name in sorted(FOLLOWED - names)]
    wrong += [f"paths of {name}" for name in sorted(NOT_FOLLOWED & names)]
    by_edge = counts(options.trammel, profile, folder, "edge")
    left = collections.Counter()
    for row in rows:
        if row["path.end"] == "leave":
            left[row["function"]] += row["count"]
    for name in ("switches(int)", "irregular(int)"):
        returns = sum(count for key, count in by_edge.items()
                      if key[0] == name and key[4] == "leave")
        if returns != left[name]:
            wrong.append(f"{name}: {returns} returns, {left[name]} paths to them")
    return wrong


REASONS = {"a call may return twice"}


def follow(edges, number):
    """The edges of a path, from those that --describe writes, and what is left of its number."""
    at, way, rest = "-", [], number
    while True:
        edge = max((edge for edge in edges[at] if edge[2] <= rest), key=lambda edge: edge[2])
        rest -= edge[2]
        way.append((at, *edge))
        if edge[1] not in ("begin", "pass"):
            return tuple(way), rest
        at = edge[0]


def blocks_of(way):
    return [edge[1] for edge in way[:-1]]


def described(options, profile, program, folder):
    """{function: (number of paths, edges by block, {number: blocks of a path that was taken})}."""
    text = execute([options.trammel, "paths", "--describe", "--module", program, profile], folder, PLAIN)
    functions, edges, taken = {}, {}, {}
    for line in text.decode().splitlines():
        words = line.split()
        if words[0] == "*":
            edges, taken = collections.defaultdict(list), {}
            # Names have blanks.
            functions[" ".join(words[3:-1])] = (int(words[2]), edges, taken)
        elif words[0] == ">":
            edges[words[1]].append((words[2], words[3], int(words[4]), int(words[5])))
        elif "..." not in words[0]:
            taken[int(words[0].split(":")[0])] = line.rsplit("[", 1)[1].rstrip("]").split()
    return functions


def numbers(options, program, folder):
    """All paths are found by their numbers, and those that were taken are the ones that the profile has."""
    profile = f"{program}-paths.trm"
    functions = described(options, profile, program, folder)
    wrong = [f"{name} is not described" for name in sorted(FOLLOWED - set(functions))]
    for name, (count, edges, taken) in functions.items():
        ways = [follow(edges, number) for number in range(count)]
        wrong += [f"{name}: path {number} has {rest} left, and adds up to other numbers"
                  for number, (way, rest) in enumerate(ways)
                  if rest or sum(edge[4] for edge in way) != number]
        # Parallel edges have the same ends.
        if len({way for way, _ in ways}) != count:
            wrong.append(f"{name}: some of {count} paths are the same")
        wrong += [f"{name}: path {number} is {blocks}" for number, blocks in taken.items()
                  if blocks_of(ways[number][0]) != blocks]
    name = "switches(int)"
    for number in range(0, functions[name][0], 7):
        rows = json.loads(execute([options.trammel, "paths", "--json", "--path", str(number), "--module",
                                   program, profile, "switches*"], folder,
                                  PLAIN))["rows"]
        if len(rows) != 1 or not all(block["code"] for block in rows[0]["blocks"]) or \
                len(rows[0]["blocks"]) != len(blocks_of(follow(functions[name][1], number)[0])):
            wrong.append(f"--path {number}: {rows}")
    return wrong


def reasons(options, program, folder):
    """The report says why paths are not counted, and how many were left in calls."""
    report = json.loads(execute([options.trammel, "paths", "--json", "--module", program,
                                 f"{program}-paths.trm"], folder, PLAIN))
    given = {row["path.reason"] for row in report["without.paths"]}
    wrong = [f"no function because {reason}" for reason in sorted(REASONS - given)]
    if report["functions.without.paths"] != sum(row["functions"] for row in report["without.paths"]):
        wrong.append("reasons of other functions")
    if not report["left.in.calls"]:
        wrong.append("no path was left in a call")
    return wrong


def check_paths(folder, options):
    """Programs with all that breaks paths off, optimised and not."""
    right = True
    for program in ("paths", "paths-plain"):
        wrong = differences(options, program, folder)
        if program == "paths":
            wrong += sums_of_paths(options, program, folder)
            wrong += numbers(options, program, folder)
            wrong += reasons(options, program, folder)
        right = right and not wrong
        print(f"{'FAIL' if wrong else 'ok':4} {program}: " + "; ".join(wrong[:4]))
    return right


CHECKS = {"paths": check_paths}
