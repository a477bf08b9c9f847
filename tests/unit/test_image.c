#include "base/cleanup.h"
#include "elf_sample.h"
#include "image/aliases.h"
#include "image/contents.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/image.h"
#include "image/kind.h"
#include "image/open.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

/* An image of a sample, and what is asked of it by offsets in .text. */
struct read {
	struct sample sample;
	struct image *image;
};

static void read_init(struct read *read, unsigned int parts)
{
	sample_init(&read->sample, parts);
	assert_null(image_open_memory(read->sample.builder.file.items,
				      read->sample.builder.file.count, &read->image));
}

static void read_deinit(struct read *read)
{
	image_close(read->image);
	sample_deinit(&read->sample);
}

static const struct image_function *function_at(const struct image *image,
						uint64_t address)
{
	vector_for_each (&image->functions, function) {
		if (function->address == address)
			return function;
	}
	return NULL;
}

static bool is_target(const struct image *image, uint64_t address)
{
	vector_for_each (&image->targets, target) {
		if (*target == address)
			return true;
	}
	return false;
}

static bool has_range(const struct image_ranges *ranges, uint64_t start, uint64_t end)
{
	vector_for_each (ranges, range) {
		if (range->start == start && range->end == end)
			return true;
	}
	return false;
}

static bool warns(const struct image *image, const char *text)
{
	vector_for_each (&image->warnings, warning) {
		if (strstr(*warning, text))
			return true;
	}
	return false;
}

/* Checks one function; `name` "" means that it has none. */
static void expect_function(const struct read *read, uint64_t place, uint64_t size,
			    const char *name, uint32_t flags)
{
	const struct image_function *function =
		function_at(read->image, read->sample.text + place);

	assert_non_null(function);
	assert_int_equal(function->size, size);
	assert_string_equal(read->image->names.items + function->name, name);
	assert_int_equal(function->flags & ~(uint32_t)IMAGE_FUNCTION_REFERENCED, flags);
}

static void expect_no_function(const struct read *read, uint64_t place)
{
	assert_null(function_at(read->image, read->sample.text + place));
}

static bool reaches(const struct read *read, uint64_t place)
{
	return is_target(read->image, read->sample.text + place);
}

static void test_whole_sample(void **state)
{
	struct read read;

	(void)state;
	read_init(&read, SAMPLE_ALL & ~SAMPLE_DEBUG_DATA);
	assert_int_equal(read.image->functions.count, 10);
	expect_function(&read, SAMPLE_MAIN, 0x40, "main",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE);
	expect_function(&read, SAMPLE_HELPER, 0x20, "helper",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE);
	expect_function(&read, SAMPLE_INNER, 8, "inner", IMAGE_FUNCTION_SYMBOL);
	expect_function(&read, SAMPLE_BARE, SAMPLE_ALIASED - SAMPLE_BARE, "bare",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_SIZE_GUESS);
	expect_function(&read, SAMPLE_ALIASED, 0x10, "weak",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE);
	expect_function(&read, SAMPLE_NAMELESS, 0x10, "", IMAGE_FUNCTION_FDE);
	expect_function(&read, SAMPLE_RESOLVER, 0x10, "resolver",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_IFUNC);
	expect_function(&read, SAMPLE_INIT, 0x10, "", IMAGE_FUNCTION_SIZE_GUESS);
	expect_function(&read, SAMPLE_POINTED, 0x10, "exported",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_EXPORTED);
	expect_function(&read, SAMPLE_VERSIONED, 8, "__versioned", IMAGE_FUNCTION_SYMBOL);
	assert_int_equal(read.image->warnings.count, 0);
	read_deinit(&read);
}

static void test_not_functions(void **state)
{
	struct read read;
	uint64_t text;

	(void)state;
	read_init(&read, SAMPLE_ALL & ~SAMPLE_DEBUG_DATA);
	text = read.sample.text;
	expect_no_function(&read, SAMPLE_COLD);
	expect_no_function(&read, SAMPLE_DISPLACED);
	expect_no_function(&read, SAMPLE_RESTORE);
	expect_no_function(&read, SAMPLE_RESTORE - 1);
	expect_no_function(&read, SAMPLE_LABEL);
	expect_no_function(&read, SAMPLE_THREAD);
	assert_int_equal(read.image->cold_parts.count, 3);
	assert_true(has_range(&read.image->cold_parts, text + SAMPLE_COLD,
			      text + SAMPLE_COLD + 0x10));
	assert_true(has_range(&read.image->cold_parts, text + SAMPLE_DISPLACED,
			      text + SAMPLE_DISPLACED + 0x10));
	assert_int_equal(read.image->plt.count, 1);
	assert_true(has_range(&read.image->plt, read.sample.stubs,
			      read.sample.stubs + SAMPLE_STUBS_SIZE));
	assert_int_equal(read.image->untouchable.count, 3);
	assert_true(has_range(&read.image->untouchable, text + SAMPLE_RESTORE - 2,
			      text + SAMPLE_RESTORE + 0x10));
	assert_true(has_range(&read.image->untouchable, text + SAMPLE_SEQUENCE,
			      text + SAMPLE_SEQUENCE + 0x10));
	assert_true(has_range(&read.image->untouchable, text + SAMPLE_ABORT - 4,
			      text + SAMPLE_ABORT + 16));
	read_deinit(&read);
}

static void test_targets(void **state)
{
	static const uint64_t wanted[] = {
		SAMPLE_MAIN,      SAMPLE_PAD_ONE, SAMPLE_PAD_TWO, SAMPLE_HELPER,
		SAMPLE_PAD_THREE, SAMPLE_INNER,   SAMPLE_BARE,    SAMPLE_LABEL,
		SAMPLE_ALIASED,   SAMPLE_COLD,    SAMPLE_RESTORE, SAMPLE_RESOLVER,
		SAMPLE_INIT,      SAMPLE_POINTED, SAMPLE_PACKED,  SAMPLE_ABORT,
		SAMPLE_VERSIONED,
	};
	const size_t count = sizeof(wanted) / sizeof(*wanted);
	struct read read;

	(void)state;
	read_init(&read, SAMPLE_ALL & ~SAMPLE_DEBUG_DATA);
	for (size_t i = 0; i < count; i++)
		assert_true(reaches(&read, wanted[i]));
	assert_int_equal(read.image->targets.count, count);
	for (size_t i = 1; i < count; i++)
		assert_true(read.image->targets.items[i - 1] <
			    read.image->targets.items[i]);
	read_deinit(&read);
}

static void test_header_facts(void **state)
{
	struct read read;

	(void)state;
	read_init(&read, SAMPLE_ALL);
	assert_int_equal(read.image->type, IMAGE_DYNAMIC);
	assert_int_equal(read.image->build_id_size, 20);
	assert_int_equal(read.image->build_id[0], 0xa0);
	assert_int_equal(read.image->build_id[19], 0xb3);
	assert_int_equal(read.image->entry, read.sample.text + SAMPLE_MAIN);
	assert_int_equal(read.image->segments.count, 2);
	assert_true(read.image->segments.items[0].executable);
	assert_false(read.image->segments.items[0].writable);
	assert_true(read.image->segments.items[1].writable);
	assert_int_equal(read.image->base, ELF_SEGMENT_STEP);
	assert_int_equal(read.image->end % 4096, 0);
	assert_false(read.image->has_interpreter);
	assert_false(read.image->text_relocations);
	read_deinit(&read);
}

/* Without section headers: by the dynamic section and the search table. */
static void test_no_sections(void **state)
{
	static const unsigned int hashes[] = {0, SAMPLE_GNU_HASH};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct read read;

		read_init(&read, hashes[i] | SAMPLE_FRAMES | SAMPLE_INDEX |
					 SAMPLE_DYNAMIC | SAMPLE_BUILD_ID);
		assert_int_equal(read.image->functions.count, 6);
		expect_function(&read, SAMPLE_MAIN, 0x40, "", IMAGE_FUNCTION_FDE);
		expect_function(&read, SAMPLE_NAMELESS, 0x10, "", IMAGE_FUNCTION_FDE);
		expect_function(&read, SAMPLE_POINTED, 0x10, "exported",
				IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_EXPORTED);
		assert_int_equal(read.image->cold_parts.count, 3);
		assert_true(reaches(&read, SAMPLE_PAD_ONE));
		assert_true(reaches(&read, SAMPLE_PAD_THREE));
		assert_true(reaches(&read, SAMPLE_PACKED));
		assert_int_equal(read.image->build_id_size, 20);
		assert_int_equal(read.image->warnings.count, 0);
		read_deinit(&read);
	}
}

/* The end mark ends the walk where neither a section nor a search table says the end. */
static void test_frames_without_index(void **state)
{
	struct read with, without;

	(void)state;
	read_init(&with, SAMPLE_FRAMES | SAMPLE_INDEX);
	read_init(&without, SAMPLE_FRAMES | SAMPLE_SECTIONS);
	assert_int_equal(with.image->functions.count, 4);
	assert_int_equal(without.image->functions.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
			with.image->functions.items[i].address - with.sample.text,
			without.image->functions.items[i].address - without.sample.text);
	read_deinit(&with);
	read_deinit(&without);
}

static void test_debug_data(void **state)
{
	struct read read;
	uint64_t address;

	(void)state;
	read_init(&read, SAMPLE_SECTIONS | SAMPLE_FRAMES | SAMPLE_DEBUG_DATA);
	expect_function(&read, SAMPLE_MAIN, 0x40, "main",
			IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_FDE);
	expect_function(&read, SAMPLE_INNER, 8, "inner", IMAGE_FUNCTION_SYMBOL);
	/* It is for names only. */
	assert_false(image_find_function(read.image, "main", &address));
	read_deinit(&read);
}

static void test_find_function(void **state)
{
	struct read read;
	uint64_t address = 1;

	(void)state;
	read_init(&read, SAMPLE_ALL);
	assert_true(image_find_function(read.image, "weak", &address));
	assert_int_equal(address, read.sample.text + SAMPLE_ALIASED);
	/* That is the name that is shown; these are the others. */
	size_t count;
	const struct image_alias *alias = image_aliases(read.image, address, &count);

	assert_int_equal(count, 3);
	assert_string_equal(alias[0].name, "__global");
	assert_string_equal(alias[1].name, "_global");
	assert_string_equal(alias[2].name, "aliased_local");
	assert_null(image_aliases(read.image, address + 1, &count));
	assert_int_equal(count, 0);
	assert_true(image_find_function(read.image, "an_old_one", &address));
	assert_int_equal(address, read.sample.text + SAMPLE_POINTED);
	assert_true(image_find_function(read.image, "inner", &address));
	assert_int_equal(address, read.sample.text + SAMPLE_INNER);
	assert_true(image_find_function(read.image, "versioned", &address));
	assert_int_equal(address, read.sample.text + SAMPLE_VERSIONED);
	address = 1;
	assert_false(image_find_function(read.image, "versioned@", &address));
	assert_false(image_find_function(read.image, "mai", &address));
	assert_false(image_find_function(read.image, "main_", &address));
	assert_false(image_find_function(read.image, "main.cold", &address));
	assert_false(image_find_function(read.image, "label", &address));
	assert_false(image_find_function(read.image, "", &address));
	assert_int_equal(address, 1);
	read_deinit(&read);
}

static void test_bytes_at(void **state)
{
	struct read read;
	uint64_t text;

	(void)state;
	read_init(&read, SAMPLE_SECTIONS);
	text = read.sample.text;
	assert_int_equal(*image_bytes_at(read.image, text, SAMPLE_TEXT_SIZE), 0x90);
	assert_int_equal(*image_bytes_at(read.image, text - 1, 1), 0xcc);
	assert_null(image_bytes_at(read.image, text, SAMPLE_TEXT_SIZE + 1));
	assert_null(image_bytes_at(read.image, text + SAMPLE_TEXT_SIZE, 1));
	assert_null(image_bytes_at(read.image, 0, 1));
	assert_null(image_bytes_at(read.image, text, SIZE_MAX));
	assert_null(image_bytes_at(read.image, UINT64_MAX, 1));
	read_deinit(&read);
}

/* A file with .symtab only, with the given symbols in a text of 0x100 nops. */
struct listed {
	struct elf_builder builder;
	struct symbol_blobs blobs;
	uint64_t text;
	struct image *image;
};

static void listed_start(struct listed *listed)
{
	struct blob code = {0};

	*listed = (struct listed){0};
	elf_builder_init(&listed->builder, ET_EXEC);
	elf_start_segment(&listed->builder, PF_R | PF_X);
	blob_fill(&code, 0x90, 0x100);
	listed->text = elf_add_section(&listed->builder, ".text", SHT_PROGBITS,
				       SHF_ALLOC | SHF_EXECINSTR, &code, 0);
	vector_deinit(&code);
	symbols_start(&listed->blobs);
}

static void listed_add(struct listed *listed, const char *name, uint64_t place,
		       uint64_t size)
{
	symbols_add(&listed->blobs, name, STB_LOCAL, STT_FUNC, listed->text + place, size,
		    1);
}

static void listed_finish(struct listed *listed)
{
	uint32_t strings = (uint32_t)listed->builder.sections.count + 1;

	elf_add_section(&listed->builder, ".symtab", SHT_SYMTAB, 0,
			&listed->blobs.symbols, strings);
	elf_add_section(&listed->builder, ".strtab", SHT_STRTAB, 0,
			&listed->blobs.strings, 0);
	elf_finish(&listed->builder, true);
	assert_null(image_open_memory(listed->builder.file.items,
				      listed->builder.file.count, &listed->image));
}

static void listed_deinit(struct listed *listed)
{
	image_close(listed->image);
	symbols_deinit(&listed->blobs);
	elf_builder_deinit(&listed->builder);
}

static void test_cold_names(void **state)
{
	static const struct {
		const char *name;
		bool cold;
	} rows[] = {
		{"f.cold", true},        {"f.cold.12", true},
		{"f.part.0.cold", true}, {"f.isra.0", false},
		{"f.part.1", false},     {"f.constprop.0", false},
		{"f.coldest", false},    {".cold", false},
		{"f.cold.x", false},     {"_ZN3foo..cold..Bar4call", false},
		{"f.cold.f.cold", true}, {"cold", false},
	};
	const size_t count = sizeof(rows) / sizeof(*rows);
	struct listed listed;

	(void)state;
	listed_start(&listed);
	for (size_t i = 0; i < count; i++)
		listed_add(&listed, rows[i].name, i * 16, 16);
	listed_finish(&listed);
	for (size_t i = 0; i < count; i++) {
		uint64_t address = listed.text + i * 16;

		assert_int_equal(!function_at(listed.image, address), rows[i].cold);
		assert_int_equal(
			has_range(&listed.image->cold_parts, address, address + 16),
			rows[i].cold);
	}
	listed_deinit(&listed);
}

/* Symbols in no code, behind the code, of absurd sizes. */
static void test_odd_symbols(void **state)
{
	struct listed listed;
	const struct image_function *last;

	(void)state;
	listed_start(&listed);
	listed_add(&listed, "before", (uint64_t)-8, 4);
	listed_add(&listed, "behind", 0x100, 4);
	listed_add(&listed, "nowhere", 1ull << 63, 4);
	listed_add(&listed, "huge", 0xf0, UINT64_MAX);
	listed_add(&listed, "last", 0xff, 0);
	listed_finish(&listed);
	assert_int_equal(listed.image->functions.count, 2);
	assert_int_equal(listed.image->functions.items[0].size, 0x10);
	last = &listed.image->functions.items[1];
	assert_int_equal(last->size, 1);
	assert_int_equal(last->flags, IMAGE_FUNCTION_SYMBOL | IMAGE_FUNCTION_SIZE_GUESS);
	listed_deinit(&listed);
}

/* Many symbols with one long name must not take so many times its length. */
static void test_shared_name(void **state)
{
	enum { COUNT = 200, LENGTH = 100000 };
	struct listed listed;
	char *name = memory_allocate(LENGTH + 1);
	Elf64_Sym *symbols;

	(void)state;
	memset(name, 'n', LENGTH);
	name[LENGTH] = 0;
	listed_start(&listed);
	listed_add(&listed, name, 0, 1);
	for (unsigned int i = 1; i < COUNT; i++)
		listed_add(&listed, "", i, 1);
	symbols = (Elf64_Sym *)(void *)listed.blobs.symbols.items;
	for (unsigned int i = 1; i < COUNT; i++)
		symbols[1 + i].st_name = symbols[1].st_name;
	listed_finish(&listed);
	assert_true(listed.image->names.count < 2 * LENGTH);
	assert_true(listed.image->warnings.count > 0);
	listed_deinit(&listed);
	free(name);
}

/* Opens bytes and looks at what was found; returns false for an error, which is fine. */
static bool try_bytes(const uint8_t *bytes, size_t size)
{
	struct image *image;
	struct trm_error *error;
	uint64_t last = 0;

	/* Exactly as large as said, so that a checker sees reads behind the end. */
	uint8_t *copy = memory_allocate(size);

	memcpy(copy, bytes, size);
	error = image_open_memory(copy, size, &image);
	if (!error) {
		vector_for_each (&image->functions, function) {
			assert_true(function->address >= last && function->size > 0);
			assert_non_null(
				image_bytes_at(image, function->address, function->size));
			last = function->address + 1;
		}
		assert_true(image->warnings.count <= 21);
		image_close(image);
	}
	free(copy);
	if (!error)
		return true;
	assert_true(error->code == TRM_ERROR_FORMAT ||
		    error->code == TRM_ERROR_UNSUPPORTED);
	trm_error_destroy(error);
	return false;
}

static void test_truncated(void **state)
{
	struct sample sample;
	size_t size, whole = 0;

	(void)state;
	sample_init(&sample, SAMPLE_ALL);
	size = sample.builder.file.count;
	for (size_t i = 0; i <= size; i++)
		whole += try_bytes(sample.builder.file.items, i);
	assert_true(whole > 0 && whole < size);
	sample_deinit(&sample);
}

static void test_damaged_bytes(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct sample sample;
	uint8_t *bytes;

	(void)state;
	sample_init(&sample, SAMPLE_ALL);
	bytes = sample.builder.file.items;
	for (size_t i = 0; i < sample.builder.file.count; i++) {
		uint8_t kept = bytes[i];

		for (size_t j = 0; j < sizeof(values); j++) {
			bytes[i] = values[j];
			try_bytes(bytes, sample.builder.file.count);
		}
		bytes[i] = kept;
	}
	assert_true(try_bytes(bytes, sample.builder.file.count));
	sample_deinit(&sample);
}

/* A damaged table costs its own contents and a warning, not the image. */
static void test_damaged_frames(void **state)
{
	struct read read;
	struct sample sample;
	uint8_t *at;

	(void)state;
	sample_init(&sample, SAMPLE_SECTIONS | SAMPLE_SYMTAB | SAMPLE_FRAMES);
	at = memmem(sample.builder.file.items, sample.builder.file.count, "zPLR", 5);
	assert_non_null(at);
	at[-9] = 0xff; /* the size of the first entry */
	at[-8] = 0xff;
	read.sample = sample;
	assert_null(image_open_memory(sample.builder.file.items,
				      sample.builder.file.count, &read.image));
	assert_true(warns(read.image, "call-frame information"));
	expect_function(&read, SAMPLE_MAIN, 0x40, "main", IMAGE_FUNCTION_SYMBOL);
	read_deinit(&read);
}

static void expect_error(const void *bytes, size_t size, enum trm_error_code code)
{
	struct image *image = NULL;
	struct trm_error *error = image_open_memory(bytes, size, &image);

	assert_non_null(error);
	assert_int_equal(error->code, code);
	assert_null(image);
	trm_error_destroy(error);
}

static void test_refused(void **state)
{
	struct sample sample;
	Elf64_Ehdr *header;
	uint8_t *bytes;
	size_t size;

	(void)state;
	sample_init(&sample, SAMPLE_ALL);
	bytes = sample.builder.file.items;
	size = sample.builder.file.count;
	header = (Elf64_Ehdr *)(void *)bytes;
	expect_error("", 0, TRM_ERROR_FORMAT);
	expect_error("#!/bin/sh\n", 10, TRM_ERROR_FORMAT);
	expect_error(bytes, 20, TRM_ERROR_FORMAT);
	header->e_machine = EM_AARCH64;
	expect_error(bytes, size, TRM_ERROR_UNSUPPORTED);
	header->e_machine = EM_X86_64;
	header->e_ident[EI_CLASS] = ELFCLASS32;
	expect_error(bytes, size, TRM_ERROR_UNSUPPORTED);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_type = ET_REL;
	expect_error(bytes, size, TRM_ERROR_UNSUPPORTED);
	header->e_type = ET_DYN;
	header->e_phnum = 0;
	expect_error(bytes, size, TRM_ERROR_FORMAT);
	sample_deinit(&sample);
}

static void test_unreadable_paths(void **state)
{
	static const struct {
		const char *path;
		enum trm_error_code code;
	} rows[] = {
		{"/nowhere/at/all", TRM_ERROR_SYSTEM},
		{"/", TRM_ERROR_SYSTEM},
		{"/dev/null", TRM_ERROR_FORMAT},
		{"/etc/passwd", TRM_ERROR_FORMAT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct image *image = NULL;
		struct trm_error *error = image_open(rows[i].path, "shown", &image);

		assert_non_null(error);
		assert_int_equal(error->code, rows[i].code);
		assert_non_null(strstr(error->message, "'shown'"));
		trm_error_destroy(error);
	}
}

static enum image_kind probe(const void *bytes, size_t size)
{
	scoped_fd int fd = memfd_create("probe", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return image_probe(fd);
}

static void test_probe(void **state)
{
	struct sample sample;
	uint8_t *bytes;

	(void)state;
	sample_init(&sample, 0);
	bytes = sample.builder.file.items;
	assert_int_equal(probe(bytes, sample.builder.file.count), IMAGE_KIND_NATIVE);
	bytes[EI_CLASS] = ELFCLASS32;
	assert_int_equal(probe(bytes, sample.builder.file.count), IMAGE_KIND_FOREIGN);
	bytes[EI_CLASS] = ELFCLASS64;
	((Elf64_Ehdr *)(void *)bytes)->e_machine = EM_PPC64;
	assert_int_equal(probe(bytes, sample.builder.file.count), IMAGE_KIND_FOREIGN);
	assert_int_equal(probe("#!/bin/sh\n", 10), IMAGE_KIND_SCRIPT);
	assert_int_equal(probe("\x7f"
			       "ELF",
			       4),
			 IMAGE_KIND_OTHER);
	assert_int_equal(probe("text", 4), IMAGE_KIND_OTHER);
	assert_int_equal(probe("", 0), IMAGE_KIND_OTHER);
	sample_deinit(&sample);
}

static void expect_demangled(const char *name, const char *wanted)
{
	scoped_free char *text = image_demangle(name);

	assert_string_equal(text, wanted);
}

static void test_demangle(void **state)
{
	(void)state;
	expect_demangled("main", "main");
	expect_demangled("_ZN3foo3barEi", "foo::bar(int)");
	expect_demangled("_ZN3foo3barEi.constprop.0",
			 "foo::bar(int) [clone .constprop.0]");
	expect_demangled("_RNvC5crate4main", "crate::main");
	expect_demangled("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
	expect_demangled("_Zsomething", "_Zsomething");
	expect_demangled("_", "_");
	expect_demangled("", "");
}

/* Each part of this name has two of the part before it: 2^34 words, written out. */
static void test_demangle_endless(void **state)
{
	char name[1024] = "_Z1f1AIiiE", *text;
	size_t length = strlen(name);

	(void)state;
	length += (size_t)snprintf(name + length, sizeof(name) - length, "S_IS0_S0_E");
	for (int i = 1; i < 34; i++) {
		char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		length += (size_t)snprintf(name + length, sizeof(name) - length,
					   "S_IS%c_S%c_E", digit, digit);
	}
	text = image_demangle(name);
	assert_true(strlen(text) < 100000);
	free(text);
}

/* Things that must hold of this program, its C library and a large static program. */
static void test_own_program(void **state)
{
	const uint64_t own = (uint64_t)(uintptr_t)test_own_program;
	struct image *image;
	uint64_t main_address, other_address;
	const struct image_function *function;

	(void)state;
	assert_null(image_open("/proc/self/exe", "myself", &image));
	assert_string_equal(image->path, "myself");
	assert_true(image->has_interpreter);
	assert_true(image->functions.count > 100);
	assert_true(image_find_function(image, "main", &main_address));
	assert_true(image_find_function(image, "test_own_program", &other_address));
	assert_int_equal(own % 4096, other_address % 4096);
	function = function_at(image, other_address);
	assert_non_null(function);
	assert_true(function->size > 50 && function->size < 4096);
	assert_memory_equal(image_bytes_at(image, other_address, 16),
			    (const void *)(uintptr_t)own, 16);
	image_close(image);
}

static void test_c_library(void **state)
{
	static const char *const names[] = {"malloc", "printf", "fork", "memcpy",
					    "qsort"};
	struct image *image;
	uint64_t address;

	(void)state;
	if (access("/lib/x86_64-linux-gnu/libc.so.6", R_OK) != 0)
		skip();
	assert_null(image_open("/lib/x86_64-linux-gnu/libc.so.6", NULL, &image));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_true(image_find_function(image, names[i], &address));
		assert_true(function_at(image, address)->flags & IMAGE_FUNCTION_EXPORTED);
	}
	assert_true(image_find_function(image, "memcpy", &address));
	assert_true(function_at(image, address)->flags & IMAGE_FUNCTION_IFUNC);
	/* The signal-return trampoline: mov $15, %eax; syscall. */
	assert_int_equal(image->untouchable.count, 1);
	assert_non_null(
		memmem(image_bytes_at(image, image->untouchable.items[0].start, 16), 16,
		       "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9));
	assert_int_equal(image->warnings.count, 0);
	image_close(image);
}

/* cc1 has 33 MB and 45,000 frames: a table read in quadratic time would show. */
static void test_large_program(void **state)
{
	static const char path[] = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1";
	struct image *image;
	clock_t start = clock();

	(void)state;
	if (access(path, R_OK) != 0)
		skip();
	assert_null(image_open(path, NULL, &image));
	assert_true(image->functions.count > 30000);
	assert_true(image->cold_parts.count > 1000);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_sample),
		cmocka_unit_test(test_not_functions),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_header_facts),
		cmocka_unit_test(test_no_sections),
		cmocka_unit_test(test_frames_without_index),
		cmocka_unit_test(test_debug_data),
		cmocka_unit_test(test_find_function),
		cmocka_unit_test(test_bytes_at),
		cmocka_unit_test(test_cold_names),
		cmocka_unit_test(test_odd_symbols),
		cmocka_unit_test(test_shared_name),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged_bytes),
		cmocka_unit_test(test_damaged_frames),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unreadable_paths),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_endless),
		cmocka_unit_test(test_own_program),
		cmocka_unit_test(test_c_library),
		cmocka_unit_test(test_large_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
