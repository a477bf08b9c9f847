/*
 * A profile of blocks in the forms that compilers and linkers read.
 */
#ifndef TRAMMEL_DERIVE_PBO_H
#define TRAMMEL_DERIVE_PBO_H

#include "derive/walk.h"

/* The number of the module's functions by outcome. */
struct pbo_result {
	size_t written;
	size_t nameless;  /* without a symbol (BOLT) or debug information (AutoFDO) */
	size_t without;   /* without a graph (BOLT) */
	size_t uncounted; /* executed, without counts of blocks */
};

#endif
