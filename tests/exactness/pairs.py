"""Pairs of measurements in one run: the program is as it is bare, and what two runs count alone
they count together."""

import itertools
import json
import os
import subprocess

from runs import PLAIN, TIMEOUT, Failure

# What each measurement is asked for by: options of `trammel run`, and what reports are of it.
MEASURES = {
    "functions": (["-m", "functions"], ["function"]),
    "coverage": (["-m", "coverage"], ["function"]),
    "blocks": (["-m", "blocks"], ["function", "block", "mix"]),
    "block-coverage": (["-m", "block-coverage"], ["function", "block"]),
    "edges": (["-m", "edges"], ["function", "block", "edge", "mix", "loops"]),
    "calls": (["-m", "calls"], ["function", "arc"]),
    "callgraph": (["-m", "callgraph"], ["function", "callgraph"]),
    "regions": (["--regions", "pairs:*"], ["region"]),
    "intervals": (["--interval", "1ms"], []),
}
COVERS = {"coverage", "block-coverage"}  # they only tell that a count is not 0
COMMANDS = {"mix": ["mix", "--json", "--module=pairs"], "loops": ["loops", "--json"]}
# Numbers of rows; and which function a place is in, as cold parts are known where blocks count.
NOT_COMPARED = {"context", "parent", "caller", "caller.path", "caller.offset", "instructions",
                "block.stayed"}
ENDED = 3  # the program's own status


def run(trammel, folder, options):
    """Output and status of the program; bare if there are no options."""
    measured = [trammel, "run", "--quiet", *options, "--"] if options else []
    done = subprocess.run([*measured, "./pairs"], cwd=folder, env=PLAIN, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False)
    return done.stdout, done.stderr, done.returncode


def ask(trammel, folder, arguments):
    done = subprocess.run([trammel, *arguments], cwd=folder, env=PLAIN, capture_output=True,
                          check=False)
    if done.returncode:
        raise Failure(f"{' '.join(arguments)}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def name_paths(rows):
    """Contexts by the functions around them, not by numbers."""
    by_number = {row["context"]: row for row in rows}

    def path_of(row):
        above = by_number.get(row.get("parent"))
        return (path_of(above) if above else ()) + (row["function"],)

    for row in rows:
        row["path"] = path_of(row)


def is_count(name):
    return name in ("calls", "count", "arc.count", "entries", "iterations", "loads", "stores")


def read(trammel, folder, profile, kind):
    """{row: its counts}, of the program's own code."""
    command = COMMANDS.get(kind, ["report", "--json", "--by", kind])
    rows = json.loads(ask(trammel, folder, [*command, profile]))["rows"]
    if kind == "callgraph":
        name_paths(rows)
    own = [row for row in rows
           if os.path.basename(row.get("module.path", "pairs")) == "pairs"]
    if not own:
        raise Failure(f"{profile}: no {kind} of the program")
    found = {}
    for row in own:
        name = str(sorted((key, str(row[key])) for key in row if not is_count(key)
                          and key not in NOT_COMPARED and "time." not in key))
        counts = [row[key] for key in sorted(row) if is_count(key)]
        found[name] = [sum(pair) for pair in zip(counts, found.get(name, [0] * len(counts)))]
    return found


def options_of(names):
    """Of `trammel run`, for some measurements together."""
    counted = [name for name in names if MEASURES[name][0][0] == "-m"]
    options = ["-m", ",".join(counted)] if counted else []
    for name in names:
        options += [] if name in counted else MEASURES[name][0]
    return options


def measure(trammel, folder, names, bare):
    """{kind of report: its rows} of one run with these measurements."""
    profile = os.path.join(folder, "+".join(names) + ".trm")
    out, err, status = run(trammel, folder, [*options_of(names), "-o", profile])
    if (out, err, status) != bare:
        raise Failure(f"{names}: not as it is bare: {out} {err} status {status}")
    kinds = {kind for name in names for kind in MEASURES[name][1]}
    if kinds & {"edge", "block", "arc"} and "block-coverage" not in names:
        ask(trammel, folder, ["report", "--check", profile])
    return {kind: read(trammel, folder, profile, kind) for kind in kinds}


def is_covered(names):
    """Whether nothing but whether it ran is known of what these count."""
    counting = {name for name in names if MEASURES[name][1] not in ([], ["region"])}
    return counting <= COVERS


def differences(names, found, wanted, covered):
    """What rows of all kinds say otherwise than in a run for one of them."""
    for kind, rows in found.items():
        right = wanted[kind]
        if covered:
            rows = {name for name, counts in rows.items() if any(counts)}
            right = {name for name, counts in right.items() if any(counts)}
        if rows != right:
            differ = sorted(set(rows) ^ set(right)) or [name for name in rows
                                                        if rows[name] != right[name]]
            yield f"{'+'.join(names)}: {kind}: {len(differ)} rows differ: {differ[:2]}"


def check(folder, options):
    """All pairs, and all at once."""
    bare, faults, wanted = run(options.trammel, folder, []), [], {}
    for name in ("functions", "edges", "calls", "callgraph", "regions"):
        for kind, rows in measure(options.trammel, folder, [name], bare).items():
            wanted.setdefault(kind, rows)
    pairs = [*itertools.combinations(MEASURES, 2), tuple(MEASURES)]
    for names in pairs:
        try:
            found = measure(options.trammel, folder, names, bare)
            faults += differences(names, found, wanted, is_covered(names))
        except Failure as failure:
            faults.append(str(failure))
    for fault in faults:
        print(f"    {fault}")
    right = not faults and bare[2] == ENDED
    print(f"{'ok' if right else 'FAIL':4} pairs of measurements: {len(pairs)} runs")
    return right


CHECKS = {"pairs": check}
