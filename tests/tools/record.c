/* A tool that records calls in each way that there is: by the function that is called and
 * the place that it returns to, when it happens; and what it knows of functions at the
 * end. */
#include <trammel/tool.h>

#include <stdio.h>
#include <stdlib.h>

/* --- program --------------------------------------------------------------------- */

struct seen {
	uint64_t code, calls;
	struct seen *next;
};

static struct seen *all;

TRAMMEL_ROUTINE void record_call(struct seen *seen, uint64_t caller, uint64_t first)
{
	const int64_t number = (int64_t)first;

	if (!__atomic_fetch_add(&seen->calls, 1, __ATOMIC_RELAXED)) {
		seen->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&all, &seen->next, seen, true,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
	}
	trammel_record("calls", trammel_key_code("function", seen->code),
		       trammel_key_pc("caller", caller), trammel_sum("calls", 1),
		       trammel_sum_float("half", 0.5), trammel_least("least", number),
		       trammel_most("most", number), trammel_sum("sum", number));
	trammel_record("numbers", trammel_key("remainder", number % 3),
		       trammel_key_text("name", number % 3 ? "some" : "none"),
		       trammel_sum("times", 1));
}

/* What is wrong is refused, and harmless. */
static void record_wrong(void)
{
	struct trammel_field many[TRAMMEL_FIELDS_MAX + 1];
	struct trammel_field field = trammel_sum("x", 1);
	char name[100];

	for (int i = 0; i <= TRAMMEL_FIELDS_MAX; i++)
		many[i] = field;
	for (int i = 0; i < 99; i++)
		name[i] = 'n';
	name[99] = '\0';
	if (trammel_record_fields("wrong", many, TRAMMEL_FIELDS_MAX + 1) ||
	    trammel_record_fields("wrong", many, 0) || trammel_record(NULL, field) ||
	    trammel_record("", field) || trammel_record(name, field) ||
	    trammel_record("wrong", trammel_sum(name, 1)) ||
	    trammel_record("wrong", trammel_sum(NULL, 1)))
		fputs("a wrong record was taken\n", stderr);
	field.type = 77;
	if (trammel_record("wrong", field))
		fputs("a field of no type was taken\n", stderr);
	field = trammel_key_text("x", "text");
	field.role = TRAMMEL_SUM;
	if (trammel_record("wrong", field))
		fputs("a sum of texts was taken\n", stderr);
}

TRAMMEL_ROUTINE void record_end(uint64_t flood)
{
	char text[TRAMMEL_TEXT_MAX + 50];

	for (int i = 0; i < TRAMMEL_TEXT_MAX + 49; i++)
		text[i] = 't';
	text[TRAMMEL_TEXT_MAX + 49] = '\0';
	for (struct seen *seen = all; seen; seen = seen->next)
		trammel_record("functions", trammel_key_code("function", seen->code),
			       trammel_key_text("text", text),
			       trammel_sum("calls", (int64_t)seen->calls));
	record_wrong();
	for (uint64_t i = 0; i < flood; i++) {
		snprintf(text, sizeof(text), "%0999llu", (unsigned long long)i);
		trammel_record("flood", trammel_key_text("text", text),
			       trammel_sum("times", 1));
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	t->prototype("record_call(void *, uint64_t, uint64_t)");
	t->prototype("record_end(uint64_t)");
	trammel_add_call(t, trammel_program_end(), "record_end",
			 trammel_int(argc > 1 ? atoll(argv[1]) : 0));
	/* Beside the program nothing is recorded. */
	return trammel_record("here", trammel_sum("x", 1));
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	struct seen *seen = calloc(1, sizeof(*seen));

	seen->code = t->code_number(f->module, f->address);
	trammel_add_call(t, trammel_entry(f), "record_call",
			 trammel_data(seen, sizeof(*seen)), trammel_caller(),
			 trammel_argument_of(0));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "record", "calls, as records", start, NULL,
		function,          NULL};
