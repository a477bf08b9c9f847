/*
 * What properties and types of attributes mean: words of the command line, as work.c has
 * them.
 */
#include <trammel/annotate.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned metric = TRM_AS_VALUE | TRM_AGGREGATABLE;

/* Of each type what it cannot hold (lost), and what it just holds. */
static void values(void)
{
	trm_attribute whole = trm_attribute_create("whole", TRM_TYPE_UINT, metric);
	trm_attribute number = trm_attribute_create("number", TRM_TYPE_INT, metric);
	trm_attribute truth = trm_attribute_create("truth", TRM_TYPE_BOOL, metric);
	trm_attribute level = trm_attribute_create("level", TRM_TYPE_UINT, TRM_NESTED);

	TRM_REGION("values");
	trm_set(whole, -1);
	trm_set(whole, -2.5);
	trm_set(whole, 0x1p64);
	trm_set(whole, (double)NAN);
	trm_set(number, UINT64_MAX);
	trm_set(number, 0x1p63);
	trm_begin(level, -1);
	trm_end(level);
	trm_set(whole, INT64_MAX);
	trm_set(whole, 2.75);
	trm_set(number, -0x1p63);
	trm_set(number, (uint64_t)7);
	trm_set(truth, 5);
	trm_set(truth, 0);
	trm_set(truth, 0.25);
	trm_begin(level, 3);
	trm_end(level);
}

/* Sums that 64 bits do not hold are said to be wrong. */
static void overflows(void)
{
	trm_attribute whole = trm_attribute_create("whole", TRM_TYPE_UINT, metric);
	trm_attribute number = trm_attribute_create("number", TRM_TYPE_INT, metric);

	TRM_REGION("overflows");
	trm_set(whole, UINT64_MAX);
	trm_set(whole, 1);
	trm_set(number, INT64_MIN);
	trm_set(number, -1);
	trm_set(number, -1);
}

/* There is no sum of texts, whatever the program says. */
static void texts(void)
{
	trm_attribute text = trm_attribute_create("text", TRM_TYPE_STRING, metric);

	TRM_REGION("texts");
	trm_set(text, "one");
	trm_set(text, "two");
}

/* What holds of the run is no context, however it is made, and said in its metadata. */
static void globals(void)
{
	trm_attribute input = trm_attribute_create("input", TRM_TYPE_STRING, TRM_GLOBAL);
	trm_attribute size =
		trm_attribute_create("size", TRM_TYPE_INT, TRM_GLOBAL | TRM_NESTED);
	trm_attribute gone =
		trm_attribute_create("gone", TRM_TYPE_INT, TRM_GLOBAL | TRM_AS_VALUE);

	trm_set(input, "first");
	TRM_REGION("globals");
	trm_begin(size, -8);
	trm_set(input, "caf\xc3\xa9");
	trm_begin(gone, 1);
	trm_end(gone);
}

static void hidden(void)
{
	trm_attribute inner =
		trm_attribute_create("inner", TRM_TYPE_INT, TRM_HIDDEN | TRM_NESTED);
	trm_attribute value =
		trm_attribute_create("value", TRM_TYPE_INT, TRM_HIDDEN | TRM_AS_VALUE);
	trm_attribute sum =
		trm_attribute_create("sum", TRM_TYPE_INT, TRM_HIDDEN | metric);

	TRM_REGION("outer");
	for (int i = 0; i < 5; i++) {
		trm_begin(inner, i);
		trm_set(value, i);
		trm_set(sum, i);
		trm_begin("region", "in it");
		trm_end("region");
		trm_end(inner);
		trm_begin("region", "beside it");
		trm_end("region");
	}
}

static void kinds(void)
{
	trm_attribute blob = trm_attribute_create("blob", TRM_TYPE_BLOB, TRM_NESTED);
	trm_attribute place = trm_attribute_create("place", TRM_TYPE_ADDRESS, TRM_NESTED);
	trm_attribute type = trm_attribute_create("type", TRM_TYPE_TYPE, TRM_NESTED);

	trm_begin_value(blob, trm_value_blob("a\0\xff", 3));
	trm_begin_value(place, trm_value_address((void *)0xbeef));
	trm_begin_value(type, trm_value_type(TRM_TYPE_DOUBLE));
	trm_end(type);
	trm_end(place);
	trm_end(blob);
}

/* Names that profiles cannot hold. */
static void names(void)
{
	char *longest = malloc(4002);

	memset(longest, 'n', 4001);
	longest[4001] = '\0';
	TRM_REGION("names");
	for (int i = 0; i < 3; i++) {
		trm_begin("", i);
		trm_end("");
		trm_begin(longest, i);
		trm_end(longest);
		trm_begin(longest + 1, i);
		trm_end(longest + 1);
	}
	free(longest);
}

/* Each with a sum, a number of values, and so on in the profile. */
static void many(void)
{
	char name[16];

	TRM_REGION("many");
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "sum %d", i);
		trm_set(trm_attribute_create(name, TRM_TYPE_INT, metric), i);
	}
}

/* Time passes in the innermost one alone. */
static void deep(void)
{
	for (int i = 0; i < 5000; i++)
		trm_begin("depth", i);
	usleep(20000);
	for (int i = 0; i < 5000; i++)
		trm_end("depth");
}

static trm_attribute gap;

static void *set_gap(void *number)
{
	TRM_REGION("missing");
	trm_set(gap, *(const double *)number);
	return NULL;
}

/* Numbers that are missing are neither the least nor the most, of a thread or of many. */
static void missing(void)
{
	static double numbers[] = {NAN, 3, NAN};
	trm_attribute none = trm_attribute_create("none", TRM_TYPE_DOUBLE, metric);
	pthread_t thread;

	gap = trm_attribute_create("gap", TRM_TYPE_DOUBLE, metric);
	TRM_REGION("missing");
	trm_set(gap, (double)NAN);
	trm_set(gap, 1.5);
	trm_set(gap, (double)NAN);
	trm_set(gap, -2.5);
	trm_set(none, (double)NAN);
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, set_gap, &numbers[i]);
		pthread_join(thread, NULL);
	}
}

static const struct {
	const char *word;
	void (*function)(void);
} table[] = {
	{"values", values},   {"overflows", overflows}, {"texts", texts},
	{"globals", globals}, {"hidden", hidden},       {"names", names},
	{"kinds", kinds},     {"many", many},           {"deep", deep},
	{"missing", missing},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(argv[1], table[i].word))
			table[i].function();
	return 0;
}
