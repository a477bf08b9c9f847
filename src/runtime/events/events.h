/* Events of the program: begin, end and set. */
#ifndef TRAMMEL_RUNTIME_EVENTS_EVENTS_H
#define TRAMMEL_RUNTIME_EVENTS_EVENTS_H
#include "runtime/store/state.h"
#include "wire/context.h"
#include "wire/context_event.h"

/* Enters the library for slow work on the thread's tree or on all channels; events of
 * signal handlers are lost meanwhile. Returns NULL if the thread is inside already, or
 * has no record. */
struct context_thread *events_enter(void);

/* Enters the library for an event, which is counted as lost if that fails. */
struct context_thread *events_enter_event(void);

/* Leaves the library after events_enter() or events_enter_event(). */
void events_leave(void);

/* Begin and end a text of an existing attribute; `text`: 0-terminated. */
void events_begin_text(uint32_t attribute, const char *text);

void events_end_text(uint32_t attribute, const char *text);

/* Begin and end the node of a function call; the thread is inside the library. The end
 * is of `node`, or the node that replaced it, and of nothing that began in it. */
void events_begin_node(struct context_thread *thread, uint32_t attribute,
		       const char *text);

void events_end_node(struct context_thread *thread, const struct context_node *node,
		     uint32_t attribute, uint64_t value);

/* Moves the thread, which is inside the library, to the context `to` at the time `now`
 * (ticks), which is not before its last event. `ends`: its present context ends then. No
 * region begins. */
void events_move(struct context_thread *thread, struct context_node *to, bool ends,
		 uint64_t now);

/* Enter and leave a site in any case, also where the fast way does not apply; the thread
 * is busy, and no longer so afterwards. */
void events_enter_site(struct trm_site *site);

void events_leave_site(struct trm_site *site);

/* Traces an event that trace_short() cannot write, and ends with it. */
void events_trace_last(struct context_thread *thread, enum context_event_kind kind,
		       uint32_t what, uint64_t ticks);

/* Gets the innermost value of the attribute; returns false if it has none. */
bool events_get(uint32_t attribute, struct trm_value *ret_value);

/* Converts a value to the form that nodes hold: its bits, or where the string is.
 * Returns false if there is no room, or the attribute's type cannot hold it. */
bool events_to_bits(const struct context_attribute *attribute,
		    const struct trm_value *value, uint64_t *ret_bits);

/* Traces that the thread has another current context from `ticks` on. */
void events_trace_move(struct context_thread *thread, uint64_t ticks);

extern const struct trm_api events_api;

#endif
