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
	SERVICE_DELTA,  /* goes up: what it grew by since the thread's last snapshot */
	SERVICE_GAUGE,  /* as it is now */
	SERVICE_AT_END, /* of what ends; only there */
	SERVICE_KEY,    /* tells contexts apart; CONTEXT_NO_KEY: it is none here */
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
	/* How many of them, the first ones, the channel has; NULL: all. */
	size_t (*metrics_of)(const struct channel *channel);
	/* Settings that it reads, with spaces between; for messages. */
	const char *keys;
	/* The channel begins to use it. Returns why it cannot be had, or NULL. */
	const char *(*start)(struct channel *channel);
	/* Writes its metrics as they are now. On the way of every event: no allocation,
	 * no lock, no formatting. */
	void (*sample)(struct channel_thread *own, const struct runtime_event *event,
		       uint64_t *ret_values);
	/* Sees each event, whether it makes a snapshot or not, and each snapshot that is
	 * asked for, before it is taken; may take one itself (channel_settle). As strict
	 * as `sample`. */
	void (*on_event)(struct channel_thread *own, const struct runtime_event *event);
	/* Keeps what was measured: channel_thread.values. */
	void (*on_snapshot)(struct channel_thread *own,
			    const struct runtime_event *event);
	/* Says records when the channel is flushed. */
	void (*write)(struct channel *channel, const struct publish_sink *sink);
	/* What the service has of a thread in the channel is no longer needed. */
	void (*free_thread)(struct channel_thread *own);
	/* This thread ends. */
	void (*end_thread)(void);
	/* A thread ends, which is busy; the program does, or the program's last use of
	 * the channel. */
	void (*leave)(struct channel *channel, const struct context_thread *thread);
	void (*finish)(struct channel *channel);
	/* The channel was flushed, and its lock is not held. */
	void (*flush)(struct channel *channel);
	/* `on_snapshot` runs the program's own code, behind all other channels. */
	bool runs_user_code;
};

#endif
