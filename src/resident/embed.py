#!/usr/bin/env python3
"""Writes a binary file as a C array: embed.py IMAGE OUTPUT.c"""
import sys

image = open(sys.argv[1], 'rb').read()
if len(image) > 0x2000:
    sys.exit('the resident is larger than WIRE_RESIDENT_SIZE')
with open(sys.argv[2], 'w') as out:
    out.write('#include "resident/resident.h"\n\n')
    out.write('const unsigned int resident_image_size = %d;\n' % len(image))
    out.write('const unsigned char resident_image[] = {\n')
    for at in range(0, len(image), 16):
        out.write('\t' + ', '.join('0x%02x' % b for b in image[at:at + 16]) + ',\n')
    out.write('};\n')
