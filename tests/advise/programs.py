"""The programs of this folder: how each is built and measured, by its head."""

import dataclasses
import os
import re
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
VARIANTS = ("HIT", "MENDED", "MISS")


@dataclasses.dataclass
class Program:
    name: str
    source: str
    build: list     # compiler and options
    measures: list  # of `trammel run`, a list of words for each run
    rule: str
    function: str   # that the finding is about; "" if it is about none


def field(text, name):
    return re.findall(rf"^ \* {name}: (.*)$", text, re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    rule, _, function = field(text, "finding")[0].partition(" ")
    return Program(os.path.splitext(os.path.basename(path))[0], path,
                   shlex.split(field(text, "build")[0]),
                   [shlex.split(line) for line in field(text, "measure")], rule, function)


def programs():
    return [read(os.path.join(HERE, name)) for name in sorted(os.listdir(HERE))
            if name.endswith((".c", ".cc"))]


def compile_one(program, variant, folder):
    """The path of the executable, whose name is the program's."""
    place = os.path.join(folder, variant)
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, program.name)
    subprocess.run([*program.build, f"-D{variant}", "-o", path, program.source], check=True)
    return path


def measure(trammel, program, executable, *rounds):
    """The profiles of all its runs, and what the program printed in each."""
    profiles, outputs = [], []
    for number, words in enumerate(program.measures):
        profile = f"{executable}.{number}.trm"
        done = subprocess.run([trammel, "run", "-q", "-o", profile, *words, "--", executable, *rounds],
                              capture_output=True, text=True, check=True)
        profiles.append(profile)
        outputs.append(done.stdout)
    return profiles, outputs
