#include "elf_go.h"
#include "image/image.h"
#include "image/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum {
	MAIN = 0,
	EXIT = 0x40,
	RETURN = 0x60,
	SIZELESS = 0x80,
	CHECKED = 0xa0,
	TEXT_END = 0xc0,
	TEXT_SIZE = 0xe0,
};

static const struct go_entry functions[] = {
	{MAIN, 0x31, 0x20, "main.main"},
	{EXIT, 7, 0, "runtime.goexit"},
	{RETURN, 0, 0, "empty"}, /* ends where it begins */
	{RETURN, 9, 0, "runtime.sigreturn"},
	{SIZELESS, 0, 0, "main.sizeless"},
	{CHECKED, 0, 0, "go:textfipsstart"},
	{CHECKED + 8, 7, 0, "crypto.checked"},
	{CHECKED + 16, 0, 0, "go:textfipsend"},
};

enum { FUNCTION_COUNT = sizeof(functions) / sizeof(*functions) };

static const uint32_t magics[] = {GO_1_2, GO_1_16, GO_1_18, GO_1_20};

enum { MAGIC_COUNT = sizeof(magics) / sizeof(*magics) };

/* How the file around a table is. */
enum form {
	BY_NAME = 1,     /* the table's section has its name */
	NO_SECTIONS = 2, /* there are no section headers */
	RELOCATED = 4,   /* the loader fills in addresses */
	NO_TEXT = 8,     /* the header does not say where the text is */
	IN_CODE = 16,    /* the table is in an executable segment */
};

struct file {
	struct elf_builder builder;
	struct blob table;
	uint64_t text, address; /* of the table */
	size_t offset;          /* of the table, in the file */
	struct go_places places;
	struct image *image;
};

static void add_relocation(struct blob *blob, uint64_t place, uint64_t value)
{
	blob_number(blob, place, 8);
	blob_number(blob, R_X86_64_RELATIVE, 8);
	blob_number(blob, value, 8);
}

/* Takes the addresses out of the table and leaves them to the loader. */
static void relocate(struct file *file, uint32_t magic, struct blob *relocations)
{
	if (magic == GO_1_18 || magic == GO_1_20) {
		add_relocation(relocations, file->address + 24, file->text);
		blob_patch(&file->table, 24, 0, 8);
		return;
	}
	for (size_t i = 0; i <= FUNCTION_COUNT; i++) {
		size_t places[] = {file->places.pairs + 16 * i,
				   file->places.records + file->places.record_size * i};
		uint64_t offset = i < FUNCTION_COUNT ? functions[i].offset : TEXT_END;

		for (size_t j = 0; j < 1u + (i < FUNCTION_COUNT); j++) {
			add_relocation(relocations, file->address + places[j],
				       file->text + offset);
			blob_patch(&file->table, places[j], 0, 8);
		}
	}
}

static void add_table(struct file *file, uint32_t magic, unsigned int form)
{
	struct go_spec spec = {.magic = magic,
			       .text = file->text,
			       .functions = functions,
			       .count = FUNCTION_COUNT,
			       .end = TEXT_END};
	struct blob relocations = {0};

	spec.text_field = form & NO_TEXT ? 0 : file->text;
	file->places = go_table_make(&file->table, &spec);
	file->address = elf_next_address(&file->builder);
	file->offset = file->builder.file.count;
	if (form & RELOCATED)
		relocate(file, magic, &relocations);
	elf_add_section(&file->builder, form & BY_NAME ? ".gopclntab" : ".data.rel.ro",
			SHT_PROGBITS, SHF_ALLOC, &file->table, 0);
	if (relocations.count)
		elf_add_section(&file->builder, ".rela.dyn", SHT_RELA, SHF_ALLOC,
				&relocations, 0);
	vector_deinit(&relocations);
}

/* Makes a file that only needs to be finished. */
static void file_start(struct file *file, uint32_t magic, unsigned int form)
{
	struct blob code = {0}, sign = {0};

	*file = (struct file){0};
	elf_builder_init(&file->builder, ET_EXEC);
	elf_start_segment(&file->builder, PF_R | PF_X);
	blob_fill(&code, 0x90, TEXT_SIZE);
	file->text = elf_add_section(&file->builder, ".text", SHT_PROGBITS,
				     SHF_ALLOC | SHF_EXECINSTR, &code, 0);
	file->builder.entry = file->text + MAIN;
	elf_start_segment(&file->builder, form & IN_CODE ? PF_R | PF_X : PF_R);
	blob_number(&sign, 0x1234567, 8);
	elf_add_section(&file->builder, ".go.buildinfo", SHT_PROGBITS, SHF_ALLOC, &sign,
			0);
	add_table(file, magic, form);
	vector_deinit(&code);
	vector_deinit(&sign);
}

static void file_init(struct file *file, uint32_t magic, unsigned int form)
{
	file_start(file, magic, form);
	elf_finish(&file->builder, !(form & NO_SECTIONS));
}

static void file_read(struct file *file)
{
	image_close(file->image);
	assert_null(image_open_memory(file->builder.file.items, file->builder.file.count,
				      &file->image));
}

static void file_deinit(struct file *file)
{
	image_close(file->image);
	elf_builder_deinit(&file->builder);
	vector_deinit(&file->table);
}

/* Puts a number into the table and reads the file anew. */
static void change(struct file *file, size_t place, uint64_t value, size_t size)
{
	blob_patch(&file->builder.file, file->offset + place, value, size);
	file_read(file);
}

static const struct image_function *function_at(const struct file *file, uint64_t place)
{
	vector_for_each (&file->image->functions, function) {
		if (function->address == file->text + place)
			return function;
	}
	return NULL;
}

static bool reaches(const struct file *file, uint64_t place)
{
	vector_for_each (&file->image->targets, target) {
		if (*target == file->text + place)
			return true;
	}
	return false;
}

static void expect_function(const struct file *file, uint64_t place, uint64_t size,
			    const char *name, uint32_t flags)
{
	const struct image_function *function = function_at(file, place);
	const uint32_t compared = IMAGE_FUNCTION_GO | IMAGE_FUNCTION_SIZE_GUESS |
				  IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE;

	assert_non_null(function);
	assert_int_equal(function->size, size);
	assert_string_equal(file->image->names.items + function->name, name);
	assert_int_equal(function->flags & compared, flags);
}

/* Checks that all that the table says was understood. */
static void expect_all(const struct file *file)
{
	const struct image_range *range = file->image->untouchable.items;

	assert_int_equal(file->image->warnings.count, 0);
	assert_int_equal(file->image->functions.count, 7);
	expect_function(file, MAIN, 0x31, "main.main", IMAGE_FUNCTION_GO);
	expect_function(file, EXIT, 7, "runtime.goexit", IMAGE_FUNCTION_GO);
	expect_function(file, RETURN, 9, "runtime.sigreturn", IMAGE_FUNCTION_GO);
	assert_true(reaches(file, MAIN + 0x20));
	assert_true(reaches(file, EXIT + 1));
	assert_false(reaches(file, MAIN + 1));
	assert_int_equal(file->image->untouchable.count, 2);
	assert_int_equal(range[0].start, file->text + RETURN - 1);
	assert_int_equal(range[0].end, file->text + SIZELESS);
	assert_int_equal(range[1].start, file->text + CHECKED - 1);
	assert_int_equal(range[1].end, file->text + TEXT_END);
}

/* Checks that the table was left out, with a warning. */
static void expect_nothing(const struct file *file)
{
	vector_for_each (&file->image->functions, function)
		assert_false(function->flags & IMAGE_FUNCTION_GO);
	assert_int_equal(file->image->untouchable.count, 0);
	assert_false(reaches(file, EXIT + 1));
	assert_int_equal(file->image->warnings.count, 1);
	assert_non_null(strstr(file->image->warnings.items[0], "Go functions"));
}

static void test_formats(void **state)
{
	static const unsigned int forms[] = {BY_NAME, 0, NO_SECTIONS, BY_NAME | RELOCATED,
					     RELOCATED};

	(void)state;
	for (size_t i = 0; i < MAGIC_COUNT; i++) {
		for (size_t j = 0; j < sizeof(forms) / sizeof(*forms); j++) {
			struct file file;

			file_init(&file, magics[i], forms[j]);
			file_read(&file);
			expect_all(&file);
			file_deinit(&file);
		}
	}
}

static void test_unknown_size(void **state)
{
	struct file file;

	(void)state;
	file_init(&file, GO_1_20, BY_NAME);
	file_read(&file);
	expect_function(&file, SIZELESS, CHECKED - SIZELESS, "main.sizeless",
			IMAGE_FUNCTION_GO | IMAGE_FUNCTION_SIZE_GUESS);
	file_deinit(&file);
}

/* Without an address in the header, only a table that has the program's entry will do. */
static void test_no_text(void **state)
{
	struct file file;

	(void)state;
	file_init(&file, GO_1_20, BY_NAME | NO_TEXT);
	file_read(&file);
	expect_all(&file);
	blob_patch(&file.builder.file, offsetof(Elf64_Ehdr, e_entry), file.text + 1, 8);
	file_read(&file);
	expect_nothing(&file);
	file_deinit(&file);
}

/* Code is not searched for tables, nor are programs that nothing shows to be Go's. */
static void test_not_searched(void **state)
{
	struct file file;
	uint8_t *sign;

	(void)state;
	file_init(&file, GO_1_20, IN_CODE);
	file_read(&file);
	assert_null(function_at(&file, EXIT));
	file_deinit(&file);
	file_init(&file, GO_1_20, 0);
	sign = memmem(file.builder.file.items, file.builder.file.count, ".go.", 4);
	assert_non_null(sign);
	sign[1] = 'c';
	file_read(&file);
	assert_null(function_at(&file, EXIT));
	assert_int_equal(file.image->warnings.count, 0);
	file_deinit(&file);
}

/* Whatever of the table is wrong, nothing of it is taken. */
static void test_contradictions(void **state)
{
	enum { HEADER, PAIRS, RECORDS };
	/* Words of the header; pairs of 8 bytes; numbers of records. */
	static const struct {
		int base;
		size_t place;
		uint64_t value;
		size_t size;
	} changes[] = {
		{HEADER, 0, 0xfffffff2, 4},      /* unknown magic */
		{HEADER, 4, 0x04010000, 4},      /* addresses of 4 bytes */
		{HEADER, 8, 0, 8},               /* no functions */
		{HEADER, 8, UINT64_MAX / 8, 8},  /* more than there is room for */
		{HEADER, 24, 0x40, 8},           /* text elsewhere */
		{HEADER, 32, UINT64_MAX, 8},     /* names elsewhere */
		{HEADER, 56, 0x100000, 8},       /* steps */
		{HEADER, 64, UINT64_MAX - 4, 8}, /* functions */
		{PAIRS, 0, 1, 4},          /* an entry that its record contradicts */
		{PAIRS, 4, 0x100000, 4},   /* a record behind the end */
		{PAIRS, 4, UINT32_MAX, 4}, /* and further */
		{PAIRS, 8, 0x90, 4},       /* entries not in order */
		{PAIRS, 8 * FUNCTION_COUNT, TEXT_SIZE + 1,
		 4},                                        /* the end outside the code */
		{PAIRS, 8 * FUNCTION_COUNT, UINT32_MAX, 4}, /* and further */
		{RECORDS, 4, 0x100000, 4},                  /* a name behind the names */
		{RECORDS, 0, 1, 4}, /* a record of another function */
	};
	struct file file;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		size_t bases[] = {0, 0, 0};

		file_init(&file, GO_1_20, BY_NAME);
		bases[PAIRS] = file.places.pairs;
		bases[RECORDS] = file.places.records;
		change(&file, bases[changes[i].base] + changes[i].place, changes[i].value,
		       changes[i].size);
		expect_nothing(&file);
		file_deinit(&file);
	}
}

/* A function is no longer than up to the next one. */
static void test_long_steps(void **state)
{
	struct file file;
	uint8_t *steps;

	(void)state;
	file_init(&file, GO_1_20, BY_NAME);
	steps = memmem(file.builder.file.items + file.offset, file.table.count,
		       "\x02\x01\x10\x30", 5);
	assert_non_null(steps);
	steps[3] = 0x40;
	file_read(&file);
	expect_nothing(&file);
	file_deinit(&file);
}

/* Any byte of it may be anything. */
static void test_any_byte(void **state)
{
	struct file file;

	(void)state;
	for (size_t i = 0; i < MAGIC_COUNT; i++) {
		file_init(&file, magics[i], BY_NAME);
		for (size_t at = 0; at < file.table.count; at++) {
			uint8_t *byte = file.builder.file.items + file.offset + at;
			uint8_t good = *byte;

			*byte = (uint8_t)~good;
			file_read(&file);
			vector_for_each (&file.image->functions, function)
				assert_true(function->address >= file.text &&
					    function->address + function->size <=
						    file.text + TEXT_SIZE);
			*byte = good;
		}
		file_deinit(&file);
	}
}

/* Adds a frame, and says whether the table was believed. */
static void expect_frame(uint64_t start, uint64_t size, bool agrees)
{
	struct blob frames = {0};
	struct frame_spec spec = {.size = size};
	size_t common = frames_common(&frames, "zR");
	struct file file;

	file_start(&file, GO_1_20, BY_NAME);
	spec.address = file.text + start;
	frames_entry(&frames, elf_next_address(&file.builder), common, &spec);
	blob_number(&frames, 0, 4);
	elf_add_section(&file.builder, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, &frames, 0);
	elf_finish(&file.builder, true);
	file_read(&file);
	if (agrees) {
		assert_int_equal(file.image->warnings.count, 0);
		assert_non_null(function_at(&file, EXIT));
	} else {
		expect_nothing(&file);
	}
	file_deinit(&file);
	vector_deinit(&frames);
}

static void test_frames(void **state)
{
	(void)state;
	expect_frame(MAIN, 0x31, true);
	expect_frame(EXIT, RETURN - EXIT, true);
	expect_frame(TEXT_END, 0x10, true);
	expect_frame(MAIN + 8, 8, false);    /* inside a function */
	expect_frame(MAIN, EXIT + 1, false); /* over two */
	expect_frame(EXIT - 1, 8, false);    /* from padding into one */
	expect_frame(EXIT - 8, 8, true);     /* only padding */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_unknown_size),
		cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_not_searched),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_long_steps),
		cmocka_unit_test(test_any_byte),
		cmocka_unit_test(test_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
