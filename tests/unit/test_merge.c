/* `trammel merge`: the merged profile against the same files put one behind the other. */
#include "base/text.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "report/load.h"
#include "report/profile.h"
#include "report/runs.h"
#include "report/select.h"
#include "report/text/report.h"

#include "profile_maker.h"
#include "run_command.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void add_run(struct maker *maker, const char *command, const char *measure)
{
	add_global(maker, "run.command", record_string(command));
	add_global(maker, "run.measure", record_string(measure));
	add_global(maker, "run.wall.ns", record_uint(1000000));
	add_global(maker, "run.exit", record_string("0"));
}

/* Two images and all kinds of records; `calls` in the second image. */
static void write_profile(const char *path, bool append, const char *command,
			  uint64_t calls)
{
	struct maker maker = begin_profile(path, append);

	add_run(&maker, command, "functions");
	add_image(&maker, 10, "/bin/sh", 1, "exec", NULL);
	add_module(&maker, LIBC, 3000);
	add_calls(&maker, LIBC, "malloc", 0x8000, 5);
	add_image(&maker, 10, ZIP, 3, "released", "set-uid program");
	add_module(&maker, ZIP, 40);
	add_calls(&maker, ZIP, "main", 0x1000, calls);
	add_calls(&maker, LIBC, "malloc", 0x8000, calls);
	add_skip(&maker, ZIP, "tiny", 0x1300, "no room");
	add_skip(&maker, LIBC, "odd", 0x9000, "undecodable");
	end_profile(&maker);
}

static void write_three(void)
{
	write_profile("a.trm", false, "one", 7);
	write_profile("b.trm", false, "two", 70);
	write_profile("c.trm", false, "three", 700);
	write_profile("cat.trm", false, "one", 7);
	write_profile("cat.trm", true, "two", 70);
	write_profile("cat.trm", true, "three", 700);
}

/* The report as text, by function and by process. */
static char *report_of(const char *path)
{
	struct report_profile *profile;
	struct text text = {0};

	assert_null(report_profile_load(path, &profile));
	assert_null(profile->warning);
	assert_null(report_profile_select(profile, &(struct report_filter){0}));
	for (int by = REPORT_BY_FUNCTION; by <= REPORT_BY_BLOCK; by++) {
		struct report_options options = {
			.by = (enum report_by)by, .all = true, .verbose = true};

		report_text(profile, &options, &text);
	}
	report_profile_destroy(profile);
	return text.data;
}

static void check_same_report(const char *path, const char *other)
{
	char *text = report_of(path), *expected = report_of(other);

	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

/* Images and runs are numbered through; each belongs to its run. */
static void check_numbers(const char *path)
{
	struct report_profile *profile;

	assert_null(report_profile_load(path, &profile));
	assert_int_equal(profile->runs.count, 3);
	assert_int_equal(profile->images.count, 6);
	for (size_t i = 0; i < profile->images.count; i++) {
		assert_int_equal(profile->images.items[i].number, i + 1);
		assert_int_equal(profile->images.items[i].run, i / 2);
	}
	assert_string_equal(report_run_text(&profile->runs.items[1], "run.command"),
			    "two");
	report_profile_destroy(profile);
}

static void test_same_as_cat(void **state)
{
	(void)state;
	write_three();
	check_command(&cmd_merge, "-o all.trm a.trm b.trm c.trm", 0, "", "");
	check_same_report("all.trm", "cat.trm");
	check_numbers("all.trm");
	/* What was put behind each other becomes one, too. */
	check_command(&cmd_merge, "-o all.trm cat.trm", 0, "", "");
	check_same_report("all.trm", "cat.trm");
	check_numbers("all.trm");
}

/* Merged profiles can be merged, and a file can be both input and output. */
static void test_again(void **state)
{
	(void)state;
	write_three();
	check_command(&cmd_merge, "-o some.trm b.trm c.trm", 0, "", "");
	check_command(&cmd_merge, "-o all.trm a.trm some.trm", 0, "", "");
	check_same_report("all.trm", "cat.trm");
	check_numbers("all.trm");
	check_command(&cmd_merge, "-o some.trm a.trm b.trm", 0, "", "");
	check_command(&cmd_merge, "-o some.trm some.trm c.trm", 0, "", "");
	check_same_report("some.trm", "cat.trm");
	check_numbers("some.trm");
}

/* What a visitor sees of a profile, a line for each record, sorted by nothing. */
struct listing {
	struct record_model *model;
	struct text text;
	size_t heads, globals;
};

static void list_pair(struct listing *listing, struct record_pair pair)
{
	text_format(&listing->text,
		    "%s=", record_attribute_name(listing->model, pair.attribute));
	record_value_text(&listing->text, pair.value);
	text_add(&listing->text, " ");
}

static void list_record(void *context, record_node node, const struct record_pair *pairs,
			size_t count)
{
	struct listing *listing = context;

	for (; node; node = record_node_parent(listing->model, node))
		list_pair(listing, record_node_pair(listing->model, node));
	for (size_t i = 0; i < count; i++)
		list_pair(listing, pairs[i]);
	text_add(&listing->text, "\n");
}

static void list_global(void *context, record_attribute attribute_id,
			struct record_value value)
{
	struct listing *listing = context;

	(void)attribute_id;
	(void)value;
	listing->globals++;
}

static void list_head(void *context)
{
	struct listing *listing = context;

	listing->heads++;
}

static struct listing list_profile(const char *path)
{
	struct listing listing = {.model = record_model_create()};
	struct trm_visitor visitor = {.context = &listing,
				      .record = list_record,
				      .global = list_global,
				      .file = list_head};
	char *warning = NULL;

	assert_null(trm_read(path, listing.model, &visitor, &warning));
	assert_null(warning);
	record_model_destroy(listing.model);
	return listing;
}

static size_t times(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* Records of kinds that nobody here knows: passed on, with the new image, also where the
 * image is in the tree, and as often as they were there. */
static void test_unknown_records(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct maker maker = begin_profile(i ? "b.trm" : "a.trm", false);
		record_node node = record_node_child(
			maker.model, 0, attribute(&maker, "image", RECORD_UINT),
			record_uint(1));

		add_run(&maker, "x", "functions");
		add_global(&maker, "run.colour", record_string(i ? "red" : "blue"));
		node = record_node_child(maker.model, node,
					 attribute(&maker, "block", RECORD_ADDRESS),
					 record_address(0x40));
		struct record_pair passes =
			pair(&maker, "passes", record_uint(3 + (uint64_t)i));
		struct record_pair event = pair(&maker, "event", record_string("tick"));

		trm_writer_record(maker.writer, node, &passes, 1);
		trm_writer_record(maker.writer, 0, &event, 1);
		end_profile(&maker);
	}
	check_command(&cmd_merge, "-o all.trm a.trm b.trm", 0, "", "");
	struct listing listing = list_profile("all.trm");

	assert_non_null(strstr(listing.text.data, "block=0x40 image=1 passes=3 \n"));
	assert_non_null(strstr(listing.text.data, "block=0x40 image=2 passes=4 \n"));
	assert_int_equal(times(listing.text.data, "event=tick \n"), 2);
	assert_int_equal(times(listing.text.data, "run=1 run.command=x"), 1);
	assert_non_null(strstr(listing.text.data, "run.colour=red"));
	assert_non_null(strstr(listing.text.data, "run.colour=blue"));
	assert_int_equal(listing.heads, 1);
	assert_int_equal(listing.globals, 0);
	text_deinit(&listing.text);
}

/* What left out functions is said once. */
/* Blocks are counted by image, and images get new numbers. */
static void test_blocks(void **state)
{
	static const char *const names[] = {"a.trm", "b.trm", "cat.trm", "cat.trm"};

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		struct maker maker = begin_profile(names[i], i == 3);

		add_run(&maker, i % 2 ? "two" : "one", "blocks");
		add_image(&maker, i % 2, ZIP, 1, "exited 0", NULL);
		add_calls(&maker, ZIP, "main", 0x1000, 1);
		add_block(&maker, ZIP, "main", 0x1000,
			  (const uint64_t[]){0x1000, 7, 3, i % 2 ? 40 : 2});
		end_profile(&maker);
	}
	check_command(&cmd_merge, "-o all.trm a.trm b.trm", 0, "", "");
	check_same_report("all.trm", "cat.trm");

	char *text = report_of("all.trm");

	assert_non_null(strstr(text, "\n  126 instructions in 1 block\n"));
	assert_non_null(strstr(text, "\n     42  100.0 %             3  zip      0x1000  "
				     "main\n"));
	free(text);
	write_profile("c.trm", false, "three", 1);
	check_command(&cmd_merge, "-o all.trm a.trm c.trm", 2, "",
		      "trammel: no profile 'all.trm': 'a.trm' measured blocks, 'c.trm' "
		      "functions: these cannot "
		      "be added up, merge them apart\n");
}

static void test_skips_once(void **state)
{
	(void)state;
	write_three();
	check_command(&cmd_merge, "-o all.trm a.trm b.trm c.trm", 0, "", "");
	struct listing listing = list_profile("all.trm");

	assert_int_equal(times(listing.text.data, "skip.reason="), 2);
	assert_int_equal(times(listing.text.data, "offset=0x9000"), 1);
	text_deinit(&listing.text);
}

static void test_torn(void **state)
{
	char *output, *errors;

	(void)state;
	write_three();
	struct maker maker = begin_profile("b.trm", true);

	/* A whole profile, and one that ends in its first chunk. */
	add_run(&maker, "torn", "functions");
	end_profile(&maker);
	FILE *file = fopen("b.trm", "r+");

	assert_non_null(file);
	assert_int_equal(fseek(file, -30, SEEK_END), 0);
	assert_int_equal(ftruncate(fileno(file), ftell(file)), 0);
	fclose(file);
	assert_int_equal(
		run_command(&cmd_merge, "-o all.trm a.trm b.trm c.trm", &output, &errors),
		0);
	assert_string_equal(output, "");
	assert_non_null(strstr(errors, "trammel: warning: 'b.trm' is damaged at byte "));
	check_same_report("all.trm", "cat.trm");
	free(output);
	free(errors);
}

/* Nothing is written, and an older file stays, when an input is of no use. */
static void test_refused(void **state)
{
	struct maker maker = begin_profile("c.trm", false);

	(void)state;
	add_run(&maker, "x", "coverage");
	end_profile(&maker);
	write_profile("a.trm", false, "one", 7);
	write_profile("all.trm", false, "old", 1);
	check_command(&cmd_merge, "-o all.trm a.trm c.trm", 2, "",
		      "trammel: no profile 'all.trm': 'a.trm' measured functions, "
		      "'c.trm' coverage: these cannot be added up, merge them apart\n");
	check_command(&cmd_merge, "-o all.trm a.trm nowhere.trm", 4, "",
		      "trammel: no profile 'all.trm': cannot open 'nowhere.trm': No "
		      "such file or directory\n");
	check_command(&cmd_merge, "-o all.trm /dev/null a.trm", 4, "",
		      "trammel: no profile 'all.trm': '/dev/null' is empty: its writer "
		      "ended before it could write, measure again\n");
	maker = begin_profile("c.trm", false);
	end_profile(&maker);
	check_command(&cmd_merge, "-o all.trm a.trm c.trm", 4, "",
		      "trammel: no profile 'all.trm': 'c.trm' holds nothing: its "
		      "writer was stopped before it could write, measure again\n");
	check_command(&cmd_merge, "-o /dev/full a.trm", 4, "",
		      "trammel: no profile '/dev/full': cannot write the profile: No "
		      "space left on device; free some space or choose another place "
		      "with -o\n");
	check_command(&cmd_merge, "-o nowhere/all.trm a.trm", 4, "",
		      "trammel: cannot write 'nowhere/all.trm.part': No such file or "
		      "directory\n");
	assert_int_equal(access("all.trm.part", F_OK), -1);
	struct listing listing = list_profile("all.trm");

	assert_int_equal(times(listing.text.data, "process.state="), 2);
	assert_int_equal(listing.globals, 4);
	text_deinit(&listing.text);
}

static void test_wrong_usage(void **state)
{
	(void)state;
	write_profile("a.trm", false, "one", 7);
	write_profile("b.trm.part", false, "two", 7);
	check_command(&cmd_merge, "a.trm", 2, "",
		      "trammel: no output: trammel merge -o FILE PROFILE...\n");
	check_command(&cmd_merge, "-o all.trm", 2, "",
		      "trammel: no profile: trammel merge -o FILE PROFILE...\n");
	check_command(&cmd_merge, "--ouput=x a.trm", 2, "",
		      "trammel: unknown option '--ouput': did you mean '--output'?\n");
	check_command(&cmd_merge, "-o b.trm a.trm b.trm.part", 2, "",
		      "trammel: 'b.trm.part' would be written over while it is read: "
		      "choose another name with -o\n");
	unlink("b.trm.part");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_cat),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_unknown_records),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_skips_once),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
