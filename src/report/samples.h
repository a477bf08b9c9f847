/*
 * Samples in a profile: see docs/profile.md, "sample records".
 */
#ifndef TRAMMEL_REPORT_SAMPLES_H
#define TRAMMEL_REPORT_SAMPLES_H

#include "report/profile.h"

/* An event that samples were taken by; those of one name in several runs are one. */
struct report_event {
	const char *name;
	bool is_clock;      /* its events are nanoseconds */
	uint64_t frequency; /* samples a second that were asked for; 0: by a period */
	uint64_t period;    /* events that were asked for; 0: by a frequency */
	uint64_t samples;   /* that were taken */
	uint64_t kernel;    /* 1: samples are of the kernel's code, too */
	uint64_t looks;   /* that they were taken by, without perf events; 0: with them */
	uint64_t total;   /* events in all, in the kernel, too */
	uint64_t time_ns; /* that the threads ran */
	uint64_t running_ns; /* of that, the time in which the event was counted */
	/* Set by selecting: */
	uint64_t selected, events; /* samples, and events that they stand for */
};

/* Samples at one instruction, in one image. */
struct report_sample {
	uint32_t function, image, event;
	uint32_t thread;  /* index in profile.threads; REPORT_NONE: not told apart */
	uint32_t place;   /* its frame in profile.stacks; REPORT_NONE: not known */
	uint64_t address; /* link-time, of the instruction */
	uint64_t samples, events;
};

/* Samples, and the events that they stand for. */
struct report_sampled {
	uint64_t samples, events;
};

/* Takes an event's record in. */
void report_event_add(struct report_profile *profile, const struct record_model *model,
		      const struct record_pair *pairs, size_t count);

/* Returns the index of an event (its name is one of the profile's strings); it is made if
 * it is new. */
uint32_t report_event_find(struct report_profile *profile, const char *name);

/* Adds a sample, whose node in the file is `node`: its frames. */
void report_sample_add(struct report_profile *profile, const struct record_model *model,
		       record_node node, const struct report_sample *sample);

/* Sums the samples of the selection: a part of report_profile_select. */
void report_samples_select(struct report_profile *profile);

/* Returns the samples of a function in the selection, by an event. */
struct report_sampled report_function_samples(const struct report_profile *profile,
					      const struct report_function *function,
					      uint32_t event);

/* Returns the samples of the selection in a function by the first event, by address,
 * those of one address summed. The caller frees the array. */
struct report_sample *report_samples_within(const struct report_profile *profile,
					    const struct report_function *function,
					    size_t *ret_count);

/* Returns how far a number of samples may be from what it stands for, as a part of it:
 * two standard deviations, as if samples came by chance. */
double report_samples_error(uint64_t samples);

#endif
