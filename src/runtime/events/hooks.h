/*
 * Events as channels see them, and how the recorder calls channels, which it must not
 * know.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_HOOKS_H
#define TRAMMEL_RUNTIME_EVENTS_HOOKS_H

#include "wire/context.h"
#include "wire/context_channel.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of events that channels see. */
enum runtime_event_kind {
	RUNTIME_BEGIN = CONTEXT_SNAPSHOT_BEGIN,
	RUNTIME_END = CONTEXT_SNAPSHOT_END,
	RUNTIME_CHANGE = CONTEXT_SNAPSHOT_CHANGE,
	RUNTIME_SET = CONTEXT_SNAPSHOT_SET,
	RUNTIME_START = CONTEXT_SNAPSHOT_START,
	RUNTIME_UNSET = CONTEXT_SNAPSHOT_UNSET,
	RUNTIME_ITERATION = CONTEXT_SNAPSHOT_ITERATION,
	RUNTIME_PUSH = CONTEXT_SNAPSHOT_PUSH,
	RUNTIME_SAMPLE = CONTEXT_SNAPSHOT_SAMPLE,
	RUNTIME_RESUME = CONTEXT_SNAPSHOT_RESUME, /* in traces alone */
	RUNTIME_GIVEN = CONTEXT_SNAPSHOT_GIVEN,   /* in traces alone */
	RUNTIME_KEPT = CONTEXT_SNAPSHOT_KEPT,
	RUNTIME_DROPPED = CONTEXT_SNAPSHOT_DROPPED,
	RUNTIME_ADDED = CONTEXT_SNAPSHOT_ADDED,
	RUNTIME_BEGAN = CONTEXT_SNAPSHOT_KINDS, /* for channels that call the program */
};

struct runtime_event {
	enum runtime_event_kind kind;
	uint32_t attribute;          /* of the event; 0: without one */
	uint64_t value;              /* SET, UNSET: bits */
	struct context_node *before; /* current context until now */
	struct context_node *node; /* BEGIN, END, CHANGE: the node that began or ended */
	uint64_t now;              /* ticks */
};

/* Functions that the recorder calls in higher layers; process/start.c fills them in
 * before the first event. */
struct runtime_hooks {
	/* In the middle of an event of the thread. */
	void (*event)(struct context_thread *thread, const struct runtime_event *event);
	/* Frees what services keep for a thread that ends. */
	void (*leave_thread)(void);
	/* Called next: tells whether the nodes of the thread must stay. */
	bool (*keep_nodes)(const struct context_thread *thread);
	/* Called if they need not stay: each node's last_child is its counterpart in the
	 * tree of ended threads, which is that of `ended`. */
	void (*end_thread)(struct context_thread *thread, struct context_thread *ended);
	/* In a child of fork, whose state was found empty: recording_begin_child(). */
	bool (*record_child)(void);
	/* In such a child: before it records, and when it does. */
	void (*begin_child)(void);
	void (*offer_child)(void);
};

extern struct runtime_hooks runtime_hooks __attribute__((visibility("hidden")));

#endif
