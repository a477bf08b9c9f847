/*
 * Reads types and variables out of debug information with any bytes changed: the input
 * says which, of probed.c's. Each change is a section (a byte: info, abbrev, loclists or
 * str), an offset (2 bytes), and what is added to the byte there. All that is read is
 * looked at, and members, variables and places are looked up.
 */
#include "image/find.h"
#include "image/headers.h"
#include "image/open.h"
#include "image/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE_SIZE = 4 };

static const char *const sections[] = {
	".debug_info", ".debug_abbrev",   ".debug_str",      ".debug_loclists",
	".debug_addr", ".debug_rnglists", ".debug_line_str", ".eh_frame"};
static const char *const functions[] = {"solve", "scale", "parse", "tail", "store"};
static const char *const names[] = {"request", "pair", "shared", "colour", "last"};
static const char *const members[] = {"id", "kind", "number", "words", "next"};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static uint8_t *original;
static size_t original_size;

static void read_original(void)
{
	FILE *file = fopen(PROBED, "rb");

	require(file && !fseek(file, 0, SEEK_END));
	original_size = (size_t)ftell(file);
	original = malloc(original_size);
	rewind(file);
	require(fread(original, 1, original_size, file) == original_size);
	fclose(file);
}

/* The bytes of a section in a copy of the file. */
static uint8_t *section_of(uint8_t *bytes, const char *name, size_t *ret_size)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *rows = (const void *)(bytes + header->e_shoff);
	const char *texts = (const char *)bytes + rows[header->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(texts + rows[i].sh_name, name)) {
			*ret_size = rows[i].sh_size;
			return bytes + rows[i].sh_offset;
		}
	*ret_size = 0;
	return NULL;
}

static void change_bytes(uint8_t *bytes, const uint8_t *data, size_t size)
{
	for (; size >= CHANGE_SIZE; data += CHANGE_SIZE, size -= CHANGE_SIZE) {
		size_t length;
		uint8_t *section = section_of(
			bytes,
			sections[data[0] % (sizeof(sections) / sizeof(sections[0]))],
			&length);

		if (length)
			section[(data[1] | (size_t)data[2] << 8) % length] += data[3];
	}
}

static void see_types(const struct image_types *types)
{
	vector_for_each (&types->items, item) {
		require(item->name < types->names.count);
		require(item->target == IMAGE_TYPE_NONE ||
			item->target < types->items.count);
		require(item->first_member + (uint64_t)item->member_count <=
			types->members.count);
	}
	vector_for_each (&types->members, member) {
		require(member->name < types->names.count);
		require(member->type == IMAGE_TYPE_NONE ||
			member->type < types->items.count);
		require(member->bit_offset + member->bit_size <= 128);
	}
	vector_for_each (&types->variables, variable) {
		require(variable->type == IMAGE_TYPE_NONE ||
			variable->type < types->items.count);
		require(variable->first_location + (uint64_t)variable->location_count <=
			types->locations.count);
	}
	vector_for_each (&types->locations, location)
		require(location->number < 16 || location->kind != IMAGE_IN_REGISTER);
	vector_for_each (&types->functions, function)
		require(function->first_variable + (uint64_t)function->variable_count <=
			types->variables.count);
}

static void look_up(const struct image_types *types, const uint64_t *addresses)
{
	struct image_member member;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const uint32_t type = image_types_named(types, names[i]);

		require(type == IMAGE_TYPE_NONE || type < types->items.count);
		for (size_t k = 0; k < sizeof(members) / sizeof(members[0]); k++)
			if (type != IMAGE_TYPE_NONE &&
			    image_types_member(types, type, members[k], &member))
				require(member.type < types->items.count);
	}
	for (size_t i = 0; i < types->items.count; i++) {
		struct text text = {0};

		image_types_describe(types, (uint32_t)i, &text);
		require(text.length < 1 << 16);
		text_deinit(&text);
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct image_signature *function =
			image_types_function(types, addresses[i]);
		const struct image_variable *variable = image_types_variable(
			types, function, "request", addresses[i] + 4);

		if (variable)
			image_types_location(types, variable, addresses[i] + 4);
	}
}

static void read_types(const struct image *image)
{
	uint64_t addresses[sizeof(functions) / sizeof(functions[0])];
	const size_t count = sizeof(functions) / sizeof(functions[0]);
	struct image_types types;

	for (size_t i = 0; i < count; i++)
		require(image_find_function(image, functions[i], &addresses[i]));

	const struct image_types_wanted wanted = {addresses, count, names,
						  sizeof(names) / sizeof(names[0]), true};
	struct trm_error *error = image_types_init(&types, image, &wanted);

	if (error) {
		require(error->message && *error->message);
		trm_error_destroy(error);
		return;
	}
	see_types(&types);
	look_up(&types, addresses);
	image_types_deinit(&types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image *image;
	uint8_t *bytes;

	if (!original)
		read_original();
	bytes = malloc(original_size);
	memcpy(bytes, original, original_size);
	change_bytes(bytes, data, size);
	struct trm_error *error = image_open_memory(bytes, original_size, &image);

	if (error) {
		trm_error_destroy(error);
	} else {
		read_types(image);
		image_close(image);
	}
	free(bytes);
	return 0;
}
