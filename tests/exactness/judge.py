"""Judges what trammel counted by what is true: a line of the table for each comparison. Each one is
shown a count that is off by one, too, which it must see.
"""

import collections
import copy
import os

import arcs
import blocks
import compare
import edges
from runs import Failure

# Programs of which only the executable's own functions must be equal.
OWN_ONLY = {
    "threads": "what libraries do when threads meet at a lock is a matter of time",
}

# What is summed up over all checks, and how it came out: a number for each pair.
KINDS = ("calls", "call sites", "blocks", "edges")
OUTCOMES = ("equal", "explained", "wrong")
TOTALS = collections.Counter()


def add(kind, *numbers):
    """Adds numbers of each outcome to the totals."""
    TOTALS.update({(kind, word): number for word, number in zip(OUTCOMES, numbers)})


def show(rows, truth, limit):
    for row in rows[:limit]:
        name = truth.elf(row.object).name_at(row.address)
        print(f"    {os.path.basename(row.object)}:{name} ({row.address:#x}): "
              f"truth {row.truth}, trammel {row.counted}")
    if len(rows) > limit:
        print(f"    ... and {len(rows) - limit} more (--verbose shows all)")


def judge(name, truth, report, excuses, options):
    """Whether the counts are right; prints the program's line of the table."""
    result = compare.compare(truth, compare.Report(report), excuses)
    explained = sum(len(rows) for rows in result.explained.values())
    add("calls", result.equal, explained, len(result.wrong))
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
    add("blocks", result.equal, explained, len(result.wrong) + len(result.uncovered))
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} blocks equal, "
          f"{explained} explained, {len(result.wrong)} wrong, "
          f"{len(result.uncovered)} instructions in no block, "
          f"{result.parts[0]} cold parts counted, {result.parts[1]} not")
    for reason, rows in sorted(result.explained.items()):
        print(f"  {len(rows)}: {reason}")
    show(result.wrong + result.uncovered, truth, 10)
    return not bad


def judge_arcs(name, truth, report, excuses, modules=None):
    """The same for counts of calls by call site."""
    counted = arcs.Report(report)
    result = arcs.compare(truth, counted, excuses, modules)
    bad = bool(result.wrong) or result.equal < (10 if name in OWN_ONLY else 50)
    explained = sum(len(rows) for rows in result.explained.values())
    add("call sites", result.equal, explained, len(result.wrong))
    print(f"{'FAIL' if bad else 'ok':4} {name}: {result.equal} call sites equal, "
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
    add("edges", result.equal, 0, len(result.wrong))
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
