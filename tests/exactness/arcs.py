"""Compares a profile's counts of calls by call site with callgrind's.

callgrind tells for each call and jump instruction where it led, and how often. Of a call through
a stub of a procedure linkage table it tells the stub: there all that trammel says was called from
the place is compared with the calls of the stub.
"""

import collections

from callgrind import UNKNOWN
from compare import Comparison

Row = collections.namedtuple("Row", "object address truth counted")
Arc = collections.namedtuple("Arc", "source_object source target_object target")

# What trammel calls a call that it saw at its own instruction, or whose return address names one.
CALLS = ("direct", "indirect")
JUMPED = ("a jump that has no counter led there, or the code ran on: the return address is an"
          " older one")
STUB = 16  # bytes of a stub
NOT_COUNTED = "the stub leads to a function that trammel does not count"
UNBOUND = "the first jump through a word of the linkage table led to the loader"


class Report:
    """arcs[Arc]: count of calls and jumps; seen: those counted at their own place;
    stubs[object, address]: those of calls through stubs, by what was called."""

    def __init__(self, report):
        self.arcs = collections.defaultdict(int)
        self.seen = set()
        self.stubs = collections.defaultdict(dict)
        self.kinds = collections.defaultdict(int)
        for row in report["rows"]:
            kind, count = row["arc.kind"], row["arc.count"]
            self.kinds[kind] += count
            if "arc.site" not in row:
                continue
            place = row["caller.path"], int(row["arc.site"], 16)
            callee = row["module.path"], int(row["offset"], 16)
            if kind in CALLS + ("jump",):
                self.arcs[Arc(*place, *callee)] += count
                if kind != "indirect":
                    self.seen.add(Arc(*place, *callee))
            elif kind == "plt":
                self.stubs[place][callee] = self.stubs[place].get(callee, 0) + count


class Expected:
    """What the truth says: calls and jumps to functions, calls of stubs, and where jumps lead."""

    def __init__(self, truth, functions):
        self.functions = functions
        self.arcs = collections.defaultdict(int)
        self.stubs = collections.defaultdict(int)
        self.stub_jumps = collections.defaultdict(int)
        self.stub_at = {}  # the stub that a place calls, or jumps to
        self.jumped = set()
        self.led = led = collections.defaultdict(set)  # where stubs lead
        jumped_stubs = set()
        entered = collections.Counter()  # by calls and jumps
        for arc in truth.arcs:
            if UNKNOWN in (arc.source_object, arc.target_object) or not arc.count:
                continue
            target = arc.target_object, arc.target
            entered[target] += arc.count
            if truth.elf(arc.source_object).in_plt(arc.source):
                led[arc.source_object, arc.source // STUB].add(target)
                continue
            source = arc.source_object, arc.source
            call = truth.is_call(arc)
            if truth.elf(arc.target_object).in_plt(arc.target):
                if call:
                    self.stubs[source] += arc.count
                    self.stub_at[source] = arc.target_object, arc.target // STUB
                else:
                    jumped_stubs.add((arc.target_object, arc.target // STUB))
                    self.stub_jumps[source] += arc.count
                    self.stub_at[source] = arc.target_object, arc.target // STUB
                continue
            if not call:
                self.jumped.add(target)
            if target in functions:
                self.arcs[Arc(*source, *target), call] += arc.count
        self.jumped.update(*(led[stub] for stub in jumped_stubs))
        self.jumped.update(target for target in functions
                           if truth.executions.get(target[0], {}).get(target[1], 0)
                           > entered[target])


def function_around(truth, name, address):
    """The start of the function that holds the address, by its symbols and frames."""
    functions = truth.elf(name).functions
    return next((start for start, end in functions.items() if start <= address < end), address)


def reason_of(truth, excuses, arc):
    """Why the truth may be another at either end of the arc, or None."""
    caller = arc.source_object, function_around(truth, arc.source_object, arc.source)
    return excuses.get((arc.target_object, arc.target)) or excuses.get(caller)


def stub_count(expected, place, callees):
    """What of the calls of stubs at a place is to be compared, and why all may be more."""
    led = expected.led[expected.stub_at.get(place)]
    counted = sum(count for callee, count in callees.items() if callee in led)
    if not counted and not led & expected.functions:
        return counted, NOT_COUNTED
    others = {callee for callee in callees if callee not in led}
    if others - expected.jumped:
        return sum(callees.values()), None
    more = counted > expected.stubs.get(place, 0) and led & expected.jumped
    return counted, JUMPED if more else None


def compare(truth, report, excuses, modules=None):
    """Compares calls in both directions, and each jump that trammel counted at its place.
    `modules`: only what they call."""
    result = Comparison()
    functions = {(arc.target_object, arc.target) for arc in report.arcs}
    functions.update(callee for callees in report.stubs.values() for callee in callees)
    expected = Expected(truth, functions)

    def note(arc, wanted, counted, reason):
        if wanted == counted:
            result.equal += 1
            return
        row = Row(arc.source_object, arc.source, wanted, counted)
        reason = reason_of(truth, excuses, arc) or reason
        if reason:
            result.explained[reason].append(row)
        else:
            result.wrong.append(row)

    calls = {arc: count for (arc, call), count in expected.arcs.items() if call}
    jumps = {arc: count for (arc, call), count in expected.arcs.items() if not call}
    for arc in sorted(set(calls) | set(report.arcs)):
        if modules and arc.source_object not in modules:
            continue
        counted = report.arcs.get(arc, 0)
        place = arc.source_object, arc.source
        callee = arc.target_object, arc.target
        if place in expected.stub_jumps and callee in expected.led[expected.stub_at[place]]:
            wanted = expected.stub_jumps[place]
            note(arc, wanted, counted, UNBOUND if counted == wanted - 1 else None)
            continue
        if arc in calls or arc not in jumps:
            wanted = calls.get(arc, 0)
            jumped = (arc not in report.seen and counted > wanted
                      and (arc.target_object, arc.target) in expected.jumped)
            note(arc, wanted, counted, JUMPED if jumped else None)
        elif counted:
            note(arc, jumps[arc], counted, None)
    for place in sorted(set(expected.stubs) | set(report.stubs)):
        if modules and place[0] not in modules:
            continue
        counted, reason = stub_count(expected, place, report.stubs.get(place, {}))
        note(Arc(*place, *place), expected.stubs.get(place, 0), counted, reason)
    return result
