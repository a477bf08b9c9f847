/* What the files of the compatible interface share. */
#ifndef TRAMMEL_CALI_OWN_H
#define TRAMMEL_CALI_OWN_H

#include "caliper/cali-channel.h"
#include "caliper/cali.h"
#include "runtime/host.h"

#define PUBLIC __attribute__((visibility("default")))

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
/* Nobody sees them any more. */
void own_forget(cali_id_t channel);

/* Values of the one kind as the other. Texts are not copied. */
struct trm_value own_value(cali_variant_t variant);
cali_variant_t own_variant(uint32_t type, const struct trm_value *value);
/* enum trm_type, and back; CALI_TYPE_PTR is an address. */
uint32_t own_type(cali_attr_type type);
cali_attr_type own_cali_type(uint32_t type);

/* The values of this attribute are addresses. */
void own_note_address(cali_id_t attribute);

enum { OWN_PLACE_VALUES = 3 };

/* What is said of an address: label, number and index in the piece of memory. */
struct own_place {
	trm_attribute attributes[OWN_PLACE_VALUES];
	struct trm_value values[OWN_PLACE_VALUES];
	char label[256];
};

/* How many values there are: 0 where the address is in no piece that the program named,
 * the attribute is none of addresses, or no channel asks. */
size_t own_resolve(cali_id_t attribute, uint64_t address, struct own_place *place);

/* A number, the less the shorter: at most 10 bytes. Returns how many they are. */
size_t own_pack(uint64_t number, unsigned char *bytes);
/* Adds how many bytes were read to `read`. */
uint64_t own_unpack(const unsigned char *bytes, size_t *read);

#endif
