/* Calls of tools' routines by the tracer, on a stopped thread of the program. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_VISIT_H
#define TRAMMEL_SESSION_TOOL_TOOL_VISIT_H

#include "session/options/options.h"
#include "session/tool/tool_run.h"

/* A thread that calls routines. */
struct tool_visit {
	struct session *session;
	struct thread *thread;
	const struct tool_thread *as; /* what it is for the tools' library */
	struct tool_saved saved;
	uint64_t back; /* address of its struct wire_tool_back */
	/* At the moments of modules: the address of a path, and the bias. */
	uint64_t module_path, module_bias;
};

/* A routine that is to be called. */
struct tool_routine {
	const char *name; /* for messages */
	uint64_t address; /* run-time address */
	uint64_t arguments[TOOL_ARGUMENTS_MAX];
};

/* Has a thread, stopped outside of a system call, run routines as `as`; NULL: as what it
 * is, or else as the thread that serves all. tool_visit_end must follow, unless it fails.
 */
struct trm_error *tool_visit_begin(struct session *session, struct thread *thread,
				   const struct tool_thread *as,
				   struct tool_visit *ret_visit);

/* Calls a routine; writes its result. If it fails, the tools are switched off, and false
 * is returned. */
bool tool_visit_call(struct tool_visit *visit, const struct tool_routine *routine,
		     uint64_t *ret_result);

/* Runs from `registers` until the thread has come to `event`. Returns whether it has. */
bool tool_visit_run(struct tool_visit *visit, const struct user_regs_struct *registers,
		    const char *name, enum tool_event event,
		    struct tool_outcome *ret_outcome);

/* Calls the routines of a moment; stops if one fails. */
void tool_visit_moment(struct tool_visit *visit, enum tool_moment moment);

/* Calls the routines for a module that was loaded or unloaded. */
void tool_visit_module(struct tool_visit *visit, enum tool_moment moment,
		       const char *path, uint64_t bias);

/* Looks up a symbol of the tool at index `tool`; 0: it has none of this name. */
uint64_t tool_visit_look_up(struct tool_visit *visit, size_t tool, const char *name);

/* Finds the routines of all tools' uses. Errors: a tool has no such routine. */
struct trm_error *tool_visit_find(struct tool_visit *visit);

/* Gives the thread back as it was, still stopped. */
void tool_visit_end(struct tool_visit *visit);

/* Has no thread of an address space call a routine at a point from now on. */
void tool_bar_routines(const struct session *session, const struct space *space);

/* Has no thread of an address space call a routine at a point from now on. */
void tool_bar_routines(const struct session *session, const struct space *space);

/* Switches the tools of a process off, with a reason as by printf, which is told at once
 * and in the report. */
void tool_switch_off(struct session *session, struct process *process, const char *reason,
		     ...) __attribute__((format(printf, 3, 4)));

#endif
