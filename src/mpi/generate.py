#!/usr/bin/python3
"""Writes the wrappers of all functions that mpi.h declares: generate.py TABLE OUTPUT CC WORD...

Those of C, and what Fortran calls: a subroutine with the same arguments by reference, and an error
code, under two names (those of mpif.h and `use mpi`, and of `use mpi_f08`). What needs C's requests and
messages is not done there.

The prototypes are those of the MPI library that is there, what is said of a function besides its
call comes from the table. A wrapper calls the function of the MPI library, around it begins and
ends the region of the function, and does what the table has.
"""

import fnmatch
import re
import subprocess
import sys

KINDS = ("local", "first", "before", "after", "always")
ROOM = ("calls", "fortran", "gather", "reduce", "requests")
PROTOTYPE = re.compile(r"\bint\s+(MPI_\w+)\s*\(([^;{}()]*)\)\s*[^;(){}]*"
                       r"(?:__attribute__\s*\(\(.*?\)\))?\s*;", re.S)
PARAMETER = re.compile(r"(\w+)\s*((?:\[\w*\]\s*)*)$")

# Handles are addresses with one MPI library and numbers of 32 bits with another. A library that
# was made for the one must pass on those of the other, so they are as wide as can be.
HANDLE = re.compile(r"(MPI_(?:Comm|Datatype|Errhandler|File|Group|Info|Message|Op|Request|Session|"
                    r"Win)) (\w+)")

WRAPPER = """
__attribute__((visibility("default"))) int wrap_{name}({parameters}) __asm__("{name}");
int wrap_{name}({parameters})
{{
	static int (*next)({parameters});
	static struct trm_site site = {{"mpi.function", "{name}", 0, 0, 0, 0}};
	struct mpi_call call;
	int outcome;
{local}
	if (!next)
		next = (__typeof__(next))mpi_next("P{name}");
{first}	if (!mpi_begin(&call, &site))
		return next({arguments});
{given}{before}	outcome = next({arguments});
{after}{always}	mpi_end(&call);
	return outcome;
}}
"""

# With pointers for arguments whatever they are; `given` has what the table's lines refer to.
FORTRAN_WRAPPER = """
__attribute__((visibility("default"))) void {symbol}({parameters});
__attribute__((visibility("default"))) void {symbol}({parameters})
{{
	static void (*next)({types});
	static struct trm_site site = {{"mpi.function", "{name}", 0, 0, 0, 0}};
	struct mpi_call call;
{local}
	if (!next)
		next = (__typeof__(next))mpi_next("p{symbol}");
{first}	if (!mpi_begin(&call, &site)) {{
		next({arguments});
		return;
	}}
{given}{before}	next({arguments});
{after}	mpi_end(&call);
}}
"""

# Declarations of parameters, and the same value from a Fortran argument; {0}: its name.
CONVERSIONS = (
    (r"int (\w+)", "const int {0} = *(const int *)f_{0};"),
    (r"MPI_Comm (\w+)", "const MPI_Comm {0} = mpi_comm_of(f_{0});"),
    (r"MPI_Datatype (\w+)", "const MPI_Datatype {0} = mpi_type_of(f_{0});"),
    (r"(?:const )?int (\w+)\[\]", "const int *{0} = f_{0};"),
    (r"(?:const )?void \*(\w+)", "const void *{0} = mpi_buffer_of(f_{0});"),
)


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


# Names of parameters that MPI libraries have for the standard's.
RENAMED = {"indx": "index"}


def standard(declaration):
    return re.sub(r"\w+", lambda word: RENAMED.get(word.group(), word.group()), declaration)


def prototypes(command):
    """{name: [(declaration, name of the parameter)]}; those with variable arguments left out."""
    text = subprocess.run([*command, "-E", "-P", "-include", "mpi.h", "-x", "c", "/dev/null"],
                          check=True, capture_output=True, text=True).stdout
    found = {}
    for name, words in PROTOTYPE.findall(text):
        words = " ".join(words.split())
        if words.endswith("..."):
            continue
        declarations = [] if words == "void" else standard(words).split(",")
        found[name] = [(word.strip(), PARAMETER.search(word.strip()).group(1))
                       for word in declarations]
    return found


def wrapper(name, parameters, row):
    def lines(kind, indent="\t"):
        return "".join(f"{indent}{line}\n" for line in row[kind])

    words = set(re.findall(r"\w+", " ".join(sum(row.values(), []))))
    after = lines("after", "\t\t")
    wide, arguments, given = [], [], ""
    for declaration, argument in parameters:
        handle = HANDLE.fullmatch(declaration)
        wide.append(f"uintptr_t wide_{argument}" if handle else declaration)
        arguments.append(f"wide_{argument}" if handle else argument)
        if handle and argument in words:
            given += f"\tconst {handle[1]} {argument} = ({handle[1]})wide_{argument};\n"
    return WRAPPER.format(
        name=name, parameters=", ".join(wide) or "void", arguments=", ".join(arguments),
        local=lines("local"), first=lines("first"), given=given, before=lines("before"),
        always=lines("always"),
        after=f"\tif (outcome == MPI_SUCCESS) {{\n{after}\t}}\n" if after else "")


def conversions(parameters):
    """{name: declaration} of what can be had of a Fortran argument."""
    found = {}
    for declaration, name in parameters:
        for pattern, form in CONVERSIONS:
            if re.fullmatch(pattern, declaration):
                found[name] = form.format(name)
    return found


def fortran_lines(parameters, row, known):
    """The lines of the table that can be done, by kind."""
    others = {name for _, name in parameters} - set(known) | {"own", "waiting"}
    if "MPI_Status own;" in row["local"]:
        known["status"] = "const MPI_Status *status = &own;"
        others.discard("status")
    return {kind: [line for line in row[kind] if not others & set(re.findall(r"\w+", line))
                   and not line.startswith("status =")] for kind in KINDS}


def fortran_wrapper(symbol, name, parameters, row):
    known = conversions(parameters)
    lines = fortran_lines(parameters, row, known)
    words = set(re.findall(r"\w+", " ".join(lines["before"] + lines["after"])))
    status = "status" in words
    given = [form for name, form in known.items() if name in words]
    arguments = [f"f_{name}" for _, name in parameters] + ["f_error"]
    if status:
        lines["before"].append("f_status = mpi_status_of(f_status, own_words);")
        lines["after"].insert(0, "mpi_status_take(f_status, &own);")

    def text(some, indent="\t"):
        return "".join(f"{indent}{line}\n" for line in some)

    after = text(lines["after"], "\t\t")
    return FORTRAN_WRAPPER.format(
        symbol=symbol, name=name, arguments=", ".join(arguments),
        parameters=", ".join(f"void *{argument}" for argument in arguments),
        types=", ".join("void *" for _ in arguments), first=text(lines["first"]),
        given=text(given), before=text(lines["before"]),
        local=text(["MPI_Status own;", "MPI_Fint own_words[MPI_STATUS_WORDS];"] if status else []),
        after=f"\tif (!mpi_failed(f_error)) {{\n{after}\t}}\n" if after else "")


def fortran_wrappers(name, parameters, row):
    """None of those with texts, whose lengths are arguments, too."""
    parameters = [pair for pair in parameters if pair[1] not in ("argc", "argv")]
    if any(re.search(r"\bchar\b", declaration) for declaration, _ in parameters):
        return ""
    return "".join(fortran_wrapper(name.lower() + suffix, name, parameters, row)
                   for suffix in ("_", "_f08_"))


def list_of(text):
    """All wrappers by the names of what they wrap."""
    found = re.findall(r'int (wrap_\w+)\([^)]*\) __asm__\("(\w+)"\);', text)
    found += [(name, name) for name in re.findall(r'\)\)\) void (\w+)\([^)]*\);', text)]
    rows = "".join(f"\t{{\"{name}\", (void *){wrapper}}},\n" for wrapper, name in found)
    return ("\nconst struct runtime_wrapper mpi_wrappers[] = {\n" + rows + "};\n"
            f"const size_t mpi_wrapper_count = {len(found)};\n")


def main():
    table, output, *command = sys.argv[1:]
    rows, without = read_table(table)
    found = prototypes(command)
    parts = ["/* Made by generate.py. */\n", *[f"#include \"mpi/{name}.h\"\n" for name in ROOM]]
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
        parts.append(fortran_wrappers(name, parameters, row))
    if len(used) != len(rows):
        missing = [rows[number][0] for number in range(len(rows)) if number not in used]
        sys.exit(f"generate.py: no function in mpi.h for {missing}")
    parts.append(list_of("".join(parts)))
    with open(output, "w", encoding="utf-8") as file:
        file.write("".join(parts))


if __name__ == "__main__":
    main()
