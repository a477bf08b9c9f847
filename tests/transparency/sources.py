"""The test programs: what the comment at the head of a source says, and building it.

Head lines of a source in tests/programs, in the first comment lines (`// word: ...`):

    build: gcc -O2 -pthread       how to build it; several make variants, and are then named:
    build(O0): gcc -O0            words that end in .c, .cc or .S are further sources;
                                  a source in Go has `go build` and options
    library: libx.so lib/x.c gcc -O2      a shared library beside it, linked in
    plugin: libx.so lib/x.c gcc -O2       the same, not linked in
    helper: name lib/x.c gcc -O2          a second program beside it
    strip: yes                    strips the program (not its libraries)
    args: WORDS                   arguments of the program
    options: WORDS                options that it is measured with
    needs: root | user | WORD     skipped unless root, not root, or the command WORD exists
    status: exit 3 | signal SIGKILL       what it must end with (default: exit 0)
    output: TEXT                  a line that its standard output must have
    normalise: NAMES              see running.NORMALISERS
    settle: SECONDS               wait so long before the profile is read
    expect: function=NAME calls=N [module=PREFIX] [at-least] [or-skipped]
    expect-arc: function=NAME calls=N [caller=NAME] [kind=WORD]     with calls by call site;
                                  _ stands for a space in names
    expect-context: path=A/B/C calls=N    with call graphs: calls of C by B by A, in whatever context
    expect-left: function=NAME times=N    with edges: so often it was left where no edge leads out
    expect-absent: NAME           no row is for this function
    expect-process: program=NAME [state=TEXT] [count=N] [reason=SUBSTRING]
    expect-module: module=NAME reason=SUBSTRING    it is not measured, or not all of it
    refused: SUBSTRING            trammel must refuse it: one line with this text, exit 126; not where
                                  it only loads a library into it (regions, trace)
    not-preloaded: REASON         skipped where it does that
    not-spans: REASON             skipped where all functions are regions
    not-points: REASON            skipped where a tool has routines called at points (--tool)

A program that ends with exit status 77 cannot be run here: its output says why.
"""

import dataclasses
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from transparency import trammel
from transparency.results import Failure

FOLDER = os.path.join(trammel.ROOT, "tests", "programs")
SUFFIXES = (".c", ".cc", ".S", ".go")
# Programs are built once for all runs of the tests.
KEPT = os.path.join(trammel.ROOT, "build-check", "programs")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-warning-option", "-Wno-clobbered")
DIRECTIVE = re.compile(r"^// ([a-z-]+)(?:\(([\w-]+)\))?: (.*)$")
WORDS = {"build", "library", "plugin", "helper", "strip", "args", "options", "needs", "status",
         "output", "normalise", "settle", "expect", "expect-arc", "expect-context",
         "expect-left", "expect-absent", "expect-process", "expect-module", "refused",
         "not-preloaded", "not-spans", "not-points"}


@dataclasses.dataclass
class Source:
    """A source file and the directives at its head."""

    path: str
    directives: dict = dataclasses.field(default_factory=dict)
    builds: dict = dataclasses.field(default_factory=dict)  # variant: command

    @property
    def name(self):
        return os.path.splitext(os.path.basename(self.path))[0]

    def all(self, word):
        return self.directives.get(word, [])

    def one(self, word, default=None):
        values = self.all(word)
        return values[-1] if values else default


def read(path):
    source = Source(path)
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("//"):
                break
            match = DIRECTIVE.match(line.rstrip())
            if not match:
                continue
            word, variant, text = match.groups()
            if word not in WORDS:
                raise ValueError(f"{path}: unknown word '{word}:'")
            if word == "build":
                source.builds[variant or ""] = text
            else:
                source.directives.setdefault(word, []).append(text)
    if not source.builds:
        raise ValueError(f"{path}: no 'build:' line")
    return source


def read_all():
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith(SUFFIXES))
    return [read(os.path.join(FOLDER, name)) for name in names]


def compile_one(words, sources, target, extra=()):
    """Compiles sources with the command `words`; libraries in it go behind the sources."""
    libraries = [word for word in words if word.startswith("-l")]
    files = [word for word in words if word.endswith(SUFFIXES)]
    options = [word for word in words[1:] if word not in libraries and word not in files]
    command = [words[0], "-g0", "-D_GNU_SOURCE", *WARNINGS, *options, "-o", target,
               *(os.path.join(FOLDER, file) for file in [*sources, *files]),
               *extra, *libraries]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure("build: " + " / ".join(done.stderr.strip().splitlines()[:3]))


def build_tool(source, folder):
    """Compiles a tool; $TRAMMEL_TEST_TOOL names it then."""
    os.environ["TRAMMEL_TEST_TOOL"] = os.path.join(folder, "tool.so")
    compile_one(["gcc", "-O2", "-fPIC", "-shared", "-I" + os.path.join(trammel.ROOT, "include"), "-lm"],
                [source], os.environ["TRAMMEL_TEST_TOOL"])


def compile_go(words, source, target):
    """Compiles a source in Go; what its variants share is kept beside their folders."""
    kept = os.path.join(os.path.dirname(os.path.dirname(target)), "go-cache")
    done = subprocess.run([*words, "-o", target, os.path.join(FOLDER, source)],
                          env=os.environ | {"GOCACHE": kept, "GO111MODULE": "off", "GOFLAGS": ""},
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure("build: " + " / ".join(done.stderr.strip().splitlines()[:3]))


def compile_all(source, variant, folder):
    """Compiles the program and what belongs to it."""
    linked = []
    for word in ("library", "plugin", "helper"):
        for line in source.all(word):
            target, file, *command = shlex.split(line)
            options = [] if word == "helper" else ["-shared", "-fPIC"]
            compile_one(command + options, [file], os.path.join(folder, target))
            if word == "library":
                linked.append("-l:" + target)
    program = os.path.join(folder, source.name)
    if source.path.endswith(".go"):
        compile_go(shlex.split(source.builds[variant]), source.path, program)
        return
    extra = [f"-L{folder}", "-Wl,--no-as-needed", *linked, "-Wl,-rpath,$ORIGIN"] if linked else []
    compile_one(shlex.split(source.builds[variant]), [source.path], program, extra)
    if source.one("strip"):
        subprocess.run(["strip", program], check=True)


def files_of(source):
    """All files that may be part of the program: its own, and the folder that all share."""
    shared = os.path.join(FOLDER, "lib")
    yield source.path
    yield __file__
    for line in [*source.builds.values(), *source.all("library"), *source.all("plugin"),
                 *source.all("helper")]:
        for word in shlex.split(line):
            if word.endswith(SUFFIXES):
                yield os.path.join(FOLDER, word)
    for name in sorted(os.listdir(shared)):
        yield os.path.join(shared, name)


def key_of(source, variant):
    """What the program is made of, as a number: the sources and the compiler."""
    compiler = shutil.which(shlex.split(source.builds[variant])[0])
    digest = hashlib.sha256(variant.encode())
    if compiler:
        digest.update(f"{os.path.realpath(compiler)} {os.stat(compiler).st_mtime_ns}".encode())
    for path in files_of(source):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def build(source, variant, folder):
    """Builds the program and what belongs to it in a new folder, or copies what was built
    before; returns the program's path."""
    kept = os.path.join(KEPT, f"{source.name}-{variant}-{key_of(source, variant)}")
    if not os.path.isdir(kept):
        os.makedirs(KEPT, exist_ok=True)
        fresh = tempfile.mkdtemp(dir=KEPT)
        os.chmod(fresh, 0o755)
        try:
            compile_all(source, variant, fresh)
            os.rename(fresh, kept)
        except OSError:  # another test was faster
            if not os.path.isdir(kept):
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    # By a process of its own: none that is started beside must have the program open for writing.
    subprocess.run(["cp", "-aT", kept, folder], check=True)
    return os.path.join(folder, source.name)
