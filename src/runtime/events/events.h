/* events.c. */
#ifndef TRAMMEL_RUNTIME_EVENTS_EVENTS_H
#define TRAMMEL_RUNTIME_EVENTS_EVENTS_H

#include "runtime/store/state.h"

#include "wire/context.h"

/* For a slow way that looks at the thread's tree or at all channels: what a handler says
 * meanwhile is lost. NULL: the thread is inside already, or has no record. */
struct context_thread *events_enter(void);

/* The same for an event: it is counted where it is lost. */
struct context_thread *events_enter_event(void);

void events_leave(void);

/* Begin and end of a text, by an attribute that exists; `text`: 0-terminated. */
void events_begin_text(uint32_t attribute, const char *text);

void events_end_text(uint32_t attribute, const char *text);

/* The same for who is inside, of what a call of a function is: a node is ended, or what
 * took its place, and nothing that began in it. */
void events_begin_node(struct context_thread *thread, uint32_t attribute,
		       const char *text);

void events_end_node(struct context_thread *thread, const struct context_node *node,
		     uint32_t attribute, uint64_t value);

/* The thread, which is inside, is in another context from a moment on, not before its
 * last event; `ends`: what it was in ended then. Nothing begins. */
void events_move(struct context_thread *thread, struct context_node *to, bool ends,
		 uint64_t now);

/* The same in any case; the thread is busy, and no longer so behind it. */
void events_enter_site(struct trm_site *site);

void events_leave_site(struct trm_site *site);

/* Traces an event that trace_short does not, and ends with that. */
void events_trace_last(struct context_thread *thread, enum context_event_kind kind,
		       uint32_t what, uint64_t ticks);

/* The innermost value; false: there is none. */
bool events_get(uint32_t attribute, struct trm_value *ret_value);

/* A value as nodes hold it: bits, or where the string is. False: there is no room, or the
 * attribute's type cannot hold it. */
bool events_to_bits(const struct context_attribute *attribute,
		    const struct trm_value *value, uint64_t *ret_bits);

/* Another context is the current one of the thread, as of then. */
void events_trace_move(struct context_thread *thread, uint64_t ticks);

extern const struct trm_api events_api;

#endif
