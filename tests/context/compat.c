/*
 * Programs as they are written for the peer: each word is one of them. What is right is
 * what the peer does; compat.py looks at it.
 */
#include "caliper/cali-manager.h"
#include "caliper/cali.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void say_error(cali_ConfigManager *manager)
{
	cali_SHROUD_array text;

	cali_ConfigManager_error_msg_bufferify(manager, &text);
	printf("%d %s\n", cali_ConfigManager_error(manager),
	       text.addr.ccharp ? text.addr.ccharp : "");
	cali_SHROUD_memory_destructor(&text.cxx);
}

/* Each line of the input, with a default for all or for one. */
static void configurations(const char *option)
{
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		cali_ConfigManager manager;

		line[strcspn(line, "\n")] = '\0';
		cali_ConfigManager_new(&manager);
		if (option && !strcmp(option, "all"))
			cali_ConfigManager_set_default_parameter(&manager, "output",
								 "none");
		if (option && !strcmp(option, "one"))
			cali_ConfigManager_set_default_parameter_for_config(
				&manager, "runtime-report", "region.count", "false");
		cali_ConfigManager_add(&manager, line);
		say_error(&manager);
		cali_ConfigManager_delete(&manager);
	}
}

/* Blocks of before the channel, of it, and of both ends of an inactive time. */
static void heap(const char *configuration)
{
	void *volatile early = malloc(50000), *volatile kept, *volatile own;
	cali_ConfigManager manager;

	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	cali_ConfigManager_start(&manager);
	cali_begin_region("work");
	kept = malloc(3000);
	free(early);
	own = malloc(4000);
	cali_begin_region("inner");
	cali_end_region("inner");
	free(own);
	cali_end_region("work");
	cali_ConfigManager_stop(&manager);
	early = malloc(70000);
	own = malloc(80000);
	free(kept);
	cali_ConfigManager_start(&manager);
	cali_begin_region("again");
	early = realloc(early, 90000);
	free(own);
	cali_end_region("again");
	free(early);
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_delete(&manager);
}

/* A loop of 8 iterations, with a region and memory in each. */
static void loop(const char *configuration)
{
	cali_ConfigManager manager;

	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	say_error(&manager);
	fflush(stdout);
	cali_ConfigManager_start(&manager);
	CALI_MARK_LOOP_BEGIN(id, "turns");
	for (int i = 0; i < 8; i++) {
		CALI_MARK_ITERATION_BEGIN(id, i);
		cali_begin_region("part");
		void *volatile block = malloc(5000 * (size_t)i);

		cali_end_region("part");
		free(block);
		CALI_MARK_ITERATION_END(id);
	}
	CALI_MARK_LOOP_END(id);
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_delete(&manager);
}

/* What is said of the run before the channel, and in it; and attributes of all kinds. */
static void trace(const char *configuration)
{
	cali_ConfigManager manager;
	cali_id_t value = cali_create_attribute(
		"shared", CALI_TYPE_INT, CALI_ATTR_ASVALUE | CALI_ATTR_SCOPE_PROCESS);
	cali_id_t coarse = cali_create_attribute("coarse", CALI_TYPE_STRING,
						 CALI_ATTR_NESTED | CALI_ATTR_LEVEL_2);
	cali_id_t own =
		cali_create_attribute("thread", CALI_TYPE_STRING, CALI_ATTR_UNALIGNED);

	cali_set_global_int_byname("early", 3);
	cali_set_int(value, 77);
	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	cali_ConfigManager_start(&manager);
	cali_begin_region("before");
	cali_end_region("before");
	cali_set_global_string_byname("job", "one");
	cali_begin_string(coarse, "part");
	cali_set_string(own, "mine");
	cali_set(own, "text", 5); /* with its 0 */
	cali_end(coarse);
	cali_set_global_string_byname("job", "two");
	CALI_MARK_LOOP_BEGIN(id, "turns");
	CALI_MARK_ITERATION_BEGIN(id, 0);
	CALI_MARK_ITERATION_END(id);
	CALI_MARK_LOOP_END(id);
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_delete(&manager);
}

/* What sums can be told apart by: nested regions, what is set, a value. */
static void sums(const char *configuration)
{
	cali_id_t step = cali_create_attribute("step", CALI_TYPE_INT, CALI_ATTR_NESTED);
	cali_id_t state = cali_create_attribute("state", CALI_TYPE_INT, 0);
	cali_id_t value =
		cali_create_attribute("value", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
	cali_ConfigManager manager;

	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	cali_ConfigManager_start(&manager);
	cali_begin_region("outer");
	cali_set_int(step, 1);
	cali_set_int(step, 2);
	cali_end(step);
	cali_set_int(value, 5);
	cali_begin_int(state, 7);
	for (int i = 0; i < 3; i++) {
		cali_begin_region("inner");
		cali_end_region("inner");
	}
	cali_end(state);
	cali_end_region("outer");
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_delete(&manager);
}

/* A region that waits for a third of a second, which is not cut short. */
static void waiting(const char *configuration)
{
	struct timespec rest = {.tv_nsec = 330000000};
	cali_ConfigManager manager;

	cali_ConfigManager_new(&manager);
	cali_ConfigManager_add(&manager, configuration);
	cali_ConfigManager_start(&manager);
	cali_begin_region("waits");
	printf("%d\n", nanosleep(&rest, &rest));
	fflush(stdout);
	cali_end_region("waits");
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_delete(&manager);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*run)(const char *argument);
	} words[] = {
		{"configurations", configurations},
		{"heap", heap},
		{"loop", loop},
		{"sums", sums},
		{"trace", trace},
		{"waiting", waiting},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (argc > 1 && !strcmp(argv[1], words[i].word))
			words[i].run(argv[2]);
	return 0;
}
