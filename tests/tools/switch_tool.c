/* Counts where switches go, by the number of the target, and says where that is. */
#include <trammel/tool.h>

#include <stdio.h>
#include <stdlib.h>

enum { TARGETS = 64 };

struct dispatch {
	struct dispatch *next; /* of those that ran */
	uint64_t target_count, address, targets[TARGETS], counts[TARGETS];
	uint64_t runs, behind, bias;
};

/* --- program --------------------------------------------------------------------- */

static struct dispatch *used, *last;

TRAMMEL_ROUTINE void on_switch(struct dispatch *dispatch, uint64_t index, uint64_t target)
{
	uint64_t bias = target - dispatch->targets[index < TARGETS ? index : 0];

	if (index >= dispatch->target_count)
		abort();
	if (!dispatch->runs++) {
		dispatch->bias = bias;
		dispatch->next = used;
		used = dispatch;
	}
	if (dispatch->bias != bias)
		abort();
	dispatch->counts[index]++;
	last = dispatch;
}

/* Runs behind the call above. */
TRAMMEL_ROUTINE void on_behind(struct dispatch *dispatch)
{
	dispatch->behind += last == dispatch;
	last = NULL;
}

TRAMMEL_ROUTINE void print_counts(void)
{
	for (; used; used = used->next) {
		if (used->behind != used->runs)
			fprintf(stderr, "out of order\n");
		for (uint64_t i = 0; i < used->target_count; i++)
			if (used->counts[i])
				fprintf(stderr, "target %lx %lu\n",
					(unsigned long)used->targets[i],
					(unsigned long)used->counts[i]);
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	api->prototype("on_switch(void *, uint64_t, uint64_t)");
	api->prototype("on_behind(void *)");
	api->prototype("print_counts()");
	trammel_add_call(api, trammel_program_end(), "print_counts");
	return 0;
}

static void add_to_switch(const struct trammel_api *api,
			  const struct trammel_instruction *row)
{
	struct dispatch *dispatch = calloc(1, sizeof(*dispatch));

	if (row->target_count > TARGETS) {
		free(dispatch);
		return;
	}
	dispatch->address = row->address;
	dispatch->target_count = row->target_count;
	for (uint32_t i = 0; i < row->target_count; i++)
		dispatch->targets[i] = row->targets[i];
	trammel_add_call(api, trammel_before(row), "on_switch",
			 trammel_data(dispatch, sizeof(*dispatch)), trammel_index(),
			 trammel_target());
	trammel_add_call(api, trammel_before(row), "on_behind",
			 trammel_data(dispatch, sizeof(*dispatch)));
}

static void add_to_function(const struct trammel_api *api,
			    const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++)
		if (code->instructions[i].kind == TRAMMEL_SWITCH)
			add_to_switch(api, &code->instructions[i]);
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "switch_tool", "where switches go", start_tool, NULL,
		add_to_function,   NULL};
