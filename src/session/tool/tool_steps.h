/* Steps by which tools start, in a new process and in one that is attached to. */
#ifndef TRAMMEL_SESSION_TOOL_TOOL_STEPS_H
#define TRAMMEL_SESSION_TOOL_TOOL_STEPS_H

#include "session/tool/tool_visit.h"

/* Makes a thread of the tools' library, of which `maker` is another one, and has it run
 * to where it waits for its end, on a stopped thread. False: there is none. */
bool tool_make_thread(struct session *session, struct thread *thread,
		      const struct tool_thread *maker, struct tool_thread *made);

/* Puts the texts of the arguments of routines into the process of a stopped thread. */
struct trm_error *tool_place_texts(struct session *session, struct thread *thread);

/* Returns whether system calls are to be seen: the program's, as something is to be done
 * before it ends, or those of routines at points, which are answered. */
bool tool_wants_calls(const struct session_options *options,
		      const struct wire_tool_table *table);

/* Takes the page below the stack of a stopped thread's routines from it, as those of
 * later chunks of banks are. */
void tool_guard_stack(struct session *session, struct thread *thread);

/* Calls `_halt_startup` of all tools. */
void tool_call_startups(struct tool_visit *visit);

#endif
