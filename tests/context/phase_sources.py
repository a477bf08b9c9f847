"""Phases of regions that others than annotate.h say: for each function, block and edge the sum over all of them is the
count without."""

import os

from context import channels, common, foreign, mpi, openmp, phases
from context.common import expect
from transparency import running, trammel


# Libraries of MPI that put code into others would have their programs let go.
PLAIN = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none", "OMPI_MCA_memory": "^patcher"}


def found(place, command, measure, *options):
    """What is counted in the program's own functions, and that its flow is conserved."""
    program = os.path.basename(next(word for word in command if "/" in word))
    words = trammel.run_command(place.tool, place.profile, command, measure, ("--only", f"{program}:*", *options))
    done = running.run(words, place.folder, timeout=120, environment={**place.environment(), **PLAIN})
    expect(done.status == 0, f"{command}: {done.status_text()}: {done.stderr[-300:]}")
    rows = {}
    for (region, where), number in phases.rows(place, program).items():
        expect(where[0] != "flow.fault", f"{command}: {region}, {where}")
        rows[region, where] = number
    return rows


def check(place, command, wanted, measure="edges,regions", only=None):
    """Sums are equal for all functions, or those that have the same counts each time, and there are the regions
    `wanted` (with others around them, or in them)."""
    apart = found(place, command, measure, "--by-region")
    together = found(place, command, measure)
    sums = [{where: number for where, number in phases.sums(rows).items() if only is None or where[2] in only}
            for rows in (apart, together)]
    wrong = {where: tuple(sum.get(where) for sum in sums) for where in {*sums[0], *sums[1]}
             if sums[0].get(where) != sums[1].get(where)}
    expect(not wrong, f"{command}: {len(wrong)} sums (apart, together): {dict(list(wrong.items())[:3])}")
    expect(sums[0], f"{command}: nothing is counted")
    regions = {region for region, _ in apart}
    missing = [name for name in wanted if not any(name in region.split("/") for region in regions)]
    expect(not missing, f"{command}: {missing} not among {sorted(regions)[:20]}")
    return apart


def itt_and_nvtx(place):
    program = foreign.build(place)
    check(place, [program, "itt", "5"], ("second", "outer", "inner", "event"))
    check(place, [program, "nvtx", "5"], ("outer", "registered", "deep"))


def caliper(place):
    """cali.h, with loops whose iterations have values, and C++ scopes."""
    program = channels.build(place, os.path.join(common.FOLDER, "compat.c"))
    check(place, [program, "loop", ""], ("turns",))
    program = os.path.join(place.programs, "scopes")
    check(place, [program], ())


def openmp_regions(place):
    """Loops and sections of teams; tasks, which run on whichever thread, and such as move between threads."""
    program = openmp.build(place)
    for words, wanted in ((("shares", "4"), ("solve", "parallel", "loop", "body")), (("tasks", "10"), ("task", "taskwait")),
                          (("untied", "100"), ("part",)), (("nested", "5"), ("parallel",))):
        check(place, [program, *words], wanted, measure="edges,openmp")


def moving_tasks(place):
    """Tasks of the program's own that go on in other threads, in the regions that they were in."""
    program = channels.build(place, os.path.join(common.FOLDER, "tasks.c"), ("gcc", "-O2", "-Wl,--no-as-needed"))
    apart = check(place, [program, "migrate", "20"], ("body", "even", "odd", "inner"), only=("body", "yield"))
    switches = phases.calls(apart, "here")
    inside = {region.split("/", 1)[1]: number for region, number in switches.items() if "/" in region}
    expect(len(inside) == 4 and set(inside.values()) == {20 * 20}, f"{switches}")


def ranks(place, kind=mpi.USUAL):
    program = mpi.build(place, "ring", os.path.join(mpi.EXAMPLES, "mpi", "ring.c"), kind=kind)
    check(place, mpi.mpirun(program, ranks=2, kind=kind), ("step", "pass on"), measure="edges,mpi")


def ranks_of_mpich(place):
    ranks(place, mpi.MPICH)


TESTS = [itt_and_nvtx, caliper, openmp_regions, moving_tasks, ranks, ranks_of_mpich]
