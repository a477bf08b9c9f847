/* Replaces functions of replaced.c. */
#include <trammel/tool.h>

#include <stdio.h>
#include <string.h>

/* --- program --------------------------------------------------------------------- */

static unsigned long made, left;

TRAMMEL_ROUTINE bool replace_twice(uint64_t *result, long number)
{
	if (number % 2) {
		__atomic_fetch_add(&left, 1, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
	*result = (uint64_t)(3 * number);
	return true;
}

TRAMMEL_ROUTINE bool replace_constant(uint64_t *result)
{
	*result = 7;
	return true;
}

TRAMMEL_ROUTINE bool keep_all(uint64_t *result, int count)
{
	(void)result;
	return count == 99;
}

TRAMMEL_ROUTINE void print_counts(void)
{
	fprintf(stderr, "replaced: %lu made, %lu left\n", made, left);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	api->prototype("replace_twice(void *, long)");
	api->prototype("replace_constant(void *)");
	api->prototype("keep_all(void *, int)");
	api->prototype("print_counts()");
	trammel_add_call(api, trammel_program_end(), "print_counts");
	return 0;
}

static void add_to_function(const struct trammel_api *api,
			    const struct trammel_function *function)
{
	if (!strcmp(function->name, "twice"))
		trammel_replace(api, function, "replace_twice", trammel_argument_of(0));
	if (!strcmp(function->name, "constant"))
		trammel_replace(api, function, "replace_constant");
	if (!strcmp(function->name, "add_all"))
		trammel_replace(api, function, "keep_all", trammel_argument_of(0));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"replace_tool",
		"functions that are replaced",
		start_tool,
		NULL,
		add_to_function,
		NULL};
