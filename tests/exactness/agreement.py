"""Counts that several measurements give, or several runs, must be the same."""

import contexts
from programs import steady_programs
from runs import ALIKE, PLAIN, run_trammel


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
