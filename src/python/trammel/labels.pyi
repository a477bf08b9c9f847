from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from typing import NamedTuple

Path = str | PathLike[str]

class Point(NamedTuple):
    where: str
    function: int
    number: int

class Memory(NamedTuple):
    reads: bool
    writes: bool
    bits: int

class LabelError(Exception): ...

class Instruction:
    function: Function
    number: int
    address: int
    length: int
    block_number: int
    kind: str
    instruction_class: str
    mnemonic: str
    text: str
    target: int
    targets: list[int]
    memory: list[Memory]
    @property
    def block(self) -> Block: ...
    @property
    def before(self) -> Point: ...
    @property
    def after(self) -> Point: ...

class Block:
    function: Function
    number: int
    address: int
    size: int
    first: int
    exposed: bool
    @property
    def instructions(self) -> list[Instruction]: ...
    @property
    def edges(self) -> list[Edge]: ...

class Edge:
    function: Function
    number: int
    kind: str
    origin: Block
    target: Block | None
    @property
    def point(self) -> Point: ...

class Function:
    module: Module
    number: int
    name: str
    readable_name: str
    address: int
    size: int
    exported: bool
    part_of: int | None
    trouble: str
    blocks: list[Block]
    edges: list[Edge]
    instructions: list[Instruction]
    @property
    def entry(self) -> Point: ...

class Module(Iterator[Function]):
    path: str
    build_id: str
    start: int
    end: int
    function_count: int
    is_program: bool
    def __next__(self) -> Function: ...
    def kind(self, name: str, values: Sequence[str] = ...) -> str: ...
    def add(self, kind: str, point: Point, *values: int | str) -> int: ...

def label(files: Path | Iterable[Path], choose: Callable[[Module], object], output: Path, first: int | None = ...) -> int: ...
