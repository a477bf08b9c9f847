/*
 * What libtrammel offers to libraries with other interfaces for annotations:
 * libtrammel-cali. Both are built together; `size` tells that they were.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_CALIPER_HOST_API_H
#define TRAMMEL_RUNTIME_EVENTS_CALIPER_HOST_API_H

#define TRM_IN_LIBRARY_
#include "trammel/annotate.h"

/* What of the program's state was true at a moment: innermost first. Returns false to
 * stop. */
typedef bool trm_runtime_visit(void *context, trm_attribute attribute,
			       const struct trm_value *value);

/* Takes the sums of a metric: for each context `row`, and then `open` for what is open
 * there, innermost first. What they annotate is not recorded. */
struct trm_runtime_sums {
	void *context;
	void (*row)(void *context, double sum);
	trm_runtime_visit *open;
};

/* A property of attributes beside enum trm_property: the peer's, which is noted and means
 * nothing here. */
enum { TRM_RUNTIME_UNALIGNED = 1 << 9 };

/* A channel does that has the service, where the setting is true. */
struct trm_runtime_wish {
	const char *service, *key;
	bool otherwise;   /* of the setting, where it is not set */
	const char *also; /* a service that it must have, too; NULL: none */
};

/* Takes what a text says of a configuration. Texts go when the function returns. */
struct trm_runtime_answers {
	void *context;
	/* An option that the text, or a default of the configuration, gives. */
	void (*argument)(void *context, const char *option, const char *value);
	/* One that is on, or that such a one inherits; whether it is true or false. */
	void (*enabled)(void *context, const char *option, bool is_bool);
	/* `option`: NULL: of the configuration. Keys as they stand there. */
	void (*setting)(void *context, const char *option, const char *key,
			const char *value);
	/* The clauses that the option has for a level, "local" or "cross". */
	void (*query)(void *context, const char *level, const char *clauses);
};

/* A query over a profile of the program's: see struct publish_query. */
struct trm_runtime_query {
	const char *text, *profile, *path;
	char *message;
	size_t message_size, place;
};

struct trm_channels;
struct trm_service;
struct trm_specs;

/* What is done to a value that channels alone have. */
enum trm_runtime_holding { TRM_HOLD_BEGIN, TRM_HOLD_SET, TRM_HOLD_END };

/* What a watcher sees beside enum trm_service_event_kind: what began is open now. */
enum { TRM_RUNTIME_BEGAN = 14 };

/* Sees blocks of the heap that come and go, where a channel has the service sysalloc and
 * measures: behind the call that made one, in front of the one that gives it back. */
struct trm_runtime_heap {
	/* `label`: the function, a literal; `count` pieces of `element_size` bytes. */
	void (*took)(const void *block, const char *label, size_t element_size,
		     size_t count);
	void (*gave)(const void *block);
};

struct trm_runtime_host {
	size_t size;
	const struct trm_api *events;
	/* 0: there is none. */
	trm_attribute (*find)(const char *name);
	/* False: no attribute. The name stays. */
	bool (*describe)(trm_attribute attribute, const char **ret_name,
			 uint32_t *ret_type, uint32_t *ret_properties);
	/* Says of an attribute that another one has this value for it. */
	void (*say)(trm_attribute attribute, trm_attribute key,
		    const struct trm_value *value);
	/* Begin and end of a text. */
	void (*begin_text)(trm_attribute attribute, const char *text);
	void (*end_text)(trm_attribute attribute, const char *text);
	/* The innermost value; texts stay. Signal handlers may ask; false may mean that
	 * the thread was in the middle of an event. */
	bool (*get)(trm_attribute attribute, struct trm_value *ret_value);
	/* All that is open or set in this thread, then what is set in the process. */
	void (*visit)(trm_runtime_visit *visit, void *context);
	/* Whether an active channel wishes for it. */
	bool (*wanted)(const struct trm_runtime_wish *wish);
	/* Snapshots of all active channels that wish for it (NULL: of all), with these
	 * values for the moment: nobody else sees them. */
	void (*push)(const struct trm_runtime_wish *wish, const trm_attribute *attributes,
		     const struct trm_value *values, size_t count);
	/* The same of these channels. */
	void (*push_to)(struct trm_channels *channels, const trm_attribute *attributes,
			const struct trm_value *values, size_t count);
	/* Values for the snapshots that these channels took last, if nothing was added to
	 * them before: by a watcher, of the event that it sees. */
	void (*add)(struct trm_channels *channels, const trm_attribute *attributes,
		    const struct trm_value *values, size_t count);
	/* A line on standard error. */
	void (*warn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/* One channel of a group, by number, and its name: a group that must not outlive
	 * the other one. NULL: there are no more, or no room. */
	struct trm_channels *(*part)(const struct trm_channels *channels, size_t number,
				     const char **ret_name);
	/* Settings of the process: see cali_config_set and cali_config_preset. */
	void (*set_usual)(const char *key, const char *value, bool preset);
	/* Channels of the environment: those of a one-line form, NULL for none, that a
	 * variable has, and of SERVICES_ENABLE. */
	void (*configure)(const char *variable, const char *oneline);
	void (*read_file)(void);
	/* Writes what all channels have; `clear`: and forgets it. */
	void (*flush_all)(bool clear);
	/* What channels with the service aggregate have summed up so far of a metric. */
	void (*sums)(struct trm_channels *channels, const char *metric,
		     const struct trm_runtime_sums *sums);
	/* Writes a query over what they have to the end of a file, and no output of their
	 * own. */
	void (*report)(struct trm_channels *channels, const char *query,
		       const char *path);
	/* Something begins that ends elsewhere, or (`ns`: how long it took) ends. */
	void (*async)(const char *name, const uint64_t *ns);
	/* The same of all ranks of a communicator (its address; NULL: of all), one of
	 * which writes: a query over what `query` makes in each. */
	void (*report_across)(struct trm_channels *channels, const char *query,
			      const char *across, const void *communicator,
			      const char *path);
	/* False: something is wrong, which the message has. */
	bool (*query)(struct trm_runtime_query *query);
	/* Adds a service whose `event` is called when all other channels have seen the
	 * event, with what was open before it: what it annotates is recorded. It must be
	 * the only sink of its channels. Returns as trm_service_add. */
	const char *(*add_watcher)(const struct trm_service *service);
	/* What a one-line form says of the configuration of a name. False: something is
	 * wrong, which the message has. */
	bool (*ask)(struct trm_specs *specs, const char *text, const char *name,
		    const struct trm_runtime_answers *answers, char *ret_message,
		    size_t message_size);
	/* Whether all channels of a group have the service. */
	bool (*has)(const struct trm_channels *channels, const char *service);
	/* Whether a setting of all of them is true; `otherwise`: where it is not set. */
	bool (*is_true)(const struct trm_channels *channels, const char *key,
			bool otherwise);
	/* Values that these channels alone have: no snapshot does, but what they write
	 * has those that are global. Of `held` the innermost of the first channel. */
	void (*hold)(struct trm_channels *channels, enum trm_runtime_holding how,
		     trm_attribute attribute, const struct trm_value *value);
	bool (*held)(const struct trm_channels *channels, trm_attribute attribute,
		     struct trm_value *ret_value);
	/* A setting of the first of them; NULL: it is not set. */
	const char *(*setting)(const struct trm_channels *channels, const char *key);
	/* Writes what their services would, of the records in a file in place of their
	 * own. */
	void (*flush_of)(struct trm_channels *channels, const char *path);
	/* From now on it sees the heap; it stays. */
	void (*watch_heap)(const struct trm_runtime_heap *heap);
};

#endif
