/* Debug information (DWARF 2 to 5) of one file and its companion files: units, their
 * entries, ranges and line tables; split units in .dwo files and .dwp packages; the
 * supplementary file of dwz. Only for the files of src/image. Everything is checked
 * against the sizes of the sections: invalid data reads as if it were absent. */
#ifndef TRAMMEL_IMAGE_DWARF_DWARF_H
#define TRAMMEL_IMAGE_DWARF_DWARF_H

#include "base/table.h"
#include "image/cursor.h"
#include "image/dwarf/constants.h"
#include "image/reader.h"

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
	uint64_t line_offset;   /* UINT64_MAX: no line table */
	uint64_t split_id;      /* of a skeleton and its split unit */
	const char *split_name; /* of the .dwo file; NULL: not a skeleton */
	const char *folder;     /* folder of the compilation; NULL: not known */
	struct dwarf_line_head head;
};

/* An attribute. */
struct dwarf_value {
	uint16_t form;
	uint64_t number; /* a string's offset, if it is in the entry itself */
};

struct dwarf_entry {
	struct dwarf_unit *unit;
	uint64_t next; /* offset after it: of its first child if it has any */
	uint32_t tag;  /* 0: the end of a list of children, or of the unit */
	bool children;
	uint32_t present;                       /* a bit for each slot */
	struct dwarf_value values[DWARF_SLOTS]; /* valid only for present slots */
};

/* sections.c */

/* Reads the debug sections of an ELF file at `path`, without its units; `split`: the
 * sections of split units. NULL: the file cannot be opened (errno is set) or is not an
 * ELF file (errno is 0). */
struct dwarf_file *dwarf_file_open(const char *path, bool split);
/* Frees a file and all that it owns; NULL is allowed. */
void dwarf_file_close(struct dwarf_file *file);

/* supplementary.c */

/* Opens the supplementary file of a file at `path`, if the file names one. */
void dwarf_file_read_supplementary(struct dwarf_file *file, const char *path);

/* unit.c */

/* Reads the heads of a file's units and the attributes of their first entries. */
void dwarf_file_read_units(struct dwarf_file *file);

/* Returns the unit at an offset of a file's .debug_info; NULL if no unit has this
 * offset. */
struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *file, uint64_t offset);

/* abbreviation.c */

/* The layout of the fields in one kind of entry. */
struct dwarf_layout {
	uint32_t tag;
	bool children;
	const struct dwarf_field *fields;
	size_t field_count;
};

struct dwarf_field {
	uint16_t form;
	uint8_t slot;     /* enum dwarf_slot; DWARF_SLOTS: not looked at */
	int64_t constant; /* for DW_FORM_implicit_const */
};

/* Returns the table at an offset of a file's .debug_abbrev, which is read once; NULL:
 * no such table. */
const struct dwarf_abbreviations *dwarf_abbreviations_at(struct dwarf_file *file,
							 uint64_t offset);
void dwarf_abbreviations_destroy(struct dwarf_abbreviations *abbreviations);

/* Finds the layout of the entries with a code; false: the table does not have it. */
bool dwarf_abbreviation_find(const struct dwarf_abbreviations *abbreviations,
			     uint64_t code, struct dwarf_layout *ret_layout);

/* form.c */

/* Reads one field; `unit` says how large addresses and offsets are. On damage the cursor
 * has failed. */
void dwarf_form_read(struct cursor *cursor, const struct dwarf_unit *unit, uint32_t form,
		     int64_t constant, struct dwarf_value *ret_value);

/* Returns the string of a unit's value; NULL if the value is not a string. */
const char *dwarf_string_of(const struct dwarf_unit *unit,
			    const struct dwarf_value *value);

/* Reads the address of a unit's value; false if the value is not an address. */
bool dwarf_address_of(const struct dwarf_unit *unit, const struct dwarf_value *value,
		      uint64_t *ret_address);

/* Address `index` of the unit's table of addresses. */
bool dwarf_address_by_index(const struct dwarf_unit *unit, uint64_t index,
			    uint64_t *ret_address);

/* entry.c */

/* Reads the entry at an offset of the unit. Past its end, or on damage, the tag is 0 and
 * `next` the unit's end. */
void dwarf_entry_read(struct dwarf_unit *unit, uint64_t offset,
		      struct dwarf_entry *ret_entry);

/* The offset behind an entry and all its children. */
uint64_t dwarf_entry_end(const struct dwarf_entry *entry);

/* Finds an attribute of the entry, or of the entry that it refers to by
 * DW_AT_abstract_origin or DW_AT_specification; false if neither has it. `ret_unit`
 * gets the unit of the value. */
bool dwarf_entry_find(const struct dwarf_entry *entry, enum dwarf_slot slot,
		      struct dwarf_unit **ret_unit, struct dwarf_value *ret_value);

/* Returns a string attribute, found in the same way; NULL: absent. Valid as long as
 * the file. */
const char *dwarf_entry_string(const struct dwarf_entry *entry, enum dwarf_slot slot);

/* Returns a number attribute, found in the same way; 0: absent, or larger than 32
 * bits. */
uint32_t dwarf_entry_number(const struct dwarf_entry *entry, enum dwarf_slot slot);

/* Reads the start address of an entry's code; false if it has no code. */
bool dwarf_entry_start(const struct dwarf_entry *entry, uint64_t *ret_address);

/* ranges.c */

/* Replaces the contents of `ranges` by the ranges of an entry's code, in their order. */
void dwarf_entry_ranges(const struct dwarf_entry *entry, struct image_ranges *ranges);

/* line.c */

/* A row of a line table. */
struct dwarf_row {
	uint64_t address;
	uint64_t file; /* number for dwarf_unit_path */
	uint64_t line; /* 0: no line */
	uint64_t discriminator;
	bool end; /* the code ends here */
};

/* Calls `see` for each row of a unit's line table, in the order of the table. */
void dwarf_unit_rows(struct dwarf_unit *unit,
		     void (*see)(void *context, const struct dwarf_row *row),
		     void *context);

/* Returns the clean path (see image_clean_path) of a file in the unit's line table;
 * NULL: not known. The caller frees it. */
char *dwarf_unit_path(struct dwarf_unit *unit, uint64_t file);

/* linehead.c */

/* Reads the head of a unit's line table, once. */
const struct dwarf_line_head *dwarf_line_head_of(struct dwarf_unit *unit);
void dwarf_line_head_deinit(struct dwarf_line_head *head);

/* split.c */

/* Places to search for split units. */
struct dwarf_splits {
	const char *program;        /* path of the image */
	const char *debug_file;     /* path of the file with the skeletons */
	bool looked;                /* for a package */
	struct dwarf_file *package; /* NULL: no package */
	size_t wanted, missing;     /* split units */
	char *missed;               /* name of the first missing one */
};

/* The file of a skeleton's split unit, with `ret_unit` in it; NULL if it is not there.
 * The caller closes it. */
struct dwarf_file *dwarf_split_open(struct dwarf_splits *splits,
				    struct dwarf_unit *skeleton,
				    struct dwarf_unit **ret_unit);
void dwarf_splits_deinit(struct dwarf_splits *splits);

/* package.c */

/* A split unit's parts of a package; NULL: it does not have it. The package must outlive
 * it. */
struct dwarf_file *dwarf_package_unit(const struct dwarf_file *package,
				      uint64_t split_id);

#endif
