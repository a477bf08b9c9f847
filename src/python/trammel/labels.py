"""Passes that choose points of programs and give them ids: what `trammel label --pass PASS.py` runs, and `label` for
programs. Routines of an analysis (trammel-label(1)) are called there, with the ids; they are C.

    def label(module):
        for function in module:
            for instruction in function.instructions:
                if instruction.kind == "branch":
                    module.add("cbr", instruction.before, function.name)

A pass is called for each file, with a `Module`: an iterator of its `Function`s, which have `blocks`, `edges` and
`instructions`. Addresses are link-time addresses, those that nm and objdump show. Points are `function.entry`,
`instruction.before`, `instruction.after` and `edge.point`, of the functions that were seen.
"""

import collections
import json
import os
import runpy
import shutil
import subprocess
import sys

__all__ = ["Module", "Function", "Block", "Edge", "Instruction", "Memory", "Point", "LabelError", "label"]

Point = collections.namedtuple("Point", "where function number")
Point.__doc__ = """A place that can have labels."""

Memory = collections.namedtuple("Memory", "reads writes bits")
Memory.__doc__ = """An access of an instruction's: whether it reads and writes, and the bits of it."""


class LabelError(Exception):
    """What went wrong, in one line."""


class Instruction:
    """An instruction. `kind`: "plain", "jump", "branch" (conditional), "switch", "jump indirect", "return", "call", "call
    indirect", "system", "stop"; `instruction_class`: as `trammel mix` has it; `target`: of a direct jump or call, else
    0; `targets`: of a switch; `memory`: its accesses."""

    __slots__ = ("function", "number", "address", "length", "block_number", "kind", "instruction_class", "mnemonic", "text",
                 "target", "targets", "memory")

    def __init__(self, function, number, row):
        self.function = function
        self.number = number
        self.address, self.length, self.block_number, self.kind, self.instruction_class, self.mnemonic, self.text, \
            self.target, self.targets, memory = row
        self.memory = [Memory(bool(reads), bool(writes), bits) for reads, writes, bits in memory]

    @property
    def block(self):
        return self.function.blocks[self.block_number]

    @property
    def before(self):
        """The point in front of it."""
        return Point("before", self.function.number, self.number)

    @property
    def after(self):
        """The point behind it, each time that control goes on to the next one."""
        return Point("after", self.function.number, self.number)

    def __repr__(self):
        return f"<{self.address:#x}: {self.text}>"


class Block:
    """A basic block. `exposed`: it may be entered other than by the function's own branches."""

    __slots__ = ("function", "number", "address", "size", "first", "exposed")

    def __init__(self, function, number, row):
        self.function = function
        self.number = number
        self.address, self.size, self.first, exposed = row
        self.exposed = bool(exposed)

    @property
    def instructions(self):
        blocks, every = self.function.blocks, self.function.instructions
        end = blocks[self.number + 1].first if self.number + 1 < len(blocks) else len(every)
        return every[self.first:end]

    @property
    def edges(self):
        """Those that leave it."""
        return [edge for edge in self.function.edges if edge.origin is self]

    def __repr__(self):
        return f"<block {self.address:#x}>"


class Edge:
    """An edge from a block to another, or out of the function (`target` None). `kind`: "fall", "taken", "switch",
    "leave"."""

    __slots__ = ("function", "number", "kind", "origin", "target")

    def __init__(self, function, number, row):
        self.function = function
        self.number = number
        self.kind, origin, target = row
        self.origin = function.blocks[origin]
        self.target = function.blocks[target] if target >= 0 else None

    @property
    def point(self):
        return Point("edge", self.function.number, self.number)

    def __repr__(self):
        return f"<edge {self.origin!r} to {self.target!r}>"


class Function:
    """A function, or the cold part of one (`part_of`: its number). `trouble`: why it has no code that can be labelled;
    "": it has."""

    def __init__(self, module, told):
        self.module = module
        self.number, self.name, self.readable_name = told["number"], told["name"], told["readable"]
        self.address, self.size, self.exported = told["address"], told["size"], told["exported"]
        self.part_of, self.trouble = told.get("part_of"), told["trouble"]
        self.blocks = [Block(self, number, row) for number, row in enumerate(told.get("blocks", []))]
        self.edges = [Edge(self, number, row) for number, row in enumerate(told.get("edges", []))]
        self.instructions = [Instruction(self, number, row) for number, row in enumerate(told.get("instructions", []))]

    @property
    def entry(self):
        """The point at each call of it."""
        return Point("entry", self.number, 0)

    def __repr__(self):
        return f"<Function {self.readable_name}>"


class Module:
    """A file that is labelled: an iterator of its functions. `path`, `build_id`, `start` and `end` (addresses),
    `is_program`, `function_count`."""

    def __init__(self, talk, told):
        self._talk = talk
        self.path, self.build_id, self.start, self.end = told["path"], told["build_id"], told["start"], told["end"]
        self.function_count, self.is_program = told["functions"], told["is_program"]

    def __iter__(self):
        return self

    def __next__(self):
        told = json.loads(self._talk.ask("next"))
        if told is None:
            raise StopIteration
        return Function(self, told)

    def kind(self, name, values=()):
        """A kind of one's own, whose routine _record_NAME is called with values of the program ("taken", "address", "arg0",
        ...: trammel-label(1)), the id, and the labels' own. Returns the name."""
        self._talk.ask_number(f"kind {name} {','.join(values)}")
        return name

    def add(self, kind, point, *values):
        """Adds a label; its routine gets the values, integers and strings, behind the id. Returns the id."""
        return self._talk.ask_number(f"label {kind} {point.where} {point.function} {point.number} "
                                     f"{json.dumps(values, ensure_ascii=False)}")


class _Talk:
    """Lines to and from `trammel label --pass -`."""

    def __init__(self, words):
        try:
            self.command = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise LabelError(f"cannot run '{words[0]}': {error.strerror}") from None

    def read(self):
        line = self.command.stdout.readline().decode(errors="surrogateescape").rstrip("\n")
        if not line:
            raise LabelError(f"nothing was labelled: trammel ended with status {self.command.wait()}")
        return line

    def tell(self, line):
        try:
            self.command.stdin.write(line.encode(errors="surrogateescape") + b"\n")
            self.command.stdin.flush()
        except BrokenPipeError:
            pass  # The answer says more.

    def ask(self, line):
        self.tell(line)
        return self.read()

    def ask_number(self, line):
        answer = self.ask(line)
        if answer.startswith("!"):
            raise LabelError(answer[1:])
        return int(answer)

    def close(self):
        self.command.stdin.close()
        self.command.stdout.close()
        return self.command.wait()


def _trammel():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", "bin", "trammel")
    return os.environ.get("TRAMMEL_PROGRAM") or (beside if os.path.exists(beside) else shutil.which("trammel")) or "trammel"


def label(files, choose, output, first=None):
    """Has `choose(module)` add labels to each of the files, and writes them to the file `output`, beside those of other
    modules that it has. `first`: the first id. Returns the next unused one. If anything goes wrong nothing is
    written."""
    files = [os.fspath(file) for file in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    unique = [] if first is None else ["--unique", str(first)]
    talk = _Talk([_trammel(), "label", "--pass", "-", *unique, "-o", os.fspath(output), "--", *files])
    try:
        for _ in files:
            choose(Module(talk, json.loads(talk.read())))
            talk.tell("done")
        return int(talk.read())
    finally:
        talk.close()


def main(words):
    path, output, unique, *files = words
    # What the pass prints is for people; the next id alone is on standard output.
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        choose = runpy.run_path(path).get("label")
        if choose is None:
            raise LabelError(f"'{path}' has no function label(module)")
        following = label(files, choose, output, unique or None)
    except (LabelError, OSError) as error:
        print(f"trammel: {error}", file=sys.stderr)
        return 2
    os.write(answer, f"{following}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
