/* A tool that counts calls of solve() by the region in which the program is, and records
 * the numbers at the end; for tests/probes/regions.c. */
#include <trammel/tool.h>

#include <string.h>

/* --- program --------------------------------------------------------------------- */

enum { REGIONS = 64 };
static uint64_t calls[REGIONS];

TRAMMEL_ROUTINE void seen(void)
{
	__atomic_fetch_add(&calls[trammel_region() % REGIONS], 1, __ATOMIC_RELAXED);
}

TRAMMEL_ROUTINE void record_all(void)
{
	for (uint64_t i = 0; i < REGIONS; i++)
		if (calls[i])
			trammel_record("calls", trammel_key_region(i),
				       trammel_sum("calls", (int64_t)calls[i]));
}

TRAMMEL_ROUTINE void forget(void)
{
	memset(calls, 0, sizeof(calls));
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	api->regions();
	api->prototype("seen()");
	api->prototype("record_all()");
	api->prototype("forget()");
	trammel_add_call(api, trammel_program_end(), "record_all");
	trammel_add_call(api, trammel_fork(), "forget");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	if (!strcmp(function->name, "solve"))
		trammel_add_call(api, trammel_entry(function), "seen");
}

TRAMMEL_TOOL = {
	TRAMMEL_TOOL_HEAD, "regions", "calls of solve by region", start_tool, NULL,
	see_function,      NULL};
