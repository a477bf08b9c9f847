#include "session/cache/usual_addresses.h"

#include "base/table.h"

#include <string.h>

/* Trampolines lie this far below their module. Between the two the program can map a GiB
 * before it gets in the way, and the addresses that it gets from mmap are those of a bare
 * run. */
#define CODE_DISTANCE (1ull << 30)

/* Where these places are taken, since a process has mapped much: the nearest of those
 * that are tried then, each so much further away than the one before; first so many
 * below, and then above. */
#define FREE_BELOW 26u

/* These must be clear of the module itself. */
#define ABOVE_DISTANCE (384ull << 20)

/*
 * Functions relocated whole take about as much room as their modules, which lie side by
 * side. What likely needs no more room lies at the first of these distances, and cannot
 * meet then; the rest at the others: large ones, which take long to plan, where small
 * ones are not. Of two that meet all the same one gets another variant: the next
 * distance.
 */
#define LARGE (32ull << 20) /* bytes of room */

static const uint64_t whole_distances[MODULE_USUAL_ADDRESSES] = {
	640ull << 20, 960ull << 20, 1280ull << 20, 1600ull << 20};

/* More than trampolines are thought to need is kept for them. */
enum { FIXED_SPARE = 0x10000 };

uint64_t usual_addresses_room(const struct session_options *options, uint64_t span,
			      uint64_t text)
{
	/* Code of points has any size; it is mostly that of what is executed. */
	const uint64_t growth = options->points.count                     ? 24
				: options->collector->depth == PLAN_EDGES ? 7
									  : 6;

	return collector_relocates(options->collector) ? text * growth / 4 : span;
}

uint64_t usual_addresses_distance(const struct session_options *options, const char *name,
				  unsigned int variant, uint64_t span, uint64_t text)
{
	enum { OTHERS = MODULE_USUAL_ADDRESSES - 1 };
	const uint64_t free = variant - MODULE_USUAL_ADDRESSES;
	const uint64_t room = usual_addresses_room(options, span, text);
	uint64_t place = variant;

	if (variant >= MODULE_USUAL_ADDRESSES + FREE_BELOW)
		return -(ABOVE_DISTANCE +
			 (free - FREE_BELOW) * USUAL_ADDRESSES_VARIANT_DISTANCE);
	if (variant >= MODULE_USUAL_ADDRESSES)
		return USUAL_ADDRESSES_FREE_DISTANCE +
		       free * USUAL_ADDRESSES_VARIANT_DISTANCE;
	if (!collector_relocates(options->collector))
		return CODE_DISTANCE - variant * USUAL_ADDRESSES_VARIANT_DISTANCE;
	/* The first one last, the others in an order that its neighbours have not. */
	if (room > span) {
		uint64_t begin = room < LARGE
					 ? hash_bytes(name, strlen(name)) % (OTHERS - 1)
					 : OTHERS - 1;

		place = variant == OTHERS ? 0 : 1 + (begin + variant) % OTHERS;
	}
	return whole_distances[place];
}

uint64_t usual_addresses_above(uint64_t room)
{
	const uint64_t most = USUAL_ADDRESSES_FIXED_END - USUAL_ADDRESSES_FIXED,
		       half = USUAL_ADDRESSES_FIXED_END / 2;
	const uint64_t size = room < half ? room : half;

	return size <= most ? USUAL_ADDRESSES_FIXED
			    : (USUAL_ADDRESSES_FIXED_END - size) & -(uint64_t)FIXED_SPARE;
}

uint64_t usual_addresses_fixed(uint64_t base, uint64_t room)
{
	const uint64_t size = room + FIXED_SPARE;

	return base > USUAL_ADDRESSES_LOWEST + size
		       ? (base - size) & -(uint64_t)FIXED_SPARE
		       : usual_addresses_above(size);
}
