/* Places in the source: those of this program, which has debug information. */
#include "base/text.h"
#include "image/clean_path.h"
#include "image/find.h"
#include "image/lines.h"
#include "image/open.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The lines of these are asked for below. */
__attribute__((noinline)) int places_first(int number);
__attribute__((noinline)) int places_second(int number);

enum { FIRST_LINE = __LINE__ + 2 };

int places_first(int number)
{
	return number * 5;
}

enum { SECOND_LINE = __LINE__ + 2 };

int places_second(int number)
{
	return places_first(number) - 1;
}

/* In places.S. */
int places_assembly(void);

enum { ASSEMBLY_LINE = 6 };

/* In folded.S. */
int places_folded(void);

enum { FOLDED_LINE = 44 };

static char folder[] = "/tmp/test_lines.XXXXXX";

/* The program itself, opened. */
static struct image *open_self(const char *path)
{
	struct image *image;

	assert_null(image_open(path, NULL, &image));
	assert_true(image->functions.count > 0);
	return image;
}

static struct image_place place_of(const struct image *image,
				   const struct image_lines *lines, const char *name)
{
	uint64_t address;

	assert_true(image_find_function(image, name, &address));
	size_t index = image_function_at(image, address);

	assert_true(index < image->functions.count);
	assert_int_equal(lines->places.count, image->functions.count);
	return lines->places.items[index];
}

static void check_place(const struct image *image, const struct image_lines *lines,
			const char *name, const char *ending, uint32_t line)
{
	struct image_place place = place_of(image, lines, name);

	assert_int_equal(place.line, line);
	assert_true(place.file < lines->files.count);
	const char *file = lines->files.strings[place.file];

	assert_true(*file == '/' && !strstr(file, "/../"));
	assert_true(strlen(file) > strlen(ending));
	assert_string_equal(file + strlen(file) - strlen(ending), ending);
}

static void test_places(void **state)
{
	struct image *image = open_self("/proc/self/exe");
	struct image_lines lines;

	(void)state;
	assert_null(image_lines_init(&lines, image));
	check_place(image, &lines, "places_first", "/tests/unit/test_lines.c",
		    FIRST_LINE);
	check_place(image, &lines, "places_second", "/tests/unit/test_lines.c",
		    SECOND_LINE);
	check_place(image, &lines, "places_assembly", "/tests/unit/places.S",
		    ASSEMBLY_LINE);
	check_place(image, &lines, "places_folded", "/folded.c", FOLDED_LINE);
	/* What the linker brings along has none. */
	assert_int_equal(place_of(image, &lines, "_init").line, 0);
	image_lines_deinit(&lines);
	image_close(image);
}

static void copy_self(const char *path)
{
	FILE *from = fopen("/proc/self/exe", "r"), *to = fopen(path, "w");
	char buffer[65536];
	size_t size;

	assert_true(from && to);
	while ((size = fread(buffer, 1, sizeof(buffer), from)) > 0)
		assert_int_equal(fwrite(buffer, 1, size, to), size);
	fclose(from);
	assert_int_equal(fclose(to), 0);
}

/* While it is read, the file becomes another one. */
static void test_other_build(void **state)
{
	char path[PATH_MAX];
	struct image_lines lines;

	(void)state;
	snprintf(path, sizeof(path), "%s/copy", folder);
	copy_self(path);
	struct image *image = open_self(path);

	assert_true(image->build_id_size > 0);
	const uint8_t *id =
		memmem(image->bytes, image->size, image->build_id, image->build_id_size);

	assert_non_null(id);
	FILE *file = fopen(path, "r+");

	assert_non_null(file);
	assert_int_equal(fseek(file, (long)(id - image->bytes), SEEK_SET), 0);
	fputc(*id ^ 0xff, file);
	fclose(file);
	struct trm_error *error = image_lines_init(&lines, image);

	assert_non_null(error);
	assert_int_equal(error->code, TRM_ERROR_FORMAT);
	assert_string_equal(error->message, "the file is another one by now");
	trm_error_destroy(error);
	/* And then it is gone. */
	unlink(path);
	error = image_lines_init(&lines, image);
	assert_non_null(error);
	assert_int_equal(error->code, TRM_ERROR_SYSTEM);
	trm_error_destroy(error);
	image_close(image);
}

/* Damaged debug information gives fewer places, or none, and nothing worse. */
static void test_damaged(void **state)
{
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged", folder);
	for (unsigned seed = 0; seed < 20; seed++) {
		struct image_lines lines;

		copy_self(path);
		struct image *image = open_self(path);
		/* What is not loaded lies in the second half of the file. */
		long start = (long)image->size / 2;
		FILE *file = fopen(path, "r+");

		assert_non_null(file);
		srand(seed);
		for (int i = 0; i < 200; i++) {
			fseek(file, start + rand() % (long)(image->size - start),
			      SEEK_SET);
			fputc(rand() & 0xff, file);
		}
		fclose(file);
		struct trm_error *error = image_lines_init(&lines, image);

		if (!error)
			image_lines_deinit(&lines);
		trm_error_destroy(error);
		image_close(image);
	}
	unlink(path);
}

static void test_paths(void **state)
{
	static const struct {
		const char *folder, *path, *clean;
	} cases[] = {
		{NULL, "/a/b.c", "/a/b.c"},
		{"/x", "/a/b.c", "/a/b.c"},
		{"/x/y", "b.c", "/x/y/b.c"},
		{"/x/y/", "./b.c", "/x/y/b.c"},
		{"/x/y", "../../b.c", "/b.c"},
		{"/x/y", "../../../b.c", "/b.c"},
		{"/x/y", "z/../..//w/./b.c", "/x/w/b.c"},
		{NULL, "../b.c", "../b.c"},
		{NULL, "../../b.c", "../../b.c"},
		{NULL, "a/../../b.c", "../b.c"},
		{"./csu", "../sys/b.c", "sys/b.c"},
		{"./csu", "./csu/b.c", "csu/b.c"},
		{"csu", "csux/b.c", "csu/csux/b.c"},
		{NULL, "a/..", "."},
		{"/", "..", "/"},
		{NULL, "..b/c..", "..b/c.."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *clean = image_clean_path(cases[i].folder, cases[i].path);

		assert_string_equal(clean, cases[i].clean);
		free(clean);
	}
}

/* Every instruction has its line; rows are in order and do not meet. */
static void test_rows(void **state)
{
	struct image *image = open_self("/proc/self/exe");
	struct image_rows rows;
	uint64_t address;

	(void)state;
	assert_null(image_rows_init(&rows, image));
	for (size_t i = 1; i < rows.rows.count; i++)
		assert_true(rows.rows.items[i - 1].end <= rows.rows.items[i].start);
	assert_true(image_find_function(image, "places_assembly", &address));
	for (size_t i = 0; i < 2; i++) {
		/* mov is of 5 bytes. */
		const struct image_row *row =
			&rows.rows.items[image_rows_from(&rows, address + 5 * i)];

		assert_int_equal(row->start, address + 5 * i);
		assert_int_equal(row->end, address + 5 + i);
		assert_int_equal(row->place.line, ASSEMBLY_LINE + i);
		assert_non_null(strstr(rows.files.strings[row->place.file], "/places.S"));
	}
	assert_int_equal(image_rows_from(&rows, UINT64_MAX), rows.rows.count);
	image_rows_deinit(&rows);
	image_close(image);
}

static void check_row(const struct image_row *row, uint64_t start, uint64_t end,
		      uint32_t line)
{
	assert_int_equal(row->start, start);
	assert_int_equal(row->end, end);
	assert_int_equal(row->place.line, line);
}

/* The row of a line; clang has lines of its own for what is assembled. */
static const struct image_row *folded_row(const struct image_rows *rows, size_t from,
					  uint32_t line)
{
	for (; from < rows->folded.count; from++)
		if (rows->folded.items[from].place.line == line)
			return &rows->folded.items[from];
	fail();
	return NULL;
}

/* Each line of two folded functions has a row, one's among the others. */
static void test_folded_rows(void **state)
{
	struct image *image = open_self("/proc/self/exe");
	struct image_rows rows;
	uint64_t address;

	(void)state;
	assert_null(image_rows_init(&rows, image));
	assert_true(image_find_function(image, "places_folded", &address));
	const struct image_row *row = &rows.rows.items[image_rows_from(&rows, address)];
	size_t folded = image_rows_folded_from(&rows, address);

	check_row(&row[0], address, address + 5, 34);
	check_row(&row[1], address + 5, address + 6, 35);
	check_row(folded_row(&rows, folded, 45), address, address + 5, 45);
	check_row(folded_row(&rows, folded, 46), address + 5, address + 6, 46);
	image_rows_deinit(&rows);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),      cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_damaged),     cmocka_unit_test(test_rows),
		cmocka_unit_test(test_folded_rows), cmocka_unit_test(test_paths),
	};

	/* So that all of them are in the program. */
	if (places_second(2) + places_assembly() + places_folded() != 25 ||
	    !mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rmdir(folder);
	return failed;
}
