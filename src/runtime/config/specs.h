/*
 * Configurations and options of a program's own, beside the built-in ones: JSON texts as
 * the peer's ConfigManager takes them. What they are about is said in
 * man/trammel-channels.7.md.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_SPECS_H
#define TRAMMEL_RUNTIME_CONFIG_SPECS_H

#include "runtime/config/configurations.h"
#include "runtime/store/lock.h"

struct document;

enum { OWN_CONFIGURATIONS_MAX = 64, OWN_OPTIONS_MAX = 256, SPECS_MESSAGE_MAX = 2048 };

struct own_configuration {
	struct configuration configuration;
	const struct document *spec;
};

struct own_option {
	struct configuration_option option;
	const struct document *spec;
	const struct document *of; /* the configuration's; NULL: of all of its category */
};

struct trm_specs {
	struct own_configuration configurations[OWN_CONFIGURATIONS_MAX];
	struct own_option options[OWN_OPTIONS_MAX];
	size_t configuration_count, option_count;
	const char *text, *path;         /* that is read now; path: NULL, or its file */
	char message[SPECS_MESSAGE_MAX]; /* what was wrong with it */
};

/* Held while a text is read: specifications and the one-line form share memory. */
extern struct runtime_lock specs_lock;

/* Adds what a text has: a configuration, an option (with `category`), a list of them, or
 * {"configs": [...], "options": [...]}. What is wrong stands in `message`. */
void specs_read(struct trm_specs *specs, const char *text);
/* The same of a file. */
void specs_load(struct trm_specs *specs, const char *path);

/* The program's own ones go before the built-in ones. `specs`: may be NULL. */
const struct configuration *specs_configuration(const struct trm_specs *specs,
						const char *name);
const char *specs_configuration_name(const struct trm_specs *specs, size_t index);
/* An option that there is for any configuration. */
const struct configuration_option *specs_option(const struct trm_specs *specs,
						const char *name);
const char *specs_option_name(const struct trm_specs *specs, size_t index);
/* One that this configuration takes. */
const struct configuration_option *
specs_option_of(const struct trm_specs *specs, const struct configuration *configuration,
		const char *name);
/* Those that it takes, by number; NULL behind the last one. */
const struct configuration_option *
specs_option_at(const struct trm_specs *specs, const struct configuration *configuration,
		size_t number);

/* What was read of it; NULL: it is built in. */
const struct document *specs_of_configuration(const struct trm_specs *specs,
					      const struct configuration *configuration);
const struct document *specs_of_option(const struct trm_specs *specs,
				       const struct configuration_option *option);

#endif
