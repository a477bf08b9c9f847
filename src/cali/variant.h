/* Values and types of both interfaces, and numbers in few bytes. */
#ifndef TRAMMEL_CALI_VARIANT_H
#define TRAMMEL_CALI_VARIANT_H

#include "caliper/cali.h"
#include "runtime/process/caliper_host.h"

#include <stddef.h>
#include <stdint.h>

/* Converts a value to one of the runtime. Texts are not copied. */
struct trm_value own_value(cali_variant_t variant);

/* Converts it back. */
cali_variant_t own_variant(uint32_t type, const struct trm_value *value);

/* Converts one of Caliper's types to an enum trm_type; CALI_TYPE_PTR is an address. */
uint32_t own_type(cali_attr_type type);

/* Converts it back. */
cali_attr_type own_cali_type(uint32_t type);

/* Writes a number to `bytes`, in fewer bytes if it is smaller, at most 10. Returns the
 * number of bytes. */
size_t own_pack(uint64_t number, unsigned char *bytes);

/* Reads a number that own_pack wrote. Adds the number of bytes to *read. */
uint64_t own_unpack(const unsigned char *bytes, size_t *read);

#endif
