/*
 * What tools have recorded: rows of numbers by keys, for each image. A shape is what rows
 * of one kind have in common: tool, table, and fields. Texts and shapes are those of the
 * whole run.
 */
#ifndef TRAMMEL_SESSION_STATE_TOOL_ROWS_H
#define TRAMMEL_SESSION_STATE_TOOL_ROWS_H

#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "wire/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of rows and texts of a whole run; what does not fit is counted. */
#define TOOL_ROWS_BYTES_MAX (256ull << 20)

/* As the number of a tool: values that are sampled. */
#define TOOL_ROWS_VALUES 0xffff

struct tool_field {
	char *name;
	uint8_t role, type; /* enum wire_field_role, enum wire_field_type */
};

struct tool_shape {
	uint16_t tool, count;
	char *table;
	struct tool_field fields[WIRE_FIELDS_MAX];
};

struct tool_shapes {
	struct VECTOR(struct tool_shape *) items;
	struct table by_bytes; /* indices, by hash of their bytes in records */
	struct string_table texts;
	uint64_t bytes; /* of rows and texts */
	uint64_t lost;  /* records for which there was no room */
	uint64_t bad;   /* records that were none: memory of the tool was overwritten */
};

struct tool_row {
	uint32_t shape;
	uint64_t first; /* of its words, one for each field: a number, the bits of a
			   double, or the number of a text */
	uint64_t times; /* records that are in it */
};

/* Of an image; all-zero: none. */
struct tool_rows {
	struct VECTOR(struct tool_row) items;
	struct VECTOR(uint64_t) words;
	struct table by_keys; /* indices, by hash of shape and keys */
	struct table regions; /* numbers of texts, by hash of encoded paths */
};

/* What words of records mean in rows. */
struct tool_finder {
	/* Returns the code of keys of the type PC, run-time addresses; 0: not known. */
	uint64_t (*code)(void *context, uint64_t address);
	/* Adds the path that a key of the type REGION has encoded (wire/probes.h). NULL:
	 * there are none. */
	void (*region)(void *context, const char *encoded, struct text *text);
	void *context;
};

/* Adds the records in `size` bytes, as struct wire_tool_records has them. */
void tool_rows_add(struct tool_shapes *shapes, struct tool_rows *rows,
		   const uint8_t *bytes, size_t size, const struct tool_finder *finder);

/* As the index of a file: code that a program made itself, by its address. */
#define TOOL_CODE_GENERATED 0x7ffeu

/* Returns the number of code in a file: `index` below 32767, a link-time address. */
static inline uint64_t tool_code_number(uint32_t index, uint64_t address)
{
	return (uint64_t)(index + 1) << 48 | (address & 0xffffffffffff);
}

/* The parts of such a number; index UINT32_MAX: it is 0. */
static inline uint32_t tool_code_index(uint64_t number)
{
	return (uint32_t)(number >> 48) - 1;
}

static inline uint64_t tool_code_address(uint64_t number)
{
	return number & 0xffffffffffff;
}

void tool_rows_deinit(struct tool_rows *rows);
void tool_shapes_deinit(struct tool_shapes *shapes);

#endif
