/* Named pieces of memory, and what addresses are in them. */
#ifndef TRAMMEL_CALI_TRACK_H
#define TRAMMEL_CALI_TRACK_H

#include "runtime/process/caliper_host.h"

#include <stddef.h>
#include <stdint.h>

/* Functions by which the runtime names blocks of the heap. */
extern const struct trm_runtime_heap own_heap;

/* Notes that the values of this attribute are addresses. */
void own_note_address(trm_attribute attribute);

enum { OWN_PLACE_VALUES = 3 };

/* The values that describe an address: label, number and index in the piece of memory. */
struct own_place {
	trm_attribute attributes[OWN_PLACE_VALUES];
	struct trm_value values[OWN_PLACE_VALUES];
	char label[256];
};

/* Writes the values that describe `address` to `place`. Returns their number: 0 if the
 * address is in no named piece, the attribute does not hold addresses, or no channel
 * asks. */
size_t own_resolve(trm_attribute attribute, uint64_t address, struct own_place *place);

#endif
