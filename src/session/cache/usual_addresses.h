/* Usual addresses of trampolines, used where they are free. */
#ifndef TRAMMEL_SESSION_CACHE_USUAL_ADDRESSES_H
#define TRAMMEL_SESSION_CACHE_USUAL_ADDRESSES_H

#include "session/options/options.h"

#include <stdint.h>

/* Numbers of places to try: where one is taken, another may be free. */
#define MODULE_USUAL_ADDRESSES 4
#define MODULE_VARIANTS        50

/* Distance in bytes between the places that are tried. */
#define USUAL_ADDRESSES_VARIANT_DISTANCE (64ull << 20)

/* Distance in bytes from a module to the first of the places that are tried where the
 * usual ones are taken. */
#define USUAL_ADDRESSES_FREE_DISTANCE (128ull << 20)

/* Lowest usable address: the kernel keeps programs out of the addresses below
 * (vm.mmap_min_addr). */
#define USUAL_ADDRESSES_LOWEST 0x10000

/* Return the distance in bytes of a file's trampolines below its module (modulo 1 <<
 * 64: they can lie above it), and roughly their size in bytes. Both follow from the
 * module's size in memory: `span` is the bytes from its first to its last address,
 * `text` its bytes of text. */
uint64_t usual_addresses_distance(const struct session_options *options, const char *name,
				  unsigned int variant, uint64_t span, uint64_t text);
uint64_t usual_addresses_room(const struct session_options *options, uint64_t span,
			      uint64_t text);

/* Lowest usual address of the trampolines of a program at fixed addresses that has no
 * room below it, and the end of all of them: such programs' operands are addresses of 31
 * bits, and jumps reach no further. */
#define USUAL_ADDRESSES_FIXED     0x78000000ull
#define USUAL_ADDRESSES_FIXED_END 0x7fff0000ull

/* Returns the address of `room` bytes of trampolines, or a little more, above a program
 * whose addresses are fixed: a usual one, or a lower one that has such room. */
uint64_t usual_addresses_above(uint64_t room);

/* Returns the address of `room` bytes of trampolines, or a little more, for a program
 * whose lowest address `base` is fixed: below the program, if they have room there,
 * since its heap grows above it. */
uint64_t usual_addresses_fixed(uint64_t base, uint64_t room);

#endif
