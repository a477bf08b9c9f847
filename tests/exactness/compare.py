"""Compares a profile's call counts with those that follow from callgrind's output."""

import collections

from callgrind import UNKNOWN
from elf import Elf

Row = collections.namedtuple("Row", "object address truth counted")


class Truth:
    """calls[object][address]: how often a function was entered, by callgrind.

    A function is entered when its first instruction is executed, except by a jump from
    inside the function (or from its cold part): that is a loop that starts at the entry.
    """

    def __init__(self, profile, load=Elf):
        self.elves = {}
        self.load = load
        self.executions, arcs = self.placed(profile)
        self.arcs = arcs
        self.jumps = collections.defaultdict(list)
        called = collections.defaultdict(set)
        for arc in arcs:
            if arc.target_object == UNKNOWN:
                continue
            if self.is_call(arc):
                called[arc.target_object].add(arc.target)
            elif arc.source_object == arc.target_object:
                self.jumps[arc.target_object, arc.target].append(arc)
        self.calls = {}
        for name, counts in self.executions.items():
            if name == UNKNOWN:
                continue
            elf = self.elf(name)
            self.calls[name] = {
                address: self.count(name, address)
                for address in set(elf.functions) | called[name]
                if counts.get(address) and not elf.in_plt(address)}

    def count(self, name, address):
        """How often the code there was entered from outside the function that starts there."""
        executed = self.executions.get(name, {}).get(address, 0)
        return executed - self.inner(self.elf(name), address, name) if executed else 0

    def callees(self, name, addresses):
        """The functions of the object that the functions at these addresses call directly."""
        functions = self.elf(name).functions
        ranges = [(address, functions[address]) for address in addresses if address in functions]
        return {arc.target for arc in self.arcs
                if arc.source_object == arc.target_object == name and arc.target in functions
                and any(start <= arc.source < end for start, end in ranges)}

    def elf(self, name):
        if name not in self.elves:
            self.elves[name] = self.load(name)
        return self.elves[name]

    def is_call(self, arc):
        return (arc.source_object != UNKNOWN
                and self.elf(arc.source_object).is_call(arc.source))

    def inner(self, elf, address, name):
        """How often a jump from inside the function led to its first instruction."""
        end = elf.functions.get(address, address)
        count = 0
        for arc in self.jumps.get((name, address), ()):
            inside = address <= arc.source < end
            part = next((c for c in elf.cold if c[0] <= arc.source < c[1]), None)
            if part and not inside:
                inside = any(address <= back.source < end
                             for place in range(*part)
                             for back in self.jumps.get((name, place), ()))
            count += arc.count if inside else 0
        return count

    def placed(self, profile):
        """Executions and arcs with code outside .text given back to its object.

        callgrind calls that code's object "???" and gives run-time addresses. The distance
        between run time and link time shows where a direct call leads into it.
        """
        biases = {}
        for arc in profile.arcs:
            if arc.target_object == UNKNOWN and arc.source_object != UNKNOWN:
                code = self.elf(arc.source_object).bytes_at(arc.source, 5)
                if code[:1] in (b"\xe8", b"\xe9") and len(code) == 5:
                    step = int.from_bytes(code[1:], "little", signed=True)
                    biases[arc.source_object] = arc.target - (arc.source + 5 + step)

        def place(name, address):
            if name == UNKNOWN:
                for owner, bias in biases.items():
                    if self.elf(owner).executable(address - bias):
                        return owner, address - bias
            return name, address

        executions = collections.defaultdict(dict)
        for name, counts in profile.executions.items():
            for address, count in counts.items():
                owner, there = place(name, address)
                executions[owner][there] = executions[owner].get(there, 0) + count
        arcs = []
        for arc in profile.arcs:
            source = place(arc.source_object, arc.source)
            target = place(arc.target_object, arc.target)
            arcs.append(arc._replace(source_object=source[0], source=source[1],
                                     target_object=target[0], target=target[1]))
        return executions, arcs


class Report:
    """calls and skipped functions of a `trammel report --json` object, by module and offset."""

    def __init__(self, report):
        self.calls = collections.defaultdict(dict)
        self.skipped = collections.defaultdict(dict)
        for row in report["rows"]:
            module = self.calls[row["module.path"]]
            offset = int(row["offset"], 16)
            module[offset] = module.get(offset, 0) + row["calls"]
        for row in report["skipped"]:
            self.skipped[row["module.path"]][int(row["offset"], 16)] = row["skip.reason"]


class Comparison:
    """equal: how many; explained: {reason: [Row]}; wrong: [Row]."""

    def __init__(self):
        self.equal = 0
        self.explained = collections.defaultdict(list)
        self.wrong = []


def explain(excuses, row, skipped):
    """Why the two counts of the row may differ, or None."""
    if (row.object, row.address) in excuses:
        return excuses[row.object, row.address]
    if not row.counted and row.address in skipped:
        return "trammel says that it left the function out: " + skipped[row.address]
    return None


def compare(truth, report, excuses):
    """Compares in both directions. `excuses` maps (object, address) to the reason why the truth
    itself may be another there."""
    result = Comparison()
    for module in sorted(set(truth.calls) | set(report.calls)):
        counted = report.calls.get(module, {})
        for address in sorted(set(truth.calls.get(module, {})) | set(counted)):
            row = Row(module, address, truth.count(module, address), counted.get(address, 0))
            if row.truth == row.counted:
                result.equal += 1
                continue
            reason = explain(excuses, row, report.skipped.get(module, {}))
            if reason:
                result.explained[reason].append(row)
            else:
                result.wrong.append(row)
    return result
