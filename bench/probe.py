#!/usr/bin/python3
"""Measures what a hit of a one-line probe costs.

Usage: bench/probe.py [--trammel PATH] [--calls N] [--repeat N]

A program calls a function of a few instructions N times, bare and with probes; the difference of the
best user times, divided by N, is the cost of a hit. Where the kernel allows uprobes (bpftrace is there, and
the user is root) one with count() is measured, too; else about 1 us is what its users report.
"""

import argparse
import os
import resource
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = """
__attribute__((noinline, noclone)) long probed(long value)
{
	__asm__ volatile(".nops 8" : : : "memory");
	return value ^ 1;
}
int main(int argc, char **argv)
{
	long sink = 0, calls = CALLS;
	for (long i = 0; i < calls; i++)
		sink += probed(i);
	return sink == 42;
}
"""
PROBES = {
    "count()": ["probed { count() }"],
    "sum(arg0)": ["probed { sum(arg0) }"],
    "hist(arg0)": ["probed { hist(arg0) }"],
    "hist(ns) at the return": ["probed@return { hist(ns) }"],
    "count() by arg0 & 7": ["probed { count() by arg0 & 7 }"],
}


def user_seconds(command, repeat):
    best = None
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        best = spent if best is None else min(best, spent)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--calls", type=int, default=100000000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "calls")
        source = SOURCE.replace("CALLS", str(options.calls) + "L")
        subprocess.run(["gcc", "-O2", "-x", "c", "-", "-o", program], input=source, text=True,
                       check=True)
        bare = user_seconds([program], options.repeat)
        print(f"{'bare':28} {bare / options.calls * 1e9:8.2f} ns a call")
        for name, probes in PROBES.items():
            command = [options.trammel, "run", "--quiet", "-o", os.path.join(folder, "p.trm")]
            for probe in probes:
                command += ["--probe", probe]
            # Once to fill the cache of plans.
            user_seconds([*command, "--", program], 1)
            spent = user_seconds([*command, "--", program], options.repeat)
            print(f"{name:28} {(spent - bare) / options.calls * 1e9:8.2f} ns a hit")
        if not shutil.which("bpftrace") or os.geteuid():
            print("uprobe: not measured here; about 1000 ns a hit is reported of bpftrace")
            return
        few = options.calls // 100
        small = os.path.join(folder, "few")
        subprocess.run(["gcc", "-O2", "-x", "c", "-", "-o", small], text=True, check=True,
                       input=SOURCE.replace("CALLS", f"{few}L"))
        spent = user_seconds(["bpftrace", "-e", f"uprobe:{small}:probed {{ @ = count(); }}", "-c",
                              small], options.repeat)
        print(f"{'uprobe, count()':28} {spent / few * 1e9:8.2f} ns a hit")


if __name__ == "__main__":
    main()
