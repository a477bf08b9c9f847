/*
 * Calls at each reference to memory, for tools that follow them. Included by a tool that
 * has the routines
 *
 *     NAME_load(place, address, size, bank), NAME_store(place, address, size, bank)
 *     NAME_repeat(place, address, size, bytes, writes, bank)
 *     NAME_copy(place, from, to, size, bytes, bank)
 *
 * of which the last two are for repeated instructions: `bytes` in all, `size` at a time.
 */
#ifndef TRAMMEL_ANALYSIS_REFERENCES_H
#define TRAMMEL_ANALYSIS_REFERENCES_H

#include "tables.h"

struct reference_routines {
	const char *load, *store, *repeat, *copy;
};

/* Declares the routines' parameters. */
static inline void references_declare(const struct trammel_api *api, const char *name,
				      struct reference_routines *ret_routines)
{
	static const struct {
		const char *kind, *parameters;
	} rows[] = {
		{"load", "void *, uint64_t, uint64_t, uint64_t"},
		{"store", "void *, uint64_t, uint64_t, uint64_t"},
		{"repeat", "void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t"},
		{"copy", "void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t"},
	};
	static char texts[4][64];
	const char **names = (const char **)ret_routines;
	char prototype[160];

	for (int i = 0; i < 4; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%s_%s", name, rows[i].kind);
		names[i] = texts[i];
		snprintf(prototype, sizeof(prototype), "%s(%s)", texts[i],
			 rows[i].parameters);
		api->prototype(prototype);
	}
}

/* Bytes at a time of a string instruction: of b, w, d and q at the end of its name. */
static inline uint64_t reference_unit(const struct trammel_instruction *row)
{
	static const char letters[] = "bwdq";
	const char *last = strchr(letters, row->mnemonic[strlen(row->mnemonic) - 1]);

	return last ? 1u << (last - letters) : 1;
}

/* Kinds of references: one, those of a repeated instruction, and a copy. */
enum reference_kind {
	REFERENCE_LOAD,
	REFERENCE_STORE,
	REFERENCE_LOADS,
	REFERENCE_STORES,
	REFERENCE_COPY
};

/* Where references go: to routines, or, which costs less, as records into a buffer. */
struct reference_target {
	const struct reference_routines *routines; /* NULL: into the buffer */
	struct trammel_buffer *buffer;
};

/* A reference of an instruction: memory operands by their numbers; `to`: of a copy. */
struct reference_point {
	struct trammel_point point;
	enum reference_kind kind;
	struct trammel_argument place;
	uint64_t size; /* bytes at a time */
	uint8_t from, to;
};

static inline void reference_call(const struct trammel_api *api,
				  const struct reference_routines *routines,
				  const struct reference_point *at)
{
	const struct trammel_argument size = trammel_int((int64_t)at->size);

	if (at->kind == REFERENCE_COPY)
		trammel_add_call(api, at->point, routines->copy, at->place,
				 trammel_address(at->from), trammel_address(at->to), size,
				 trammel_size(at->from), trammel_thread());
	else if (at->kind >= REFERENCE_LOADS)
		trammel_add_call(api, at->point, routines->repeat, at->place,
				 trammel_address(at->from), size, trammel_size(at->from),
				 trammel_int(at->kind == REFERENCE_STORES),
				 trammel_thread());
	else
		trammel_add_call(
			api, at->point,
			at->kind == REFERENCE_LOAD ? routines->load : routines->store,
			at->place, trammel_address(at->from), size, trammel_thread());
}

/* The first word of a record is its kind and the size of each reference; then come the
 * place and the address, for repeated instructions the bytes in all, and for copies where
 * they go. */
static inline void reference_record(const struct trammel_api *api,
				    struct trammel_buffer *buffer,
				    const struct reference_point *at)
{
	const struct trammel_argument head =
		trammel_int((int64_t)((uint64_t)at->kind << 16 | at->size));

	if (at->kind == REFERENCE_COPY)
		trammel_add_trace(api, at->point, buffer, head, at->place,
				  trammel_address(at->from), trammel_size(at->from),
				  trammel_address(at->to));
	else if (at->kind >= REFERENCE_LOADS)
		trammel_add_trace(api, at->point, buffer, head, at->place,
				  trammel_address(at->from), trammel_size(at->from));
	else
		trammel_add_trace(api, at->point, buffer, head, at->place,
				  trammel_address(at->from));
}

static inline void reference_add(const struct trammel_api *api,
				 const struct reference_target *target,
				 const struct reference_point *at)
{
	if (target->routines)
		reference_call(api, target->routines, at);
	else
		reference_record(api, target->buffer, at);
}

/* A repeated instruction: how often is known in front of it if it counts alone, and
 * behind it if it compares, too. */
static inline void reference_add_repeated(const struct trammel_api *api,
					  const struct reference_target *target,
					  const struct trammel_instruction *row,
					  struct trammel_argument place)
{
	const bool compares = row->flags_written != 0;
	const struct trammel_operand *memory[2] = {NULL, NULL};
	struct reference_point at = {
		.point = compares ? trammel_after(row) : trammel_before(row),
		.kind = REFERENCE_COPY,
		.place = place,
		.size = reference_unit(row),
	};

	for (uint32_t o = 0; o < row->operand_count; o++)
		if (row->operands[o].kind == TRAMMEL_OPERAND_MEMORY &&
		    row->operands[o].memory < 2)
			memory[row->operands[o].memory] = &row->operands[o];
	if (memory[0] && memory[1] && !compares) {
		at.from = memory[0]->reads ? 0 : 1;
		at.to = 1 - at.from;
		reference_add(api, target, &at);
		return;
	}
	for (uint8_t i = 0; i < 2; i++) {
		if (!memory[i])
			continue;
		at.kind = memory[i]->reads ? REFERENCE_LOADS : REFERENCE_STORES;
		at.from = i;
		reference_add(api, target, &at);
	}
}

/* Whether an operand is a reference with one address and a fixed size. */
static inline bool reference_is_one(const struct trammel_operand *operand)
{
	return operand->kind == TRAMMEL_OPERAND_MEMORY && !operand->gathered &&
	       operand->bits;
}

/* All references of a function, with `bytes` of `place`. What an instruction both reads
 * and writes is a load, as in cachegrind. */
static inline void references_add(const struct trammel_api *api,
				  const struct reference_target *target,
				  const struct trammel_code *code, const void *place,
				  uint32_t bytes)
{
	for (uint32_t i = 0; i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		if (row->repeated) {
			reference_add_repeated(api, target, row,
					       trammel_data(place, bytes));
			continue;
		}
		for (uint32_t o = 0; o < row->operand_count; o++) {
			const struct trammel_operand *operand = &row->operands[o];
			const struct reference_point at = {
				.point = trammel_before(row),
				.kind = operand->reads ? REFERENCE_LOAD : REFERENCE_STORE,
				.place = trammel_data(place, bytes),
				.size = operand->bits / 8,
				.from = operand->memory,
			};

			if (reference_is_one(operand))
				reference_add(api, target, &at);
		}
	}
}

/* Adds calls for all references of a function, whose routines get `bytes` of `place`. */
static inline void references_of_function(const struct trammel_api *api,
					  const struct reference_routines *routines,
					  const struct trammel_code *code,
					  const void *place, uint32_t bytes)
{
	references_add(api, &(struct reference_target){.routines = routines}, code, place,
		       bytes);
}

/*
 * Adds records of all references of a function, for tools that have the routine
 *
 *     NAME_references(const void *records, size_t bytes)
 *
 * that goes through them by reference_next.
 */
static inline void references_trace_function(const struct trammel_api *api,
					     struct trammel_buffer *buffer,
					     const struct trammel_code *code,
					     const void *place, uint32_t bytes)
{
	references_add(api, &(struct reference_target){.buffer = buffer}, code, place,
		       bytes);
}

/* A record. */
struct reference {
	uint64_t head;
	void *place;
	uint64_t address, bytes, to;
};

static inline enum reference_kind reference_kind(const struct reference *reference)
{
	return (enum reference_kind)(reference->head >> 16);
}

static inline uint64_t reference_size(const struct reference *reference)
{
	return reference->head & 0xffff;
}

/* The record behind one. */
static inline const struct reference *reference_next(const struct reference *reference)
{
	static const uint8_t words[] = {3, 3, 4, 4, 5};

	return (const struct reference *)(const void *)((const uint64_t *)(const void *)
								reference +
							words[reference_kind(reference)]);
}

/* Defines the routines for repeated instructions by those for single references; `type`
 * is that of their place. */
#define REFERENCES_REPEATED(name, type)                                                  \
	TRAMMEL_ROUTINE void name##_repeat(type place, uint64_t address, uint64_t size,  \
					   uint64_t bytes, uint64_t writes,              \
					   uint64_t bank)                                \
	{                                                                                \
		for (uint64_t at = 0; at < bytes; at += size)                            \
			if (writes)                                                      \
				name##_store(place, address + at, size, bank);           \
			else                                                             \
				name##_load(place, address + at, size, bank);            \
	}                                                                                \
	TRAMMEL_ROUTINE void name##_copy(type place, uint64_t from, uint64_t to,         \
					 uint64_t size, uint64_t bytes, uint64_t bank)   \
	{                                                                                \
		for (uint64_t at = 0; at < bytes; at += size) {                          \
			name##_load(place, from + at, size, bank);                       \
			name##_store(place, to + at, size, bank);                        \
		}                                                                        \
	}

#endif
