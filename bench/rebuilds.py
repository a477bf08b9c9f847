"""Exact counts without a rebuild, beside gcc's: bzip2, lua and zstd from Debian's sources, built
once as they are and once with -fprofile-arcs, which counts arcs as trammel's edges do."""

import glob
import os
import subprocess
import sys

import runner
import tools

REBUILT = tools.Tool("gcc -fprofile-arcs", "", lambda folder: [])
BESIDE = ("bare", "trammel-blocks", "trammel-edges")

# name: source package, globs of its sources, options, the command behind the program
PACKAGES = {
    "bzip2": ("bzip2",
              ["blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c",
               "decompress.c", "bzlib.c", "bzip2.c"],
              ["-D_FILE_OFFSET_BITS=64"],
              ["-k", "-c", "text"]),
    "lua": ("lua5.4",
            ["src/l*.c"],
            ["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3", "-Wl,-E", "-lm", "-ldl"],
            ["work.lua"]),
    "zstd": ("libzstd",
             ["lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c",
              "lib/decompress/*.S", "lib/dictBuilder/*.c", "programs/*.c"],
             ["-Ilib", "-Ilib/common", "-DZSTD_LEGACY_SUPPORT=0", "-DXXH_NAMESPACE=ZSTD_"],
             ["-9", "--single-thread", "-q", "-c", "text"]),
}
LEFT_OUT = {"luac.c"}  # a program of its own


class Unavailable(Exception):
    """What the sources or the builds lack here."""


def call(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        told = [line for line in lines if "error" in line] or lines[-1:]
        raise Unavailable(f"{command[0]}: {told[0]}")


def source_lists(folder):
    """The machine's package lists as ones of sources, in a file of the folder."""
    text = ""
    for path in ["/etc/apt/sources.list", *glob.glob("/etc/apt/sources.list.d/*.list")]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text += "".join("deb-src " + line[4:] for line in file
                                if line.startswith("deb "))
    if text:
        with open(os.path.join(folder, "sources.list"), "w", encoding="utf-8") as file:
            file.write(text)
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path, encoding="utf-8") as file:
            stanzas = file.read().replace("Types: deb\n", "Types: deb-src\n")
        with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as file:
            file.write(stanzas)


def fetch(folder):
    """Unpacks the source packages, without Debian's patches, which want files that its own
    build makes; nothing of the system changes."""
    for name in ("lists/partial", "cache/archives/partial", "parts"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    source_lists(os.path.join(folder, "parts"))
    apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null",
           "-o", f"Dir::Etc::SourceParts={folder}/parts",
           "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache",
           "-o", "APT::Sandbox::User="]
    call([*apt, "update"], folder)
    call([*apt, "source", "--download-only", *(row[0] for row in PACKAGES.values())], folder)
    for name, (package, *_) in PACKAGES.items():
        described = glob.glob(os.path.join(folder, f"{package}_*.dsc"))
        if not described:
            raise Unavailable(f"no source package '{package}'")
        if not os.path.isdir(os.path.join(folder, name)):
            call(["dpkg-source", "--skip-patches", "-x", described[0], name], folder)


def build(name, folder, program, options):
    """Builds the program of one source package, beside its sources' folder."""
    _, patterns, more, _ = PACKAGES[name]
    root = os.path.join(folder, name)
    sources = sorted(path for pattern in patterns for path in glob.glob(pattern, root_dir=root)
                     if os.path.basename(path) not in LEFT_OUT)
    call(["gcc", "-O2", "-w", *options, "-o", program, *sources, *more], root)


def prepare(folder):
    """{name: (plain command, rebuilt command)}"""
    place = os.path.join(folder, "rebuilds")
    os.makedirs(place, exist_ok=True)
    fetch(place)
    commands = {}
    for name, (*_, words) in PACKAGES.items():
        plain, counting = (os.path.join(place, name, f"{name}.{kind}")
                           for kind in ("plain", "counting"))
        build(name, place, plain, [])
        build(name, place, counting, ["-fprofile-arcs"])
        commands[name] = ([plain, *words], [counting, *words])
    return commands


def measure(chosen, folder, options, progress):
    """The tools that take part, and {program: {tool: [runner.Run]}}, interleaved over the
    rounds; nothing where sources are not to be had."""
    beside = [tool for tool in chosen if tool.name in BESIDE]
    if len(beside) < 2:
        return [], {}
    progress.show("rebuilds: sources and builds")
    try:
        commands = prepare(folder)
    except (Unavailable, OSError) as error:
        print(f"bench: rebuilds left out: {error}", file=sys.stderr)
        return [], {}
    taking = [beside[0], REBUILT, *beside[1:]]
    results = {name: {tool.name: [] for tool in taking} for name in commands}
    tools.warm(taking, {name: plain for name, (plain, _) in commands.items()}, folder, progress)
    for number in range(options.rounds):
        for name, (plain, rebuilt) in commands.items():
            for tool in taking:
                progress.show(f"rebuilds: round {number + 1} of {options.rounds}: {name} "
                              f"{tool.name}")
                run = runner.run(tool, rebuilt if tool is REBUILT else plain, folder)
                results[name][tool.name].append(run)
    return taking, results
