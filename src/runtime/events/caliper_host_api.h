/*
 * Functions of libtrammel for libraries with other interfaces for annotations:
 * libtrammel-cali. Both are built together, which `size` confirms.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_CALIPER_HOST_API_H
#define TRAMMEL_RUNTIME_EVENTS_CALIPER_HOST_API_H

#define TRM_IN_LIBRARY_
#include "trammel/annotate.h"

/* Visits values of the program's state at a moment, the innermost first. Returns false
 * to stop. */
typedef bool trm_runtime_visit(void *context, trm_attribute attribute,
			       const struct trm_value *value);

/* Receives the sums of a metric: for each context `row`, and then `open` for each value
 * that is open there, the innermost first. Annotations by these functions are not
 * recorded. */
struct trm_runtime_sums {
	void *context;
	void (*row)(void *context, double sum);
	trm_runtime_visit *open;
};

/* A property of LLNL Caliper's attributes beside enum trm_property; it is stored and has
 * no effect here. */
enum { TRM_RUNTIME_UNALIGNED = 1 << 9 };

/* A condition on channels: it holds for a channel that has the service, if the setting
 * is true. */
struct trm_runtime_wish {
	const char *service, *key;
	bool otherwise;   /* of the setting, where it is not set */
	const char *also; /* a service that it must have, too; NULL: none */
};

/* Receives the parts of a configuration in a text. Texts are freed when the function
 * returns. */
struct trm_runtime_answers {
	void *context;
	/* An option that the text, or a default of the configuration, sets. */
	void (*argument)(void *context, const char *option, const char *value);
	/* An option that is on, or that such an option inherits; `is_bool`: whether it
	 * is of type bool. */
	void (*enabled)(void *context, const char *option, bool is_bool);
	/* A setting of an option, or of the configuration (`option` NULL); the key as in
	 * the text. */
	void (*setting)(void *context, const char *option, const char *key,
			const char *value);
	/* The clauses that the option has for a level, "local" or "cross". */
	void (*query)(void *context, const char *level, const char *clauses);
};

/* A query over a profile that the program has written: see struct publish_query. */
struct trm_runtime_query {
	const char *text, *profile, *path;
	char *message;
	size_t message_size, place;
};

struct trm_channels;
struct trm_service;
struct trm_specs;

/* Operations on a value that only channels have. */
enum trm_runtime_holding { TRM_HOLD_BEGIN, TRM_HOLD_SET, TRM_HOLD_END };

/* An event that a watcher sees beside enum trm_service_event_kind: the region that began
 * is open now. */
enum { TRM_RUNTIME_BEGAN = 14 };

/* Receives the blocks of the heap that are allocated and freed while a channel with the
 * service sysalloc measures: after the call that allocates a block, before the one that
 * frees it. */
struct trm_runtime_heap {
	/* `label`: the function, a literal; `count` pieces of `element_size` bytes. */
	void (*took)(const void *block, const char *label, size_t element_size,
		     size_t count);
	void (*gave)(const void *block);
};

struct trm_runtime_host {
	size_t size;
	const struct trm_api *events;
	/* Finds an attribute by name; returns 0 if there is none. */
	trm_attribute (*find)(const char *name);
	/* Describes an attribute; returns false if it does not exist. The name stays
	 * valid. */
	bool (*describe)(trm_attribute attribute, const char **ret_name,
			 uint32_t *ret_type, uint32_t *ret_properties);
	/* Gives an attribute the value `value` for the attribute `key`. */
	void (*say)(trm_attribute attribute, trm_attribute key,
		    const struct trm_value *value);
	/* Begin and end a text. */
	void (*begin_text)(trm_attribute attribute, const char *text);
	void (*end_text)(trm_attribute attribute, const char *text);
	/* Gets the innermost value; returns false if there is none. Texts stay valid.
	 * Signal handlers may call it; it may then return false because the thread was
	 * in the middle of an event. */
	bool (*get)(trm_attribute attribute, struct trm_value *ret_value);
	/* Visits all values that are open or set in this thread, then those that are set
	 * in the process. */
	void (*visit)(trm_runtime_visit *visit, void *context);
	/* Tells whether the condition holds for an active channel. */
	bool (*wanted)(const struct trm_runtime_wish *wish);
	/* Takes snapshots in all active channels for which the condition holds (NULL: in
	 * all), with `count` values for the moment, which only these snapshots have. */
	void (*push)(const struct trm_runtime_wish *wish, const trm_attribute *attributes,
		     const struct trm_value *values, size_t count);
	/* Takes such snapshots in these channels. */
	void (*push_to)(struct trm_channels *channels, const trm_attribute *attributes,
			const struct trm_value *values, size_t count);
	/* Adds values to the last snapshots of these channels, once to each; called by a
	 * watcher, for the event that it sees. */
	void (*add)(struct trm_channels *channels, const trm_attribute *attributes,
		    const struct trm_value *values, size_t count);
	/* Writes a line on standard error. */
	void (*warn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/* Returns one channel of a group, by number, and its name, as a group that must
	 * not outlive `channels`. NULL: no more channels, or no room. */
	struct trm_channels *(*part)(const struct trm_channels *channels, size_t number,
				     const char **ret_name);
	/* Sets a setting of the process: see cali_config_set and cali_config_preset. */
	void (*set_usual)(const char *key, const char *value, bool preset);
	/* Makes the channels of the environment: those of the text `oneline`, NULL for
	 * none, of a variable, and those of SERVICES_ENABLE. */
	void (*configure)(const char *variable, const char *oneline);
	void (*read_file)(void);
	/* Writes the records of all channels; `clear`: and drops them. */
	void (*flush_all)(bool clear);
	/* Passes the sums of a metric so far, in channels with the service aggregate, to
	 * `sums`. */
	void (*sums)(struct trm_channels *channels, const char *metric,
		     const struct trm_runtime_sums *sums);
	/* Writes a query over the channels' records to the end of a file, without their
	 * own output. */
	void (*report)(struct trm_channels *channels, const char *query,
		       const char *path);
	/* Notes that something begins that ends elsewhere, or that it ends (`ns`: how
	 * long it took). */
	void (*async)(const char *name, const uint64_t *ns);
	/* Writes the query `across` over the results of `query` in all ranks of a
	 * communicator (its address; NULL: of all); one rank writes. */
	void (*report_across)(struct trm_channels *channels, const char *query,
			      const char *across, const void *communicator,
			      const char *path);
	/* Runs a query; returns false if something is wrong, which is in the message. */
	bool (*query)(struct trm_runtime_query *query);
	/* Adds a service whose `event` is called when all other channels have seen the
	 * event, with the values that were open before it: its annotations are recorded.
	 * It must be the only sink of its channels. Returns the result of
	 * trm_service_add(). */
	const char *(*add_watcher)(const struct trm_service *service);
	/* Passes to `answers` what a text says of the configuration `name`. Returns
	 * false if something is wrong, which is in the message. */
	bool (*ask)(struct trm_specs *specs, const char *text, const char *name,
		    const struct trm_runtime_answers *answers, char *ret_message,
		    size_t message_size);
	/* Tells whether all channels of a group have the service. */
	bool (*has)(const struct trm_channels *channels, const char *service);
	/* Tells whether a setting of all of them is true; `otherwise`: its value where
	 * it is not set. */
	bool (*is_true)(const struct trm_channels *channels, const char *key,
			bool otherwise);
	/* Holds a value that only these channels have: snapshots do not have it, but
	 * their output has the global ones. `held` gets the innermost value of the first
	 * channel. */
	void (*hold)(struct trm_channels *channels, enum trm_runtime_holding how,
		     trm_attribute attribute, const struct trm_value *value);
	bool (*held)(const struct trm_channels *channels, trm_attribute attribute,
		     struct trm_value *ret_value);
	/* Returns a setting of the first channel; NULL if it is not set. */
	const char *(*setting)(const struct trm_channels *channels, const char *key);
	/* Writes the output of their services, made from the records in a file in place
	 * of their own. */
	void (*flush_of)(struct trm_channels *channels, const char *path);
	/* Sets the watcher of the heap, which stays. */
	void (*watch_heap)(const struct trm_runtime_heap *heap);
};

#endif
