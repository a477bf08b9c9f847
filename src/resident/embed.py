#!/usr/bin/env python3
"""Writes a binary file as a C array: embed.py IMAGE LAYOUT.h OUTPUT.c"""
import re
import sys

image = open(sys.argv[1], 'rb').read()
room = re.search(r'#define WIRE_RESIDENT_CODE\s+(\w+)', open(sys.argv[2]).read())
if len(image) > int(room[1], 0):
    sys.exit('the resident is larger than WIRE_RESIDENT_CODE')
with open(sys.argv[3], 'w') as out:
    out.write('#include "resident/resident.h"\n\n')
    out.write('const unsigned int resident_image_size = %d;\n' % len(image))
    out.write('const unsigned char resident_image[] = {\n')
    for at in range(0, len(image), 16):
        out.write('\t' + ', '.join('0x%02x' % b for b in image[at:at + 16]) + ',\n')
    out.write('};\n')
