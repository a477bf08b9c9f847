/* Debug information (DWARF 2 to 5) of one file and its companion files: units, their
 * entries, ranges and line tables; split units in .dwo files and .dwp packages; the
 * supplementary file of dwz. Only for the files of src/image. Everything is checked
 * against the sizes of the sections: invalid data reads as if it were absent. */
#ifndef TRAMMEL_IMAGE_DWARF_DWARF_H
#define TRAMMEL_IMAGE_DWARF_DWARF_H

#include "base/table.h"
#include "image/bytes.h"
#include "image/dwarf/constants.h"
#include "image/image.h"
#include "image/read/cursor.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_LINE,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LOC,
	DWARF_LOCLISTS,
	DWARF_CU_INDEX, /* of a package */
	DWARF_SECTIONS,
};

/* The attributes that are looked at. */
enum dwarf_slot {
	DWARF_SIBLING,
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_STMT_LIST,
	DWARF_LOW_PC,
	DWARF_HIGH_PC,
	DWARF_COMP_DIR,
	DWARF_PRODUCER,
	DWARF_ORIGIN,
	DWARF_SPECIFICATION,
	DWARF_DECL_FILE,
	DWARF_DECL_LINE,
	DWARF_ENTRY_PC,
	DWARF_RANGES_OF, /* DW_AT_ranges */
	DWARF_CALL_LINE,
	DWARF_DISCRIMINATOR,
	DWARF_STR_OFFSETS_BASE,
	DWARF_ADDR_BASE,
	DWARF_RNGLISTS_BASE,
	DWARF_RANGES_BASE,
	DWARF_DWO_NAME,
	DWARF_DWO_ID,
	DWARF_TYPE,
	DWARF_BYTE_SIZE,
	DWARF_ENCODING,
	DWARF_MEMBER_LOCATION,
	DWARF_BIT_SIZE,
	DWARF_BIT_OFFSET, /* from the highest bit; before version 4 */
	DWARF_DATA_BIT_OFFSET,
	DWARF_UPPER_BOUND,
	DWARF_COUNT,
	DWARF_CONST_VALUE,
	DWARF_DECLARATION,
	DWARF_LOCATION,
	DWARF_FRAME_BASE,
	DWARF_LOCLISTS_BASE,
	DWARF_SLOTS,
};

/* A table of abbreviations: how the entries of units are laid out. */
struct dwarf_abbreviations;

/* A file, or a split unit's parts of a package. */
struct dwarf_file {
	struct bytes mapped;                   /* the file; empty: a part of another */
	struct bytes sections[DWARF_SECTIONS]; /* unpacked; empty: absent */
	uint8_t *unpacked[DWARF_SECTIONS]; /* allocated buffers of unpacked sections */
	bool packed_badly; /* a compressed section could not be unpacked */
	unsigned char build_id[32];
	size_t build_id_size;                   /* 0: no build id */
	struct VECTOR(struct dwarf_unit) units; /* by offset */
	struct VECTOR(struct dwarf_abbreviations *) abbreviations;
	struct table abbreviations_at;    /* offset: index in them, plus 1 */
	struct dwarf_file *supplementary; /* the file made by dwz; NULL: none. Owned */
	char *supplementary_name;         /* NULL: the file does not refer to one */
	struct bytes supplementary_id;    /* its build id */
};

/* A file of a line table. */
struct dwarf_source {
	const char *name;
	uint64_t folder; /* index in folders */
};

/* The head of a line table. */
struct dwarf_line_head {
	bool read;
	uint16_t version; /* 0: no valid table */
	uint8_t offset_size;
	uint8_t instruction_size, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths; /* of the standard opcodes' arguments, from 1 on */
	struct cursor program;
	struct VECTOR(const char *) folders; /* 0: of the unit */
	struct VECTOR(
		struct dwarf_source) files; /* before version 5, index 0 is unused */
};

struct dwarf_unit {
	struct dwarf_file *file;
	struct dwarf_unit *skeleton; /* of a split unit; else NULL */
	uint64_t offset, first,
		end; /* of it, its first entry and its end in .debug_info */
	uint16_t version;
	uint8_t type;         /* enum dwarf_unit_type */
	uint8_t address_size; /* 8, or 4 */
	uint8_t offset_size;  /* 4, or 8 in the 64-bit form */
	const struct dwarf_abbreviations *abbreviations;
	/* From its first entry: */
	uint64_t low_pc; /* that ranges are relative to */
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	uint64_t loclists_base;
	uint64_t line_offset;   /* UINT64_MAX: no line table */
	uint64_t split_id;      /* of a skeleton and its split unit */
	const char *split_name; /* of the .dwo file; NULL: not a skeleton */
	const char *folder;     /* folder of the compilation; NULL: not known */
	struct dwarf_line_head head;
};

/* An attribute. */
struct dwarf_value {
	uint16_t form;
	uint32_t size;   /* of a block: its bytes; else 0 */
	uint64_t number; /* a string's or block's offset, if it is in the entry itself */
};

struct dwarf_entry {
	struct dwarf_unit *unit;
	uint64_t offset;
	uint64_t next; /* offset after it: of its first child if it has any */
	uint32_t tag;  /* 0: the end of a list of children, or of the unit */
	bool children;
	uint64_t present;                       /* a bit for each slot */
	struct dwarf_value values[DWARF_SLOTS]; /* valid only for present slots */
};

/* Tells whether the entry itself has an attribute. */
static inline bool dwarf_entry_has(const struct dwarf_entry *entry, enum dwarf_slot slot)
{
	return entry->present >> slot & 1;
}

#endif
