"""Channels of programs of several ranks, which write one output together."""

import json
import os
import shutil
import subprocess
import sys

from context import channels, mpi
from context.common import FOLDER, expect
from transparency import running, trammel
from transparency.results import Skip

RANKS = mpi.RANKS
RING = os.path.join(mpi.EXAMPLES, "mpi", "ring.c")
REPORT = ["Min time/rank", "Max time/rank", "Avg time/rank", "Time %"]


def mpirun(place, *words, ranks=RANKS, first=2, **variables):
    """The command that measures with both libraries loaded, or the first of them."""
    exported = [word for name, value in {"LD_PRELOAD": ":".join(mpi.libraries(place)[:first]),
                                         **variables}.items()
                for word in ("-x", f"{name}={value}")]
    return mpi.mpirun(*exported, *words, ranks=ranks)


def run_ring(place, config, ranks=RANKS, first=2):
    """What the ring printed on standard error, measured so; else it is as the bare one."""
    program = getattr(place, "ring", None) or mpi.build(place, "ring", RING)
    place.ring = program
    bare = mpi.run(place, mpi.mpirun(program, ranks=ranks))
    done = mpi.run(place, mpirun(place, program, ranks=ranks, first=first,
                                TRAMMEL_CONFIG=config))
    problems = running.compare(bare, done, ignore=("stderr",))
    expect(not problems, "; ".join(problems) + f": {done}")
    return done.stderr.decode()


def rows(place, name):
    """Rows of FORMAT json."""
    return json.loads(channels.read(place, name))


def by_path(found):
    return {row.get("path", ""): row for row in found}


def report(place):
    """One report, with the least, the greatest and the mean of all ranks."""
    text = run_ring(place, "runtime-report")
    lines = text.split("\n")
    expect(all(name in lines[0] for name in REPORT), f"the head: {text}")
    expect(text.count("Min time/rank") == 1, f"more than one report: {text}")
    expect("MPI_" not in text, f"calls that nobody asked for: {text}")
    run_ring(place, "runtime-report(output=r.json,output.format=json,region.count,time.exclusive)")
    found = by_path(rows(place, "r.json"))
    expect(set(found) == {"step", "step/pass on"}, f"{found}")
    step, inner = found["step"], found["step/pass on"]
    expect(inner["Calls/rank (min)"] == inner["Calls/rank (max)"] == 10
           and inner["Calls (total)"] == 10 * RANKS, f"{inner}")
    expect(abs(step["Time %"] - 100) < 0.01 and 0 < inner["Time %"] < 100, f"{found}")
    for row in (step, inner):
        expect(0 < row["Min time/rank"] <= row["Avg time/rank"] <= row["Max time/rank"], f"{row}")
        expect(row["Min time/rank (E)"] <= row["Min time/rank"] + 1e-9, f"{row}")


def options(place):
    """Options that ask for the same are no trouble, and other reports are of all ranks, too."""
    run_ring(place, "runtime-report(output=o.json,output.format=json,region.count,region.stats,"
             "alloc.stats,mem.highwatermark,io.bytes,io.bytes.read,page.faults,mem.pages,"
             "order_by_time,lock.wait,loop.stats,io.read.bandwidth,sample.frequency=100)")
    found = by_path(rows(place, "o.json"))
    for path in ("step", "step/pass on"):
        row = found[path]
        expect(row["Calls (total)"] == row["Visits"] == 10 * RANKS, f"{path}: {row}")
        expect(0 < row["VmRSS"] <= row["VmSize"] and row["Mem HWM MB"] > 0, f"{path}: {row}")
        expect(row["Nsec/visit (min)"] <= row["Nsec/visit (avg)"] <= row["Nsec/visit (max)"],
               f"{path}: {row}")
    for name, column, value in (("io-report", "Total written", 0),
                                ("alloc-report", "Allocs (avg)", None),
                                ("sample-report", "Samples (total)", None)):
        more = ",source.function=false" if name == "sample-report" else ""
        run_ring(place, f"{name}(output=o.json,output.format=json{more})")
        row = by_path(rows(place, "o.json"))["step"]
        expect(column in row and value in (None, row[column]), f"{name}: {row}")


def loops(place):
    """loop-report: what each rank has of a loop, and the blocks of its iterations."""
    run_ring(place, "loop-report(output=l.json,output.format=json,iteration_interval=5)")
    found = rows(place, "l.json")
    expect([(row["Loop"], row["Iterations"]) for row in found] == [("step", 10)], f"{found}")
    expect(0 < found[0]["Iter/s (min)"] <= found[0]["Iter/s (avg)"] <= found[0]["Iter/s (max)"], f"{found}")
    run_ring(place, "loop-report(output=l.txt,iteration_interval=5)")
    with open(os.path.join(place.folder, "l.txt"), encoding="utf-8") as file:
        text = file.read()
    expect(text.count("Loop summary:") == text.count("Iteration summary (step):") == 1, text)
    words = [line.split() for line in text.split("Iteration summary")[1].split("\n")[4:] if line]
    expect([row[:2] for row in words] == [["0", "5"], ["5", "5"]], text)


def spot(place):
    """One profile for SPOT, of all ranks."""
    run_ring(place, "spot(output=s.cali,timeseries,timeseries.iteration_interval=5)")
    found = channels.query(place, "s.cali", "SELECT *")
    regions = {row.get("path"): row for row in found if row["spot.channel"] == "regionprofile"}
    expect(set(regions) == {None, "step", "step/pass on"}, f"{set(regions)}")
    expect(regions["step/pass on"]["sum#sum#rc.count"] == 10 * RANKS, f"{regions}")
    series = [(row["path"], row["block"], row["max#sum#loop.iterations"]) for row in found
              if row["spot.channel"] == "timeseries"]
    expect(series == [("step", 0, 5), ("step", 5, 5)], f"{series}")


def functions(place):
    """mpi-report: calls of each function, the rest in a row without a name."""
    for first in (1, 2):
        run_ring(place, "mpi-report(output=m.json,output.format=json)", first=first)
        check_functions(rows(place, "m.json"))
    text = run_ring(place, "mpi-report(output=stderr)")
    order = [float(line.split()[-1]) for line in text.strip().split("\n")[1:]]
    expect(order == sorted(order, reverse=True), f"the order: {text}")


def check_functions(found):
    found = {row.get("Function", ""): row for row in found}
    expect(set(found) == {"", "MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Allreduce"}, f"{found}")
    for name, count in (("MPI_Init", 1), ("MPI_Send", 10), ("MPI_Recv", 10),
                        ("MPI_Allreduce", 10)):
        row = found[name]
        expect(row["Count (min)"] == row["Count (max)"] == count, f"{name}: {row}")
        expect(0 < row["Time (min)"] <= row["Time (avg)"] <= row["Time (max)"], f"{name}: {row}")
    expect(abs(sum(row["Time %"] for row in found.values()) - 100) < 0.01, f"{found}")


def messages(place):
    """Messages are of the calls that sent and received them."""
    run_ring(place, "runtime-report(output=m.json,output.format=json,profile.mpi,"
             "mpi.message.count,mpi.message.size)")
    found = by_path(rows(place, "m.json"))
    expect(set(found) == {"MPI_Init", "step", "step/MPI_Allreduce", "step/pass on",
                          "step/pass on/MPI_Send", "step/pass on/MPI_Recv"}, f"{set(found)}")
    sent, received = found["step/pass on/MPI_Send"], found["step/pass on/MPI_Recv"]
    expect(sent["Msgs sent (max)"] == received["Msgs recvd (max)"] == 10, f"{sent} {received}")
    expect(found["step/MPI_Allreduce"]["Collectives (max)"] == 10, f"{found}")
    for row in (sent, received, found["step/MPI_Allreduce"]):
        expect(row["Msg size (min)"] == row["Msg size (avg)"] == row["Msg size (max)"] == 8,
               f"{row}")


def communication(place):
    """Messages of each region of communication, ranks at their other ends, and how long receives wait."""
    program = build_cc(place)
    config = "runtime-report(output=c.json,output.format=json,comm.stats),runtime-profile(output=c.cali,comm.stats)"
    run_cc(place, program, "comm", preloads=True, CALI_CONFIG=config)
    found = by_path(rows(place, "c.json"))
    row, inner = found["halo"], found["halo/sum"]
    wanted = {"Sends (min)": 3, "Sends (max)": 3, "Sends (total)": 12 * RANKS, "Recvs (max)": 3, "Recvs (total)": 12 * RANKS,
              "Dst ranks (min)": 2, "Dst ranks (max)": 2, "Dst ranks (avg)": 2, "Src ranks (avg)": 2, "Coll (max)": 2,
              "Bytes sent (min)": 1200, "Bytes sent (total)": 4800 * RANKS, "Bytes recv (max)": 1200,
              "Bytes recv (total)": 4800 * RANKS}
    expect({name: row.get(name) for name in wanted} == wanted, f"{row}")
    expect((inner["Sends (max)"], inner["Coll (max)"]) == (0, 1), f"{inner}")
    expect("halo/MPI_Waitall" in found and "MPI_Sendrecv" in found, f"{set(found)}")
    gaps = [row for row in found.values() if row.get("Irecv gap (max)")]
    expect(gaps and all(0.002 <= row["Irecv gap (min)"] <= row["Irecv gap (avg)"] <= row["Irecv gap (max)"] < 1 for row in gaps),
           f"{gaps}")
    expect("max#max#total.dest.ranks" in channels.read(place, "c.cali"), "names of a profile")
    run_cc(place, program, "comm", preloads=True, CALI_CONFIG="runtime-report(output=a.json,output.format=json,async_events)")
    expect(not any("Event" in row and row["Event"] for row in rows(place, "a.json")), "nobody asked for receives")
    run_cc(place, program, "comm", preloads=True, CALI_SERVICES_ENABLE="event,mpi,async_event,trace,recorder",
           CALI_MPI_MSG_PATTERN="true", CALI_RECORDER_FILENAME="t-%mpi.rank%.cali")
    told = channels.query(place, "t-0.cali", "SELECT path, total.send.count, mpi.send.size WHERE total.send.count")
    expect([(row["path"], row["total.send.count"], row["mpi.send.size"]) for row in told] == 4 * [("halo/sum", 0, 0), ("halo", 3, 1200)],
           f"{told}")
    waits = channels.query(place, "t-0.cali", "SELECT event.duration.ns WHERE async.end = \"irecv.req_wait_gap\"")
    expect(len(waits) == 12 and all(row["event.duration.ns"] >= 2000000 for row in waits), f"{waits}")


def traced_messages(place):
    """What the peer's traces say of each message and collective operation, from its first event on."""
    run_cc(place, build_cc(place), "comm", preloads=True, CALI_SERVICES_ENABLE="event,mpi,trace,recorder", CALI_MPI_WHITELIST="all",
           CALI_MPI_MSG_TRACING="true", CALI_RECORDER_FILENAME="m-%mpi.rank%.cali")
    told = channels.query(place, "m-0.cali", "SELECT *")
    fields = ("mpi.msg.dst", "mpi.msg.src", "mpi.msg.size", "mpi.send.count", "mpi.recv.count", "mpi.coll.type",
              "mpi.coll.root", "mpi.coll.count", "mpi.comm.is_world")
    found = {}
    for row in told:
        values = tuple(row.get(name) for name in fields)
        if any(value is not None for value in values):
            key = row["path"].split("/")[-1], values
            found[key] = found.get(key, 0) + 1
    right, left, world = 1, RANKS - 1, (None, None, True)
    send = lambda to, size: (to, None, size, 1, None, None, *world)
    receive = lambda of, size: (None, of, size, None, 1, None, *world)
    wanted = {("MPI_Sendrecv", send(right, 200)): 3, ("MPI_Sendrecv", receive(left, 200)): 3,
              ("MPI_Isend", send(right, 400)): 8, ("MPI_Isend", send(left, 400)): 4,
              ("MPI_Waitall", receive(left, 400)): 8, ("MPI_Waitall", receive(right, 400)): 4,
              ("MPI_Barrier", (None, None, None, None, None, 1, None, 1, True)): 4,
              ("MPI_Allreduce", (None, None, 4, None, None, 2, None, 1, True)): 4}
    wrong = {key: (found.get(key), wanted.get(key)) for key in {*found, *wanted} if found.get(key) != wanted.get(key)}
    expect(not wrong, f"(found, wanted): {wrong}")


def filters(place):
    """mpi.include and mpi.exclude, and the services' own settings."""
    for options, wanted in (("profile.mpi,mpi.include=MPI_Send", {"MPI_Send"}),
                            ("profile.mpi,mpi.include=match(MPI_*e*v)", {"MPI_Recv"}),
                            ("mpi.exclude=match(MPI_All*),profile.mpi",
                             {"MPI_Init", "MPI_Send", "MPI_Recv"}),
                            ("profile.mpi,exclude_regions=MPI_Init",
                             {"MPI_Allreduce", "MPI_Send", "MPI_Recv"})):
        run_ring(place, f"runtime-report(output=f.json,output.format=json,{options})")
        found = {path.split("/")[-1] for path in by_path(rows(place, "f.json"))}
        expect({name for name in found if name.startswith("MPI_")} == wanted, f"{options}: {found}")


def profile(place):
    """One file, in which each rank has rows."""
    run_ring(place, "runtime-profile(output=p.json,output.format=json,region.count)")
    found = [(row["mpi.rank"], row["path"], row["Calls"]) for row in rows(place, "p.json")
             if row.get("path")]
    wanted = [(rank, path, 10) for rank in range(RANKS) for path in ("step", "step/pass on")]
    expect(sorted(found) == sorted(wanted), f"{found}")
    run_ring(place, "runtime-profile(output=p.cali,region.count)")
    found = mpi.query(place, "SELECT mpi.rank, sum(sum#region.count) AS n WHERE path = \"step/pass on\" "
                      "GROUP BY mpi.rank ORDER BY mpi.rank",
                      os.path.join(place.folder, "p.cali"))
    expect(found == [{"mpi.rank": rank, "n": 10} for rank in range(RANKS)], f"{found}")


def apart(place):
    """Each rank has its own output where that is asked for; names may have the rank."""
    run_ring(place, "runtime-report(aggregate_across_ranks=false,output=r-%mpi.rank%.txt),"
             "runtime-profile(use.mpi=false,output=p-%mpi.rank%.cali)")
    for rank in range(RANKS):
        expect("Time (I)" in channels.read(place, f"r-{rank}.txt"), f"rank {rank}")
        expect(os.path.exists(os.path.join(place.folder, f"p-{rank}.cali")), f"rank {rank}")


def services(place):
    """Services one by one: queries of the user's own, in MPI_Finalize."""
    program = mpi.build(place, "ring", RING)
    variables = {
        "TRAMMEL_SERVICES_ENABLE": "event,timer,aggregate,mpi,mpireport",
        "TRAMMEL_MPI_BLACKLIST": "MPI_Init",
        "TRAMMEL_MPIREPORT_FILENAME": "own.json",
        "TRAMMEL_MPIREPORT_LOCAL_CONFIG":
            "SELECT mpi.function, sum(region.count) GROUP BY mpi.function FORMAT cali",
        "TRAMMEL_MPIREPORT_CONFIG": "SELECT mpi.function, sum(sum#region.count) AS n, count() AS k "
            "GROUP BY mpi.function WHERE mpi.function FORMAT json"}
    done = mpi.run(place, mpirun(place, program, **variables))
    expect(done.status == 0 and not done.stderr, f"{done}")
    found = {row["mpi.function"]: (row["n"], row["k"]) for row in rows(place, "own.json")}
    expect(found == {name: (10 * RANKS, RANKS)
                     for name in ("MPI_Send", "MPI_Recv", "MPI_Allreduce")}, f"{found}")


def build_cc(place):
    if not shutil.which("mpicxx") or not shutil.which("mpirun"):
        raise Skip("no mpicxx and mpirun")
    return channels.build(place, os.path.join(FOLDER, "ranks.cc"),
                          ("mpicxx", "-DOMPI_SKIP_MPICXX", "-O2", "-std=c++11"))


def run_cc(place, program, word, **variables):
    """The program is linked with libtrammel-cali alone; libtrammel-mpi is loaded if it is there."""
    if variables.pop("preloads", False):
        variables["LD_PRELOAD"] = ":".join(mpi.libraries(place))
    exported = [word for name in variables for word in ("-x", name)]
    done = mpi.run(place, mpi.mpirun(*exported, program, word), **variables)
    expect(done.status == 0 and not done.timed_out, f"{word}: {done}")
    return done


def headers(place):
    """A program's own streams and communicators."""
    program = build_cc(place)
    for preloads in (True, False):
        streams(run_cc(place, program, "stream", preloads=preloads))
    done = run_cc(place, program, "half")
    text = done.stdout.decode()
    part = next(line.split() for line in text.split("\n") if line.startswith("  part"))
    even = sum(rank + 1 for rank in range(0, RANKS, 2))
    expect(not done.stderr and text.count("Min time/rank") == 1 and part[-1] == str(even), text)
    done = run_cc(place, program, "file", preloads=True)
    expect(not done.stdout and not done.stderr, f"{done}")
    text = channels.read(place, "own.txt")
    expect(text.count("Min time/rank") == 1 and f"{RANKS * (RANKS + 1) // 2}" in text, text)
    done = run_cc(place, program, "queried", preloads=True)
    found = {row.get("path"): row["n"] for row in json.loads(done.stdout)}
    expect(found == {"work": RANKS, "work/part": RANKS * (RANKS + 1) // 2}, f"{found}")
    run_cc(place, program, "late")
    late = json.loads(channels.read(place, "late.json"))
    expect("mpi.rank" in late["columns"]
           and {row[late["columns"].index("mpi.rank")] for row in late["data"]}
           == set(range(RANKS)), f"{late}")


def streams(done):
    text = done.stdout.decode()
    expect(not done.stderr and text.count("Min time/rank") == 1, f"{done}")
    part = next(line.split() for line in text.split("\n") if line.startswith("  part"))
    expect(part[5:] == ["1", f"{(RANKS + 1) / 2:.6f}", f"{RANKS}", f"{RANKS * (RANKS + 1) // 2}"],
           f"calls: {text}")
    expect("  MPI_Allreduce" in text and "MPI_Init" not in text, text)


def fortran(place):
    """Calls from Fortran, of a program that knows nothing of this."""
    if not shutil.which("mpif90"):
        raise Skip("no mpif90")
    source = os.path.join(place.folder, "plain.f90")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLAIN)
    program = os.path.join(place.folder, "plain")
    subprocess.run(["mpif90", source, "-o", program], check=True)
    done = mpi.run(place, mpirun(place, program, first=1, TRAMMEL_CONFIG="mpi-report("
                                 "output=m.json,output.format=json)"))
    expect(done.status == 0 and not done.stderr, f"{done}")
    found = {row.get("Function"): row["Count (max)"] for row in rows(place, "m.json")}
    expect(found.get("MPI_Barrier") == 3 and found.get("MPI_Init") == 1, f"{found}")


PLAIN = """
program plain
  use mpi
  integer :: error, i
  call MPI_Init(error)
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
end program
"""


def children(place):
    """A child of fork is no rank: it writes what it has itself."""
    program = build_cc(place)
    done = run_cc(place, program, "fork", TRAMMEL_CONFIG="runtime-report(output=r.json,"
                  "output.format=json,region.count)")
    expect(not done.stdout and not done.stderr, f"{done}")
    found = by_path(rows(place, "r.json"))
    expect(set(found) == {"work", "work/part"} and found["work"]["Calls (total)"] == RANKS,
           f"{found}")
    names = [name for name in os.listdir(place.folder) if name.startswith("r-")]
    expect(len(names) == RANKS, f"{names}")
    for name in names:
        expect(set(by_path(rows(place, name))) == {"child"}, channels.read(place, name))
    # A child that makes its first channel itself knows no more of ranks.
    done = run_cc(place, program, "fork", CALI_CONFIG="runtime-report(output=%pid%.json,"
                  "output.format=json,region.count)")
    names = [name for name in os.listdir(place.folder) if name[0].isdigit()]
    found = [set(by_path(rows(place, name))) for name in names]
    expect(not done.stderr and sorted(found, key=len) == [{"child"}] * RANKS
           + [{"work", "work/part"}], f"{done}: {found}")


def fails(place):
    """A rank that ends without MPI_Finalize waits for no other: the job ends as the bare one."""
    program = build_cc(place)
    config = "runtime-report(output=f-%pid%.json,output.format=json)"
    for name in ("CALI_CONFIG", "TRAMMEL_CONFIG"):
        done = mpi.run(place, mpi.mpirun("-x", name, program, "fail"), **{name: config})
        expect(done.status == 5 and not done.timed_out, f"{name}: {done}")
    found = [set(by_path(rows(place, name))) for name in os.listdir(place.folder)
             if name.startswith("f-")]
    expect({"work", "work/part"} in found, f"{found}")


def one(place):
    """A rank alone, with mpirun and without, and a program without MPI."""
    # It is in no region.
    expect(run_ring(place, "runtime-report", ranks=1).startswith("Path"), "one rank")
    variables = {"LD_PRELOAD": ":".join(mpi.libraries(place)), "TRAMMEL_CONFIG": "runtime-report"}
    done = mpi.run(place, ["true"], **variables)
    expect(done.status == 0 and not done.stdout, f"{done}")
    done = mpi.run(place, [place.ring], **variables)
    expect(done.status == 0 and done.stdout == b"0\n", f"{done}")


def uneven(place):
    """Loops that not all ranks have, of as many ranks as make no full tree: each table has the most of any."""
    program = build_cc(place)
    libraries = ":".join(mpi.libraries(place))
    done = mpi.run(place, mpi.mpirun("-x", "LD_PRELOAD", "-x", "CALI_CONFIG", program, "loops", ranks=5),
                   LD_PRELOAD=libraries, CALI_CONFIG="loop-report(iteration_interval=1,output=u.txt)")
    expect(done.status == 0 and not done.stdout and not done.stderr, f"{done}")
    text = channels.read(place, "u.txt")
    summary, *series = text.split("Iteration summary")
    lines = [line.split() for line in summary.split("\n") if line and "Loop" not in line and "--" not in line]
    expect({line[0]: line[1] for line in lines} == {"all": "40", "odd": "9"}, text)
    found = {part[2:part.index(")")]: [line.split()[:2] for line in part.split("\n")[4:] if line.strip()]
             for part in series}
    expect(found == {"all": [[str(2 * i), "2"] for i in range(20)], "odd": [[str(i), "1"] for i in range(9)]}, text)


def expect_late(place, command, environment):
    """Calls are seen, and one report is of all ranks."""
    done = mpi.run(place, command, **environment, CALI_CONFIG="runtime-report(output=late.json,output.format=json,"
                                                              "region.count,profile.mpi)")
    expect(done.status == 0 and not done.stderr, f"{done}")
    found = by_path(rows(place, "late.json"))
    expect({"before", "outer", "outer/MPI_Barrier"} <= set(found), f"{found}")
    expect(found["outer/MPI_Barrier"]["Calls (total)"] == 3 * RANKS, f"{found}")
    os.remove(os.path.join(place.folder, "late.json"))


def loaded_late(place):
    """MPI's library comes when channels measure: functions by their names, and mpi4py."""
    if not mpi.libraries(place):
        raise Skip("no libtrammel-mpi")
    program = channels.build(place, os.path.join(FOLDER, "mpi_late.c"))
    expect_late(place, mpi.mpirun(program, "libmpi.so.40"), {})
    if subprocess.run([sys.executable, "-c", "import mpi4py"], capture_output=True, check=False).returncode:
        raise Skip("no mpi4py")
    source = os.path.join(os.path.dirname(place.tool), "..")
    folders = ":".join(os.path.realpath(os.path.join(source, name)) for name in ("cali", "runtime", "mpi"))
    script = os.path.join(FOLDER, "mpi_late.py")
    expect_late(place, mpi.mpirun(sys.executable, script),
                {"PYTHONPATH": os.path.join(trammel.ROOT, "src", "cali"), "LD_LIBRARY_PATH": folders})


TESTS = (report, loaded_late, uneven, options, loops, spot, functions, messages, communication, traced_messages, filters, profile, apart, services, headers, fortran, children,
         fails, one)
