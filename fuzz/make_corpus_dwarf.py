#!/usr/bin/python3
"""Makes the seeds of dwarf_fuzz: debug information of small programs.

Usage: make_corpus_dwarf.py FOLDER. Needs gcc, clang, objcopy, dwp and llvm-dwp.
"""

import os
import struct
import subprocess
import sys
import tempfile

SECTIONS = ["info", "abbrev", "line", "str", "line_str", "str_offsets", "addr", "ranges",
            "rnglists", "cu_index"]
PROGRAM = """
namespace n { struct s { int v; int get() const { return v * 3; } }; }
static inline int twice(int x) { return x + x; }
int hot(int x) { n::s s{x}; return twice(s.get()); }
__attribute__((cold)) int cold(int x) { return x ? hot(x - 1) : 7; }
int main(int count, char **) { return hot(count) + cold(count); }
"""
SEEDS = {
    "gcc2": ["g++", "-gdwarf-2", "-gstrict-dwarf"],
    "gcc4": ["g++", "-gdwarf-4"],
    "gcc5": ["g++", "-gdwarf-5"],
    "gcc5_wide": ["g++", "-gdwarf-5", "-gdwarf64"],
    "clang4": ["clang++", "-gdwarf-4"],
    "clang5": ["clang++", "-gdwarf-5"],
    "gcc4_split": ["g++", "-gdwarf-4", "-gsplit-dwarf"],
    "gcc5_split": ["g++", "-gdwarf-5", "-gsplit-dwarf"],
    "clang4_split": ["clang++", "-gdwarf-4", "-gsplit-dwarf"],
    "clang5_split": ["clang++", "-gdwarf-5", "-gsplit-dwarf"],
}


def section(path, name, folder):
    """The bytes of a section; none if the file does not have it."""
    out = os.path.join(folder, "section")
    open(out, "wb").close()
    subprocess.run(["objcopy", "-O", "binary", f"--only-section={name}", "--set-section-flags",
                    f"{name}=alloc", path, out], check=False, capture_output=True)
    with open(out, "rb") as file:
        return file.read()


def sections(path, suffix, folder):
    found = (section(path, f".debug_{name}{suffix if name != 'cu_index' else ''}", folder)
             for name in SECTIONS)
    return b"".join(struct.pack("<I", len(data)) + data for data in found)


def main():
    target = sys.argv[1]
    os.makedirs(target, exist_ok=True)
    for name, command in SEEDS.items():
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "p.cc"), "w", encoding="ascii") as file:
                file.write(PROGRAM)
            subprocess.run([*command, "-O1", "-ffunction-sections", "-nostdlib", "-static",
                            "-Wl,-e,main", "p.cc", "-o", "p"], cwd=folder, check=True)
            seed = sections(f"{folder}/p", "", folder)
            dwo = next((entry for entry in os.listdir(folder) if entry.endswith(".dwo")), None)
            if dwo:
                with open(os.path.join(target, name), "wb") as file:
                    file.write(seed + sections(f"{folder}/{dwo}", ".dwo", folder))
                packer = "dwp" if command[0] == "g++" else "llvm-dwp"
                subprocess.run([packer, dwo, "-o", "p.dwp"], cwd=folder, check=True, timeout=60)
                seed += sections(f"{folder}/p.dwp", ".dwo", folder)
                name += "_package"
            with open(os.path.join(target, name), "wb") as file:
                file.write(seed)


if __name__ == "__main__":
    main()
