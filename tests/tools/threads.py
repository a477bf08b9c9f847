"""Tools that compare what threads do, on programs with known mistakes."""

import re

from kernels import expect, numbers

PROBLEMS = {
    "order": "two locks are taken in different orders",
    "owner": "a mutex is unlocked by a thread that does not hold it",
    "destroyed": "a mutex is destroyed while it is held",
    "wait": "a thread waits for a condition without holding the mutex",
    "mutexes": "a condition is waited for with two mutexes at once",
}


def check_locks(runner):
    program = runner.compile("locking.c", "-O1", "-pthread")
    text = runner.run("locks", program)
    expect("problems of the right program", numbers(text, r"locked (\d+) times, (\d+) problem")[1], 0)
    assert "locks: mutexes" in text, text
    for wrong, problem in PROBLEMS.items():
        text = runner.run("locks", program, words=[wrong])
        told = re.findall(r"^locks: (.*) \(0x", text, re.M)
        expect(wrong, told, [problem])
        expect(f"{wrong}, its number", numbers(text, r"(\d+) problem")[0], 1)
        expect(f"{wrong}, recorded", runner.sums("locks", "problems", "locks#problem", "locks#times"),
               {problem: 1})
        if wrong == "order":
            assert "taken at locking:backwards" in text, text
    return f"{len(PROBLEMS)} problems"


def check_falseshare(runner):
    program = runner.compile("sharing.c", "-O1", "-pthread", "-no-pie")
    text = runner.run("falseshare", program, "--only", "sharing:write_lines")
    lines = {int(address, 16): (int(moves), rest)
             for address, moves, rest in re.findall(r"^  (0x[0-9a-f]+): (\d+) moves between (.*)$", text, re.M)}
    expect("lines that moved, without a shared byte",
           numbers(text, r"falseshare: (\d+) lines of 64 bytes moved between threads, (\d+) of them"), (2, 1))
    expect("moves", sorted(moves for moves, _ in lines.values()), [1999, 1999])
    expect("masks", sorted(re.findall(r"written ([0-9a-f]{16})", text)),
           ["00000000000000ff", "00000000000000ff", "00000000000000ff", "000000ff00000000"])
    assert "written in sharing:write_lines" in text, text
    rows = runner.query("SELECT * WHERE tool=falseshare,tool.table=lines")
    expect("recorded lines", sorted((row["falseshare#shared"], row["falseshare#moves"], row["function"])
                                    for row in rows),
           [(0, 1999, "write_lines"), (1, 1999, "write_lines")])
    return f"{len(lines)} lines"


CHECKS = {name[6:]: function for name, function in list(globals().items())
          if name.startswith("check_")}
