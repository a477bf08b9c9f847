"""What follows from counts of blocks: instruction mix, trips of loops, profiles for compilers."""

import json
import os
import re
import shutil

import callgrind
import pbo
from runs import PLAIN, UNDER_VALGRIND, Failure, execute, run_callgrind, run_trammel


def run_lackey(folder):
    """What valgrind's lackey says of the program without libraries: instructions, and loads and
    stores of all types. It counts each pass of a repeated string instruction as one of each, and
    the load of a locked instruction twice: as it is read, and as it is compared and exchanged."""
    environment = dict(UNDER_VALGRIND)
    log = os.path.join(folder, "lackey.out")
    execute(["valgrind", "--tool=lackey", "--basic-counts=yes", "--detailed-counts=yes",
             f"--log-file={log}", "./bare"], folder, environment)
    with open(log, encoding="utf-8") as file:
        text = file.read().replace(",", "")
    kinds = re.findall(r"== +[IFVD]\d+ +(\d+) +(\d+) +\d+", text)
    return (int(re.search(r"guest instrs: +(\d+)", text).group(1)),
            sum(int(loads) for loads, _ in kinds), sum(int(stores) for _, stores in kinds))


def check_mix(folder, options):
    """Instructions, loads and stores of a program, by the instruction mix and by lackey."""
    passes = 300  # REPEATED in bare.c
    run_trammel(options.trammel, ["./bare"], folder, "bare", PLAIN, "blocks")
    mix = json.loads(execute([options.trammel, "mix", "--json", "bare-blocks.trm"], folder, PLAIN))
    truth = run_lackey(folder)
    # The last pass of the string instruction finds that nothing is left.
    got = (mix["instructions"] + passes, mix["loads"] + mix["classes"]["atomic"],
           mix["stores"] + passes)
    branches = mix["branches.taken"] + mix["branches.passed"]
    right = got == truth and mix["repeated"] == 1 and mix["functions.uncounted"] == 0
    right = right and sum(mix["classes"].values()) == mix["instructions"]
    right = right and 0 < branches <= mix["branches"]
    print(f"{'ok' if right else 'FAIL':4} mix: instructions, loads, stores {got}, lackey {truth}")
    return right


def check_memory(folder, options):
    """Loads and stores of a program by points in front of each, and by lackey."""
    locked = 1  # instructions of bare.c, whose load lackey counts twice
    run_trammel(options.trammel, ["./bare"], folder, "bare", PLAIN, "memory")
    query = "select sum(function.loads), sum(function.stores) group by image"
    rows = json.loads(execute([options.trammel, "query", "--json", query, "bare-memory.trm"],
                              folder, PLAIN))["rows"]
    got = (rows[0]["sum#function.loads"] + locked, rows[0]["sum#function.stores"])
    truth = run_lackey(folder)[1:]
    right = got == truth and len(rows) == 1
    print(f"{'ok' if right else 'FAIL':4} memory: loads, stores {got}, lackey {truth}")
    return right


def check_loops(folder, options):
    """Loops whose trips follow from the source of bare.c."""
    expected = {"mix": [(499, 499 * 500 // 2)], "series": [(1, 1000)], "triple": [(50, 50 * 128)]}
    run_trammel(options.trammel, ["./bare"], folder, "bare", PLAIN, "blocks")
    loops = json.loads(execute([options.trammel, "loops", "--json", "bare-blocks.trm"], folder,
                               PLAIN))
    got = {name: [(row.get("entries"), row["iterations"]) for row in loops["rows"]
                  if row["function"].split(".")[0] == name] for name in expected}
    right = got == expected and loops["irregular"] == 0
    print(f"{'ok' if right else 'FAIL':4} loops: entries and iterations {got}")
    return right


def symbols_of(folder, program):
    """{name: address}, with the names that BOLT gives: "name/1" is the first local one."""
    found, numbers = {}, {}
    lines = execute(["nm", "-n", program], folder, PLAIN).decode().splitlines()
    for address, kind, name in (line.split() for line in lines if len(line.split()) == 3):
        if kind.islower():
            numbers[name] = numbers.get(name, 0) + 1
            name = f"{name}/{numbers[name]}"
        found[name] = int(address, 16)
    return found


def readers_of_pbo(folder):
    """Has the programs that read these forms read them, those that are installed: their names."""
    bolt = next((name for name in ("llvm-bolt", "llvm-bolt-16", "llvm-bolt-19")
                 if shutil.which(name)), None)
    commands = [
        ["llvm-profdata", "merge", "--sample", "--text", "lean.afdo", "-o", "merged.afdo"],
        ["clang", "-O2", "-gline-tables-only", "-fno-stack-protector", "-nostdlib", "-static",
         "-Werror", "-fprofile-sample-use=lean.afdo", "-o", "lean2", "bare.c"],
        [bolt, "lean", "-o", "lean3", "-data=lean.fdata", "-reorder-blocks=ext-tsp", "-dyno-stats"],
    ]
    done = []
    for command in commands:
        if not command[0] or not shutil.which(command[0]):
            continue
        said = execute(command, folder, PLAIN).decode()
        if command[0] == bolt and not re.search(
                r"BOLT-INFO: [1-9]\d* out of \d+ functions .* have non-empty execution profile",
                said):
            raise Failure(f"{bolt}: knows no function: {said}")
        done.append(command[0])
    if "llvm-profdata" in done:
        with open(os.path.join(folder, "merged.afdo"), encoding="utf-8") as file:
            merged = pbo.read_autofdo(file.read())
        with open(os.path.join(folder, "lean.afdo"), encoding="utf-8") as file:
            own = pbo.read_autofdo(file.read())
        if {name: vars_of(node) for name, node in merged.items()} != {
                name: vars_of(node) for name, node in own.items()}:
            raise Failure("llvm-profdata reads other numbers")
    return done


def vars_of(node):
    return (node.total, node.head, node.samples, node.calls,
            {place: vars_of(inner) for place, inner in node.inlined.items()})


def check_pbo(folder, options):
    """Branches for BOLT against callgrind's, and samples for clang against the source."""
    execute([options.trammel, "run", "--quiet", "-m", "pbo", "-o", "lean.trm", "./lean"], folder,
            PLAIN)
    texts = {}
    for form in ("fdata", "afdo"):
        with open(os.path.join(folder, f"lean.{form}"), encoding="utf-8") as file:
            texts[form] = file.read()
    profile, _ = run_callgrind(["./lean"], folder, "lean")
    branches = pbo.read_fdata(texts["fdata"])
    # valgrind knows no object of a program without libraries; it lies where it was linked.
    equal, wrong = pbo.compare(branches, profile, callgrind.UNKNOWN, symbols_of(folder, "lean"))
    functions = pbo.read_autofdo(texts["afdo"])
    mix = functions["mix"]
    # What the loop in mix() runs, and how often the function is called.
    right = not wrong and equal > 20 and mix.head == 500 and 124750 in mix.samples.values()
    right = right and functions["descend"].head == 101
    print(f"{'ok' if right else 'FAIL':4} pbo: {equal} branches equal, {len(wrong)} wrong; "
          f"read by {', '.join(readers_of_pbo(folder))}")
    for line in wrong[:10]:
        print(f"    {line}")
    return right


CHECKS = {"mix": check_mix, "memory": check_memory, "loops": check_loops, "pbo": check_pbo}
