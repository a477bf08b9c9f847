"""The cache folder: it speeds runs up, and must never make one wrong."""

import json
import os
import random
import stat
import subprocess
import time

from failure.common import expect, expect_same, lines_of
from transparency import running, sources, trammel
from transparency.job_control import as_nobody
from transparency.results import Failure, Skip

# Calls of the functions of lib/damaged.c, which the profile must always have.
EXPECTED = {"choose": 200, "main": 1}


def environment(cache):
    return running.base_environment() | {"TRAMMEL_CACHE_DIR": cache}


def files_in(cache):
    return [os.path.join(folder, name) for folder, _, names in os.walk(cache) for name in names]


def measure(place, program, cache, what, warned=None, settings=None, **how):
    """Runs the program with this cache; output and counts must be right. Returns stderr.

    warned: whether there must be a warning; None: it does not matter. settings: more of the
    environment.
    """
    bare = running.run([program, "3"], place.folder)
    command = trammel.run_command(place.tool, place.profile, [program, "3"],
                                  place.options.measure)
    if warned is not None:
        command.remove("--quiet")
    outcome = running.run(command, place.folder, environment(cache) | (settings or {}), **how)
    expect_same(bare, outcome, what, ignore=("stderr",))
    warnings = [line for line in lines_of(outcome.stderr) if cache in line]
    if warned is not None:
        expect(len(warnings) == warned, f"{what}: {len(warnings)} warnings that name the "
               f"folder, not {int(warned)}: {lines_of(outcome.stderr)[:2]}")
    if place.options.no_profile:
        return
    report = place.report()
    for function, calls in EXPECTED.items():
        found = report.calls(function, os.path.basename(program))
        expect(found == calls, f"{what}: {function}: {found} instead of {calls} calls")


def fill(place, options=()):
    """Builds the program and a cache that knows it."""
    program, cache = place.build("damaged.c", options=options), place.path("cache")
    os.mkdir(cache, 0o700)
    measure(place, program, cache, "first run", warned=False)
    expect(files_in(cache), "nothing was put into the cache")
    return program, cache


def used_again(place):
    program, cache = fill(place)
    before = sorted(plans_in(cache))
    measure(place, program, cache, "second run", warned=False)
    expect(sorted(plans_in(cache)) == before, "the second run changed the cache's list of files")


def missing(place):
    """A folder that is not there is made, with rights for nobody else."""
    program, cache = place.build("damaged.c"), place.path("not/yet/there")
    measure(place, program, cache, "missing")
    if os.path.isdir(cache):
        mode = stat.S_IMODE(os.stat(cache).st_mode)
        expect(mode & 0o022 == 0, f"the new cache folder is writable by others: {mode:o}")


def no_folder(place):
    """A file stands where the folder should be."""
    measure(place, place.build("damaged.c"), place.write("cache", b"a file"), "a file")


def unwritable(place):
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")
    program, cache = place.build("damaged.c"), place.path("cache")
    os.mkdir(cache, 0o755)
    os.chmod(place.folder, 0o777)
    measure(place, program, cache, "unwritable", prepare=as_nobody)
    expect(not files_in(cache), "files appeared in a folder without rights")


def of_another(place):
    """A folder that belongs to another user holds code of another: refused."""
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")
    program, cache = fill(place)
    os.chmod(cache, 0o755)
    os.chmod(place.folder, 0o777)
    os.remove(place.profile)
    measure(place, program, cache, "of another", warned=True, prepare=as_nobody)


def writable_by_others(place):
    program, cache = place.build("damaged.c"), place.path("cache")
    os.mkdir(cache)
    for mode in (0o777, 0o770, 0o1777):
        os.chmod(cache, mode)
        measure(place, program, cache, f"mode {mode:o}", warned=True)
        expect(not files_in(cache), f"mode {mode:o}: it was used all the same")


def damaged(place):
    """Files of the cache with changed bytes, cut off, empty, grown, or replaced."""
    program, cache = fill(place)
    generator = random.Random(5)
    whole = {path: open(path, "rb").read() for path in files_in(cache)}
    for number in range(16):
        for path, content in whole.items():
            with open(path, "wb") as file:
                file.write(damage(content, number, generator))
        measure(place, program, cache, f"damage {number}")


def plans_in(cache):
    return [path for path in files_in(cache) if path.endswith(".plan")]


def sealed(place):
    """Files that were found whole once, and have a seal since, are damaged afterwards."""
    program, cache = fill(place)
    time.sleep(3.1)  # files that just changed get no seals
    measure(place, program, cache, "sealing", warned=False)
    whole = {path: open(path, "rb").read() for path in files_in(cache)}
    expect(len(whole) == 2 * len(plans_in(cache)), f"not all have seals: {sorted(whole)}")
    generator = random.Random(7)
    for number in range(7, 13):
        for path in plans_in(cache):
            times = os.stat(path)
            with open(path, "r+b") as file:
                file.write(damage(whole[path], number, generator))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        measure(place, program, cache, f"damage {number} behind a seal")
        for path in files_in(cache):
            os.remove(path)
        for path, content in whole.items():
            with open(path, "wb") as file:
                file.write(content)
    for number in range(16):
        for path, content in whole.items():
            if not path.endswith(".plan"):
                with open(path, "wb") as file:
                    file.write(damage(content, number, generator))
        measure(place, program, cache, f"damaged seals {number}", warned=False)


def damage(content, number, generator):
    changed = bytearray(content)
    if number == 0:
        return b""
    if number == 1:
        return content + bytes(4096)
    if number in (2, 3, 4):
        return content[:generator.randrange(1, len(content))]
    if number == 5:
        return generator.randbytes(len(content))
    for _ in range(20 if number % 2 else 1):
        changed[generator.randrange(len(changed))] ^= generator.randrange(1, 256)
    return bytes(changed)


def linked_elsewhere(place):
    """Files of the cache that others may write to are not used."""
    program, cache = fill(place)
    for path in files_in(cache):
        os.chmod(path, 0o666)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            file.write(b"\xcc" * 64)
    measure(place, program, cache, "writable files")


def stale(place):
    """Another program under the same path, of the same size and time and with one build id."""
    fixed = ["-Wl,--build-id=0x1234567890abcdef1234567890abcdef12345678"]
    program, cache = fill(place, fixed)
    times = os.stat(program)
    place.build("damaged.c", options=[*fixed, "-O0", "-fno-omit-frame-pointer"])
    os.utime(program, ns=(times.st_atime_ns, times.st_mtime_ns))
    measure(place, program, cache, "rebuilt")
    with open(program, "ab") as file:
        file.write(bytes(max(0, times.st_size - os.path.getsize(program))))
    os.utime(program, ns=(times.st_atime_ns, times.st_mtime_ns))
    measure(place, program, cache, "rebuilt and of the same size")


def shared_round(place, command, cache, bare):
    """Four runs at once; each must print the right things and have the right counts."""
    runs = []
    for number in range(4):
        profile = place.path(f"{number}.trm")
        runs.append((profile, subprocess.Popen(
            trammel.run_command(place.tool, profile, command), env=environment(cache),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)))
    for profile, process in runs:
        try:
            out, err = process.communicate(timeout=running.TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            running.kill_group(process)
            raise Failure("a run did not end") from None
        outcome = running.Outcome(out, err, process.returncode)
        expect_same(bare, outcome, os.path.basename(profile))
        if not place.options.no_profile:
            calls = place.report(profile).calls("choose", "damaged")
            expect(calls == 2 * EXPECTED["choose"], f"choose: {calls} calls")


def shared(place):
    """Runs at once with one cache that is empty at first, eight times over."""
    program, cache = place.build("damaged.c"), place.path("cache")
    os.mkdir(cache, 0o700)
    command = ["sh", "-c", f"{program} 3; expr 1 + 1; {program} 3; expr 2 + 2; exit 3"]
    bare = running.run(command, place.folder)
    problems = []
    for _ in range(8):
        try:
            shared_round(place, command, cache, bare)
        except Failure as problem:
            problems.append(str(problem))
        for path in files_in(cache):
            os.remove(path)
    expect(not problems, f"{len(problems)} of 8 rounds: {problems[:1]}")


def wait_for_rest(place, cache):
    """Tracers outlive their programs: they delete, and plan anew, when nobody waits any more."""
    before, until = None, time.monotonic() + 60
    while time.monotonic() < until:
        now = sorted(files_in(cache))
        if now == before and not any(running.works_for(process, place.tool, place.profile)
                                     for process in running.processes()):
            return
        before = now
        time.sleep(0.3)
    raise Failure("tracers work on, a minute after their program")


def limited(place):
    """What is more than the limit is deleted by a run that makes a file, and what was left behind."""
    program, cache = fill(place)
    os.remove(files_in(cache)[0])
    left = os.path.join(cache, "0123456789abcdef.plan.4711")
    with open(left, "wb") as file:
        file.write(b"half a file")
    os.utime(left, (0, 0))
    measure(place, program, cache, "limited", settings={"TRAMMEL_CACHE_LIMIT": "0"})
    wait_for_rest(place, cache)
    expect(not files_in(cache), f"still there: {files_in(cache)}")
    measure(place, program, cache, "after that")


def editions(cache):
    """Of all plans; that of one which was made by an estimate is 0."""
    return sorted(path[:-len(".plan")].split("-")[-1] for path in plans_in(cache))


# What is compared of a measurement's rows, and what `report` calls these.
ROWS = {
    "edges": ("edge", ("function", "edge", "edge.from", "edge.to", "count")),
    "calls": ("arc", ("function", "caller", "arc.site", "arc.kind", "arc.count")),
    "block-coverage": ("block", ("function", "block", "count")),
}


def rows_of(place, program, cache, measured, replan):
    """Counts of the program, which may be planned anew when the run is over."""
    kind, columns = ROWS[measured]
    settings = environment(cache) | {"TRAMMEL_REPLAN": replan}
    command = trammel.run_command(place.tool, place.profile, [program, "3"], measured)
    expect_same(running.run([program, "3"], place.folder),
                running.run(command, place.folder, settings), f"replan: {replan}")
    report = subprocess.run([place.tool, "report", place.profile, "--by", kind, "--json"],
                            capture_output=True, check=True)
    subprocess.run([place.tool, "report", place.profile, "--check"], capture_output=True,
                   check=True)
    return [{key: row.get(key) for key in columns}
            for row in json.loads(report.stdout)["rows"] if row["module"] == "damaged"]


def plan_anew(place, measured):
    """Counters, or code, lie elsewhere in later runs; counts are the same."""
    program, cache = place.build("damaged.c"), place.path("cache")
    os.mkdir(cache, 0o700)
    first = rows_of(place, program, cache, measured, "never")
    expect(len(first) > 10, f"{len(first)} rows")
    wait_for_rest(place, cache)
    expect(set(editions(cache)) == {"00000000"}, f"never: {editions(cache)}")
    found = set()
    for number in range(4):
        again = rows_of(place, program, cache, measured, "always")
        expect(again == first, f"run {number + 1}: other counts: "
               f"{[row for row in again if row not in first][:2]}")
        wait_for_rest(place, cache)
        found |= set(editions(cache))
    expect(len(found) > 3, f"nothing was planned anew: {found}")
    # Not more than two of one module: another run may be using the one before.
    keys = [os.path.basename(path).split("-")[0] for path in plans_in(cache)]
    expect(max(keys.count(key) for key in keys) <= 2, f"many of one module: {keys}")
    generator = random.Random(3)
    for path in files_in(cache):
        if path.endswith(".frequencies"):
            with open(path, "rb") as file:
                content = file.read()
            with open(path, "wb") as file:
                file.write(damage(content, generator.randrange(16), generator))
        else:
            os.remove(path)
    for number in range(2):
        again = rows_of(place, program, cache, measured, "always")
        expect(again == first, f"damaged, run {number + 1}: other counts")
        wait_for_rest(place, cache)


def planned_anew(place):
    plan_anew(place, "edges")


def planned_anew_calls(place):
    plan_anew(place, "calls")


def planned_anew_coverage(place):
    plan_anew(place, "block-coverage")


def throwing(place):
    """A program that throws all the time has its calls in place from its second run on."""
    program = place.build("throwing.cc", options=["-Wl,--no-as-needed", "-lstdc++"])
    bare, plans = running.run([program], place.folder), []
    for replan in ("never", "always", "always", "always", "never"):
        settings = environment(place.path("cache")) | {"TRAMMEL_REPLAN": replan}
        command = trammel.run_command(place.tool, place.profile, [program], "calls")
        expect_same(bare, running.run(command, place.folder, settings), f"replan: {replan}")
        kept = [path for path in files_in(place.path("cache")) if path.endswith(".throws")]
        expect(len(kept) == (len(plans) > 0), f"run {len(plans)}: {kept}")
        # By their keys: what ran may have them planned anew meanwhile, which is another file.
        plans.append({os.path.basename(path).split("-")[0]
                      for path in plans_in(place.path("cache"))})
    # Where the kernel puts a library, there may be room for another form of its plan only.
    added = [len(later - before) for before, later in zip(plans, plans[1:])]
    expect([number > len(plans[0]) / 2 for number in added] == [False, True, False, False],
           f"plans: {len(plans[0])}, then {added} more")
    expect(all(before <= later for before, later in zip(plans, plans[1:])), "plans are gone")


def crowded(place):
    """All places for counters are said to be taken: files share one, and code is copied."""
    program, cache = fill(place)
    kind = os.path.basename(plans_in(cache)[0]).split("-")[1]
    for path in files_in(cache):
        os.remove(path)
    with open(os.path.join(cache, f"{0:016x}-{kind}-{0:08x}-{64 << 20:08x}-{0:08x}.plan"), "wb"):
        pass
    for what in ("first run", "second run"):
        measure(place, program, cache, what, warned=False)
    starts = [os.path.basename(path).split("-")[2] for path in plans_in(cache)]
    expect(len(starts) > 3 and set(starts) == {"00000000"}, f"counters start at {starts}")


def wide(place):
    """Constants that lie in one segment with the code are not in the cache."""
    wide_source = os.path.join(sources.FOLDER, "lib", "wide.S")
    program, cache = fill(place, ["-Wl,-z,noseparate-code", wide_source])
    largest = max(os.path.getsize(path) for path in files_in(cache))
    left_out = os.path.getsize(program) - largest
    expect(left_out > 3 << 19, f"only {left_out} bytes of the file were left out")
    measure(place, program, cache, "second run", warned=False)


TESTS = [used_again, missing, no_folder, unwritable, of_another, writable_by_others, damaged,
         sealed, linked_elsewhere, stale, shared, planned_anew, planned_anew_calls,
         planned_anew_coverage, throwing, limited, crowded, wide]
