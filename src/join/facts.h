/*
 * What a profile says in other records than those that it is wanted in: of processes, of
 * runs, and of blocks.
 */
#ifndef TRAMMEL_JOIN_FACTS_H
#define TRAMMEL_JOIN_FACTS_H

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

/* A process image. Numbers of strings are in facts.strings. */
struct join_image {
	uint64_t process; /* pid; 0: not known */
	uint32_t program; /* + 1; 0: not known */
	uint32_t run;     /* index of facts.hosts */
};

struct join_block {
	uint32_t module; /* its path */
	uint32_t size;
	uint64_t address;
};

struct join_module {
	uint32_t path, build_id;
};

struct join_facts {
	struct string_table strings;
	struct VECTOR(struct join_image) images;
	struct table image_of;         /* by head and number: index */
	struct VECTOR(uint32_t) hosts; /* by run: + 1; 0: not known */
	struct table run_of;           /* by head and number of a run: index */
	struct VECTOR(struct join_block) blocks;
	struct VECTOR(struct join_module) modules;
	struct table module_of; /* by path: index */
};

/* Reads them; errors as for trm_read. The caller deinits them, also after an error. */
struct trm_error *join_facts_read(struct join_facts *facts, const char *path,
				  bool with_blocks);
void join_facts_deinit(struct join_facts *facts);

/* Returns what is known of an image of the file's head number `head` (from 1); NULL:
 * nothing. */
const struct join_image *join_image_find(const struct join_facts *facts, uint64_t head,
					 uint64_t number);

/* Returns the host of a head's runs, or of one of them; NULL: not known. */
const char *join_host(const struct join_facts *facts, uint32_t run);

/* Finds the block that an address of a module, known by its path, is in. */
bool join_block_find(const struct join_facts *facts, const char *path, uint64_t address,
		     uint64_t *ret_block);

/* Returns the build id that a module's records have; "" where that is not known. */
const char *join_build_id(const struct join_facts *facts, const char *path);

#endif
