/* What the files of the compatible interface share. */
#ifndef TRAMMEL_CALI_OWN_H
#define TRAMMEL_CALI_OWN_H

#include "caliper/cali-channel.h"
#include "caliper/cali.h"
#include "runtime/host.h"

#define PUBLIC __attribute__((visibility("default")))

/* Ids up to this one are those of the nodes that the peer's readers know beforehand; an
 * attribute of the runtime has its number behind them. */
enum { OWN_IDS_BEFORE = 11 };

static inline cali_id_t own_id(trm_attribute number)
{
	return (cali_id_t)number + OWN_IDS_BEFORE;
}

/* 0: no attribute has this id. */
static inline trm_attribute own_number(cali_id_t attribute)
{
	return attribute - OWN_IDS_BEFORE <= UINT32_MAX
		       ? (trm_attribute)(attribute - OWN_IDS_BEFORE)
		       : 0;
}

/* The runtime; NULL before own_init(), and where it cannot be had. */
extern const struct trm_runtime_host *own_host;

/* Makes it ready, once. */
void own_init(void);

static inline bool own_ready(void)
{
	if (__builtin_expect(!own_host, 0))
		own_init();
	return own_host != NULL;
}

enum { OWN_CHANNELS = CALI_CHANNELS_MAX };

/* The channels that a number stands for; NULL: none. */
struct trm_channels *own_channel(cali_id_t channel);
/* Gives them a number; they are destroyed where there is none: CALI_INV_ID. */
cali_id_t own_add_channel(struct trm_channels *channels, const char *name);
/* What sees its events; NULL: nobody does. */
struct trm_channels *own_watch(cali_id_t channel);
/* An attribute was made. */
void own_tell_attribute(cali_id_t attribute);
/* A snapshot was asked for; CALI_INV_ID: in all channels that are active. */
void own_tell_snapshot(cali_id_t channel, int n, const cali_id_t attributes[],
		       const cali_variant_t values[]);
/* An event of a value that the channel alone has. */
void own_tell_value(cali_id_t channel, enum cali_event_kind kind, cali_id_t attribute,
		    cali_variant_t value);
/* Memory has a name from now on, and has it no more. */
void own_tell_track(const void *place, const char *label, size_t element_size,
		    const size_t *dimensions, size_t dimension_count);
void own_tell_untrack(const void *place);
/* Names blocks of the heap. */
extern const struct trm_runtime_heap own_heap;
/* Nobody sees them any more. */
void own_forget(cali_id_t channel);

/* Values of the one kind as the other. Texts are not copied. */
struct trm_value own_value(cali_variant_t variant);
cali_variant_t own_variant(uint32_t type, const struct trm_value *value);
/* enum trm_type, and back; CALI_TYPE_PTR is an address. */
uint32_t own_type(cali_attr_type type);
cali_attr_type own_cali_type(uint32_t type);

/* The values of this attribute are addresses. */
void own_note_address(trm_attribute attribute);

enum { OWN_PLACE_VALUES = 3 };

/* What is said of an address: label, number and index in the piece of memory. */
struct own_place {
	trm_attribute attributes[OWN_PLACE_VALUES];
	struct trm_value values[OWN_PLACE_VALUES];
	char label[256];
};

/* How many values there are: 0 where the address is in no piece that the program named,
 * the attribute is none of addresses, or no channel asks. */
size_t own_resolve(trm_attribute attribute, uint64_t address, struct own_place *place);

/* A number, the less the shorter: at most 10 bytes. Returns how many they are. */
size_t own_pack(uint64_t number, unsigned char *bytes);
/* Adds how many bytes were read to `read`. */
uint64_t own_unpack(const unsigned char *bytes, size_t *read);

#endif
