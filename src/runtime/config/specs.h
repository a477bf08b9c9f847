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
	const struct document *of; /* its configuration; NULL: all of its category */
};

struct trm_specs {
	struct own_configuration configurations[OWN_CONFIGURATIONS_MAX];
	struct own_option options[OWN_OPTIONS_MAX];
	size_t configuration_count, option_count;
	const char *text, *path; /* text that is read now; path: of its file, or NULL */
	char message[SPECS_MESSAGE_MAX]; /* faults found in it */
};

/* A lock that is held while a text is read, since specifications and texts of
 * configurations share memory. */
extern struct runtime_lock specs_lock;

/* Adds a text: a configuration, an option (with `category`), a list of them, or
 * {"configs": [...], "options": [...]}. Faults are reported in `message`. */
void specs_read(struct trm_specs *specs, const char *text);
/* Adds the text of a file, as specs_read() does. */
void specs_load(struct trm_specs *specs, const char *path);

/* Finds a configuration by name, the program's own ones before the built-in ones; NULL
 * if none has it. `specs` may be NULL. */
const struct configuration *specs_configuration(const struct trm_specs *specs,
						const char *name);
const char *specs_configuration_name(const struct trm_specs *specs, size_t index);
/* Finds an option of any configuration by name; NULL if none has it. */
const struct configuration_option *specs_option(const struct trm_specs *specs,
						const char *name);
const char *specs_option_name(const struct trm_specs *specs, size_t index);
/* Finds an option by name that the configuration takes; NULL if it takes none of this
 * name. */
const struct configuration_option *
specs_option_of(const struct trm_specs *specs, const struct configuration *configuration,
		const char *name);
/* Returns the JSON text of a configuration; NULL if it is built in. */
const struct document *specs_of_configuration(const struct trm_specs *specs,
					      const struct configuration *configuration);
const struct document *specs_of_option(const struct trm_specs *specs,
				       const struct configuration_option *option);

#endif
