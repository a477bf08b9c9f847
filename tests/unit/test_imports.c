/* Names of what the loader stores in words, against a search through all relocations. */
#include "base/vector.h"
#include "image/imports.h"
#include "image/open.h"

#include <elf.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4 };

static const char *const paths[] = {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",
				    "/lib/x86_64-linux-gnu/libm.so.6"};

struct wanted {
	uint64_t word;
	const char *name; /* NULL: there is none */
};
struct wanteds VECTOR(struct wanted);

static Elf64_Shdr section_at(const struct image *image, uint32_t index)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
	Elf64_Shdr section;

	memcpy(&section, image->bytes + header->e_shoff + index * sizeof(section),
	       sizeof(section));
	return section;
}

static void add_row(const struct image *image, const Elf64_Shdr *table,
		    const Elf64_Rela *row, struct wanteds *wanteds)
{
	const Elf64_Shdr symbols = section_at(image, table->sh_link);
	const uint64_t number = ELF64_R_SYM(row->r_info);
	Elf64_Sym symbol;

	if (!number) {
		vector_push(wanteds, ((struct wanted){row->r_offset, NULL}));
		return;
	}
	memcpy(&symbol, image->bytes + symbols.sh_offset + number * sizeof(symbol),
	       sizeof(symbol));
	vector_push(
		wanteds,
		((struct wanted){row->r_offset,
				 (const char *)image->bytes +
					 section_at(image, symbols.sh_link).sh_offset +
					 symbol.st_name}));
	/* A word that nothing begins at. */
	vector_push(wanteds, ((struct wanted){row->r_offset + 1, NULL}));
}

static void read_wanteds(const struct image *image, struct wanteds *wanteds)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
	Elf64_Rela row;

	for (uint32_t i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr table = section_at(image, i);

		if (table.sh_type != SHT_RELA || !(table.sh_flags & SHF_ALLOC))
			continue;
		for (size_t at = 0; at < table.sh_size; at += sizeof(row)) {
			memcpy(&row, image->bytes + table.sh_offset + at, sizeof(row));
			add_row(image, &table, &row, wanteds);
		}
	}
}

struct asker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	const struct image *image;
	const struct wanteds *wanteds;
	size_t named, wrong;
};

/* Asks at the same time as the others, so that several make what is searched. */
static void *ask(void *argument)
{
	struct asker *asker = argument;

	pthread_barrier_wait(asker->barrier);
	vector_for_each (asker->wanteds, wanted) {
		const char *name = image_import_at(asker->image, wanted->word);

		asker->named += name != NULL;
		asker->wrong += !name != !wanted->name ||
				(name && strcmp(name, wanted->name) != 0);
	}
	return NULL;
}

static void check_file(const char *path)
{
	struct asker askers[THREADS];
	struct wanteds wanteds = {0};
	pthread_barrier_t barrier;
	struct image *image;

	if (image_open(path, NULL, &image))
		skip();
	read_wanteds(image, &wanteds);
	assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
	for (size_t i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){
			.barrier = &barrier, .image = image, .wanteds = &wanteds};
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]),
				 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
		assert_true(askers[i].named > 0);
		assert_int_equal(askers[i].wrong, 0);
	}
	pthread_barrier_destroy(&barrier);
	vector_deinit(&wanteds);
	image_close(image);
}

static void test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		check_file(paths[i]);
}

/* What is no file of code has no words. */
static void test_no_file(void **state)
{
	const uint8_t bytes[] = "no ELF file";
	struct image image = {.bytes = bytes, .size = sizeof(bytes)};

	(void)state;
	assert_null(image_import_at(&image, 0));
	assert_null(image.imports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
