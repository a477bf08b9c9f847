/*
 * A configuration with its options, and the channel that it becomes. One request is made
 * at a time, with specs_lock held.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_REQUEST_H
#define TRAMMEL_RUNTIME_CONFIG_REQUEST_H

#include "runtime/channel/settings.h"
#include "runtime/config/clauses.h"
#include "runtime/config/items.h"

struct configuration;
struct configuration_option;
struct document;
struct trm_specs;

enum { REQUEST_TEXT_MAX = 4096 };

struct request {
	const struct configuration *configuration;
	struct settings settings;
	const char *output, *format, *width; /* as options say; NULL: not set */
	bool by_time, with_globals, without_regions;
	enum { RANKS_USUAL, RANKS_TOGETHER, RANKS_APART } ranks;
	const struct configuration_option *options[ITEMS_MAX]; /* that are on */
	const char *values[ITEMS_MAX]; /* of these options; NULL: without a value */
	size_t option_count;
	const struct document *spec; /* of its own; NULL: built in */
	char services[REQUEST_TEXT_MAX], columns[REQUEST_TEXT_MAX];
	/* Clauses that the program's own options add to queries: to that of a process,
	 * and to that over all ranks. */
	struct clauses local, across;
};

/* The program's own configurations and options, in which complaints look for similar
 * names. */
extern struct trm_specs *request_specs;
const char *request_option_name_at(size_t index);

/* Append `more`, or its first `length` bytes, to a text in a buffer of `size` bytes, as
 * far as there is room. */
void request_append_part(char *text, size_t size, const char *more, size_t length);
void request_append(char *text, size_t size, const char *more);

/* Tells whether all services of a list with commas exist; adds a complaint about the
 * first one that does not. `kind` and `name` say in it what has the list. */
bool request_has_services(const char *services, const char *kind, const char *name);

/* Adds the settings of a specification, {"KEY": "VALUE"}, with `value` in place of each
 * {}. */
void request_add_settings(struct request *request, const struct document *spec,
			  const char *value);
typedef void request_setting(void *context, const char *key, const char *value);
void request_visit_settings(const struct document *spec, const char *value,
			    request_setting *visit, void *context);

/* Adds the clauses of the configuration itself to the queries. */
void request_add_clauses(struct request *request);
/* Copies the text to `to`, of `size` bytes, with `value` in place of each {}. */
void request_expand(const char *text, const char *value, char *to, size_t size);
/* Writes to `text`, of `size` bytes, the clauses that an option has for a level, "local"
 * or "cross", with `value` in place of each {}. */
void request_clauses(const struct configuration_option *option, const char *level,
		     const char *value, char *text, size_t size);

/* Applies an option. `for_all`: it was given for all configurations; a configuration that
 * does not have it ignores it. */
void request_apply(struct request *request, const struct item *item, bool for_all);

/* Adds the texts that options have where samples know the place of the sampled code;
 * called when the request has all options and services. */
void request_add_places(struct request *request);

#endif
