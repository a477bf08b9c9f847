"""What a program executed, by valgrind's lackey: each instruction with its references to memory."""

import bisect
import re
import subprocess
from collections import namedtuple

# One execution: address, bytes, references [(kind: L, S or M, address, bytes)], next: the address
# of the instruction after it. A repeated string instruction is one execution with many references.
Step = namedtuple("Step", "pc size references next")
Function = namedtuple("Function", "name start end")

LINE = re.compile(r"^(I | S| L| M) +([0-9a-f]+),(\d+)$")


def functions(program, pattern):
    """Functions whose names match, by address."""
    text = subprocess.run(["nm", "-S", "--defined-only", program], check=True, capture_output=True,
                          text=True).stdout
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 4 and re.fullmatch(pattern, words[3]):
            start = int(words[0], 16)
            found.append(Function(words[3], start, start + int(words[1], 16)))
    return sorted(found, key=lambda row: row.start)


class Trace:
    """The steps of a program in chosen functions."""

    def __init__(self, program, log, pattern):
        subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={log}", program],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.functions = functions(program, pattern)
        self.starts = [row.start for row in self.functions]
        self.all = self._read(log)
        self.steps = [step for step in self.all if self.function_of(step.pc)]

    def function_of(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address >= self.functions[at].end:
            return None
        return self.functions[at]

    @staticmethod
    def _read(log):
        rows = []
        with open(log, encoding="ascii") as file:
            for line in file:
                match = LINE.match(line.rstrip())
                if not match:
                    continue
                kind, address, size = match[1].strip(), int(match[2], 16), int(match[3])
                if kind != "I":
                    rows[-1][2].append((kind, address, size))
                elif not rows or rows[-1][0] != address:  # not the next turn of a repeated one
                    rows.append((address, size, []))
        steps = []
        for i, (address, size, references) in enumerate(rows):
            following = rows[i + 1][0] if i + 1 < len(rows) else None
            steps.append(Step(address, size, references, following))
        return steps

    def references(self):
        """(step, is a load, address, bytes) of each reference; what is both read and written is a load."""
        for step in self.steps:
            for kind, address, size in step.references:
                yield step, kind != "S", address, size


def conditional_branches(program):
    """{address: address behind it} of conditional jumps."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True,
                          capture_output=True, text=True).stdout
    rows = re.findall(r"^ *([0-9a-f]+):\t(\S+)", text, re.M)
    found = {}
    for (address, name), (behind, _) in zip(rows, rows[1:]):
        if re.fullmatch(r"j(?!mp)[a-z]+", name):
            found[int(address, 16)] = int(behind, 16)
    return found
