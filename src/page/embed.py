#!/usr/bin/env python3
"""Writes an assembly file that holds a file: embed.py OUTPUT.S [FILE]"""
import hashlib
import os
import sys

path = sys.argv[2] if len(sys.argv) > 2 else None
with open(sys.argv[1], 'w') as out:
    if path:
        # The hash makes this file change with the other.
        out.write('/* %s */\n' % hashlib.sha256(open(path, 'rb').read()).hexdigest())
    out.write('\t.section .rodata\n\t.globl page_template, page_template_size\npage_template:\n')
    if path:
        out.write('\t.incbin "%s"\n' % os.path.abspath(path))
    out.write('page_template_end:\n\t.balign 4\npage_template_size:\n'
              '\t.long page_template_end - page_template\n'
              '\t.section .note.GNU-stack, "", @progbits\n')
