/*
 * Go's table of functions (.gopclntab), made in memory.
 */
#ifndef TRAMMEL_TESTS_ELF_GO_H
#define TRAMMEL_TESTS_ELF_GO_H

#include "elf_builder.h"

enum go_magic {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
};

struct go_entry {
	uint32_t offset; /* from the start of the text; ascending */
	uint32_t size;   /* 0: the table does not say it */
	uint32_t deferred;
	const char *name;
};

struct go_spec {
	uint32_t magic;      /* enum go_magic */
	uint64_t text;       /* address */
	uint64_t text_field; /* what the header of 1.18 and 1.20 says of it */
	const struct go_entry *functions;
	size_t count;
	uint32_t end; /* of the last function, from the start of the text */
};

/* Where things start in a table. */
struct go_places {
	size_t pairs;   /* of entry and record's place */
	size_t records; /* each begins with the entry */
	size_t record_size;
};

/* Fills an empty blob. */
struct go_places go_table_make(struct blob *table, const struct go_spec *spec);

#endif
