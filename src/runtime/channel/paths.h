/*
 * Call paths: nodes below a context, one a function that is being called, the outermost
 * first (callpath.address). A channel that has them gives its sinks contexts with paths.
 *
 * Samples have paths, too. A signal's handler may not touch the thread's tree, which it
 * may have interrupted: it keeps the path in a tree of the thread's own, and the next
 * event of the thread brings it to the channels.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_PATHS_H
#define TRAMMEL_RUNTIME_CHANNEL_PATHS_H

#include "runtime/channel/channel.h"
#include "runtime/store/state.h"

#include <ucontext.h>

/* What a channel with call paths has beside others. */
struct call_paths {
	uint32_t attribute; /* callpath.address, or cali.sampler.pc */
	bool alone;         /* only where the thread was, not who called that */
	uint32_t skip;      /* innermost frames that are left out */
	bool of_events;     /* else of samples only */
	int samples;        /* number of the metric; -1: none */
	/* The channel's sinks, which get contexts with paths. */
	void (*sinks[CHANNEL_SERVICES_MAX])(struct channel_thread *own,
					    const struct runtime_event *event);
	uint32_t sink_count;
};

/* Contexts of the channel have call paths. Returns why that cannot be, or NULL. */
const char *paths_add(struct channel *channel);
/* Its services are all there: samples may say where the thread was (SAMPLER_PC). */
void paths_settle(struct channel *channel);
/* What is kept of a thread's paths in a channel. */
void paths_deinit(struct channel_thread *own);
/* The context that has the call path which this node is. */
const struct context_node *paths_context(const struct channel *channel,
					 const struct context_node *node);

/* Room for the thread's samples; not in a handler. */
void paths_begin_thread(void);
void paths_end_thread(void);
/* In a child of fork: what the parent was sampled in is the parent's. */
void paths_forget(void);
/* In a handler: a sample that stands for so many. False: it has no path. */
bool paths_sample(const ucontext_t *context, uint64_t weight);
/* Some channel wants samples with paths. */
bool paths_are_sampled(void);

/* What wrappers tell when a call is over: channels with call paths take a snapshot, so
 * that what was counted is of this call. */
enum paths_call { PATHS_ALLOC, PATHS_IO, PATHS_LOCK, PATHS_SYSTEM, PATHS_CALLS };
extern uint32_t paths_calls[PATHS_CALLS]; /* a bit a channel */
void paths_push(uint32_t channels);
static inline void paths_called(enum paths_call call)
{
	if (unlikely(paths_calls[call]))
		paths_push(paths_calls[call]);
}

#endif
