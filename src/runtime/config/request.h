/*
 * A configuration with what its options say, and the channel that it becomes. One is made
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
	const char *output, *format, *width; /* as their options say; NULL: none does */
	bool by_time, with_globals, without_regions;
	enum { RANKS_USUAL, RANKS_TOGETHER, RANKS_APART } ranks;
	const struct configuration_option *options[ITEMS_MAX]; /* that are on */
	const char *values[ITEMS_MAX]; /* of these; NULL: none was given */
	size_t option_count;
	const struct document *spec; /* of a configuration of the program's own */
	char services[REQUEST_TEXT_MAX], columns[REQUEST_TEXT_MAX];
	/* What options of the program's own add to queries: of one process, and over all.
	 */
	struct clauses local, across;
};

/* The program's own configurations and options; complaints know what is near in them. */
extern struct trm_specs *request_specs;
const char *request_option_name_at(size_t index);

/* Writes behind a text of so many bytes, as far as there is room. */
void request_append_part(char *text, size_t size, const char *more, size_t length);
void request_append(char *text, size_t size, const char *more);

/* Whether all services that are named, with commas, are there; complains of the first one
 * that is not. `kind` and `name` say of what they are. */
bool request_has_services(const char *services, const char *kind, const char *name);

/* The settings of a specification, {"KEY": "VALUE"}, with `value` for each {}. */
void request_add_settings(struct request *request, const struct document *spec,
			  const char *value);
typedef void request_setting(void *context, const char *key, const char *value);
void request_visit_settings(const struct document *spec, const char *value,
			    request_setting *visit, void *context);

/* What the configuration itself adds to queries. */
void request_add_clauses(struct request *request);
/* The text with the option's value for each {}. */
void request_expand(const char *text, const char *value, char *to, size_t size);
/* What the query of an option has for a level, "local" or "cross": its clauses. */
void request_clauses(const struct configuration_option *option, const char *level,
		     const char *value, char *text, size_t size);

/* An option. `for_all`: configurations that do not take it are none that it is for. */
void request_apply(struct request *request, const struct item *item, bool for_all);

/* All options and services are there: what some add where samples say where they were. */
void request_add_places(struct request *request);

#endif
