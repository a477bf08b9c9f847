#!/usr/bin/python3
"""Writes the wrappers of all functions that mpi.h declares: generate.py TABLE OUTPUT CC WORD...

The prototypes are those of the MPI library that is there, what is said of a function besides its
call comes from the table. A wrapper calls the function of the MPI library, around it begins and
ends the region of the function, and does what the table has.
"""

import fnmatch
import re
import subprocess
import sys

KINDS = ("local", "first", "before", "after", "always")
PROTOTYPE = re.compile(r"\bint\s+(MPI_\w+)\s*\(([^;{}()]*)\)\s*[^;(){}]*"
                       r"(?:__attribute__\s*\(\(.*?\)\))?\s*;", re.S)
PARAMETER = re.compile(r"(\w+)\s*((?:\[\w*\]\s*)*)$")

WRAPPER = """
__attribute__((visibility("default"))) int {name}({parameters})
{{
	static __typeof__(P{name}) *next;
	static struct trm_site site = {{"mpi.function", "{name}", 0, 0, 0, 0}};
	struct mpi_call call;
	int outcome;
{local}
	if (!next)
		next = (__typeof__(next))mpi_next("P{name}");
{first}	if (!mpi_begin(&call, &site))
		return next({arguments});
{before}	outcome = next({arguments});
{after}{always}	mpi_end(&call);
	return outcome;
}}
"""


def read_table(path):
    """[(patterns, {kind: [line]})], and the patterns of functions without a wrapper."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"(?m)^#.*\n", "", file.read())
    rows, without = [], []
    for heading, body in re.findall(r"\[([^\]]*)\]([^\[]*?)(?=\n\[|\Z)", text):
        if heading.startswith("without:"):
            without += heading.split()[1:]
            continue
        row = {kind: [] for kind in KINDS}
        for line in filter(None, map(str.strip, body.split("\n"))):
            kind, statement = line.split(":", 1)
            row[kind].append(statement.strip())
        rows.append((heading.split(), row))
    return rows, without


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def prototypes(command):
    """{name: [(declaration, name of the parameter)]}; those with variable arguments left out."""
    text = subprocess.run([*command, "-E", "-P", "-include", "mpi.h", "-x", "c", "/dev/null"],
                          check=True, capture_output=True, text=True).stdout
    found = {}
    for name, words in PROTOTYPE.findall(text):
        words = " ".join(words.split())
        if words.endswith("..."):
            continue
        declarations = [] if words == "void" else words.split(",")
        found[name] = [(word.strip(), PARAMETER.search(word.strip()).group(1))
                       for word in declarations]
    return found


def wrapper(name, parameters, row):
    def lines(kind, indent="\t"):
        return "".join(f"{indent}{line}\n" for line in row[kind])

    after = lines("after", "\t\t")
    return WRAPPER.format(
        name=name, parameters=", ".join(declaration for declaration, _ in parameters) or "void",
        arguments=", ".join(argument for _, argument in parameters), local=lines("local"),
        first=lines("first"), before=lines("before"), always=lines("always"),
        after=f"\tif (outcome == MPI_SUCCESS) {{\n{after}\t}}\n" if after else "")


def main():
    table, output, *command = sys.argv[1:]
    rows, without = read_table(table)
    found = prototypes(command)
    parts = ["/* Made by generate.py. */\n#include \"mpi/calls.h\"\n"]
    used = set()
    for name, parameters in sorted(found.items()):
        if matches(name, without):
            continue
        row = {kind: [] for kind in KINDS}
        for number, (patterns, known) in enumerate(rows):
            if matches(name, patterns):
                row = known
                used.add(number)
                break
        parts.append(wrapper(name, parameters, row))
    if len(used) != len(rows):
        missing = [rows[number][0] for number in range(len(rows)) if number not in used]
        sys.exit(f"generate.py: no function in mpi.h for {missing}")
    with open(output, "w", encoding="utf-8") as file:
        file.write("".join(parts))


if __name__ == "__main__":
    main()
