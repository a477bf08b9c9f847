"""Counts that several measurements give, or several runs, must be the same."""

import json
import os
import re
import subprocess
import time

import contexts
from pairs import ask
from programs import steady_programs
from runs import ALIKE, PLAIN, run_trammel


def own_calls(report, program):
    return {row["function"]: row["calls"] for row in report["rows"]
            if row["module"] == program and row["function"] in ("stir", "fold", "work_part")}


def check_threads(folder, options):
    """The sum over threads is the single-threaded count of the same work."""
    counts = {}
    for threads in ("1", "2", "16"):
        report, _ = run_trammel(options.trammel, ["./threads", threads], folder,
                                f"threads{threads}", PLAIN)
        counts[threads] = own_calls(report, "threads")
    right = counts["1"].get("work_part") == 240 and len(counts["1"]) == 3
    right = right and counts["1"] == counts["2"] == counts["16"]
    print(f"{'ok' if right else 'FAIL':4} thread sums: "
          + "; ".join(f"{n} threads {c}" for n, c in counts.items()))
    return right


def executed_blocks(report):
    return {(row["module"], row["block"]) for row in report["rows"] if row["count"]}


def check_block_coverage(folder, options):
    """The blocks that are covered are those whose counts are not 0."""
    right, total = True, 0
    for name, command in steady_programs():
        (_, counted), _ = run_trammel(options.trammel, command, folder, name, ALIKE, "blocks")
        (_, covered), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                      "block-coverage")
        differ = executed_blocks(counted) ^ executed_blocks(covered)
        total += len(executed_blocks(covered))
        right = right and not differ and {row["count"] for row in covered["rows"]} == {1}
        for place in sorted(differ)[:5]:
            print(f"    {name}: {place}")
    print(f"{'ok' if right else 'FAIL':4} block coverage: {total} blocks covered")
    return right and total > 5000


def blocks_of_processes(folder, options, measure, arguments):
    """[the program's own executed blocks] of each process of ./left, in their order."""
    profile = os.path.join(folder, f"left-{measure}.trm")
    subprocess.run([options.trammel, "run", "--quiet", "-m", measure, "-o", profile, "--", "./left",
                    *arguments], cwd=folder, env=PLAIN, check=False)
    found = []
    for row in json.loads(ask(options.trammel, folder,
                              ["report", "--json", "--by", "process", profile]))["rows"]:
        report = json.loads(ask(options.trammel, folder,
                                ["report", "--json", "--by", "block", "--module=left",
                                 f"--process={row['process']}", profile]))
        found.append((row["process.state"], executed_blocks(report)))
    return found


def check_left(folder, options):
    """The same where functions are left in the middle of a block."""
    right, total = True, 0
    for arguments in ([], ["killed"]):
        counted = blocks_of_processes(folder, options, "edges", arguments)
        covered = blocks_of_processes(folder, options, "block-coverage", arguments)
        total += sum(len(blocks) for _, blocks in covered)
        right = right and counted == covered and len(covered) == 2
    print(f"{'ok' if right else 'FAIL':4} coverage of what is left: {total} blocks covered")
    return right and total > 60


# movb $1, %gs:slot of a probe, and what is there when it fired: an instruction without effect, or,
# of an unpatched block, a jump and what it leaves of the slot; see src/code/emit/probe.c and
# src/session/modules/unpatched.c.
PROBES = {"waiting": rb"\x65\xc6\x04\x25....\x01", "fired": rb"\x65\x0f\x1f\x84....\x01",
          "home": rb"\xe9.....[\x00-\x0f]\x00\x01"}


TAKEN = 1000  # so many have at least fired and been taken away, which goes on for a while


def taken(probes):
    return probes["fired"] + probes["home"] if probes["fired"] else 0


def probes_of(pid):
    """How many probes of each kind lie in relocated code of a process."""
    found = dict.fromkeys(PROBES, 0)
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for mapping in maps:
            place, rights, *_, path = mapping.split() + [""]
            if "x" not in rights or ".plan" not in path + mapping:
                continue
            start, end = (int(address, 16) for address in place.split("-"))
            memory.seek(start)
            code = memory.read(end - start)
            for name, form in PROBES.items():
                found[name] += len(re.findall(form, code, re.DOTALL))
    return found


def pids_of(run, program):
    """The processes that trammel started in a run, and that execute the program by now."""
    with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return [pid for pid in children if os.readlink(f"/proc/{pid}/exe").endswith(f"/{program}")]


def blocks_of_images(folder, options, profile, module):
    """A row for each block of a module that an image executed."""
    return json.loads(ask(options.trammel, folder,
                          ["query", "SELECT image, function, block WHERE block.size AND "
                           f"module={module} FORMAT json", profile]))


def blocks_of_phases(folder, options, measure):
    """Blocks of each image, outside of main, where some are half the parent's; and what probes the
    first process has at its end. All that fired is taken away, not only what runs often."""
    out = os.path.join(folder, f"phases-{measure}.trm")
    with subprocess.Popen([options.trammel, "run", "--quiet", "-m", measure, "-o", out, "--",
                           "./phases"], cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE,
                          env={**os.environ, "TRAMMEL_LOOK_US": "10000"}) as run:
        run.stdout.readline()
        pids = pids_of(run, "phases")
        for _ in range(100):
            probes = [probes_of(pid) for pid in pids]
            if measure != "block-coverage" or all(taken(found) > TAKEN for found in probes):
                break
            time.sleep(0.1)
    # Sums over images, of which a block may have run in some alone.
    subprocess.run([options.trammel, "report", "--check", out], stdout=subprocess.DEVNULL, check=True)
    rows = blocks_of_images(folder, options, out, "phases")
    return {(row["image"], row["function"], row["block"]) for row in rows
            if row["function"] != "main"}, probes


def check_fired(folder, options):
    """Probes that fired are taken away, and other processes have them again."""
    counted, _ = blocks_of_phases(folder, options, "blocks")
    covered, probes = blocks_of_phases(folder, options, "block-coverage")
    images = {image for image, _, _ in covered}
    # The block from which turn() forked is its parent's.
    differ = counted ^ covered
    right = len(differ) <= 1 and all(function == "turn" for _, function, _ in differ)
    right = right and len(images) == 6 and len(covered) > 40
    right = right and len(probes) == 1 and taken(probes[0]) > TAKEN < probes[0]["waiting"]
    print(f"{'ok' if right else 'FAIL':4} fired probes: {len(covered)} blocks of {len(images)} "
          f"images, {len(differ)} differ; {probes}")
    return right


def check_both(folder, name, command, options, by_arc, by_context):
    """Places and contexts of one run are those of two."""
    both, _ = run_trammel(options.trammel, command, folder, name, ALIKE, "calls,callgraph")
    right = contexts.places_of(both[1]) == contexts.places_of(by_arc)
    right = contexts.paths_of(both[2]) == contexts.paths_of(by_context) and right
    if not right:
        print(f"    {name}: places and contexts of one run are not those of two")
    return right


def check_contexts(folder, options):
    """Calls of a function in all contexts are those from all call sites. By pairs of caller and callee
    they are not: what functions without frames call (unwinders), and what follows a jump to another
    function, has the call around it as context."""
    right, total = True, 0
    for name, command in steady_programs():
        (by_place, by_arc), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                            "calls")
        (in_contexts, by_context), _ = run_trammel(options.trammel, command, folder, name, ALIKE,
                                                    "callgraph")
        reports = by_place, in_contexts
        calls, inside = map(contexts.totals_of, reports)
        skipped = {(row["module"], row["offset"])
                   for report in reports for row in report["skipped"]}
        differ = [key for key in calls.keys() | inside.keys()
                  if calls.get(key) != inside.get(key) and key not in skipped]
        total += sum(inside.values())
        right = right and not differ
        for key in sorted(differ)[:5]:
            print(f"    {name}: {key}: {calls.get(key)} calls, {inside.get(key)} in contexts")
        right = check_both(folder, name, command, options, by_arc, by_context) and right
    print(f"{'ok' if right else 'FAIL':4} contexts: {total} calls")
    return right and total > 1000000
