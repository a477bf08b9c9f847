"""Reads callgrind's output with instruction addresses and jumps (--dump-instr=yes
--dump-line=no --collect-jumps=yes).

The format is described in valgrind's manual, "Callgrind Format Specification". Addresses in
it are link-time addresses of the object named by the last `ob=` line; code outside an
object's .text (PLT stubs, .init) is in the object "???" and has its run-time address.
"""

import collections
import re

UNKNOWN = "???"

Arc = collections.namedtuple("Arc", "source_object source target_object target count")

NAME = re.compile(r"\((\d+)\)(?: (.*))?$")


class Profile:
    """executions[object][address]: how often the instruction ran; arcs: calls and jumps."""

    def __init__(self):
        self.executions = collections.defaultdict(lambda: collections.defaultdict(int))
        self.arcs = []
        self.command = ""
        self.total = None  # what callgrind itself says the executions sum up to


class Reader:
    """State of one pass over a callgrind file: names, current object, last position."""

    def __init__(self):
        self.profile = Profile()
        self.objects = {}
        self.object = UNKNOWN
        self.called_object = None  # None: the target is in the current object
        self.position = 0
        self.pending = None  # an arc's (object, target, count) until its source is read

    def name(self, text):
        """A possibly compressed name: "(3) /bin/x" defines, "(3)" repeats."""
        match = NAME.match(text)
        if not match:
            return text
        number, name = match.groups()
        if name is not None:
            self.objects[number] = name
        return self.objects[number]

    def address(self, text):
        if text == "*":
            return self.position
        if text[0] in "+-":
            return self.position + int(text, 0)
        return int(text, 0)

    def cost_line(self, line):
        fields = line.split()
        self.position = self.address(fields[0])
        if self.pending:
            # Only the place counts: the cost is that of the callee.
            target_object, target, count = self.pending
            self.pending = None
            self.profile.arcs.append(
                Arc(self.object, self.position, target_object, target, count))
        else:
            self.profile.executions[self.object][self.position] += int(fields[1])

    def arc_line(self, value):
        """A call or jump; the address that it comes from is in the line behind it."""
        counts, target = value.split()[:2]
        taken = int(counts.split("/")[0])  # jcnd=TAKEN/EXECUTED
        self.pending = (self.called_object or self.object, self.address(target), taken)
        self.called_object = None

    def line(self, line):
        if not line or line.startswith("#"):
            return
        if line[0] in "0123456789+-*":
            self.cost_line(line)
            return
        key, mark, value = line.partition("=")
        if not mark:
            if line.startswith("cmd:"):
                self.profile.command = line[4:].strip()
            elif line.startswith("totals:"):
                self.profile.total = int(line.split()[1])
            return
        if key == "ob":
            self.object = self.name(value)
        elif key in ("cob", "job"):
            self.called_object = self.name(value)
        elif key in ("calls", "jump", "jcnd"):
            self.arc_line(value)


def read(path):
    """The profile in the file; ValueError when the file has no instruction addresses."""
    reader = Reader()
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if line.startswith("positions:") and line.split()[1:] != ["instr"]:
                raise ValueError(f"{path}: has no instruction addresses alone: {line!r}")
            reader.line(line.rstrip("\n"))
    if not reader.profile.executions:
        raise ValueError(f"{path}: holds no costs")
    profile = reader.profile
    summed = sum(sum(counts.values()) for counts in profile.executions.values())
    if profile.total != summed:
        raise ValueError(f"{path}: costs sum to {summed}, the file says {profile.total}")
    return profile
