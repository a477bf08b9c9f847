/* What all files of the compatible interface use: ids of attributes. */
#ifndef TRAMMEL_CALI_OWN_H
#define TRAMMEL_CALI_OWN_H

#include "caliper/cali.h"
#include "runtime/process/caliper_host.h"

#define PUBLIC __attribute__((visibility("default")))

/* Caliper's readers know the nodes with ids up to this one beforehand. The id of an
 * attribute of the runtime is its number plus this. */
enum { OWN_IDS_BEFORE = 11 };

/* Returns the id of an attribute of the runtime. */
static inline cali_id_t own_id(trm_attribute number)
{
	return (cali_id_t)number + OWN_IDS_BEFORE;
}

/* Returns the runtime's number of an attribute with this id; 0 if there is none. */
static inline trm_attribute own_number(cali_id_t attribute)
{
	return attribute - OWN_IDS_BEFORE <= UINT32_MAX
		       ? (trm_attribute)(attribute - OWN_IDS_BEFORE)
		       : 0;
}

#endif
