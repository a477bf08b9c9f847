/* Cache files, their names, and counters that are built into code. */
#include "session/modules/trampolines.h"
#include "session/cache/cache_names.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "session/cache/cache_file.h"
#include "session/cache/usual_addresses.h"
#include "session/state/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define KIND  7u
#define LARGE (64u << 20)

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_cache.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	DIR *open = opendir(folder);
	const struct dirent *item;

	(void)state;
	while (open && (item = readdir(open)))
		unlinkat(dirfd(open), item->d_name, 0);
	closedir(open);
	return rmdir(folder);
}

static void make_file(char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	close(fd);
	free(path);
}

/* Where a new file's counters begin; the file is made. */
static uint32_t add(struct cache_names *names, uint64_t key, uint32_t kind, uint64_t size)
{
	uint32_t start = 1;

	make_file(cache_names_choose(names, (struct cache_key){key, kind},
				     (struct cache_name){.size = size}, &start));
	return start;
}

static void test_parts(void **state)
{
	struct cache_names *names = cache_names_create(folder);

	(void)state;
	assert_int_equal(add(names, 1, KIND, 10000), 0);
	assert_int_equal(add(names, 2, KIND, 1), 3 * 4096);
	assert_int_equal(add(names, 3, KIND + 1, 5000), 0);
	assert_int_equal(add(names, 4, KIND, 2u << 20), LARGE);
	assert_int_equal(add(names, 5, KIND, 4097), 4 * 4096);
	assert_int_equal(add(names, 6, KIND, 4u << 20), LARGE + (2u << 20));
	assert_int_equal(cache_names_extent(names, KIND), 4 * 4096 + 4097);
	assert_int_equal(cache_names_extent(names, KIND + 1), 5000);
	assert_int_equal(cache_names_extent(names, KIND + 2), 0);
	cache_names_destroy(names);
	/* Another run knows the same. What does not look like a name is none. */
	make_file(strcat(
		strcpy(malloc(200), folder),
		"/0000000000000009-00000007-00006000-00001000-00000000.plan.seal"));
	names = cache_names_create(folder);
	assert_int_equal(add(names, 7, KIND, 100), 6 * 4096);
	cache_names_destroy(names);
}

static void test_full(void **state)
{
	struct cache_names *names = cache_names_create(folder);

	(void)state;
	for (uint64_t key = 0; key < 32; key++)
		assert_int_equal(add(names, key, KIND, (2u << 20) - 4096),
				 key * 0x1ff000);
	assert_int_equal(add(names, 32, KIND, 32 * 4096), 32 * 0x1ff000);
	assert_int_equal(add(names, 33, KIND, 4096), 0); /* shared, then */
	cache_names_destroy(names);
}

static void test_find(void **state)
{
	struct cache_names *names = cache_names_create(folder), *other;
	const struct cache_key key = {0xfedcba9876543210, KIND},
			       similar = {0xfedcba9876543210, KIND + 1};
	char *path;

	(void)state;
	other = cache_names_create(folder);
	assert_null(cache_names_find(names, key));
	add(other, key.key, key.kind, 4096);
	path = cache_names_find(names, key);
	assert_non_null(path);
	assert_int_equal(access(path, F_OK), 0);
	assert_null(cache_names_find(names, similar));
	cache_names_drop(names, similar);
	assert_int_equal(access(path, F_OK), 0);
	cache_names_drop(names, key);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_null(cache_names_find(names, key));
	free(path);
	cache_names_destroy(names);
	cache_names_destroy(other);
}

static char *add_edition(struct cache_names *names, struct cache_key key,
			 uint32_t edition)
{
	uint32_t start;
	char *path = cache_names_choose(
		names, key, (struct cache_name){.size = 4096, .edition = edition},
		&start);

	make_file(strdup(path));
	return path;
}

static void test_editions(void **state)
{
	const struct cache_key key = {1, KIND};
	struct cache_names *names = cache_names_create(folder),
			   *other = cache_names_create(folder);
	char *first = add_edition(names, key, 0), *third = add_edition(names, key, 3),
	     *second = add_edition(names, key, 2), *found = cache_names_find(names, key),
	     *unknown = add_edition(other, key, 1);

	(void)state;
	add(names, 2, KIND, 4096);
	assert_string_equal(found, third);
	assert_int_equal(cache_names_generation(first), 0);
	assert_int_equal(cache_names_generation(third), 3);
	assert_int_equal(cache_names_generation("3.plan"), 0);
	cache_names_drop_others(names, key, third, second);
	assert_int_not_equal(access(first, F_OK), 0);
	assert_int_not_equal(access(unknown, F_OK), 0);
	assert_int_equal(access(second, F_OK), 0);
	assert_int_equal(access(third, F_OK), 0);
	/* What was dropped is a place for others again. */
	assert_int_equal(add(names, 3, KIND, 4096), 0);
	cache_names_drop_others(names, key, second, second);
	free(found);
	found = cache_names_find(names, key);
	assert_string_equal(found, second);
	free(first);
	free(second);
	free(third);
	free(found);
	free(unknown);
	cache_names_destroy(names);
	cache_names_destroy(other);
}

/* A file whose code has counters built in; `at` 0: it has none. */
static struct module_file *file_with(uint32_t at, uint32_t count)
{
	struct module_file *file = calloc(1, sizeof(*file));

	file->plan = calloc(1, sizeof(*file->plan));
	file->plan->slot_size = 8;
	file->plan->slot_count = count;
	file->plan->counters_at = at ? WIRE_BANK_HEADER + at : 0;
	return file;
}

/* A module of a text of `size` bytes at `address`, and as much code elsewhere. */
static void check_places(uint64_t address, uint64_t size, uint64_t large)
{
	scoped_free uint8_t *bytes = malloc(size), *code = malloc(size);
	struct plan plan = {.code_address = address + 0x40007000,
			    .code = {code, size, size}};
	struct module_file file = {.identity = {.size = size},
				   .text_count = 1,
				   .texts = {{.address = address,
					      .size = size,
					      .part_size = size}},
				   .plan = &plan,
				   .bytes = bytes},
			   found = {.identity = file.identity};
	char path[100];

	for (uint64_t i = 0; i < size; i++) {
		bytes[i] = (uint8_t)(i * i >> 8);
		code[i] = (uint8_t)(i * 3 >> 8);
	}
	snprintf(path, sizeof(path), "%s/large.plan", folder);
	assert_true(cache_file_save(path, &file));
	assert_true(cache_file_load(path, &found));
	assert_int_equal(found.code_offset % large, plan.code_address % large);
	assert_int_equal(found.cached_offset[0] % large, address % large);
	assert_memory_equal(found.plan->code.items, code, size);
	assert_memory_equal(found.patched[0], bytes, size);
	munmap(found.cached_bytes, found.cached_size);
	free(found.plan);
	free(found.cached_path);
}

static void test_places(void **state)
{
	(void)state;
	check_places(0x401000, 5 << 20, 2 << 20);
	check_places(0, 2 << 20, 2 << 20);
	check_places(0x7ff000, 0x1ff000, 4096);
}

/* Where they have none of their own, counters begin at PLAN_GRAPH_ROWs. */
static void check_slots(bool spreads, const uint32_t expected[6])
{
	struct module_file *files[] = {
		file_with(8 * 1000, 100),   file_with(8 * 400, 600), /* up to the first */
		file_with(8 * 1099, 10),                             /* taken */
		file_with(8 * 500, 272),                             /* taken */
		file_with(8 * 100000, 200), file_with(0, 4),
	};
	struct arena arena = {.slot_size = 8};
	struct family family = {.arena = &arena, .spreads = spreads};

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(trampolines_first_slot(&family, files[i]),
					 expected[i]);
	for (size_t i = 0; i + 1 < family.modules.count; i++)
		assert_true(family.modules.items[i].first_slot +
				    family.modules.items[i].file->plan->slot_count <=
			    family.modules.items[i + 1].first_slot);
	assert_int_equal(family.modules.count, 6);
	assert_int_equal(arena.slot_count, spreads ? 100200 : 1540);
	vector_deinit(&family.modules);
	for (size_t i = 0; i < 6; i++) {
		free(files[i]->plan);
		free(files[i]);
	}
}

static void test_slots(void **state)
{
	(void)state;
	check_slots(true, (const uint32_t[6]){1000, 400, 0, 128, 100000, 1152});
	check_slots(false, (const uint32_t[6]){0, 128, 768, 896, 1280, 1536});
}

/* Programs at fixed addresses have their trampolines in the first 2 GiB, or their jumps
 * through tables would not reach; and most of them always at one place. */
static void test_fixed_addresses(void **state)
{
	const uint64_t sizes[] = {1u << 20, 127u << 20, 300u << 20, 1u << 30};

	(void)state;
	assert_int_equal(usual_addresses_above(sizes[0]), USUAL_ADDRESSES_FIXED);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const uint64_t at = usual_addresses_above(sizes[i]);

		assert_int_equal(at % 4096, 0);
		assert_true(at + sizes[i] <= USUAL_ADDRESSES_FIXED_END || i == 3);
		assert_in_range(at, USUAL_ADDRESSES_FIXED_END / 2 - 0x10000,
				USUAL_ADDRESSES_FIXED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_parts, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_full, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_find, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_editions, make_folder,
						remove_folder),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_fixed_addresses),
		cmocka_unit_test_setup_teardown(test_places, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
