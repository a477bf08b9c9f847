/* Types of the compatible interface: see caliper/cali.h. */
#ifndef CALI_COMMON_CALI_TYPES_H
#define CALI_COMMON_CALI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An attribute, or a channel. */
typedef uint64_t cali_id_t;
#define CALI_INV_ID 0xFFFFFFFFFFFFFFFFull

typedef enum {
	CALI_TYPE_INV = 0,
	CALI_TYPE_USR = 1, /* bytes */
	CALI_TYPE_INT = 2, /* 64 bits */
	CALI_TYPE_UINT = 3,
	CALI_TYPE_STRING = 4,
	CALI_TYPE_ADDR = 5,
	CALI_TYPE_DOUBLE = 6,
	CALI_TYPE_BOOL = 7,
	CALI_TYPE_TYPE = 8,
	CALI_TYPE_PTR = 9
} cali_attr_type;

#define CALI_MAXTYPE CALI_TYPE_PTR

typedef enum {
	CALI_ATTR_DEFAULT = 0,
	CALI_ATTR_ASVALUE = 1,
	CALI_ATTR_NOMERGE = 2, /* no meaning */
	CALI_ATTR_SCOPE_PROCESS = 12,
	CALI_ATTR_SCOPE_THREAD = 20,
	CALI_ATTR_SCOPE_TASK = 24, /* as THREAD */
	CALI_ATTR_SKIP_EVENTS = 64,
	CALI_ATTR_HIDDEN = 128,
	CALI_ATTR_NESTED = 256,
	CALI_ATTR_GLOBAL = 512,
	CALI_ATTR_UNALIGNED = 1024,
	CALI_ATTR_AGGREGATABLE = 2048,
	CALI_ATTR_LEVEL_1 = 0x10000,
	CALI_ATTR_LEVEL_2 = 0x20000,
	CALI_ATTR_LEVEL_3 = 0x30000,
	CALI_ATTR_LEVEL_4 = 0x40000,
	CALI_ATTR_LEVEL_5 = 0x50000,
	CALI_ATTR_LEVEL_6 = 0x60000,
	CALI_ATTR_LEVEL_7 = 0x70000
} cali_attr_properties;

#define CALI_ATTR_LEVEL_0    0x0
#define CALI_ATTR_SCOPE_MASK 60
#define CALI_ATTR_LEVEL_MASK 0x70000

typedef enum {
	CALI_SCOPE_PROCESS = 1,
	CALI_SCOPE_THREAD = 2,
	CALI_SCOPE_TASK = 4,
	CALI_SCOPE_CHANNEL = 8
} cali_context_scope_t;

typedef enum {
	CALI_SUCCESS = 0,
	CALI_EBUSY,
	CALI_ELOCKED,
	CALI_EINV,
	CALI_ETYPE,
	CALI_ESTACK
} cali_err;

/* "int" and so on; "inv" for what is no type. The text stays. */
const char *cali_type2string(cali_attr_type type);
/* CALI_TYPE_INV: no type has this name. */
cali_attr_type cali_string2type(const char *name);
/* "asvalue:nested"; returns how many bytes are needed, with the 0 at the end. */
int cali_prop2string(int properties, char *text, size_t size);
/* The properties of such a text; unknown words are nothing. */
int cali_string2prop(const char *text);

#ifdef __cplusplus
}
#endif

#endif
