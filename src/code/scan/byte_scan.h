/*
 * Search for branches at any byte, where it is unknown which bytes are instructions.
 */
#ifndef TRAMMEL_CODE_SCAN_BYTE_SCAN_H
#define TRAMMEL_CODE_SCAN_BYTE_SCAN_H

#include "code/scan/walk.h"

/* Notes all possible branches at any byte from `start` to walk->end. */
void byte_scan_walk(struct walk *walk, uint64_t start);

#endif
