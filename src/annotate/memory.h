/*
 * The loads and stores of executed code.
 */
#ifndef TRAMMEL_ANNOTATE_MEMORY_H
#define TRAMMEL_ANNOTATE_MEMORY_H

#include "annotate/annotation.h"

/* Sums over the executed instructions. */
struct memory_sums {
	uint64_t instructions;
	uint64_t loads, load_bytes, stores, store_bytes;
	uint64_t repeated; /* string instructions with a prefix, which are not in these */
};

struct insn_class;

/* Adds `count` executions of an instruction. */
void memory_add(struct memory_sums *sums, const struct insn_class *traits,
		uint64_t count);

/* Adds the executions of a block of the annotation. */
void memory_add_block(struct memory_sums *sums, const struct annotation *annotation,
		      const struct annotation_block *block);

/* Adds "3 loads (24 bytes), 1 store (8 bytes)". */
void memory_describe(const struct memory_sums *sums, struct text *out);

/* Adds loads and stores as members of a JSON object. */
void memory_add_json(const struct memory_sums *sums, struct text *out);

#endif
