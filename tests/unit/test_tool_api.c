/*
 * Tools: loading them, what they add to functions, and what they may not do. argv[1] and
 * argv[2] are tool_sample.c, and the same built against another version.
 */
#include "tool/find.h"
#include "tool/function_code.h"
#include "tool/label_source.h"
#include "tool/labels_read.h"
#include "tool/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

static const char *sample, *old_sample;

__attribute__((noinline, used)) int tool_api_sample(int number);
int tool_api_sample(int number)
{
	return number > 5 ? number * (int)getpid() : -(int)getppid();
}

static void check_refused(const char *path, const char *words, const char *message)
{
	struct tool *tool;
	struct trm_error *error = tool_open(path, words, 0, NULL, &tool);

	assert_non_null(error);
	if (!strstr(error->message, message))
		fail_msg("'%s' is not '%s'", error->message, message);
	trm_error_destroy(error);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused("/no/such/tool.so", NULL, "/no/such/tool.so");
	check_refused("/proc/self/exe", NULL, "/proc/self/exe");
	check_refused(old_sample, NULL, "version 99");
	check_refused(sample, "prototype", "prototype \"on_branch(float)\"");
	check_refused(sample, "other", "another one was given before");
	check_refused(sample, "unknown", "it has no prototype");
	check_refused(sample, "count", "it has 0 arguments, its prototype 1");
	check_refused(sample, "dynamic", "arguments are numbers and strings");
	check_refused(sample, "early", "in module() and function()");
	check_refused(sample, "fail", "no way");
	check_refused(sample, "status", "does not start: 7");
}

/* A function as the planner shows it. */
static void list_sample(const struct point_source *source, struct tool_module *module,
			struct points *ret_points)
{
	const struct trammel_function *seen =
		tool_module_find(&module->seen, "tool_api_sample");
	struct point_function function = {.image = module->image,
					  .index = seen->number,
					  .owner = seen->number,
					  .name = seen->name,
					  .module = module->seen.path};

	tool_api_sample(7);
	assert_int_equal(
		cfg_build(&module->cfg, &module->scan, module->image, seen->number),
		CFG_FINE);
	function.cfg = &module->cfg;
	source->list(source->context, &function, ret_points);
}

/* Calls at branches, counts on edges; again the same. */
static void test_points(void **state)
{
	char *path = realpath("/proc/self/exe", NULL);
	struct points first = {0}, second = {0};
	struct tool_module *module;
	struct tool *tool;
	size_t branches = 0, edges = 0;
	unsigned int slots = 0;

	(void)state;
	assert_null(tool_module_open(path, &module));
	assert_null(tool_open(sample, "quiet", 40, NULL, &tool));
	assert_int_equal(tool->moments.count, 1);
	assert_string_equal(tool->moments.items[0].arguments[0].data, "bye");
	list_sample(&tool->source, module, &first);
	vector_for_each (&first.items, point) {
		const struct added *item = (const void *)(uintptr_t)point->recipe;

		if (point->where == POINT_BEFORE) {
			branches++;
			assert_int_equal(item->routine, 40);
			assert_int_equal(
				item->arguments[0].value,
				module->cfg.address +
					module->cfg.instructions.items[point->at].offset);
		} else {
			edges++;
			slots |= 1u << item->slot;
			assert_int_equal(point->where, POINT_EDGE);
			assert_true(module->cfg.edges.items[point->at].to != CFG_OUT);
		}
	}
	assert_true(branches >= 1);
	assert_true(edges >= 2);
	/* The edges count in turn in copies of one counter. */
	assert_int_equal(first.slots, edges < 8 ? edges : 8);
	assert_int_equal(slots, (1u << first.slots) - 1);
	list_sample(&tool->source, module, &second);
	assert_int_equal(first.items.count, second.items.count);
	for (size_t i = 0; i < first.items.count; i++) {
		const struct point *one = &first.items.items[i],
				   *other = &second.items.items[i];

		assert_true(one->at == other->at && one->where == other->where &&
			    one->order == other->order && one->number == other->number &&
			    one->source == other->source && one->recipe == other->recipe);
	}
	assert_null(tool_failure(tool));
	tool_close(tool);
	tool_module_close(module);
	vector_deinit(&first.items);
	vector_deinit(&second.items);
	free(path);
}

/* By a pass of its own; and labels as points of an analysis. */
static void test_labels(void **state)
{
	char *path = realpath("/proc/self/exe", NULL), file[] = "/tmp/tool_api_XXXXXX";
	const char *const files[] = {file};
	struct text text = {0}, notes = {0};
	struct label_source source;
	struct points points = {0};
	struct tool_module *module;
	const struct label *label;
	struct labels labels;
	struct tool *tool;
	int fd = mkstemp(file);

	(void)state;
	labels_init(&labels);
	assert_null(tool_module_open(path, &module));
	assert_null(tool_open(sample, NULL, 0, NULL, &tool));
	assert_null(tool_label(tool, module, &labels));
	tool_close(tool);
	label = &labels.modules.items[0].functions.items[0].items.items[0];
	assert_string_equal(labels.kinds.items[label->kind].routine, "_record_mine");
	assert_int_equal(label->arguments.items[0].number, -5);
	assert_string_equal(label->arguments.items[1].text, "text");
	labels_write(&labels, &text);
	assert_int_equal(write(fd, text.data, text.length), text.length);
	close(fd);
	/* The tool itself has no such routine. */
	assert_null(label_source_init(&source, files, 1, sample, 3, NULL, &notes));
	assert_non_null(strstr(notes.data, "_record_mine"));
	list_sample(&source.source, module, &points);
	assert_int_equal(points.items.count, 0);
	label_source_deinit(&source);
	unlink(file);
	vector_deinit(&points.items);
	text_deinit(&text);
	text_deinit(&notes);
	labels_deinit(&labels);
	tool_module_close(module);
	free(path);
}

static void test_label_fault(void **state)
{
	struct tool_module *module;
	struct trm_error *error;
	struct labels labels;
	struct tool *tool;

	(void)state;
	labels_init(&labels);
	assert_null(tool_module_open("/proc/self/exe", &module));
	assert_null(tool_open(sample, "label", 0, NULL, &tool));
	error = tool_label(tool, module, &labels);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "labels are of instructions"));
	trm_error_destroy(error);
	tool_close(tool);
	tool_module_close(module);
	labels_deinit(&labels);
}

static void test_find(void **state)
{
	char *path, *folder = memory_copy_string(sample);
	struct trm_error *error;
	struct text list = {0};

	(void)state;
	*strrchr(folder, '/') = '\0';
	setenv("TRAMMEL_TOOL_PATH", folder, 1);
	assert_null(tool_find("tool_sample", &path));
	assert_string_equal(path, sample);
	free(path);
	assert_null(tool_find("./any/thing.so", &path));
	assert_string_equal(path, "./any/thing.so");
	free(path);
	error = tool_find("no_such_tool", &path);
	assert_non_null(error);
	trm_error_destroy(error);
	tool_find_list(&list);
	assert_non_null(strstr(list.data, "tool_sample   for a test\n"));
	assert_null(strstr(list.data, "tool_old"));
	text_deinit(&list);
	free(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_points),
		cmocka_unit_test(test_labels),  cmocka_unit_test(test_label_fault),
		cmocka_unit_test(test_find),
	};

	if (argc != 3)
		return 1;
	sample = argv[1];
	old_sample = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
