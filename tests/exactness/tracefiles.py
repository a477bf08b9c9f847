"""Coverage by source: wherever debug information is, the same tracefile; and what lcov, genhtml
and BOLT take of what is written."""

import collections
import os
import re
import shutil
import subprocess

import pbo
from runs import PLAIN, Failure, execute

UNITS = ["covered.cc", "covered_other.cc"]


def build(folder, command, output):
    """Compiles the program of two units, each by itself: .dwo files are named after them."""
    for unit in UNITS:
        execute([*command, "-c", unit, "-o", f"{unit[:-3]}.o"], folder, PLAIN)
    execute([command[0], *(f"{unit[:-3]}.o" for unit in UNITS), "-o", output, "-Wl,--build-id"],
            folder, PLAIN)


def measure(folder, options, program, measurement="edges"):
    execute([options.trammel, "run", "-q", "-m", measurement, "--only", f"{program}:", "-o",
             f"{program}.trm", f"./{program}"], folder, PLAIN)


def tracefile(folder, options, program, *more):
    """(text, standard error) of a tracefile."""
    done = subprocess.run([options.trammel, "coverage", "--lcov", "--module", program, *more,
                           f"{program}.trm"], cwd=folder, env=PLAIN, capture_output=True,
                          timeout=100, check=False, text=True)
    if done.returncode:
        raise Failure(f"coverage of {program}: status {done.returncode}: {done.stderr}")
    return done.stdout, done.stderr


def expect(condition, text):
    if not condition:
        raise Failure(text)


def same(folder, options, program, reference, what):
    """The tracefile of the program is the reference, and nothing is missing."""
    text, errors = tracefile(folder, options, program)
    expect(text == reference and not errors,
           f"{what}: {len(text)} bytes, not {len(reference)}; {errors}")


def records(text, kind):
    """Fields of the records of a kind, behind the source file of each."""
    found, path = [], None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "SF":
            path = value
        elif name == kind:
            found.append((path, *value.split(",")))
    return found


def check_reference(text, source):
    """What is known of the program's source without debug information."""
    calls = {name: int(count) for _, count, name in records(text, "FNDA")}
    expected = {"_Z4overii": 7, "_Z4overdi": 5, "_Z5neveri": 0, "main": 1, "_Z5otheri": 1,
                "_ZL4stepi": 4, "_ZN6shapes5mixedIidEEiT_T0_": 5}
    expect(expected.items() <= calls.items(), f"calls: {calls}")
    with open(source, encoding="ascii") as file:
        lines = file.read().splitlines()
    counts = {int(line): int(count) for path, line, count in records(text, "DA")
              if path == source}
    for line, count in {"return a * b + 1.5;": 5, "return twice(a) + 1;": 0}.items():
        number = next(i for i, has in enumerate(lines, 1) if line in has)
        expect(counts.get(number) == count, f"line {number}: {counts.get(number)}, not {count}")


def check_split(folder, options):
    """Split debug information, by two compilers in two versions: as if it were not split."""
    done = []
    # binutils' dwp leaves units of version 5 out, and llvm-dwp 14 does not end on gcc's.
    packers = {("g++", "4"): "dwp", ("clang++", "4"): "llvm-dwp", ("clang++", "5"): "llvm-dwp"}
    for compiler in ("g++", "clang++"):
        for version in ("4", "5"):
            packer = packers.get((compiler, version))
            what = f"{compiler} DWARF {version}"
            command = [compiler, "-O1", f"-gdwarf-{version}"]
            build(folder, command, "whole")
            measure(folder, options, "whole")
            reference, errors = tracefile(folder, options, "whole")
            expect(not errors, f"{what}: {errors}")
            check_reference(reference, os.path.join(folder, "covered.cc"))
            build(folder, [*command, "-gsplit-dwarf"], "split")
            measure(folder, options, "split")
            same(folder, options, "split", reference, f"{what}, .dwo files")
            objects = [f"{unit[:-3]}.dwo" for unit in UNITS]
            if packer and shutil.which(packer):
                execute([packer, *objects, "-o", "split.dwp"], folder, PLAIN)
                os.mkdir(os.path.join(folder, "away"))
                for name in objects:
                    os.rename(os.path.join(folder, name), os.path.join(folder, "away", name))
                same(folder, options, "split", reference, f"{what}, .dwp package")
                os.unlink(os.path.join(folder, "split.dwp"))
                shutil.rmtree(os.path.join(folder, "away"))
                done.append(packer)
            else:
                for name in objects:
                    os.unlink(os.path.join(folder, name))
            if compiler == "clang++":
                build(folder, [*command, "-gsplit-dwarf=single"], "single")
                measure(folder, options, "single")
                same(folder, options, "single", reference, f"{what}, in object files")
            text, errors = tracefile(folder, options, "split")
            expect("2 of 2 files with split debug information are missing" in errors and
                   errors.count("\n") == 1, f"{what}, no .dwo files: {errors}")
            expect(records(text, "DA") == records(reference, "DA"),
                   f"{what}: without .dwo files there are other lines")
    print(f"ok   split debug information: with {len(done)} packages")
    return True


def check_separate(folder, options):
    """Compressed debug information, and what is in files of its own."""
    build(folder, ["g++", "-O1", "-g"], "part")
    measure(folder, options, "part")
    reference, errors = tracefile(folder, options, "part")
    expect(not errors, errors)
    whole = os.path.join(folder, "whole-part")
    shutil.copy(os.path.join(folder, "part"), whole)
    packings = [packing for packing in ("zlib", "zlib-gnu", "zstd")
                if subprocess.run(["objcopy", f"--compress-debug-sections={packing}", whole,
                                   f"{whole}.{packing}"], check=False,
                                  capture_output=True).returncode == 0]
    for packing in packings:
        os.replace(f"{whole}.{packing}", os.path.join(folder, "part"))
        same(folder, options, "part", reference, f"compressed, {packing}")
    execute(["objcopy", "--only-keep-debug", whole, "part.debug"], folder, PLAIN)
    os.unlink(os.path.join(folder, "part"))
    execute(["objcopy", "--strip-all", "--add-gnu-debuglink=part.debug", whole, "part"], folder,
            PLAIN)
    same(folder, options, "part", reference, "debug file beside")
    os.mkdir(os.path.join(folder, ".debug"))
    linked = os.path.join(folder, ".debug", "part.debug")
    os.rename(os.path.join(folder, "part.debug"), linked)
    same(folder, options, "part", reference, "debug file in .debug")
    with open(linked, "ab") as file:
        file.write(b"\0")
    text, errors = tracefile(folder, options, "part")
    expect(not text and "no debug information" in errors, f"another sum: {errors}")
    if shutil.which("dwz"):
        shutil.copy(whole, os.path.join(folder, "part"))
        shutil.copy(whole, os.path.join(folder, "second"))
        execute(["dwz", "-m", "common.dwz", "part", "second"], folder, PLAIN)
        same(folder, options, "part", reference, "dwz")
        os.unlink(os.path.join(folder, "common.dwz"))
        text, errors = tracefile(folder, options, "part")
        expect("common.dwz', is missing" in errors and
               records(text, "DA") == records(reference, "DA"), f"no common file: {errors}")
    print(f"ok   debug information compressed ({', '.join(packings)}) and in other files")
    return True


def check_takers(folder, text, what):
    """genhtml takes the tracefile, and names are ones that lcov does not cut."""
    names = collections.Counter()
    for path, *rest in records(text, "FN"):
        expect(path.startswith("/") and os.path.isfile(path), f"{what}: no source {path}")
        expect(len(rest) == 2, f"{what}: a comma in the name {rest}")
        names[path, rest[1]] += 1
    expect(not names or names.most_common(1)[0][1] == 1,
           f"{what}: twice {names.most_common(1)}")
    for kind in ("DA", "FN", "BRDA"):
        expect(all(0 < int(row[2 if kind == "FNDA" else 1]) for row in records(text, kind)),
               f"{what}: line 0")
    if shutil.which("genhtml") and text:
        with open(os.path.join(folder, "all.info"), "w", encoding="utf-8") as file:
            file.write(text)
        execute(["genhtml", "--branch-coverage", "-o", "html", "all.info"], folder, PLAIN)
        expect(os.path.exists(os.path.join(folder, "html", "index.html")), f"{what}: no page")


GO = """package main

import "fmt"

type pair struct {
	a int
	b string
}

func mixed[K comparable, V any](m map[K]V) int { return len(m) }

func main() {
	fmt.Println(mixed(map[pair]int{{1, "a"}: 2}), mixed(map[string]string{"a": "b"}))
}
"""
RUST = """#[inline(never)]
fn mixed<T: std::fmt::Debug, U: std::fmt::Debug>(a: T, b: U) -> usize { format!("{:?}{:?}", a, b).len() }
fn main() { println!("{} {}", mixed(1, "x"), mixed("a", 2.5)); }
"""
OCAML = "let () = print_endline (String.concat \",\" (List.map string_of_int [1; 2; 3]))\n"
FORTRAN = """module numbers
contains
  integer function third(n)
    integer, intent(in) :: n
    third = inner(n) * 3
  contains
    integer function inner(k)
      integer, intent(in) :: k
      inner = k + 1
    end function
  end function
end module
program main
  use numbers
  print *, third(4)
end program
"""

# Programs of other languages: file, text, command; each is whole, all of its modules are covered.
LANGUAGES = [
    ("go.go", GO, ["go", "build", "-o", "PROGRAM", "go.go"]),
    ("rust.rs", RUST, ["rustc", "-g", "-o", "PROGRAM", "rust.rs"]),
    ("rust.rs", RUST, ["rustc", "-g", "-C", "split-debuginfo=packed", "-o", "PROGRAM", "rust.rs"]),
    ("rust.rs", RUST, ["rustc", "-g", "-C", "split-debuginfo=unpacked", "-o", "PROGRAM",
                       "rust.rs"]),
    ("caml.ml", OCAML, ["ocamlopt", "-g", "-o", "PROGRAM", "caml.ml"]),
    ("fortran.f90", FORTRAN, ["gfortran", "-g", "-o", "PROGRAM", "fortran.f90"]),
    ("fortran.f90", FORTRAN, ["gfortran", "-g", "-gsplit-dwarf", "-o", "PROGRAM",
                              "fortran.f90"]),
]


def check_language(folder, options, name, text, command):
    """A tracefile of all modules has the program's own source, with the calls of its main."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    environment = {**PLAIN, "PATH": os.environ.get("PATH", PLAIN["PATH"]),
                   "GOCACHE": os.path.join(folder, "go-cache"),
                   "HOME": os.environ.get("HOME", folder)}
    try:
        execute([word.replace("PROGRAM", "spoken") for word in command], folder, environment)
    except Failure:
        return False  # not installed in whole
    execute([options.trammel, "run", "-q", "-m", "blocks", "-o", "spoken.trm", "./spoken"],
            folder, PLAIN)
    text = execute([options.trammel, "coverage", "--lcov", "spoken.trm"], folder,
                   PLAIN).decode()
    check_takers(folder, text, " ".join(command))
    source = os.path.join(folder, name)
    covered = [int(count) for path, _, count in records(text, "DA") if path == source]
    called = [row for row in records(text, "FNDA") if row[0] == source and int(row[1])]
    expect(any(covered) or called, f"{' '.join(command)}: nothing of {name}")
    return True


def check_languages(folder, options):
    """Programs of other languages, with all their libraries, as README has it."""
    done = [command for name, text, command in LANGUAGES
            if shutil.which(command[0]) and check_language(folder, options, name, text, command)]
    print(f"ok   tracefiles of {len(done)} programs of other languages")
    return True


LEFT = """#define BODY(by) { int s = x; for (int i = 0; i < x; i++) s = s * by + i; return s; }
__attribute__((noipa)) static int first(int x) BODY(3)
#line 1 "<made up>"
__attribute__((noipa)) static int made(int x) BODY(5)
#line 7 "gone.inc"
__attribute__((noipa)) static int gone(int x) BODY(7)
#line 5000 "lacking.c"
__attribute__((noipa)) static int behind(int x) BODY(11)
#line 11 "lacking.c"
int main(void) { return first(1) + made(1) + gone(1) + behind(1) == 0; }








"""


def check_left_out(folder, options):
    """Sources that do not exist, names that are none, and lines behind the end are left out."""
    with open(os.path.join(folder, "lacking.c"), "w", encoding="ascii") as file:
        file.write(LEFT)
    execute(["gcc", "-O1", "-g", "lacking.c", "-o", "lacking"], folder, PLAIN)
    for measurement in ("functions", "edges"):
        measure(folder, options, "lacking", measurement)
        text, errors = tracefile(folder, options, "lacking")
        check_takers(folder, text, "lacking")
        names = {row[2] for row in records(text, "FN")}
        expect(names == {"first", "main"}, f"functions: {names}")
        expect(re.search(r"left out of the tracefile: 1 source file that does not exist here, such "
                         r"as '\S*gone.inc' \(--keep-missing keeps them\), 1 name that is not of a "
                         r"file, [12] lines? behind the ends? of (its|their) source files?\n", errors), errors)
        text, errors = tracefile(folder, options, "lacking", "--keep-missing")
        kept = {os.path.basename(row[0]): row[2] for row in records(text, "FN")}
        expect(kept.get("gone.inc") == "gone", f"kept: {kept}")
        expect(all(row[0].startswith("/") for row in records(text, "FN")), "a relative name")
    print("ok   what a tracefile cannot have")
    return True


SPACED = """
int plain(int x);
__attribute__((noinline)) int spaced(int x) { int s = 0; for (int i = 0; i < x; i++) if (i % 3) s += i * x; return s; }
__attribute__((noinline)) int back(int x) { return x & 1 ? spaced(x) : x * 7 + spaced(2); }
__attribute__((noinline)) static int local(int x) { int s = 1; for (int i = 0; i <= x; i++) s *= 3 + i; return s + spaced(x); }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += back(i) + local(i & 1); return s == 7; }
"""


def check_names(folder, options):
    """Names with blanks and backslashes in what BOLT reads."""
    with open(os.path.join(folder, "spaced.c"), "w", encoding="ascii") as file:
        file.write(SPACED)
    execute(["gcc", "-O1", "-fcf-protection=none", "-fno-pie", "-c", "spaced.c"], folder, PLAIN)
    execute(["objcopy", "--redefine-sym", "spaced=type..eq.[10]interface {}", "--redefine-sym",
             "back=a\\b ", "spaced.o"], folder, PLAIN)
    execute(["gcc", "-no-pie", "-Wl,--emit-relocs", "spaced.o", "-o", "spaced"], folder, PLAIN)
    measure(folder, options, "spaced", "blocks")
    text = execute([options.trammel, "pbo", "--fdata", "spaced.trm"], folder, PLAIN).decode()
    branches = pbo.read_fdata(text)
    calls = collections.Counter()
    for (source, target), count in branches.items():
        if target[1] == 0 and source and source[0] != target[0]:
            calls[target[0]] += count
    expect(calls[r"type..eq.[10]interface\ {}"] == 200 and calls["a\\\\b\\ "] == 100 and
           calls["local/1"] == 100, f"calls: {calls}")
    bolt = shutil.which("llvm-bolt-16") or shutil.which("llvm-bolt")
    if bolt:
        def known(name):
            said = execute([bolt, "spaced", "-o", "spaced.bolt", f"-data={name}"], folder, PLAIN)
            return int(re.search(rb"(\d+) out of \d+ functions", said).group(1))
        with open(os.path.join(folder, "all.fdata"), "w", encoding="ascii") as file:
            file.write(text)
        with open(os.path.join(folder, "less.fdata"), "w", encoding="ascii") as file:
            file.writelines(line for line in text.splitlines(True) if "\\" not in line)
        expect(known("all.fdata") == known("less.fdata") + 2, "BOLT does not know the names")
    print("ok   names with blanks in .fdata")
    return True


CHECKS = {"split debug information": check_split, "separate debug information": check_separate,
          "tracefiles of languages": check_languages, "tracefiles": check_left_out,
          "names in fdata": check_names}
