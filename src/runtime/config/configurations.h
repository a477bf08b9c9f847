/* The built-in configurations, and the options that they take: tables. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CONFIGURATIONS_H
#define TRAMMEL_RUNTIME_CONFIG_CONFIGURATIONS_H

#include <stdbool.h>
#include <stddef.h>

enum configuration_kind {
	CONFIGURATION_REPORT = 1,  /* prints a tree of regions */
	CONFIGURATION_PROFILE = 2, /* writes the same to a file */
	CONFIGURATION_TRACE = 4,
	CONFIGURATION_LOOPS = 8,
	CONFIGURATION_SPOT = 16,   /* a profile, too */
	CONFIGURATION_OPENMP = 32, /* a report, too */
	CONFIGURATION_ALL = 15,
	CONFIGURATION_EVENTS = 7,   /* measures at begin, end and set */
	CONFIGURATION_METRICS = 11, /* shows what is measured beside the time */
};

/* Samples a second of processor time, unless something else is said. */
enum { SAMPLER_FREQUENCY_USUAL = 50 };

struct configuration {
	const char *name, *alias, *about;
	enum configuration_kind kind;
	const char *services; /* with commas */
	/* Columns of its query; {period} stands for the seconds of a sample. NULL: no
	 * query. */
	const char *columns;
	const char *rest; /* of the query: WHERE and GROUP BY */
	const char *order, *format;
	const char *output; /* where to, unless an option says it */
	const char *usual;  /* options that are on unless they are given; as in a line */
};

struct configuration_option {
	const char *name, *about;
	unsigned kinds; /* enum configuration_kind: which take it */
	bool has_value; /* else it is on or off */
	const char *services;
	/* KEY=VALUE; {} stands for the option's value. NULL: none. */
	const char *setting;
	/* Columns that the option, when on, adds to the query. */
	const char *columns;
};

/* Clauses that an option, or a configuration, adds where columns alone do not suffice:
 * to the query of a process, and to that over all ranks. See clauses.h. */
struct configuration_clauses {
	const char *name, *local, *across;
};

/* Find a configuration or an option by name, or return it, or its name, by number; NULL
 * if there is none. */
const struct configuration *configuration_find(const char *name);
const char *configuration_name_at(size_t index);
const struct configuration_option *configuration_option_find(const char *name);
const struct configuration_option *configuration_option_at(size_t index);
const char *configuration_option_name_at(size_t index);
/* Finds the clauses of an option; NULL if it adds none. */
const struct configuration_clauses *configuration_clauses_find(const char *option);
/* Finds the text that an option adds to both queries where samples have the place of the
 * sampled code; NULL if it adds nothing. */
const char *configuration_places_find(const char *option);

#endif
