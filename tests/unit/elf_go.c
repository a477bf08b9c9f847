#include "elf_go.h"

#include <string.h>

enum { RECORD_REST = 32 }; /* bytes of a record behind the entry */

/* The words of a header, behind the number of functions; 'f' files, 't' start of the
 * text, 'n' names, 'c' compilation units, 's' steps, 'p' functions. */
static const char *words_of(uint32_t magic)
{
	switch (magic) {
	case GO_1_2:
		return "";
	case GO_1_16:
		return "fnccsp";
	default:
		return "ftnccsp";
	}
}

/* Puts the place of a part into the header. */
static void set_word(struct blob *table, const struct go_spec *spec, char part,
		     uint64_t value)
{
	const char *words = words_of(spec->magic);

	for (size_t i = 0; words[i]; i++) {
		if (words[i] == part)
			blob_patch(table, 16 + 8 * i, value, 8);
	}
}

/* A function that pushes something at its byte 1. */
static size_t add_steps(struct blob *table, uint32_t size)
{
	size_t start = table->count;

	blob_uleb(table, 2);
	blob_uleb(table, 1);
	if (size > 1) {
		blob_uleb(table, 16);
		blob_uleb(table, size - 1);
	}
	blob_number(table, 0, 1);
	return start;
}

static void add_record(struct blob *table, const struct go_spec *spec, size_t entry_size,
		       size_t index, const uint64_t places[2])
{
	const struct go_entry *function = &spec->functions[index];
	uint64_t base = entry_size == 8 ? spec->text : 0;

	blob_number(table, base + function->offset, entry_size);
	blob_number(table, places[0], 4);
	blob_number(table, 0, 4);
	blob_number(table, function->deferred, 4);
	blob_number(table, function->size ? places[1] : 0, 4);
	blob_fill(table, 0, RECORD_REST - 16);
}

/* The pairs come first, but need to know of the rest: they are filled in here. */
static void fill_pairs(struct blob *table, const struct go_spec *spec, size_t pairs,
		       size_t records)
{
	size_t size = spec->magic == GO_1_2 || spec->magic == GO_1_16 ? 8 : 4;
	uint64_t base = size == 8 ? spec->text : 0,
		 origin = spec->magic == GO_1_2 ? 0 : pairs;

	for (size_t i = 0; i < spec->count; i++) {
		blob_patch(table, pairs + 2 * i * size, base + spec->functions[i].offset,
			   size);
		blob_patch(table, pairs + (2 * i + 1) * size,
			   records + i * (size + RECORD_REST) - origin, size);
	}
	blob_patch(table, pairs + 2 * spec->count * size, base + spec->end, size);
}

struct go_places go_table_make(struct blob *table, const struct go_spec *spec)
{
	bool old = spec->magic == GO_1_2;
	size_t entry_size = old || spec->magic == GO_1_16 ? 8 : 4;
	size_t pairs_size = (2 * spec->count + 1) * entry_size, pairs, records;
	struct VECTOR(uint64_t) places = {0};
	size_t names, steps;

	blob_number(table, spec->magic, 4);
	blob_number(table, 0x08010000, 4);
	blob_number(table, spec->count, 8);
	blob_fill(table, 0, 8 * strlen(words_of(spec->magic)));
	pairs = table->count; /* of the oldest format */
	if (old)
		blob_fill(table, 0, pairs_size);
	names = old ? 0 : table->count;
	for (size_t i = 0; i < spec->count; i++) {
		vector_push(&places, table->count - names);
		blob_bytes(table, spec->functions[i].name,
			   strlen(spec->functions[i].name) + 1);
	}
	set_word(table, spec, 'n', names);
	set_word(table, spec, 'c', table->count);
	steps = old ? 0 : table->count;
	set_word(table, spec, 's', steps);
	blob_number(table, 0, 1);
	for (size_t i = 0; i < spec->count; i++)
		vector_push(&places, add_steps(table, spec->functions[i].size) - steps);
	blob_align(table, 8);
	if (!old) {
		pairs = table->count;
		blob_fill(table, 0, pairs_size);
	}
	set_word(table, spec, 'p', pairs);
	set_word(table, spec, 't', spec->text_field);
	records = table->count;
	for (size_t i = 0; i < spec->count; i++)
		add_record(table, spec, entry_size, i,
			   (uint64_t[]){places.items[i], places.items[spec->count + i]});
	fill_pairs(table, spec, pairs, records);
	vector_deinit(&places);
	return (struct go_places){pairs, records, entry_size + RECORD_REST};
}
