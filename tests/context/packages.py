"""How programs that were written for LLNL's Caliper find what is installed: CMake, pkg-config, a folder."""

import functools
import os
import re
import shutil
import subprocess
import threading

from context.channels import EXAMPLES
from context.common import FOLDER, expect
from transparency import running, trammel
from transparency.results import Skip

INSTALLING = threading.Lock()
CONFIG = {"CALI_CONFIG": "runtime-report(output=stdout,region.count)"}


@functools.lru_cache(maxsize=None)
def installed(build, programs):
    """Installed once for all tests, and then moved: nothing may depend on the prefix of the build."""
    stage = os.path.join(programs, "stage")
    done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage],
                          capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"meson install: {done.stderr[-300:]}{done.stdout[-300:]}")
    folder, _, _ = next(found for found in os.walk(stage) if "include" in found[1])
    return os.path.realpath(shutil.move(folder, os.path.join(programs, "moved")))


def prefix(place):
    build = os.path.realpath(os.path.join(os.path.dirname(place.tool), "..", ".."))
    with INSTALLING:
        return installed(build, place.programs)


def one(root, name):
    """The folder below root where this file is."""
    found = [folder for folder, folders, files in os.walk(root) if name in [*files, *folders]]
    expect(found, f"'{name}' is not installed")
    return min(found, key=len)


def command(*words, folder, **variables):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False,
                          env={**running.base_environment(), **variables})
    return done.returncode, done.stdout, done.stderr


def build(*words, folder, **variables):
    status, out, err = command(*words, folder=folder, **variables)
    expect(status == 0, f"{' '.join(words)}: {err[-600:]}{out[-300:]}")
    return out


def expect_runs(place, c, cxx):
    """Both, measured as they would be with the peer, and bare."""
    for program, path in ((c, "fibonacci"), (cxx, "divide")):
        bare = running.run([program], place.folder, environment=place.environment())
        done = running.run([program], place.folder, environment={**place.environment(), **CONFIG})
        expect(bare.status == done.status and path.encode() not in bare.stdout.split(b"\n", 1)[1],
               f"{program}: {bare}")
        expect(re.search(rf"^\s+{path}\s+\S+".encode(), done.stdout, re.M), f"{program}: {done}")


def configure(place, folder, *options, languages="C;CXX"):
    if not shutil.which("cmake"):
        raise Skip("no cmake")
    return command("cmake", "-S", os.path.join(FOLDER, "package"), "-B", folder, f"-DLANGUAGES={languages}",
                   f"-DEXAMPLES={EXAMPLES}", *options, folder=place.folder)


def cmake(place):
    """The target, the variables, and the folder that is named in the ways that codes have."""
    root = prefix(place)
    folder, library = one(root, "caliper-config.cmake"), one(root, "libtrammel-cali.so.0")
    wanted = {"INCLUDE_DIR": f"{root}/include", "INCLUDE_PATH": f"{root}/include", "LIB_DIR": library,
              "LIB_PATH": library, "INSTALL_PREFIX": root, "CMAKE_DIR": folder, "VERSION": version()}
    for number, option in enumerate((f"-DCMAKE_PREFIX_PATH={root}", f"-Dcaliper_DIR={folder}",
                                     f"-DCMAKE_PREFIX_PATH={library}/trammel/caliper")):
        out_folder = os.path.join(place.folder, f"out{number}")
        status, out, err = configure(place, out_folder, option, "-DVERSION=2.5")
        expect(status == 0 and not err, f"{option}: {err[-600:]}{out[-300:]}")
        said = dict(re.findall(r"^-- ([A-Z_]+)=(.*)$", out, re.M))
        expect(said == wanted, f"{option}: {said}")
    build("cmake", "--build", out_folder, folder=place.folder)
    expect_runs(place, os.path.join(out_folder, "app-c"), os.path.join(out_folder, "app-cxx"))


def version():
    """As <caliper/caliper-config.h> has it."""
    with open(os.path.join(trammel.ROOT, "include", "caliper", "caliper-config.h"), encoding="utf-8") as file:
        return re.search(r'CALIPER_VERSION\s+"(.*)"', file.read()).group(1)


def cmake_alone(place):
    """A project in C alone; and what does not fit is refused."""
    root = prefix(place)
    option = f"-DCMAKE_PREFIX_PATH={root}"
    out_folder = os.path.join(place.folder, "c")
    status, out, err = configure(place, out_folder, option, languages="C")
    expect(status == 0 and not err, f"{err[-600:]}{out[-300:]}")
    build("cmake", "--build", out_folder, folder=place.folder)
    for asked, text in (("3", "requested version"), ("2.99", "requested version"),
                        ("1...2", "requested version"), ("2.5;COMPONENTS;mpi", "no component 'mpi'")):
        status, _, err = configure(place, os.path.join(place.folder, "bad"), option, f"-DVERSION={asked}")
        expect(status and text in " ".join(err.split()), f"{asked}: {err}")


def pkg_config(place):
    """The same by `pkg-config caliper`, in one step as Makefiles have it; and libtrammel itself."""
    if not shutil.which("pkg-config"):
        raise Skip("no pkg-config")
    root = prefix(place)
    rpath = f"-Wl,-rpath,{one(root, 'libtrammel-cali.so.0')}"
    said = ask(place, "--modversion", "caliper")
    expect(said == [version()], f"version {said}")
    expect_built(place, *ask(place, "--cflags", "--libs", "caliper"), rpath)
    program = os.path.join(place.folder, "channels")
    build("gcc", os.path.join(EXAMPLES, "channels.c"), "-o", program, *ask(place, "--cflags", "--libs", "trammel"),
          "-lm", rpath, folder=place.folder)
    expect(running.run([program], place.folder, environment=place.environment()).status == 0, "channels.c")


def ask(place, *words):
    root = prefix(place)
    return build("pkg-config", f"--define-variable=prefix={root}", *words, folder=place.folder,
                 PKG_CONFIG_PATH=one(root, "caliper.pc")).split()


def expect_built(place, *flags):
    programs = []
    for compiler, source in (("gcc", "caliper.c"), ("g++", "caliper.cc")):
        programs.append(os.path.join(place.folder, source.replace(".", "-")))
        build(compiler, os.path.join(EXAMPLES, source), "-o", programs[-1], *flags, folder=place.folder)
    expect_runs(place, *programs)


def folder(place):
    """Makefiles that are told where Caliper is, and have -lcaliper in them."""
    view = os.path.join(one(prefix(place), "libtrammel-cali.so.0"), "trammel", "caliper")
    expect_built(place, f"-I{view}/include", f"-L{view}/lib", "-lcaliper", f"-Wl,-rpath,{view}/lib")
    for tool in ("cali-query", "cali-stat", "cali2traceevent"):
        build(os.path.join(view, "bin", tool), "--help", folder=place.folder)


def moved(place):
    """Programs find libraries from where they are, and the files of pkg-config folders from where those are."""
    root = prefix(place)
    tools = one(root, "cali-query")
    program = os.path.join(place.folder, "annotated")
    build("gcc", "-I", os.path.join(root, "include"), os.path.join(EXAMPLES, "regions.c"), "-o", program, folder=place.folder)
    build(os.path.join(tools, "trammel"), "run", "-m", "regions", "-o", "moved.trm", program, folder=place.folder)
    for words in (("report", "moved.trm"), ("query", "SELECT path, count GROUP BY path", "moved.trm")):
        out = build(os.path.join(tools, "trammel"), *words, folder=place.folder)
        expect("read_input" in out or "main" in out, f"{words}: {out}")
    expect("alloc" in build(os.path.join(tools, "cali-query"), "--help=services", folder=place.folder), "services")
    status, out, err = command(os.path.join(tools, "cali-query"), "-t", "-P", "runtime-report", "moved.trm", folder=place.folder)
    expect(status == 0 and "Processing" in err + out, f"-P: {out}{err}")
    for package in ("caliper", "trammel"):
        if shutil.which("pkg-config"):
            flags = build("pkg-config", "--cflags", "--libs", package, folder=place.folder,
                          PKG_CONFIG_PATH=one(root, f"{package}.pc"))
            expect(os.path.realpath(re.search(r"-L(\S+)", flags)[1]).startswith(root), f"{package}: {flags}")


TESTS = (cmake, cmake_alone, pkg_config, folder, moved)
