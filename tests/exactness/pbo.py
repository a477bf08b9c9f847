"""Reads the forms of `trammel pbo` by their grammars, and compares branches with callgrind's.

The grammars are those of BOLT's DataReader.h and of "Sample Profile Text Format" in clang's
manual. Whatever does not fit raises ValueError.
"""

import collections
import re

NAME = r"((?:\\.|[^\\\s])+)"
BRANCH = re.compile(rf"(?:1 {NAME} ([0-9a-f]+)|0 (\[unknown\]) (0)) 1 {NAME} ([0-9a-f]+) (\d+) (\d+)")
HEAD = re.compile(r"(\S+):(\d+):(\d+)")
SAMPLE = re.compile(r"( +)(\d+)(?:\.(\d+))?: (\d+)((?: [^\s:]+:\d+)*)")
INLINED = re.compile(r"( +)(\d+)(?:\.(\d+))?: ([^\s:]+):(\d+)")


def read_fdata(text):
    """{((function, offset), (function, offset)): count}; the first one is None if unknown."""
    branches = {}
    for line in text.splitlines():
        match = BRANCH.fullmatch(line)
        if not match:
            raise ValueError(f"no branch: {line}")
        source = None if match[3] else (match[1], int(match[2], 16))
        ends = source, (match[5], int(match[6], 16))
        if ends in branches or int(match[8]) == 0 or int(match[7]):
            raise ValueError(f"twice, or without a count: {line}")
        branches[ends] = int(match[8])
    return branches


class Node:
    """A function of AutoFDO's form, or one put into another."""

    def __init__(self, name, total, head=0):
        self.name, self.total, self.head = name, total, head
        self.samples = {}
        self.calls = {}
        self.inlined = {}

    def sum(self):
        return sum(self.samples.values()) + sum(node.sum() for node in self.inlined.values())


def read_autofdo(text):
    """{name: Node} of functions."""
    functions, path = {}, []
    for line in text.splitlines():
        head, sample, inlined = (form.fullmatch(line) for form in (HEAD, SAMPLE, INLINED))
        if head:
            path = [Node(head[1], int(head[2]), int(head[3]))]
            if functions.setdefault(head[1], path[0]) is not path[0]:
                raise ValueError(f"a function twice: {line}")
            continue
        match = sample or inlined
        if not match or len(match[1]) > len(path):
            raise ValueError(f"no sample: {line}")
        del path[len(match[1]):]
        place = int(match[2]), int(match[3] or 0)
        if sample:
            path[-1].samples[place] = int(sample[4])
            path[-1].calls[place] = [call.rsplit(":", 1) for call in sample[5].split()]
        else:
            node = Node(inlined[4], int(inlined[5]))
            path[-1].inlined[(*place, node.name)] = node
            path.append(node)
    for node in functions.values():
        if node.sum() != node.total:
            raise ValueError(f"{node.name}: {node.total} in all, but {node.sum()} samples")
    return functions


def compare(branches, profile, module, addresses):
    """(equal, wrong) of branches with known ends, against those of a callgrind.Profile. A way that
    callgrind has no arc for is that of the code running on, taken as often as its source ran
    without a jump or a call."""
    arcs = collections.Counter()
    left = collections.Counter()
    for arc in profile.arcs:
        if arc.source_object == arc.target_object == module:
            arcs[arc.source, arc.target] += arc.count
            left[arc.source] += arc.count
    equal, wrong = 0, []
    for (source, target), count in branches.items():
        if source is None:
            continue
        start = addresses[source[0]] + source[1]
        end = addresses[target[0]] + target[1]
        expected = arcs.get((start, end))
        if expected is None:
            expected = profile.executions[module].get(start, 0) - left[start]
        if count == expected:
            equal += 1
        else:
            wrong.append(f"{source} to {target}: {count}, not {expected}")
    return equal, wrong
