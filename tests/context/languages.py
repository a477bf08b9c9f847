"""Programs in Fortran and Python: the examples, and what their modules do with hard cases."""

import glob
import json
import os
import shutil
import subprocess
import sys

from context import channels
from context.common import FOLDER, expect, text_of
from transparency import running, trammel
from transparency.results import Skip

EXAMPLES = os.path.join(trammel.ROOT, "examples")
STEPS = {"method={}": 1, "method={}/timestep": 30,
         **{f"method={{}}/timestep/level={level}": 10 for level in range(3)}}


def build_folder(place, part):
    return os.path.join(os.path.dirname(place.tool), "..", part)


def heat_counts(method, solve, output):
    """The paths of the example in any language."""
    counts = {"heat": 1}
    for path, count in STEPS.items():
        counts["heat/" + path.format(method)] = count
    for level in range(3):
        counts[f"heat/method={method}/timestep/level={level}/{solve}"] = 10
    for path, count in output.items():
        counts[f"heat/method={method}/timestep/{path}"] = count
    return counts


def expect_residual(profile, wanted):
    found = [record for record in profile.metrics if "count#residual" in record]
    expect(sum(record["count#residual"] for record in found) == 30, f"residuals: {found}")
    total = sum(record["sum#residual"] for record in found)
    expect(abs(total - wanted) < 1e-6 * wanted, f"residuals: {total}, not {wanted}")
    expect(all(text_of(record).split("/")[-1].startswith("level=") for record in found),
           f"residuals elsewhere: {found}")


def residual_of_heat():
    """Of the same sweeps of a shorter rod: none reaches further."""
    rod, total = [1000.0] + [0.0] * 999, 0.0
    for _ in range(30):
        for i in range(1, len(rod) - 1):
            following = (rod[i - 1] + rod[i + 1]) / 2
            total += abs(following - rod[i])
            rod[i] = following
    return total


def build_fortran(place, name, *files):
    folder = build_folder(place, "fortran")
    if not shutil.which("gfortran"):
        raise Skip("no gfortran")
    expect(os.path.exists(os.path.join(folder, "libtrammel-fortran.a")),
           "the module was not built, though there is gfortran")
    program = os.path.join(place.programs, name)
    subprocess.run(["gfortran", "-O2", "-Wall", "-Wextra", "-Werror", "-fopenmp",
                    "-J", place.folder, "-I", folder, *files,
                    "-L", folder, "-ltrammel-fortran", "-o", program], check=True)
    return name


def fortran(place):
    name = build_fortran(place, "heat-fortran", os.path.join(EXAMPLES, "fortran", "heat.f90"))
    profile = place.check(program=name)
    profile.expect_faults()
    profile.expect_all(heat_counts("Jacobi", "solve", {"output": 3, "output/last=False": 2,
                                                       "output/last=True": 1}))
    expect_residual(profile, residual_of_heat())
    profile = place.check(program=name, measure="trace")
    numbers = [event["iteration#timestep"] for event in profile.events
               if "iteration#timestep" in event]
    expect(numbers == list(range(1, 31)), f"iterations: {numbers}")


def fortran_cases(place):
    """Every type, long and blank names, ends that do not fit, threads, more names than sites."""
    name = build_fortran(place, "cases-fortran", os.path.join(FOLDER, "cases.f90"))
    profile = place.check(program=name)
    long = "n" * 255  # the rest is cut
    profile.expect_all({
        "int8=-8": 1, "int16=-16": 1, "int32=-32": 1, "int64=-9000000000": 1,
        "real32=0.5": 1, "real64=0.1": 1, "logical=True": 1, "c bool=False": 1,
        "text=two words": 1, "trimmed": 2, long: 1, f"{long}/inner": 1, "attribute=7": 1,
        "outer": 1, "outer/open": 1, "parallel": 4, "parallel/part": 400,
        **{f"name {number}": 2 for number in range(1, 3001)}})
    profile.expect_faults(
        "end of region=outer while the innermost that is open is region=open, 1 time: "
        "what was open inside was ended, too",
        "end of region= while the innermost that is open is nothing, 1 time: ignored")
    metrics = {name: record[name] for record in profile.metrics for name in record
               if name.startswith(("sum#", "count#"))}
    expect(metrics == {"count#metric": 3, "sum#metric": 6}, f"metrics: {metrics}")


def build_caliper(place, source):
    """With the module of the compatible interface, and no other library of Fortran's."""
    if not shutil.which("gfortran"):
        raise Skip("no gfortran")
    folder = os.path.realpath(build_folder(place, "cali"))
    expect(os.path.exists(os.path.join(folder, "caliper_mod.mod")), "the module was not built, though there is gfortran")
    undefined = subprocess.run(["nm", "-D", "--undefined-only", os.path.join(folder, "libtrammel-cali.so.0")],
                               check=True, capture_output=True, text=True).stdout
    expect("gfortran" not in undefined, f"programs in C would need libgfortran: {undefined}")
    program = os.path.join(place.folder, os.path.basename(source).replace(".", "-"))
    subprocess.run(["gfortran", "-O2", "-Wall", "-Wextra", "-Werror", "-I", folder, source, "-o", program,
                    *channels.library_flags(place)], check=True)
    return program


def caliper(place):
    """What was written for Caliper's module: handles, messages, values, times."""
    program = build_caliper(place, os.path.join(FOLDER, "caliper.f90"))
    done = channels.run(place, program=program)
    expect(done.stdout.decode().splitlines() == [
        " T F T F", " T Unknown config or parameter: runtime-reprot; did you mean 'runtime-report'?", '""', " F",
        " F", "-1", "0", " T T F T", " F"] and not done.stderr, f"{done}")
    told = channels.query(place, "fortran.cali", "SELECT *")
    long = "n" * 300
    ends = [(row["path"], row["event.end#region"], row.get("iteration#steps"))
            for row in told if "event.end#region" in row]
    expect(ends == [(f"work/steps/{long}", long, step) for step in (1, 2, 3)] + [("work", "work", None)], f"{ends}")
    (row,) = [row for row in told if "event.begin#kind" in row]
    expect((row["step"], row.get("level")) == (5, 7), f"{row}")
    expect([row["path"] for row in told if "event.end#phase" in row] == ["work/first"], f"{told}")
    found = channels.query_globals(place, "fortran.cali")
    expect({"42", "0.5", "cold"} <= {str(value) for value in found.values() if not isinstance(value, list)}, f"{found}")


def caliper_example(place):
    program = build_caliper(place, os.path.join(EXAMPLES, "fortran", "caliper.f90"))
    bare = channels.run(place, program=program)
    expect(bare.stdout == b"3.5977\n" and not bare.stderr, f"{bare}")
    report = f"runtime-report(output=report.json,region.count,{channels.JSON})"
    for words, variables in (([report], {}), ([], {"CALI_CONFIG": report})):
        done = channels.run(place, *words, program=program, **variables)
        rows = channels.rows_of(channels.read(place, "report.json"))
        expect(done.stdout == bare.stdout and rows["main/steps/advance"]["Calls"] == 20, f"{done} {rows}")
        os.remove(os.path.join(place.folder, "report.json"))


def python_environment(place):
    folder = build_folder(place, "python")
    if not glob.glob(os.path.join(folder, "trammel.*.so")):
        raise Skip("the module was not built: Python's development files are missing")
    return {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}


def check_python(place, file, measure="regions"):
    """Bare and measured are the same; the profile."""
    more = python_environment(place)
    script = [sys.executable, file]
    bare = running.run(script, place.folder, environment={**running.base_environment(), **more})
    command = trammel.run_command(place.tool, place.profile, script, measure)
    measured = running.run(command, place.folder, timeout=40,
                           environment={**place.environment(), **more})
    expect(bare.status == 0, f"{bare}")
    problems = running.compare(bare, measured)
    expect(not problems, "; ".join(problems))
    return place.read()


def python(place):
    script = os.path.join(EXAMPLES, "python", "heat.py")
    profile = check_python(place, script)
    profile.expect_faults()
    profile.expect_all(heat_counts("Gauß-Seidel", "step",
                                   {"Output.show": 3, "Output.show/sum": 3}))
    expect_residual(profile, residual_of_heat())
    profile = check_python(place, script, "trace")
    numbers = [event["iteration#timestep"] for event in profile.events
               if "iteration#timestep" in event]
    expect(numbers == list(range(1, 31)), f"iterations: {numbers}")


def python_cases(place):
    """Exceptions, breaks, methods, generators, pickling, threads, odd names and values."""
    profile = check_python(place, os.path.join(FOLDER, "cases.py"))
    counts = profile.counts()
    threads = {path: count for path, count in counts.items() if path.startswith("thread")}
    expect(threads == {"thread": 4, "thread/part": 400}, f"threads: {threads}")
    wanted = {
        "raising": 1, "raising/inner": 1, "after": 1, "broken": 4, "thrown": 3, "nested": 2,
        "nested/within": 6, "step": 3, "iterations": 2, "recursive": 1, "recursive/recursive": 1,
        "recursive/recursive/recursive": 1, "Class.method": 2, "Class.class_method": 1,
        "Class.static_method": 1, "plain": 4, "naïve ☃": 1, "lone \\udc80": 1, "zero \\x00 byte": 1,
        "true=True": 1, "int=-5": 1, "float=0.5": 1, "text=zwölf": 1,
        "index=7": 1, "huge=18446744073709551615": 1, "attribute=é": 1,
        "name 0": 2, "name 19999": 2, "changed=1": 1, "changed=2": 1,
    }
    wrong = {path: counts.get(path) for path, count in wanted.items() if counts.get(path) != count}
    expect(not wrong, f"found {wrong}; {[p for p in counts if not p.startswith('name ')]}")
    sums = [(record["count#metric"], record["sum#metric"]) for record in profile.metrics
            if "count#metric" in record]
    expect(sums == [(100, 4950)], f"metrics: {sums}")
    expect(len(profile.faults) == 2 and "while the innermost that is open is nothing"
           in profile.faults[0] and "the type of its attribute cannot hold" in profile.faults[1],
           f"faults: {profile.faults}")


def python_caliper(place):
    """The module pycaliper: what a manager of the program's own and a channel of the environment say is the same."""
    folders = [os.path.realpath(build_folder(place, part)) for part in ("cali", "runtime")]
    variables = {"PYTHONPATH": os.path.join(trammel.ROOT, "src", "cali"), "PYTHONDONTWRITEBYTECODE": "1",
                 "LD_LIBRARY_PATH": ":".join(folders),
                 "CALI_CONFIG": "runtime-profile(region.count,output=env.json,output.format=json)"}
    done = running.run([sys.executable, os.path.join(FOLDER, "pycases.py")], place.folder, timeout=60,
                       environment={**place.environment(), **variables})
    expect(done.status == 0 and not done.stdout and not done.stderr, f"{done}")
    counts = {}
    for name in ("py.json", "env.json"):
        with open(os.path.join(place.folder, name), encoding="utf-8") as file:
            counts[name] = {row["path"]: row["Calls"] for row in json.load(file) if row.get("Calls")}
    unseen = counts["env.json"].pop("unseen", 0)
    wanted = {"main": 1, "main/solve": 4, "main/Größe": 1, "main/Größe/solve": 1, "main/steps/solve": 4,
              "main/4/solve": 1, "main/a/b\\x00c/solve": 1, "main/exchange": 1, "solve": 1}
    own = counts["py.json"]
    expect(unseen == 1 and own == counts["env.json"], f"{counts}")
    expect({path: own.get(path) for path in wanted} == wanted, f"{own}")


def musl(place):
    """Programs of another C library: measured as any, and if they are static, by all but what they say."""
    if not shutil.which("musl-gcc"):
        raise Skip("there is no musl-gcc")
    for kind, more in (("musl", ()), ("musl-static", ("-static",))):
        subprocess.run(["musl-gcc", "-O1", *more, f"-I{trammel.ROOT}/include", os.path.join(FOLDER, "musl.c"), "-pthread",
                        "-o", os.path.join(place.programs, kind)], check=True)
    wanted = {"main": 1, "part": 4000, "main/child": 1, "main/rest": 1}
    for measure in ("regions", "regions,trace", "functions,regions"):
        counts = place.check(program="musl", measure=measure).counts()
        expect({path: counts.get(path) for path in wanted} == wanted, f"{measure}: {counts}")
    place.check("exec", program="musl")
    for words in ((), ("exec",)):
        for program in ("musl", "musl-static"):
            place.check(*words, program=program, measure="blocks,callgraph")
            checked = running.run([place.tool, "report", "--check", place.profile], place.folder, timeout=60)
            expect(checked.status == 0 and b" 0 counts that cannot be" in checked.stdout, f"{program}: {checked}")
    words = [place.tool, "run", "-m", "regions", "-o", place.profile, "--", os.path.join(place.programs, "musl-static")]
    done = running.run(words, place.folder, environment=place.environment())
    expect(done.status == 0 and b"the program is static" in done.stderr, f"{done}")


TESTS = (musl, fortran, fortran_cases, caliper, caliper_example, python, python_cases, python_caliper)
