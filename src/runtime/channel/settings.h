/*
 * Settings: KEY=VALUE, as in LLNL Caliper's variables CALI_KEY and trammel's TRAMMEL_KEY,
 * without the prefix. Their memory is the library's own, and stays.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SETTINGS_H
#define TRAMMEL_RUNTIME_CHANNEL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SETTINGS_MAX = 64 };

struct setting {
	const char *key, *value;
};

struct settings {
	struct setting items[SETTINGS_MAX];
	uint32_t count;
	bool reads_environment; /* a variable goes before what is not `fixed` */
	uint32_t fixed; /* the first `fixed` ones cannot be changed by variables */
};

/* Adds a setting; the last one of a key counts. `key`: with or without a prefix. */
void settings_add(struct settings *settings, const char *key, const char *value);
/* Returns the value of `key`; NULL if it is not set. */
const char *settings_get(const struct settings *settings, const char *key);
bool settings_is_true(const struct settings *settings, const char *key, bool otherwise);
uint64_t settings_number(const struct settings *settings, const char *key,
			 uint64_t otherwise);

/* Tell whether a word means off ("false", "off", "no", "f", "0") or on ("true", "on",
 * "yes", "t", "1"), in upper or lower case. */
bool word_is_off(const char *word);
bool word_is_on(const char *word);

/* Sets a setting of the process, as cali_config_set and cali_config_preset, and the file
 * of CALI_CONFIG_FILE or TRAMMEL_CONFIG_FILE, do. */
void settings_set_usual(const char *key, const char *value, bool preset);
/* Writes the usual settings of a channel: all those of the process. */
void settings_usual(struct settings *settings);
/* Returns a setting of the process; NULL if it is not set. */
const char *settings_usual_of(const char *key);
/* Reads the `KEY=VALUE` lines of the settings file; reports faults with their line
 * numbers. */
void settings_read_file(void);

/* Copies `length` bytes of `text` for good. Returns NULL if there is no memory. */
char *settings_keep(const char *text, size_t length);
/* Allocates `size` bytes for a text and its NUL, for good. Returns NULL if there is no
 * memory. */
char *settings_keep_room(size_t size);

/* Finds the name that differs least from `name`; NULL if none is similar. `next` returns
 * the names by number, NULL after the last one. */
const char *settings_nearest(const char *name, const char *(*next)(size_t index));

#endif
