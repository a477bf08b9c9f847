"""Runs of the same program: under callgrind, by single steps, and under trammel."""

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys

import callgrind
import compare

SOURCES = os.path.dirname(os.path.abspath(__file__))

TIMEOUT = 600  # seconds for one run; single steps take microseconds, on busy machines many
ADDR_NO_RANDOMIZE = 0x0040000  # personality(2)
PR_SET_CHILD_SUBREAPER = 36

# Both runs choose the plainest variants: valgrind shows the program another CPU.
CPU_FEATURES = """AVX AVX2 AVX_VNNI AVX512F AVX512BW AVX512CD AVX512DQ AVX512ER AVX512PF
    AVX512VL BMI1 BMI2 ERMS FMA FMA4 FSRM LZCNT MOVBE OSXSAVE POPCNT RTM SSE3 SSE4_1 SSE4_2
    SSSE3 XSAVE XSAVEC AVX_Fast_Unaligned_Load Fast_Copy_Backward Fast_Rep_String
    Fast_Unaligned_Copy Fast_Unaligned_Load Prefer_ERMS Prefer_FSRM
    Prefer_No_AVX512_Probing Prefer_No_VZEROUPPER Prefer_PMINUB_for_stringop Slow_BSF
    Slow_SSE4_2""".split()

# What callgrind's run preloads: loaded in both runs, ld.so has the same work in both.
PRELOAD = "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"

BUILDS = [
    ["g++", "-O2", "-g", "-o", "shapes", "shapes.cc"],
    ["gcc", "-O2", "-g", "-pthread", "-o", "threads", "threads.c"],
    ["gcc", "-O2", "-g", "-pthread", "-o", "phases", "phases.c"],
    ["gcc", "-O2", "-g", "-o", "seldom", "seldom.c"],
    ["gcc", "-O2", "-g", "-Wl,-z,lazy", "-o", "plain", "plain.c",
     "-Wl,--no-as-needed", "-lgcc_s"],
    ["g++", "-O2", "-g", "-static-libstdc++", "-static-libgcc", "-o", "rare",
     "rare.cc"],
    ["g++", "-O2", "-s", "-static-libstdc++", "-static-libgcc", "-o",
     "rare-stripped", "rare.cc"],
    ["gcc", "-O2", "-o", "step", "step.c"],
    ["gcc", "-O2", "-ftree-vectorize", "-fno-stack-protector", "-nostdlib", "-static", "-o", "bare",
     "bare.c"],
    ["clang", "-O2", "-gline-tables-only", "-fdebug-info-for-profiling", "-fno-stack-protector",
     "-nostdlib", "-static", "-Wl,--emit-relocs,--build-id", "-o", "lean", "bare.c"],
    ["g++", "-O2", "-g", "-pthread", "-o", "pairs", "pairs.cc"],
    ["gcc", "-O0", "-g", "-o", "left", "left.c"],
    ["g++", "-O2", "-g", "-static-libstdc++", "-static-libgcc", "-o", "branches", "branches.cc"],
    ["g++", "-O2", "-g", "-o", "branches-shared", "branches.cc"],
    ["g++", "-O2", "-o", "ways_out", "ways_out.cc"],
    ["g++", "-O2", "-g", "-pthread", "-o", "paths", "paths.cc"],
    ["g++", "-O0", "-g", "-pthread", "-o", "paths-plain", "paths.cc"],
    ["g++", "-O1", "-g", "-fno-pie", "-no-pie", "-static-libstdc++",
     "-static-libgcc", "-o", "branches-fixed", "branches.cc"],
]

PLAIN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
ALIKE = {
    **PLAIN,
    "LD_BIND_NOW": "1",  # lazy binding counts calls of the resolver instead
    "LD_PRELOAD": PRELOAD,
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join("-" + name for name in CPU_FEATURES),
    "OPENSSL_ia32cap": "0:0",
}
# callgrind preloads that library by itself.
UNDER_VALGRIND = {name: value for name, value in ALIKE.items() if name != "LD_PRELOAD"}


def own_home(folder):
    """Makes all runs use a home folder of their own: the cache is in it."""
    os.makedirs(folder, exist_ok=True)
    for environment in (PLAIN, ALIKE, UNDER_VALGRIND):
        environment["HOME"] = folder

# By what a measurement is reported.
REPORTS = {
    "blocks": ["function", "block"],
    "block-coverage": ["function", "block"],
    "edges": ["function", "block", "edge"],
    "calls": ["function", "arc"],
    "callgraph": ["function", "callgraph"],
    "calls,callgraph": ["function", "arc", "callgraph"],
}


class Failure(Exception):
    """A run that gave no result to compare."""


def fix_addresses():
    """What this process executes lies where it lay the last time: string functions go by the
    place of their operands in a page."""
    if ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE) == -1:
        print("note: addresses are random: some counts may differ", file=sys.stderr)


def execute(command, folder, environment):
    """Standard output of the command; Failure when it does not end with status 0."""
    try:
        done = subprocess.run(command, cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Failure(f"{command[0]}: status {done.returncode}: {' / '.join(lines[-3:])}")
    return done.stdout


def prepare(folder):
    """Makes the folder with all programs and what they read."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(SOURCES):
        if not name.endswith(".py") and os.path.isfile(os.path.join(SOURCES, name)):
            shutil.copy(os.path.join(SOURCES, name), folder)
    with open(os.path.join(folder, "text"), "w", encoding="ascii") as file:
        seed = 7
        for number in range(9000):
            seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
            file.write(f"line {number % 97} word{seed >> 20} {'ab' * (seed >> 27)}\n")
    for build in BUILDS:
        execute(build, folder, PLAIN)


def run_callgrind(command, folder, name, extra=None):
    out = os.path.join(folder, f"{name}.callgrind")
    output = execute(
        ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no",
         "--collect-jumps=yes", "--skip-plt=no", "--run-libc-freeres=no",
         "--run-cxx-freeres=no", f"--callgrind-out-file={out}", *command],
        folder, {**UNDER_VALGRIND, **(extra or {})})
    return callgrind.read(out), output


def run_steps(command, folder, name, environment):
    """Truth and output by single steps on the real CPU."""
    out = os.path.join(folder, f"{name}.steps")
    output = execute(["./step", out, *command], folder, environment)
    return compare.Truth(callgrind.read(out)), output


# Set by --settled.
settled = False


def settle(command, folder, environment):
    """Runs a command of trammel's until counters lie where they run least, and code as it runs."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for _ in range(2):
        execute(command, folder, environment | {"TRAMMEL_REPLAN": "always"})
        with contextlib.suppress(ChildProcessError):
            while True:  # who plans anew is our child once the front has ended
                os.wait()


def run_trammel(trammel, command, folder, name, environment, measure="functions"):
    """Output, and the report by function; of blocks and edges also the reports by those, of
    calls that by place."""
    out = os.path.join(folder, f"{name}-{measure}.trm")
    if settled and measure != "functions":
        settle([trammel, "run", "--quiet", "-m", measure, "-o", out, "--", *command], folder,
               environment)
    output = execute([trammel, "run", "--quiet", "-m", measure, "-o", out, "--", *command], folder,
                     environment)
    reports = [json.loads(execute([trammel, "report", out, "--json", "--by", kind], folder, PLAIN))
               for kind in REPORTS.get(measure, ["function"])]
    if measure in ("calls", "calls,callgraph"):
        execute([trammel, "report", out, "--check"], folder, PLAIN)
    return reports[0] if len(reports) == 1 else reports, output
