/*
 * Services of channels from outside trammel: a library, or the program, counts something
 * of its own and sees events. man/trammel-channels.7.md tells what channels do with it.
 *
 *     static void sample(uint64_t *ret_values)
 *     {
 *             ret_values[0] = packets_so_far();
 *     }
 *
 *     static const struct trm_service_metric metrics[] = {
 *             {"packets", TRM_SERVICE_DELTA, TRM_TYPE_UINT},
 *     };
 *     static const struct trm_service packets = {
 *             .abi = TRM_SERVICE_ABI,
 *             .name = "packets",
 *             .about = "packets sent",
 *             .metrics = metrics,
 *             .metric_count = 1,
 *             .sample = sample,
 *     };
 *     const struct trm_service *const trm_services[] = {&packets, NULL};
 *
 * Built as a shared library (with no library of trammel's), it is loaded into programs
 * that use channels by TRAMMEL_SERVICE_LIBRARIES=./packets.so, with colons between
 * several, and chosen as any service:
 * TRAMMEL_SERVICES_ENABLE=event,aggregate,report,packets.
 *
 * The functions are called from any thread, in the middle of the thread's event: they may
 * not allocate memory, nor wait for locks that annotated code holds. What they annotate
 * is not recorded. Each may be NULL.
 */
#ifndef TRAMMEL_SERVICE_H
#define TRAMMEL_SERVICE_H

#include <trammel/annotate.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* Goes up whenever one of these structs changes: a service of another version is
	 * not taken. */
	TRM_SERVICE_ABI = 1,
	TRM_SERVICES_MAX = 8,         /* from outside, in a process */
	TRM_SERVICE_METRICS_MAX = 16, /* of one of them */
};

enum trm_service_metric_kind {
	TRM_SERVICE_DELTA,  /* goes up: what it grew by in the thread since its last event
			     */
	TRM_SERVICE_GAUGE,  /* as it is now */
	TRM_SERVICE_AT_END, /* of the region that ends; only there */
	TRM_SERVICE_KEY,    /* tells contexts apart */
};

struct trm_service_metric {
	const char *name; /* of the attribute in profiles: sum#NAME, max#NAME */
	uint32_t kind;    /* enum trm_service_metric_kind */
	uint32_t type;    /* enum trm_type: INT, UINT or DOUBLE */
};

enum trm_service_event_kind {
	TRM_SERVICE_BEGIN,
	TRM_SERVICE_END,
	TRM_SERVICE_CHANGE,    /* a context took another's place */
	TRM_SERVICE_SET,       /* a value of the moment */
	TRM_SERVICE_START,     /* the same, begun */
	TRM_SERVICE_UNSET,     /* the same, ended */
	TRM_SERVICE_ITERATION, /* of a loop */
	TRM_SERVICE_PUSH,      /* asked for by the program */
	TRM_SERVICE_SAMPLE,    /* a timer struck */
};

struct trm_service_event {
	uint32_t kind;           /* enum trm_service_event_kind */
	trm_attribute attribute; /* 0: of none (PUSH, SAMPLE) */
	const char *name;        /* of the attribute; NULL: of none */
	struct trm_value value;  /* texts end with 0 */
	const char *channel;     /* its name */
};

struct trm_service {
	uint32_t abi; /* TRM_SERVICE_ABI; it stays the first word */
	const char *name, *about;
	const struct trm_service_metric *metrics;
	size_t metric_count;
	/* A channel begins to use it. Returns why it cannot be had, or NULL. `setting`
	 * gives a setting of the channel by its key, NULL where it is not set:
	 * setting(context, "PACKETS_OF") is what TRAMMEL_PACKETS_OF says. */
	const char *(*start)(const char *(*setting)(const void *context, const char *key),
			     const void *context);
	/* Writes all metrics as they are now. */
	void (*sample)(uint64_t *ret_values);
	void (*event)(const struct trm_service_event *event);
	void (*end_thread)(void);
	/* The channel writes its results. */
	void (*flush)(const char *channel);
};

/* What a library has: NULL at the end. */
extern const struct trm_service *const trm_services[]
	__attribute__((visibility("default")));

/* Adds a service of the program's own, before it makes channels with it; a library that
 * is linked with -ltrammel may, too. The service stays. Returns what is wrong with it, or
 * NULL. */
const char *trm_service_add(const struct trm_service *service);

/* Sees an attribute that is open, or has a value; texts stay valid during the call, and
 * end with 0. Returns false to see no more. */
typedef bool trm_snapshot_visit(void *context, const char *name,
				const struct trm_value *value);

/* What the calling thread is in now, for tools that keep it with what they measure: the
 * innermost first, then values of the moment, where channels measure or the program uses
 * caliper/cali.h. Returns how many were seen: 0 where nothing measures, and in a signal
 * handler that interrupted an event. `visit`: what it annotates is not recorded. */
size_t trm_snapshot_pull(trm_snapshot_visit *visit, void *context);

#ifdef __cplusplus
}
#endif

#endif
