"""Compares a profile's block counts with how often callgrind saw their instructions run."""

import bisect
import collections

Row = collections.namedtuple("Row", "object function address truth counted")


class Result:
    """equal: how many blocks; explained: {reason: [Row]}; wrong: [Row]; uncovered: executed
    instructions of functions with counts that lie in no block; parts: how many cold parts that
    ran have counts, and how many have none."""

    def __init__(self):
        self.equal = 0
        self.explained = collections.defaultdict(list)
        self.wrong = []
        self.uncovered = []
        self.parts = [0, 0]


def executions_of(truth, module, address):
    return truth.executions.get(module, {}).get(address, 0)


def functions_that_differ(one, other, reason):
    """{(object, function): reason} of functions with an instruction that ran another number of
    times in the two truths."""
    found = {}
    for module in set(one.executions) | set(other.executions):
        first, second = one.executions.get(module, {}), other.executions.get(module, {})
        starts = sorted(truth_functions(one, module))
        for address in set(first) | set(second):
            if first.get(address, 0) != second.get(address, 0):
                index = bisect.bisect_right(starts, address)
                if index:
                    found[module, starts[index - 1]] = reason
    return found


def truth_functions(truth, module):
    return truth.elf(module).functions if module.startswith("/") else {}


def compare(truth, report, excuses, modules=None):
    """`report` is the JSON of `report --by block`; `excuses` maps (object, function) to a reason
    why the truth itself may be another there; `modules`: only these."""
    result = Result()
    covered = collections.defaultdict(set)
    for row in report["rows"]:
        module, function = row["module.path"], int(row["offset"], 16)
        if modules is not None and module not in modules:
            continue
        start = int(row["block"], 16)
        covered[module, function].update(range(start, start + row["block.size"]))
        found = Row(module, function, start, executions_of(truth, module, start), row["count"])
        if found.truth == found.counted:
            result.equal += 1
        elif (module, function) in excuses:
            result.explained[excuses[module, function]].append(found)
        else:
            result.wrong.append(found)
    for (module, function), bytes_covered in covered.items():
        end = truth_functions(truth, module).get(function, function)
        if (module, function) in excuses:
            continue
        result.uncovered += [
            Row(module, function, address, executions_of(truth, module, address), 0)
            for address in range(function, end)
            if executions_of(truth, module, address) and address not in bytes_covered]
    for module in {module for module, _ in covered}:
        look_at_parts(truth, module, result, set().union(
            *(addresses for place, addresses in covered.items() if place[0] == module)),
            {int(row["part.offset"], 16) for row in report["uncounted_parts"]
             if row["module.path"] == module})
    return result


def look_at_parts(truth, module, result, covered, named):
    """A cold part has counts of all that ran of it, or the report names it, and it has none."""
    if not module.startswith("/"):
        return
    for start, end in truth.elf(module).cold:
        ran = [address for address in range(start, end) if executions_of(truth, module, address)]
        wrong = [address for address in ran if address not in covered]
        if not ran:
            continue
        result.parts[start in named] += 1
        if start in named:
            wrong = [address for address in ran if address in covered]
        result.uncovered += [
            Row(module, start, address, executions_of(truth, module, address), 0)
            for address in wrong]
