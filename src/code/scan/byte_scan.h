/*
 * Branches that may begin at any byte, where nothing tells which bytes are instructions.
 */
#ifndef TRAMMEL_CODE_SCAN_BYTE_SCAN_H
#define TRAMMEL_CODE_SCAN_BYTE_SCAN_H

#include "code/scan/walk.h"

/* Counts all that might be branches at any byte from `start` to walk->end. */
void byte_scan_walk(struct walk *walk, uint64_t start);

#endif
