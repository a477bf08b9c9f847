/* Where trampolines go where nothing is in their way. */
#ifndef TRAMMEL_SESSION_CACHE_USUAL_ADDRESSES_H
#define TRAMMEL_SESSION_CACHE_USUAL_ADDRESSES_H

#include "session/options/options.h"

#include <stdint.h>

/* Where one place is taken, another one may be free. */
#define MODULE_USUAL_ADDRESSES 4
#define MODULE_VARIANTS        50

/* Between the places that are tried. */
#define USUAL_ADDRESSES_VARIANT_DISTANCE (64ull << 20)

/* How far from a module the first of the places lies that are tried where the usual ones
 * are taken. */
#define USUAL_ADDRESSES_FREE_DISTANCE (128ull << 20)

/* The kernel keeps programs out of what lies below (vm.mmap_min_addr). */
#define USUAL_ADDRESSES_LOWEST 0x10000

/* How far below its module the trampolines of a file lie (modulo 1 << 64: they can lie
 * above it), and about how many bytes they are, by what it has in memory: bytes from its
 * first to its last address, and of text.
 */
uint64_t usual_addresses_distance(const struct session_options *options, const char *name,
				  unsigned int variant, uint64_t span, uint64_t text);
uint64_t usual_addresses_room(const struct session_options *options, uint64_t span,
			      uint64_t text);

/* Where the trampolines of a program at fixed addresses lie that have no room below it.
 */
#define USUAL_ADDRESSES_FIXED 0x78000000ull

/* Where those of a program lie whose lowest address is fixed, and that take so many
 * bytes, or a little more: below it, if they have room there, since its heap grows above
 * it. */
uint64_t usual_addresses_fixed(uint64_t base, uint64_t room);

#endif
