/*
 * Events of a channel, for the program that made it: see cali::Channel::events() in
 * caliper/Caliper.h for C++.
 */
#ifndef CALI_CALI_CHANNEL_H
#define CALI_CALI_CHANNEL_H

#include "cali.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cali_event_kind {
	CALI_EVENT_BEGIN, /* it is not open yet */
	CALI_EVENT_SET,   /* it has its old value */
	CALI_EVENT_END,   /* it is open still */
	CALI_EVENT_BEGAN, /* it is open now */
	/* Without a value, active or not: */
	CALI_EVENT_ATTRIBUTE,  /* it was made, by caliper/cali.h */
	CALI_EVENT_THREAD,     /* the thread's first event comes; no attribute */
	CALI_EVENT_THREAD_END, /* a thread with events ends; no attribute */
};

/* Takes an event of the calling thread. What it annotates is recorded, and comes here,
 * too: it must end what it begins. Texts stay. */
typedef void (*cali_event_fn)(void *context, enum cali_event_kind kind,
			      cali_id_t attribute, cali_variant_t value);

/* Events come to `function` while the channel is active, whatever its services are; one
 * function a channel. Returns whether there is room: for 15 channels. */
bool cali_channel_watch(cali_id_t channel, cali_event_fn function, void *context);

/* Their numbers go from 1 on. */
enum { CALI_CHANNELS_MAX = 64 };

/* NULL: there is no such channel. Valid until it is deleted. */
const char *cali_channel_name(cali_id_t channel);

/* Whether ranks of a parallel program write what it has together. */
bool cali_channel_is_across(cali_id_t channel);
/* As cali_manager_flush_across. */
void cali_channel_flush_across(cali_id_t channel, const void *communicator,
			       const char *path);

#ifdef __cplusplus
}
#endif

#endif
