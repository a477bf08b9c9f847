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

/* Data of a channel with call paths. */
struct call_paths {
	uint32_t attribute; /* callpath.address, or cali.sampler.pc */
	bool alone;         /* only the function that was sampled, without its callers */
	uint32_t skip;      /* innermost frames that are left out */
	bool of_events;     /* else of samples only */
	int samples;        /* number of the metric; -1: none */
	/* The channel's sinks, which get contexts with paths. */
	void (*sinks[CHANNEL_SERVICES_MAX])(struct channel_thread *own,
					    const struct runtime_event *event);
	uint32_t sink_count;
};

/* Gives call paths to the contexts of the channel. Returns NULL, or the reason why it
 * cannot. */
const char *paths_add(struct channel *channel);
/* Lets samples have the address of the sampled instruction (SAMPLER_PC); called when the
 * channel has all its services. */
void paths_settle(struct channel *channel);
/* Frees the data of a thread's paths in a channel. */
void paths_deinit(struct channel_thread *own);
/* Returns the context whose call path ends at `node`. */
const struct context_node *paths_context(const struct channel *channel,
					 const struct context_node *node);

/* Makes room for the thread's samples; not called in a handler. */
void paths_begin_thread(void);
void paths_end_thread(void);
/* Forgets the samples of the parent; in a child of fork. */
void paths_forget(void);
/* Keeps a sample that stands for `weight` samples; in a handler. Returns false if it has
 * no path. */
bool paths_sample(const ucontext_t *context, uint64_t weight);
/* Tells whether a channel wants samples with paths. */
bool paths_are_sampled(void);

/* Calls that wrappers report when they are over: channels with call paths take a
 * snapshot then, so that the counts belong to this call. */
enum paths_call { PATHS_ALLOC, PATHS_IO, PATHS_LOCK, PATHS_SYSTEM, PATHS_CALLS };
extern uint32_t paths_calls[PATHS_CALLS]; /* a bit a channel */
void paths_push(uint32_t channels);
static inline void paths_called(enum paths_call call)
{
	if (unlikely(paths_calls[call]))
		paths_push(paths_calls[call]);
}

#endif
