#!/usr/bin/python3
"""Writes syscall_names.h: the names of system calls by number, as this machine's headers have them.

    make_syscall_names.py CC >syscall_names.h
"""

import re
import subprocess
import sys

text = subprocess.run([*sys.argv[1:], "-dM", "-E", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                      check=True, capture_output=True, text=True).stdout
print("static const char *const syscall_names[512] = {")
for name, number in sorted(re.findall(r"#define __NR_(\w+) (\d+)", text), key=lambda row: int(row[1])):
    if int(number) < 512:
        print(f'\t[{number}] = "{name}",')
print("};")
