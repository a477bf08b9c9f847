/* Types of a program's data, and where its variables are, from debug information (DWARF).
 * Names of typedefs, const and the like are left out: they change nothing. */
#ifndef TRAMMEL_IMAGE_TYPES_H
#define TRAMMEL_IMAGE_TYPES_H

#include "base/table.h"
#include "base/text.h"
#include "image/image.h"

enum { IMAGE_TYPE_NONE = UINT32_MAX }; /* no type: void, or not known */

enum image_type_kind {
	IMAGE_DATA_UNKNOWN,
	IMAGE_DATA_INTEGER, /* and enumerations, characters, truth values */
	IMAGE_DATA_FLOAT,
	IMAGE_DATA_POINTER, /* and references */
	IMAGE_DATA_STRUCT,  /* and unions, classes */
	IMAGE_DATA_ARRAY,
	IMAGE_DATA_FUNCTION,
};

struct image_data_type {
	uint8_t kind;    /* enum image_type_kind */
	bool is_signed;  /* of an integer */
	bool declared;   /* a struct without its members: they are nowhere */
	uint32_t name;   /* in image_types.names; 0: none */
	uint64_t size;   /* bytes */
	uint32_t target; /* of a pointer or array: index of a type; IMAGE_TYPE_NONE */
	uint32_t first_member, member_count; /* in image_types.members */
};

struct image_member {
	uint32_t name; /* 0: its own members are those of what is around it */
	uint32_t type;
	uint64_t offset; /* bytes */
	uint16_t bit_offset,
		bit_size; /* of a bit-field, from `offset`; bit_size 0: none */
};

enum image_location_kind {
	IMAGE_NOWHERE,     /* not known, or optimised away */
	IMAGE_IN_REGISTER, /* `number` */
	IMAGE_IN_MEMORY,   /* at register `number` + offset */
	IMAGE_IN_FRAME,    /* at the canonical frame address + offset */
	IMAGE_AT_BASE,     /* at the function's frame base + offset */
	IMAGE_AT_ADDRESS,  /* at link-time address `offset` */
};

/* Numbers of registers are those of the processor: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp ...
 */
struct image_location {
	struct image_range code; /* for which it holds */
	uint8_t kind;            /* enum image_location_kind */
	uint8_t number;
	int64_t offset;
};
struct image_locations VECTOR(struct image_location);

/* How a parameter is passed, by the System V ABI. */
enum { IMAGE_PASSED_NOWHERE = -1 };

struct image_variable {
	uint32_t name; /* in image_types.names */
	uint32_t type; /* IMAGE_TYPE_NONE: not known */
	bool parameter;
	/* Of a parameter: the number of each of its words among integer arguments (from 6
	 * on in words of the stack); IMAGE_PASSED_NOWHERE: elsewhere. */
	int16_t words[2];
	uint32_t first_location, location_count; /* in image_types.locations */
	struct image_range scope;                /* code in which its name holds */
};

struct image_signature {
	uint64_t address;                        /* of the function, link-time */
	uint32_t result;                         /* type; IMAGE_TYPE_NONE: none */
	uint32_t first_variable, variable_count; /* those of inner scopes later */
};

struct image_types {
	struct string_table names; /* 0 is "" */
	struct VECTOR(struct image_data_type) items;
	struct VECTOR(struct image_member) members;
	struct VECTOR(struct image_variable) variables;
	struct image_locations locations;
	struct VECTOR(struct image_signature) functions; /* as they were met */
	struct VECTOR(uint32_t) named;   /* types that were asked for by name */
	struct VECTOR(uint32_t) globals; /* variables: indices in `variables` */
	char *lack; /* missing part of the debug information; NULL: nothing is missing */
};

/* What is to be read. */
struct image_types_wanted {
	const uint64_t *functions; /* link-time addresses */
	size_t function_count;
	const char *const *names; /* of types and of global variables */
	size_t name_count;
	bool members; /* structs that are only declared where they are used are looked for
			 elsewhere */
};

/* Reads the variables of functions, and named types and global variables, with all types
 * that they lead to. Errors as for image_lines_init. On success the caller deinits the
 * types. */
struct trm_error *image_types_init(struct image_types *types, const struct image *image,
				   const struct image_types_wanted *wanted);
void image_types_deinit(struct image_types *types);

/* Returns the signature of the function at an address; NULL: it was not asked for, or is
 * not known. */
const struct image_signature *image_types_function(const struct image_types *types,
						   uint64_t address);

/* Returns a variable of a function whose name holds at `address`, the innermost one, or a
 * global one (`function` NULL: only these); NULL: none. */
const struct image_variable *image_types_variable(const struct image_types *types,
						  const struct image_signature *function,
						  const char *name, uint64_t address);

/* Returns the location of a variable at an address in its function; NULL: none. */
const struct image_location *image_types_location(const struct image_types *types,
						  const struct image_variable *variable,
						  uint64_t address);

/* Finds where the canonical frame address of a function is at a link-time address in it:
 * at register `ret_base` (the processor's number) + `ret_offset`; false: not known. */
bool image_frame_at(const struct image *image, uint64_t address, uint8_t *ret_base,
		    int32_t *ret_offset);

/* Returns the type with a name that was asked for; IMAGE_TYPE_NONE: none. */
uint32_t image_types_named(const struct image_types *types, const char *name);

/* Finds a member of a struct, in nameless ones in it, too; false: it has none.
 * `ret_member` has the offset from the start of the struct. */
bool image_types_member(const struct image_types *types, uint32_t type, const char *name,
			struct image_member *ret_member);

/* Adds the type as C writes it, for messages. */
void image_types_describe(const struct image_types *types, uint32_t type,
			  struct text *ret_text);

#endif
