"""Programs of several ranks: calls and messages, one profile of all ranks, and ranks alone."""

import json
import os
import shutil
import subprocess

from context import channels
from context.common import FOLDER, INCLUDE, expect, text_of
from transparency import running, trammel
from transparency.results import Skip

RANKS = 8
EXAMPLES = os.path.join(trammel.ROOT, "examples")
WORLD = "MPI_COMM_WORLD"


def libraries(place):
    """The libraries that a program can load by itself."""
    folder = os.path.join(os.path.dirname(place.tool), "..")
    return [os.path.realpath(os.path.join(folder, name))
            for name in ("runtime/libtrammel.so.0", "mpi/libtrammel-mpi.so.0")]


# The compiler and the launcher of a kind of MPI.
USUAL = ("mpicc", ("mpirun", "--oversubscribe", "--allow-run-as-root"))
MPICH = ("mpicc.mpich", ("mpirun.mpich",))


def build(place, name, source, *options, kind=USUAL):
    """In the test's own folder: tests run side by side."""
    compiler, (launcher, *_) = kind
    if not shutil.which(compiler) or not shutil.which(launcher):
        raise Skip(f"no {compiler} and {launcher}")
    expect(os.path.exists(libraries(place)[1]), "the library was not built, though there is MPI")
    os.makedirs(os.path.join(place.folder, "bin"), exist_ok=True)
    program = os.path.join(place.folder, "bin", name)
    subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread",
                    "-I", INCLUDE, *options, source, "-o", program], check=True)
    return program


def mpirun(*words, ranks=RANKS, kind=USUAL):
    return [*kind[1], "-n", str(ranks), *words]


def environment(place, **more):
    return {**place.environment(), **more}


def run(place, command, **more):
    return running.run(command, place.folder, timeout=60, environment=environment(place, **more))


def check(place, program, *words, measure="mpi", kind=USUAL, **more):
    """mpirun, bare and measured, are the same; the profile of all processes."""
    command = mpirun(program, *words, kind=kind)
    bare = run(place, command)
    measured = run(place, trammel.run_command(place.tool, place.profile, command, measure), **more)
    problems = running.compare(bare, measured, ignore=("stderr",) if words else ())
    expect(not problems, "; ".join(problems) + f": {measured}")
    return place.read()


def query(place, text, *files):
    done = subprocess.run([place.tool, "query", "--json", text, *files], capture_output=True,
                          check=False)
    expect(done.returncode == 0 and not done.stderr, f"{text}: {done.stderr}")
    return json.loads(done.stdout)["rows"]


def calls_by_function(place, *files):
    rows = query(place, "LET calls = count IF NOT mpi.comm AND NOT mpi.peer "
                 "SELECT mpi.function, sum(calls) AS n GROUP BY mpi.function WHERE mpi.function",
                 *files)
    return {row["mpi.function"]: row["n"] for row in rows}


def messages(profile, name):
    """{(region, function, communicator, peer): (messages, bytes)} of all ranks"""
    found = {}
    for record in profile.metrics:
        if f"count#{name}" not in record:
            continue
        path = dict(record["path"])
        key = (path.get("region"), path["mpi.function"], path.get("mpi.comm"), path.get("mpi.peer"))
        count, total = found.get(key, (0, 0))
        found[key] = (count + record[f"count#{name}"], total + record[f"sum#{name}"])
    return found


def by_function(found):
    sums = {}
    for (region, function, *_), (count, total) in found.items():
        known = sums.get((region, function), (0, 0))
        sums[region, function] = (known[0] + count, known[1] + total)
    return sums


def ring(place, kind=USUAL):
    """The example: each call is there, and each rank has its own."""
    program = build(place, "ring", os.path.join(EXAMPLES, "mpi", "ring.c"), kind=kind)
    profile = check(place, program, kind=kind)
    profile.expect_faults()
    profile.expect_all({
        "mpi.function=MPI_Init": 8, "mpi.function=MPI_Finalize": 8, "step": 80, "step/pass on": 80,
        "step/mpi.function=MPI_Allreduce": 80,
        f"step/mpi.function=MPI_Allreduce/mpi.comm={WORLD}": 80,
        **{f"step/pass on/mpi.function=MPI_{way}": 80 for way in ("Send", "Recv")},
        **{f"step/pass on/mpi.function=MPI_{way}/mpi.comm={WORLD}": 80 for way in ("Send", "Recv")},
        **{f"step/pass on/mpi.function=MPI_{way}/mpi.comm={WORLD}/mpi.peer={peer}": 10
           for way in ("Send", "Recv") for peer in range(RANKS)}})
    expect(by_function(messages(profile, "mpi.bytes.sent")) == {("pass on", "MPI_Send"): (80, 640)}
           and by_function(messages(profile, "mpi.bytes.received"))
           == {("pass on", "MPI_Recv"): (80, 640)}, "messages of the ring")
    steps = {record["mpi.rank"]: record["count"] for record in profile.paths
             if text_of(record) == "step"}
    expect(steps == {rank: 10 for rank in range(RANKS)}, f"steps of ranks: {steps}")
    expect({record["mpi.size"] for record in profile.paths} == {RANKS}, "sizes")
    wanted = {"MPI_Init": 8, "MPI_Finalize": 8, "MPI_Send": 80, "MPI_Recv": 80,
              "MPI_Allreduce": 80}
    found = calls_by_function(place, place.profile)
    expect(found == wanted, f"calls: {found}")


SENT = {("blocking", "MPI_Sendrecv"): (8, 32), ("blocking", "MPI_Sendrecv_replace"): (8, 32),
        ("blocking", "MPI_Ssend"): (4, 32), ("blocking", "MPI_Send"): (4, 0),
        ("nonblocking", "MPI_Isend"): (34 * 8, 34 * 32),
        ("persistent", "MPI_Startall"): (40, 40 * 32), ("communicators", "MPI_Send"): (8, 96),
        ("remote", "MPI_Put"): (8, 32), ("thread", "MPI_Isend"): (320, 1280)}
RECEIVED = {("blocking", "MPI_Sendrecv"): (8, 32), ("blocking", "MPI_Sendrecv_replace"): (8, 32),
            ("blocking", "MPI_Recv"): (4, 32), ("blocking", "MPI_Mrecv"): (4, 0),
            ("nonblocking", "MPI_Waitall"): (24 * 8, 24 * 32),
            ("nonblocking", "MPI_Wait"): (8, 32), ("nonblocking", "MPI_Waitany"): (16, 64),
            ("nonblocking", "MPI_Waitsome"): (32, 128), ("nonblocking", "MPI_Testall"): (24, 96),
            ("persistent", "MPI_Waitall"): (40, 40 * 32), ("communicators", "MPI_Wait"): (8, 96),
            ("remote", "MPI_Get"): (8, 32), ("thread", "MPI_Waitall"): (320, 1280)}
COLLECTIVE = {"MPI_Bcast": (8, 128), "MPI_Allreduce": (8, 64), "MPI_Reduce": (8, 32),
              "MPI_Gather": (7, 28), "MPI_Scatter": (7, 28), "MPI_Alltoall": (8, 256),
              "MPI_Alltoallv": (8, 256), "MPI_Reduce_scatter": (8, 256),
              "MPI_Iallgather": (8, 32)}


def differing(found, wanted):
    return {key: (found.get(key), wanted.get(key)) for key in {*found, *wanted}
            if found.get(key) != wanted.get(key)}


def cases(place, kind=USUAL):
    """Every way of sending and completing: bytes, peers, communicators."""
    # MPICH declares statuses as arrays: MPI_STATUSES_IGNORE is none.
    program = build(place, "mpi-cases", os.path.join(FOLDER, "mpi.c"), "-Wno-stringop-overflow", kind=kind)
    profile = check(place, program, kind=kind)
    profile.expect_faults()
    sent = messages(profile, "mpi.bytes.sent")
    received = messages(profile, "mpi.bytes.received")
    shared = by_function(messages(profile, "mpi.bytes.collective"))
    wrong = {**differing(by_function(sent), SENT), **differing(by_function(received), RECEIVED),
             **differing(shared, {("collective", name): pair
                                  for name, pair in COLLECTIVE.items()})}
    expect(not wrong, f"messages (found, wanted): {wrong}")
    for name, found in (("sent", sent), ("received", received)):
        peers = {}
        for (region, *_, peer), (count, _) in found.items():
            peers.setdefault(region, {}).setdefault(peer, []).append(count)
        expect(all(set(known) == set(range(RANKS)) for region, known in peers.items()
                   if region != "blocking"), f"peers of what was {name}: {peers}")
    names = {comm for (region, _, comm, _) in {**sent, **received} if region == "communicators"}
    expect(names == {"of the test"}, f"communicators: {names}")
    expect(profile.count("communicators/mpi.function=MPI_Barrier/mpi.comm=half") == 8,
           "the barrier of a half")


def fails(place):
    """A rank that ends without MPI_Finalize: the same, and what it said is there."""
    program = build(place, "mpi-cases", os.path.join(FOLDER, "mpi.c"))
    profile = check(place, program, "5", TRAMMEL_MPI_OUTPUT="")
    found = {record["mpi.rank"]: record["count"] for record in profile.paths
             if text_of(record) == "collective"}
    expect(found == {rank: 1 for rank in range(RANKS)}, f"ranks: {found}")


def reduced(place):
    """One profile that the ranks make of all of theirs: sums, least and greatest of ranks."""
    program = build(place, "ring", os.path.join(EXAMPLES, "mpi", "ring.c"))
    merged = os.path.join(place.folder, "merged.trm")
    profile = check(place, program, TRAMMEL_MPI_OUTPUT=merged)
    together = type(profile)(place.records, merged)
    expect(together.globals["mpi.ranks"] == RANKS, f"{together.globals}")
    profile_counts = {path: count for path, count in profile.counts().items()
                      if not path.endswith("MPI_Finalize")}
    together.expect_all(profile_counts)
    wanted = ranks_of(profile)
    found = {}
    for record in together.records:
        for name in ("count", "time.ns", "time.inclusive.ns", "mpi.bytes.sent"):
            if f"count#rank.{name}" in record:
                found[record["path"], name] = tuple(record[f"{what}#rank.{name}"]
                                                    for what in ("count", "sum", "min", "max"))
    wrong = {key: (found.get(key), values) for key, values in wanted.items()
             if not same(key[1], found.get(key, ()), values)}
    expect(wanted and not wrong, f"{len(wrong)} of {len(wanted)} (found, wanted): "
           f"{list(wrong.items())[:3]}")
    rows = query(place, "SELECT min(rank.time.inclusive.ns) AS a, avg(rank.time.inclusive.ns) AS b,"
                 "max(rank.time.inclusive.ns) AS c WHERE loop = step AND NOT region AND "
                 "NOT mpi.function GROUP BY ()", merged)
    expect(rows and 0 < rows[0]["a"] <= rows[0]["b"] <= rows[0]["c"], f"{rows}")


def same(name, found, wanted):
    """Ticks become nanoseconds by what clocks say when a spool is read, so times may differ."""
    if not name.startswith("time"):
        return found == wanted
    return len(found) == 4 and found[0] == wanted[0] and all(
        abs(one - other) <= 0.02 * other + 100 for one, other in zip(found[1:], wanted[1:]))


def ranks_of(profile):
    """{(path, name): (ranks, sum, least, greatest)} from the records of all processes."""
    values = {}
    for record in profile.paths + profile.metrics:
        if not record["path"] or ("mpi.function", "MPI_Finalize") in record["path"]:
            continue
        for name, field in (("count", "count"), ("time.ns", "time.ns"),
                            ("mpi.bytes.sent", "sum#mpi.bytes.sent")):
            if field in record:
                values.setdefault((record["path"], name), []).append(record[field])
    inclusive = {}
    for record in profile.paths:
        for length in range(1, len(record["path"]) + 1):
            key = (record["path"][:length], record["mpi.rank"])
            inclusive[key] = inclusive.get(key, 0) + record["time.ns"]
    for (path, _), time in inclusive.items():
        if ("mpi.function", "MPI_Finalize") not in path:
            values.setdefault((path, "time.inclusive.ns"), []).append(time)
    return {key: (len(known), sum(known), min(known), max(known))
            for key, known in values.items()}


def alone(place):
    """Ranks that nobody measures from outside: a profile each, or one of all; read together."""
    program = build(place, "ring", os.path.join(EXAMPLES, "mpi", "ring.c"))
    exported = ("-x", "TRAMMEL_CONTEXT=regions", "-x", "LD_PRELOAD=" + ":".join(libraries(place)))
    bare = run(place, mpirun(program))
    done = run(place, mpirun(*exported, program))
    problems = running.compare(bare, done)
    expect(not problems, "; ".join(problems))
    files = [os.path.join(place.folder, f"ring.{rank}.trm") for rank in range(RANKS)]
    one = os.path.join(place.folder, "one.trm")
    subprocess.run([place.tool, "merge", "-o", one, *files], check=True)
    for read in (files, [one]):
        rows = query(place, "SELECT mpi.rank, sum(count) AS n WHERE loop = step AND NOT region "
                     "AND NOT mpi.function GROUP BY mpi.rank ORDER BY mpi.rank", *read)
        expect(rows == [{"mpi.rank": rank, "n": 10} for rank in range(RANKS)], f"{rows}")
        expect(calls_by_function(place, *read)["MPI_Send"] == 80, "calls of several profiles")
    for name in files:
        os.unlink(name)
    done = run(place, mpirun("-x", f"TRAMMEL_MPI_OUTPUT={one}", *exported, program))
    expect(not running.compare(bare, done), f"{done}")
    expect(sorted(os.listdir(place.folder)) == ["bin", "one.trm", "spools"],
           f"left: {os.listdir(place.folder)}")
    expect(calls_by_function(place, one)["MPI_Send"] == 80, "calls of the reduced profile")


def ranks_apart(place):
    """trammel under mpirun: each rank of a run has its own; and programs without MPI."""
    program = build(place, "ring", os.path.join(EXAMPLES, "mpi", "ring.c"))
    merged = os.path.join(place.folder, "merged.trm")
    script = (f'exec {place.tool} run -q -m mpi -o rank$OMPI_COMM_WORLD_RANK.trm -- {program}')
    done = run(place, mpirun("sh", "-c", script), TRAMMEL_MPI_OUTPUT=merged)
    expect(done.status == 0 and not done.stderr, f"{done}")
    files = [os.path.join(place.folder, f"rank{rank}.trm") for rank in range(RANKS)]
    for read in (files, [merged]):
        expect(calls_by_function(place, *read)["MPI_Recv"] == 80, f"calls in {read[0]}")
    profile = place.check("regions", "10", measure="mpi")
    expect(profile.count("regions/timestep") == 10, f"{profile.counts()}")
    done = run(place, trammel.run_command(place.tool, place.profile, [program], "mpi"))
    expect(done.status == 0 and done.stdout == b"0\n", f"a rank without mpirun: {done}")


def fortran(place):
    """The same by either module of Fortran's; what is received by requests is not known."""
    library = os.path.join(os.path.dirname(place.tool), "..", "fortran")
    if not shutil.which("mpif90") or not shutil.which("gfortran"):
        raise Skip("no mpif90 and gfortran")
    for module in ("OLD", "F08"):
        program = os.path.join(place.folder, module)
        subprocess.run(["mpif90", "-O2", f"-D{module}", "-I", library,
                        os.path.join(FOLDER, "mpi.F90"), "-L", library, "-ltrammel-fortran",
                        "-o", program], check=True)
        profile = check(place, program)
        profile.expect_faults()
        wanted = {"MPI_Init": 8, "MPI_Sendrecv": 24, "MPI_Send": 12, "MPI_Recv": 4, "MPI_Irecv": 8,
                  "MPI_Wait": 8, "MPI_Allreduce": 8, "MPI_Gather": 8, "MPI_Comm_split": 8,
                  "MPI_Barrier": 8, "MPI_Comm_free": 8, "MPI_Finalize": 8}
        found = calls_by_function(place, place.profile)
        expect(found == wanted, f"{module}: {differing(found, wanted)}")
        sums = {name: by_function(messages(profile, f"mpi.bytes.{name}"))
                for name in ("sent", "received", "collective")}
        wanted = {"sent": {("ring", "MPI_Sendrecv"): (24, 96), ("ring", "MPI_Send"): (12, 48)},
                  "received": {("ring", "MPI_Sendrecv"): (24, 96), ("ring", "MPI_Recv"): (4, 16)},
                  "collective": {(None, "MPI_Allreduce"): (8, 32), (None, "MPI_Gather"): (7, 28)}}
        expect(sums == wanted, f"{module}: {differing(sums, wanted)}")
        expect(profile.count("mpi.function=MPI_Barrier/mpi.comm=half") == 8, "the half's barrier")
        ranks = {record["mpi.rank"] for record in profile.paths}
        expect(ranks == set(range(RANKS)), f"{module}: ranks {ranks}")


LOADER = """
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*run)(int, char **) = (int (*)(int, char **))dlsym(library, "ring_main");
	return run(argc, argv);
}
"""


def loaded_late(place):
    """MPI as extensions of Python have it: loaded late, and in nobody else's scope."""
    library = build(place, "ring.so", os.path.join(EXAMPLES, "mpi", "ring.c"), "-shared", "-fPIC",
                    "-Dmain=ring_main")
    loader = os.path.join(place.folder, "loader")
    subprocess.run(["gcc", "-x", "c", "-", "-o", loader], input=LOADER.encode(), check=True)
    check(place, loader, library)
    wanted = {"MPI_Init": 8, "MPI_Finalize": 8, "MPI_Send": 80, "MPI_Recv": 80,
              "MPI_Allreduce": 80}
    found = calls_by_function(place, place.profile)
    expect(found == wanted, f"calls: {found}")


def started(place):
    """What programs of old call at their start, in C and C++."""
    if not shutil.which("mpicc") or not shutil.which("mpicxx") or not shutil.which("mpirun"):
        raise Skip("no mpicc, mpicxx and mpirun")
    for compiler in (("mpicc",), ("mpicxx", "-DOMPI_SKIP_MPICXX", "-x", "c++")):
        program = channels.build(place, os.path.join(FOLDER, "mpi_start.c"), compiler)
        name = f"{compiler[0]}.json"
        done = run(place, mpirun(program, ranks=1),
                   CALI_CONFIG=f"runtime-profile(region.count,output={name},{channels.JSON})")
        expect(done.status == 0 and not done.stdout, f"{done}")
        rows = channels.rows_of(channels.read(place, name))
        expect(rows["started"]["Calls"] == 1, f"{compiler}: {rows}")


def mpich(place):
    """The same with MPICH beside Open MPI, and a report of all ranks."""
    ring(place, MPICH)
    program = os.path.join(place.folder, "bin", "ring")
    exported = [word for name, value in (("LD_PRELOAD", ":".join(libraries(place))),
                                         ("TRAMMEL_CONFIG", "runtime-report(output=r.json,output.format=json,"
                                                            "region.count,profile.mpi)"))
                for word in ("-genv", name, value)]
    done = run(place, mpirun(*exported, program, kind=MPICH))
    expect(done.status == 0 and not done.stderr, f"{done}")
    rows = {row.get("path"): row for row in json.loads(channels.read(place, "r.json"))}
    expect(rows["step/pass on/MPI_Send"]["Calls (total)"] == 10 * RANKS, f"{rows}")
    expect(rows["step/pass on/MPI_Send"]["Calls/rank (max)"] == 10, f"{rows}")


def mpich_cases(place):
    cases(place, MPICH)


TESTS = (ring, cases, mpich, mpich_cases, loaded_late, fails, reduced, alone, ranks_apart, fortran, started)
