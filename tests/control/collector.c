/* A collector of one's own, built against what is installed alone: calls of step(), by a
 * counter that is added inline and by records of a routine. */
#include <trammel/tool.h>

#include <string.h>

static struct trammel_counter *calls;

TRAMMEL_ROUTINE void see_step(void)
{
	trammel_record("steps", trammel_key_text("of", "step"), trammel_sum("seen", 1));
}

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	calls = t->counter("calls");
	return t->prototype("see_step()") ? 0 : 1;
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	if (strcmp(f->name, "step") != 0)
		return;
	t->add_count(trammel_entry(f), calls, 1);
	trammel_add_call(t, trammel_entry(f), "see_step");
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "collector", "calls of step", start, NULL,
		function,          NULL};
