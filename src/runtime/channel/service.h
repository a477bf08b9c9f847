/*
 * A service: a part of a channel, chosen by name. Each is a file of its own with one
 * struct service, and a line in the table of table.c.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SERVICE_H
#define TRAMMEL_RUNTIME_CHANNEL_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel;
struct channel_thread;
struct context_thread;
struct runtime_event;
struct publish_sink;

enum service_metric_kind {
	SERVICE_DELTA,  /* a counter: its growth since the thread's last snapshot */
	SERVICE_GAUGE,  /* its value at the snapshot */
	SERVICE_AT_END, /* a value of the region that ends; only at ends */
	SERVICE_KEY,    /* keeps contexts apart; CONTEXT_NO_KEY: no key here */
};

struct service_metric {
	const char *name; /* of the attribute in profiles */
	enum service_metric_kind kind;
	uint32_t type; /* enum trm_type */
	bool ticks;    /* becomes nanoseconds when it is written */
};

struct service {
	const char *name, *about;
	const struct service_metric *metrics;
	size_t metric_count;
	/* Returns how many of the metrics, from the first on, the channel has; NULL:
	 * all. */
	size_t (*metrics_of)(const struct channel *channel);
	/* Settings that the service reads, separated by spaces; for messages. */
	const char *keys;
	/* Begins its use by a channel. Returns NULL, or the reason why it cannot be
	 * used. */
	const char *(*start)(struct channel *channel);
	/* Writes the present values of its metrics. Called at every event: no
	 * allocation, no lock, no formatting. */
	void (*sample)(struct channel_thread *own, const struct runtime_event *event,
		       uint64_t *ret_values);
	/* Sees each event, whether it makes a snapshot or not, and each snapshot that is
	 * asked for, before it is taken; may take one itself (channel_settle). As strict
	 * as `sample`. */
	void (*on_event)(struct channel_thread *own, const struct runtime_event *event);
	/* Stores the measured values, channel_thread.values. */
	void (*on_snapshot)(struct channel_thread *own,
			    const struct runtime_event *event);
	/* Writes records when the channel is flushed. */
	void (*write)(struct channel *channel, const struct publish_sink *sink);
	/* Frees the data of a thread in the channel. */
	void (*free_thread)(struct channel_thread *own);
	/* Frees the data of the calling thread, which ends. */
	void (*end_thread)(void);
	/* leave: a thread, which is busy, ends. finish: the program ends, or no longer
	 * uses the channel. */
	void (*leave)(struct channel *channel, const struct context_thread *thread);
	void (*finish)(struct channel *channel);
	/* Called after a flush of the channel, without its lock. */
	void (*flush)(struct channel *channel);
	/* Set if `on_snapshot` runs code of the program; it is then called after all
	 * other channels. */
	bool runs_user_code;
};

#endif
