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


def check_paths(folder, options):
    """Programs with all that breaks paths off, optimised and not."""
    right = True
    for program in ("paths", "paths-plain"):
        wrong = differences(options, program, folder)
        if program == "paths":
            wrong += sums_of_paths(options, program, folder)
        right = right and not wrong
        print(f"{'FAIL' if wrong else 'ok':4} {program}: " + "; ".join(wrong[:4]))
    return right


CHECKS = {"paths": check_paths}
