/* What functions of vectors.c have in vector registers, and in which regions they are. */
#include <trammel/tool.h>

#include <stdio.h>
#include <string.h>

/* --- program --------------------------------------------------------------------- */

enum { REGIONS = 64 };

static double sum, returned;
static unsigned long wrong, looked;
static uint64_t regions[REGIONS], counts[REGIONS];

TRAMMEL_ROUTINE void on_doubles(uint64_t left, uint64_t right, const double *copy)
{
	sum += trammel_as_double(left) + (double)trammel_as_float(right);
	wrong += *copy != trammel_as_double(left);
}

TRAMMEL_ROUTINE void on_return(uint64_t value)
{
	returned += trammel_as_double(value);
}

TRAMMEL_ROUTINE void on_bytes(const unsigned char *copy, uint64_t low)
{
	while (looked < 64 && copy[looked] == looked)
		looked++;
	wrong += low != 0x0706050403020100;
}

TRAMMEL_ROUTINE void on_work(uint64_t region)
{
	int i = 0;

	while (i < REGIONS - 1 && regions[i] != region && counts[i])
		i++;
	regions[i] = region;
	counts[i]++;
}

TRAMMEL_ROUTINE void print_all(void)
{
	fprintf(stderr, "sum %.3f returned %.3f bytes %lu wrong %lu\n", sum, returned,
		looked, wrong);
	for (int i = 0; counts[i]; i++)
		fprintf(stderr, "region %lx %lu\n", (unsigned long)regions[i],
			(unsigned long)counts[i]);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	api->prototype("on_doubles(uint64_t, uint64_t, void *)");
	api->prototype("on_return(uint64_t)");
	api->prototype("on_bytes(void *, uint64_t)");
	api->prototype("on_work(uint64_t)");
	api->prototype("print_all()");
	trammel_add_call(api, trammel_program_end(), "print_all");
	return 0;
}

static void add_to_function(const struct trammel_api *api,
			    const struct trammel_function *function)
{
	if (!strcmp(function->name, "add_doubles")) {
		trammel_add_call(api, trammel_entry(function), "on_doubles",
				 trammel_vector_low(0), trammel_vector_low(1),
				 trammel_vector(0));
		trammel_add_call(api, trammel_exit(function), "on_return",
				 trammel_vector_low(0));
	}
	if (!strcmp(function->name, "look_at_bytes"))
		trammel_add_call(api, trammel_entry(function), "on_bytes",
				 trammel_vector(9), trammel_vector_low(9));
	if (!strcmp(function->name, "work"))
		trammel_add_call(api, trammel_entry(function), "on_work",
				 trammel_context());
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "vector_tool", "vector registers", start_tool, NULL,
		add_to_function,   NULL};
