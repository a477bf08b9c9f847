/* A tool for test_tool_api.c: what it adds is counted there. */
#include <trammel/tool.h>

#include <string.h>

#ifndef TOOL_VERSION
#define TOOL_VERSION TRAMMEL_TOOL_VERSION
#endif

static struct trammel_counter *blocks;
static const char *fault = "";

TRAMMEL_ROUTINE void on_branch(long id, int taken);
TRAMMEL_ROUTINE void on_branch(long id, int taken)
{
	(void)id;
	(void)taken;
}

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	fault = argc > 1 ? argv[1] : "";
	blocks = t->counter("blocks");
	t->prototype("void on_branch(long id, int taken);");
	t->prototype("on_end(const char *)");
	trammel_add_call(t, trammel_program_end(), "on_end", trammel_text("bye"));
	if (!strcmp(fault, "prototype"))
		t->prototype("on_branch(float)");
	if (!strcmp(fault, "other"))
		t->prototype("on_branch(long)");
	if (!strcmp(fault, "unknown"))
		trammel_add_call(t, trammel_program_end(), "nothing");
	if (!strcmp(fault, "count"))
		trammel_add_call(t, trammel_program_end(), "on_end");
	if (!strcmp(fault, "dynamic"))
		trammel_add_call(t, trammel_program_end(), "on_end", trammel_pc());
	if (!strcmp(fault, "early"))
		t->add_count((struct trammel_point){TRAMMEL_AT_ENTRY, NULL}, blocks, 1);
	if (!strcmp(fault, "fail"))
		t->fail("no %s", "way");
	return !strcmp(fault, "status") ? 7 : 0;
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	const struct trammel_code *code = t->code(f);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		if (row->kind == TRAMMEL_BRANCH)
			trammel_add_call(t, trammel_before(row), "on_branch",
					 trammel_int((int64_t)row->address),
					 trammel_taken());
	}
	for (uint32_t i = 0; code && i < code->edge_count; i++)
		if (code->edges[i].to)
			t->add_count(trammel_on_edge(&code->edges[i]), blocks, 1);
}

static void label(const struct trammel_api *t, const struct trammel_module *m)
{
	const struct trammel_function *f = t->find_function(m, "tool_api_sample");
	const struct trammel_argument arguments[] = {trammel_int(-5),
						     trammel_text("text")};
	uint32_t kind = t->kind("mine", "arg0,rdi");

	if (f)
		t->add_label(trammel_entry(f), kind, arguments, 2);
	if (!strcmp(fault, "label"))
		t->add_label(trammel_program_end(), kind, NULL, 0);
}

TRAMMEL_TOOL = {TOOL_VERSION, (uint32_t)sizeof(struct trammel_tool),
		"sample",     "for a test",
		start,        NULL,
		function,     label};
