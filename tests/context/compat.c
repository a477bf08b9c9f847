/*
 * Programs as they are written for the peer: each word is one of them. What is right is
 * what the peer does; compat.py looks at it.
 */
#include "caliper/cali-manager.h"
#include "caliper/cali.h"
#include "caliper/cali_datatracker.h"

#include <pthread.h>
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

enum { BLOCKS = 300 };

/* Blocks that come and go, in two threads at once. */
static void *churn(void *unused)
{
	void *volatile blocks[BLOCKS] = {NULL};

	for (size_t i = 0; i < 40 * BLOCKS; i++) {
		size_t at = i * 7 % BLOCKS;

		if (i % 3)
			blocks[at] = realloc(blocks[at], i % 90 + 1);
		else
			free(blocks[at]), blocks[at] = NULL;
	}
	for (size_t i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	return unused;
}

/* A snapshot of what an address is in, and of the one in front of the block. */
static void look_at(const char *what, cali_id_t attribute, char *volatile block,
		    size_t offset)
{
	const void *in = block + offset, *out = block - 1;
	cali_id_t other = cali_find_attribute("out"), ids[2] = {attribute, other};
	cali_variant_t values[2] = {
		cali_make_variant(CALI_TYPE_ADDR, &in, sizeof(in)),
		cali_make_variant(CALI_TYPE_ADDR, &out, sizeof(out)),
	};

	cali_begin_byname(what);
	cali_push_snapshot(0, 2, ids, values);
	cali_end_byname(what);
}

/* Blocks of the heap have names, as do pieces of them that the program names. */
static void blocks(const char *unused)
{
	const cali_variant_t yes = cali_make_variant_from_bool(true);
	cali_id_t in = cali_create_attribute_with_metadata(
		"in", CALI_TYPE_ADDR, CALI_ATTR_ASVALUE, 1,
		&cali_class_memoryaddress_attr_id, &yes);
	char *volatile block;
	pthread_t thread;

	(void)unused;
	cali_create_attribute_with_metadata("out", CALI_TYPE_ADDR, CALI_ATTR_ASVALUE, 1,
					    &cali_class_memoryaddress_attr_id, &yes);
	block = malloc(168);
	look_at("malloc.last", in, block, 167);
	block = realloc(block, 1000);
	look_at("realloc.first", in, block, 0);
	cali_datatracker_track(block, "mine", 10);
	look_at("named", in, block, 9);
	cali_datatracker_untrack(block);
	look_at("unnamed", in, block, 9);
	free(block);
	look_at("freed", in, block, 0);
	block = calloc(42, 4);
	look_at("calloc.last", in, block, 167);
	free(block);
	pthread_create(&thread, NULL, churn, NULL);
	churn(NULL);
	pthread_join(thread, NULL);
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
		{"blocks", blocks},   {"configurations", configurations},
		{"heap", heap},       {"loop", loop},
		{"sums", sums},       {"trace", trace},
		{"waiting", waiting},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (argc > 1 && !strcmp(argv[1], words[i].word))
			words[i].run(argv[2]);
	return 0;
}
