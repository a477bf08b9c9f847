"""Tools that follow system calls and the heap, on programs whose calls are known."""

import re

from kernels import expect, numbers, rows

ONLY_HEAP = ["--only", "heap:*", "--only", "libc.so.6:*"]


def check_io(runner):
    text = runner.run("io", runner.compile("files.c", "-O1"))
    got = {name: tuple(int(word) for word in words)
           for *words, name in rows(text, r"(\d+) +(\d+) +(\d+) +(\d+) +(\d+)  (.*)$")}
    expect("first.txt (opened, reads, bytes, writes, bytes)", got["first.txt"], (1, 0, 0, 41, 4001))
    expect("second.txt", got["second.txt"], (1, 11, 5000, 1, 5000))
    expect("pipe", got["(pipes)"], (2, 1, 3, 1, 3))
    expect("recorded", runner.sums("io", "files", "io#file", "io#opened io#reads io#bytes.read io#writes "
                                   "io#bytes.written"), got)
    return f"{len(got)} files"


def check_syscall(runner):
    text = runner.run("syscall", runner.compile("files.c", "-O1"))
    got = {name: (int(calls), int(failed))
           for calls, failed, name in rows(text, r"(\d+) +(\d+) +[\d.]+ +[\d.]+  (\w+)$")}
    for name, right in {"write": (43, 0), "unlink": (7, 7), "dup": (1, 0), "lseek": (1, 0)}.items():
        expect(name, got[name], right)
    assert "exit_group" in got, f"no exit_group in {sorted(got)}"
    recorded = runner.sums("syscall", "calls", "syscall#name", "syscall#calls syscall#failed")
    expect("recorded", recorded, got)
    times = runner.sums("syscall", "calls", "syscall#name", "syscall#max#time.ns syscall#time.ns")
    assert all(0 < most <= time for name, (most, time) in times.items() if name == "write"), times
    return f"{len(got)} names"


def check_malloc(runner):
    text = runner.run("malloc:depth=3", runner.compile("heap.c", "-O1"), *ONLY_HEAP)
    expect("blocks, bytes, freed", numbers(text, r"malloc: (\d+) blocks of (\d+) bytes allocated, (\d+) freed"),
           (113, 100 * 24 + 10 * 1000 + 300 + 3000 + 300000, 103))
    expect("never freed", numbers(text, r"(\d+) bytes in (\d+) blocks never freed"), (10000, 10))
    leak = re.search(r"never freed, bytes +blocks +of\n +10000 +10 +10\n.*heap:(\w+).*\n.*heap:(\w+).*\n"
                     r".*heap:(\w+)", text)
    assert leak, text[:2000]
    expect("path of the leak", leak.groups(), ("make_block", "keep_blocks", "main"))
    expect("recorded", runner.sums("malloc", "totals", "tool.table", "malloc#blocks malloc#freed malloc#leaked "
                                   "malloc#leaked.bytes"), {"totals": (113, 103, 10, 10000)})
    paths = runner.sums("malloc", "paths", "function malloc#called.by", "malloc#leaked malloc#blocks")
    expect("recorded path of the leak", paths["make_block", "keep_blocks < main"], (10, 10))
    expect("recorded sizes", sum(runner.sums("malloc", "sizes", "malloc#below", "malloc#blocks").values()), 113)
    return "113 blocks"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
