/*
 * What a program can ask of its own state through caliper/cali.h: it is there though
 * nothing measures. Prints what differs from what it should be; nothing, if all is well.
 */
#include <caliper/cali.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int line;

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) {                                                      \
			line = __LINE__;                                                 \
			printf("line %d: %s\n", line, #condition);                       \
		}                                                                        \
	} while (0)

static const char *text_of(cali_id_t attribute)
{
	cali_variant_t value = cali_get(attribute);

	return cali_variant_is_empty(value) ? "" : cali_variant_get_data(&value);
}

static int int_of(const char *name)
{
	return cali_variant_to_int(cali_get(cali_find_attribute(name)), NULL);
}

static void check_regions(void)
{
	char name[16] = "first";

	CHECK(!strcmp(cali_get_current_region_or("none"), "none"));
	cali_begin_region("outer");
	cali_begin_phase("phase");
	CHECK(!strcmp(text_of(cali_region_attr_id), "outer"));
	CHECK(!strcmp(cali_get_current_region_or("none"), "phase"));
	/* The same place in memory has another text. */
	for (int i = 0; i < 3; i++) {
		cali_begin_region(name);
		CHECK(!strcmp(text_of(cali_region_attr_id), "first"));
		cali_end_region("first");
		strcpy(name, "second");
		cali_begin_region(name);
		CHECK(!strcmp(text_of(cali_region_attr_id), "second"));
		cali_end_region("second");
		strcpy(name, "first");
	}
	cali_end_phase("phase");
	cali_end_region("outer");
	CHECK(cali_variant_is_empty(cali_get(cali_region_attr_id)));
}

static void check_mismatches(void)
{
	cali_begin_region("a");
	cali_begin_region("b");
	cali_end_region("never begun");
	CHECK(!strcmp(text_of(cali_region_attr_id), "b"));
	cali_end_region("a"); /* b is ended, too */
	CHECK(cali_variant_is_empty(cali_get(cali_region_attr_id)));
	cali_begin_region("c");
	CHECK(!strcmp(text_of(cali_region_attr_id), "c"));
	cali_end_region("c");
}

static void check_values(void)
{
	cali_id_t value = cali_create_attribute(
		"value", CALI_TYPE_DOUBLE, CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS);
	cali_id_t depth =
		cali_create_attribute("depth", CALI_TYPE_INT, CALI_ATTR_DEFAULT);

	CHECK(cali_create_attribute("value", CALI_TYPE_INT, 0) == value);
	CHECK(cali_attribute_type(value) == CALI_TYPE_DOUBLE);
	CHECK(cali_attribute_properties(value) ==
	      (CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS | CALI_ATTR_SCOPE_THREAD));
	CHECK(!strcmp(cali_attribute_name(value), "value"));
	CHECK(cali_find_attribute("no such") == CALI_INV_ID);
	CHECK(!cali_attribute_name(CALI_INV_ID));
	CHECK(cali_variant_is_empty(cali_get(value)));
	cali_set_double(value, 1.5);
	CHECK(cali_variant_to_double(cali_get(value), NULL) == 1.5);
	cali_begin_double(value, 2.5);
	CHECK(cali_variant_to_double(cali_get(value), NULL) == 2.5);
	cali_end(value);
	CHECK(cali_variant_is_empty(cali_get(value)));
	cali_begin_int(depth, 1);
	cali_begin_int(depth, 2);
	cali_set_int(depth, -3);
	CHECK(int_of("depth") == -3);
	cali_end(depth);
	CHECK(int_of("depth") == 1);
	cali_end(depth);
	cali_set_string_byname("word", "caf\xc3\xa9");
	CHECK(!strcmp(text_of(cali_find_attribute("word")), "caf\xc3\xa9"));
	cali_end_byname("word");
	cali_begin_byname("flag");
	CHECK(cali_variant_to_bool(cali_get(cali_find_attribute("flag")), NULL));
	cali_end_byname("flag");
	cali_set(depth, &(int){7}, sizeof(int));
	CHECK(int_of("depth") == 7);
	cali_end(depth);
}

static void *look_from_thread(void *unused)
{
	(void)unused;
	CHECK(int_of("of process") == 4);
	CHECK(int_of("global") == 9);
	CHECK(cali_variant_is_empty(cali_get(cali_region_attr_id)));
	cali_begin_region("thread");
	CHECK(!strcmp(text_of(cali_region_attr_id), "thread"));
	return NULL; /* left open */
}

static void check_scopes(void)
{
	cali_id_t shared = cali_create_attribute("of process", CALI_TYPE_INT,
						 CALI_ATTR_SCOPE_PROCESS);
	pthread_t thread;

	cali_begin_region("main");
	cali_begin_int(shared, 4);
	cali_set_global_int_byname("global", 9);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, look_from_thread, NULL);
		pthread_join(thread, NULL);
	}
	cali_end(shared);
	CHECK(cali_variant_is_empty(cali_get(shared)));
	CHECK(!strcmp(text_of(cali_region_attr_id), "main"));
	cali_end_region("main");
}

static int note_entry(void *context, cali_id_t attribute, cali_variant_t value)
{
	char *text = context;

	if (cali_variant_get_type(value) == CALI_TYPE_STRING)
		sprintf(text + strlen(text), "%s=%s ", cali_attribute_name(attribute),
			(const char *)cali_variant_get_data(&value));
	return 1;
}

static void check_snapshots(void)
{
	unsigned char bytes[512], few[16];
	char text[512] = "";
	size_t size, read;

	cali_begin_region("one");
	cali_begin_region("two");
	size = cali_pull_snapshot(CALI_SCOPE_THREAD, sizeof(bytes), bytes);
	CHECK(size && size <= sizeof(bytes));
	CHECK(cali_pull_snapshot(CALI_SCOPE_THREAD, sizeof(few), few) == size);
	cali_unpack_snapshot(bytes, &read, note_entry, text);
	CHECK(read == size && !strncmp(text, "region=two region=one ", 22));
	cali_variant_t first =
		cali_find_first_in_snapshot(bytes, cali_region_attr_id, NULL);
	CHECK(!strcmp(cali_variant_get_data(&first), "two"));
	text[0] = '\0';
	cali_find_all_in_snapshot(few, cali_region_attr_id, &read, note_entry, text);
	CHECK(read <= sizeof(few) && !strcmp(text, "region=two "));
	cali_end_region("two");
	cali_end_region("one");
}

static void check_variants(void)
{
	bool ok;

	CHECK(cali_variant_to_int(cali_make_variant_from_string("12"), &ok) == 12 && ok);
	cali_variant_to_int(cali_make_variant_from_string("1x"), &ok);
	CHECK(!ok);
	cali_variant_to_int(cali_make_variant_from_string(""), &ok);
	CHECK(!ok);
	CHECK(cali_variant_compare(cali_make_variant_from_int64(1ll << 40),
				   cali_make_variant_from_int64(1)) > 0);
	CHECK(cali_variant_compare(cali_make_variant_from_string("a"),
				   cali_make_variant_from_string("ab")) < 0);
	CHECK(cali_variant_eq(cali_make_variant_from_double(0.1),
			      cali_make_variant_from_double(0.1)));
	CHECK(cali_string2type("double") == CALI_TYPE_DOUBLE);
	CHECK(cali_string2type("no type") == CALI_TYPE_INV);
	CHECK(cali_string2prop("asvalue:process_scope:level_3") ==
	      (CALI_ATTR_ASVALUE | CALI_ATTR_SCOPE_PROCESS | CALI_ATTR_LEVEL_3));
	char text[64];
	int properties = CALI_ATTR_NESTED | CALI_ATTR_SCOPE_THREAD | CALI_ATTR_LEVEL_4;

	cali_prop2string(properties, text, sizeof(text));
	CHECK(cali_string2prop(text) == properties);
	CHECK(cali_prop2string(properties, text, 4) > 4);
}

/* A child begins with what was open; its parent's state stays as it was. */
static void check_fork(void)
{
	int status;

	cali_begin_region("parent");
	fflush(stdout);
	pid_t child = fork();

	if (!child) {
		CHECK(!strcmp(text_of(cali_region_attr_id), "parent"));
		cali_begin_region("child");
		CHECK(!strcmp(text_of(cali_region_attr_id), "child"));
		cali_end_region("child");
		cali_end_region("parent");
		CHECK(cali_variant_is_empty(cali_get(cali_region_attr_id)));
		fflush(stdout);
		_exit(line != 0);
	}
	waitpid(child, &status, 0);
	CHECK(!status);
	CHECK(!strcmp(text_of(cali_region_attr_id), "parent"));
	cali_end_region("parent");
}

int main(void)
{
	cali_init();
	CHECK(cali_is_initialized());
	check_regions();
	check_mismatches();
	check_values();
	check_scopes();
	check_snapshots();
	check_variants();
	check_fork();
	return line != 0;
}
