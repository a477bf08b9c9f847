/* Declarations shared by the files of the compatible interface. */
#ifndef TRAMMEL_CALI_OWN_H
#define TRAMMEL_CALI_OWN_H

#include "caliper/cali-channel.h"
#include "caliper/cali.h"
#include "runtime/process/caliper_host.h"

#define PUBLIC __attribute__((visibility("default")))

/* Caliper's readers know the nodes with ids up to this one beforehand. The id of an
 * attribute of the runtime is its number plus this. */
enum { OWN_IDS_BEFORE = 11 };

static inline cali_id_t own_id(trm_attribute number)
{
	return (cali_id_t)number + OWN_IDS_BEFORE;
}

/* The runtime's number of an attribute with this id; 0 if there is none. */
static inline trm_attribute own_number(cali_id_t attribute)
{
	return attribute - OWN_IDS_BEFORE <= UINT32_MAX
		       ? (trm_attribute)(attribute - OWN_IDS_BEFORE)
		       : 0;
}

/* The runtime; NULL before own_init(), and where it cannot be loaded. */
extern const struct trm_runtime_host *own_host;

/* Loads the runtime and sets own_host, once. */
void own_init(void);

static inline bool own_ready(void)
{
	if (__builtin_expect(!own_host, 0))
		own_init();
	return own_host != NULL;
}

enum { OWN_CHANNELS = CALI_CHANNELS_MAX };

/* The channels with this number; NULL if there are none. */
struct trm_channels *own_channel(cali_id_t channel);
/* Gives channels a number and returns it. If no number is free they are destroyed:
 * CALI_INV_ID. */
cali_id_t own_add_channel(struct trm_channels *channels, const char *name);
/* The channels whose events a callback of this channel receives; NULL without callbacks.
 */
struct trm_channels *own_watch(cali_id_t channel);
/* Tells the callbacks that an attribute was created. */
void own_tell_attribute(cali_id_t attribute);
/* Tells the callbacks that a snapshot of `n` values was asked for, in this channel; in
 * all active channels if it is CALI_INV_ID. */
void own_tell_snapshot(cali_id_t channel, int n, const cali_id_t attributes[],
		       const cali_variant_t values[]);
/* Tells the callbacks of an event that concerns this channel alone. */
void own_tell_value(cali_id_t channel, enum cali_event_kind kind, cali_id_t attribute,
		    cali_variant_t value);
/* Tells the callbacks that memory at `place` got the name `label` (element_size: bytes),
 * or lost it. */
void own_tell_track(const void *place, const char *label, size_t element_size,
		    const size_t *dimensions, size_t dimension_count);
void own_tell_untrack(const void *place);
/* Functions by which the runtime names blocks of the heap. */
extern const struct trm_runtime_heap own_heap;
/* Drops the callbacks of a channel. */
void own_forget(cali_id_t channel);

/* Convert values between the two interfaces. Texts are not copied. */
struct trm_value own_value(cali_variant_t variant);
cali_variant_t own_variant(uint32_t type, const struct trm_value *value);
/* Convert between enum trm_type and Caliper's types; CALI_TYPE_PTR is an address. */
uint32_t own_type(cali_attr_type type);
cali_attr_type own_cali_type(uint32_t type);

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

/* Writes a number to `bytes`, in fewer bytes if it is smaller, at most 10. Returns the
 * number of bytes. */
size_t own_pack(uint64_t number, unsigned char *bytes);
/* Reads a number that own_pack wrote. Adds the number of bytes to *read. */
uint64_t own_unpack(const unsigned char *bytes, size_t *read);

#endif
