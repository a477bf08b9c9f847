"""Times of regions hold nothing of what planning takes, in runs with nothing kept."""

import os
import subprocess

from context import common
from context.common import expect, text_of
from transparency import running

FUNCTIONS = 2000
LIBRARY = "".join(f"int f{i}(int x) {{ return x & 1 ? x * {i} : x + {i}; }}\n"
                  for i in range(FUNCTIONS))
LIBRARY += "int run(int x) {\n" + "".join(f"x += f{i}(x);\n" for i in range(0, FUNCTIONS, 8))
LIBRARY += "return x; }\n"
PROGRAM = """
#include <trammel/annotate.h>
#include <dlfcn.h>
int main(int argc, char **argv)
{
	int sum = argc;
	trm_begin("outer", 1);
	trm_begin("open", 1);
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*run)(int) = library ? (int (*)(int))dlsym(library, "run") : 0;
	trm_end("open");
	if (!run)
		return 1;
	trm_begin("first", 1);
	sum += run(sum);
	trm_end("first");
	trm_end("outer");
	return sum == 1;
}
"""


def compile_text(place, name, text, *options):
    source = os.path.join(place.folder, name + ".c")
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run(["gcc", "-O0", *common.FLAGS, *options, "-o", os.path.join(place.folder, name), source],
                   check=True)
    return os.path.join(place.folder, name)


def check(place, measure, **variables):
    """A quarter of all planning, that of the library, is done while regions are open: none is theirs."""
    program = compile_text(place, "opens", PROGRAM)
    library = compile_text(place, "many.so", LIBRARY, "-shared", "-fPIC")
    bare = place.bare(library, program=program)
    measured = place.run(library, program=program, measure=measure, options=["--only", "many.so:*"], environment={
        **place.environment(), **variables, "XDG_CACHE_HOME": os.path.join(place.folder, "kept")})
    problems = running.compare(bare, measured)
    expect(not problems, "; ".join(problems))
    profile = place.read()
    regions = sum(record["time.ns"] for record in profile.paths if text_of(record).startswith("outer"))
    planning = profile.globals["run.instrument.ns"]
    profile.expect_all({"outer=1": 1, "outer=1/open=1": 1, "outer=1/first=1": 1})
    expect(regions < planning / 8, f"{measure}: regions {regions} ns, planning {planning} ns")


def whole(place):
    """The thread stands while all functions of a library are planned."""
    check(place, "callgraph,regions")


def lazy(place):
    """It asks for each function that it calls for the first time."""
    check(place, "edges,regions", TRAMMEL_LAZY="always")


TESTS = (whole, lazy)
