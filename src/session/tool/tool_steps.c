#include "session/tool/tool_steps.h"

#include "base/page.h"
#include "control/remote.h"
#include "session/position/spans.h"
#include "session/thread/injection.h"
#include "session/tool/tool_calls.h"
#include "wire/spans.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* Bytes that a thread which waits for its end keeps above the stack of routines. */
#define WAITING_ROOM 1024

bool tool_make_thread(struct session *session, struct thread *thread,
		      const struct tool_thread *maker, struct tool_thread *made)
{
	struct tool_space *tools = thread->process->space->tools;
	struct tool_routine make = {
		.name = "new_thread",
		.address = tools->table.new_thread,
	};
	struct tool_outcome outcome;
	struct tool_visit visit;
	uint64_t error = 0;
	bool ready;

	if (remote_failed(tool_visit_begin(session, thread, maker, &visit)))
		return false;
	make.arguments[0] = visit.back;
	tools->making = made;
	ready = tool_visit_call(&visit, &make, &error) && !error && made->thread_pointer;
	tools->making = NULL;
	if (ready)
		made->waiting.gs_base = visit.saved.registers.gs_base;
	if (ready)
		ready = tool_visit_run(&visit, &made->waiting, "thread", TOOL_WAITS,
				       &outcome);
	tool_visit_end(&visit);
	if (!ready) {
		*made = (struct tool_thread){0};
		return false;
	}
	made->waiting = outcome.registers;
	made->waiting.rax = 0;
	made->stack = (outcome.registers.rsp - WAITING_ROOM) & ~15ull;
	return true;
}

struct trm_error *tool_place_texts(struct session *session, struct thread *thread)
{
	struct tool_space *tools = thread->process->space->tools;
	struct VECTOR(char) texts = {0};
	struct wire_batch batch = {0};
	struct trm_error *error = NULL;

	vector_for_each (&session->options->tools, tool)
		vector_for_each (&tool->uses, use)
			for (size_t i = 0; i < use->count; i++)
				for (const char *at = use->arguments[i].text; at; at++) {
					vector_push(&texts, *at);
					if (!*at)
						break;
				}
	if (!texts.count)
		return NULL;
	tools->texts = tool_calls_take(tools, texts.count);
	BATCH_ADD(&batch, SYS_mmap, tools->texts, (texts.count + 4095) & ~4095ull,
		  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		  UINT64_MAX, 0);
	error = space_run(session, thread, &batch);
	if (!error)
		error = remote_write(thread->process->space->memory_fd, tools->texts,
				     texts.items, texts.count);
	vector_deinit(&texts);
	return error;
}

void tool_call_startups(struct tool_visit *visit)
{
	const struct wire_tool_table *table =
		&visit->thread->process->space->tools->table;
	uint64_t result;

	for (uint64_t i = 0; i < table->count && i < WIRE_TOOLS_MAX; i++) {
		const struct tool_routine startup = {
			.name = "_halt_startup",
			.address = table->tools[i].startup,
		};

		if (startup.address && !tool_visit_call(visit, &startup, &result))
			return;
	}
}

bool tool_wants_calls(const struct session_options *options,
		      const struct wire_tool_table *table)
{
	for (uint64_t i = 0; i < table->count && i < WIRE_TOOLS_MAX; i++)
		if (table->tools[i].startup || table->tools[i].ends)
			return true;
	vector_for_each (&options->tools, tool) {
		vector_for_each (&tool->uses, use)
			if (use->moment == TOOL_AT_END ||
			    use->moment == TOOL_AT_THREAD_END)
				return true;
		vector_for_each (&tool->routines, routine)
			if (!routine->known)
				return true;
	}
	return false;
}

void tool_guard_stack(struct session *session, struct thread *thread)
{
	struct wire_batch batch = {0};

	if (!thread->bank || !spans_have_stacks(session) || remote_filters(thread->tid))
		return;
	BATCH_ADD(&batch, SYS_mprotect, thread->bank->address + WIRE_SPANS_GUARD, PAGE,
		  PROT_NONE);
	trm_error_destroy(space_run(session, thread, &batch));
}
