/*
 * Settings: KEY=VALUE, as the peer's variables CALI_KEY and ours TRAMMEL_KEY have them,
 * without the prefix. Memory for them is our own, and stays.
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
	uint32_t fixed;         /* the first so many are the program's last word */
};

/* Adds it; the last one of a key counts. `key`: with or without a prefix. */
void settings_add(struct settings *settings, const char *key, const char *value);
/* NULL: it is not set anywhere. */
const char *settings_get(const struct settings *settings, const char *key);
bool settings_is_true(const struct settings *settings, const char *key, bool otherwise);
uint64_t settings_number(const struct settings *settings, const char *key,
			 uint64_t otherwise);

/* "false", "off", "no", "f", "0"; "true", "on", "yes", "t", "1"; in any case. */
bool word_is_off(const char *word);
bool word_is_on(const char *word);

/* What was set for the process: by cali_config_set and cali_config_preset, and by the
 * file of CALI_CONFIG_FILE or TRAMMEL_CONFIG_FILE. */
void settings_set_usual(const char *key, const char *value, bool preset);
/* The usual settings of a channel: all of the above. */
void settings_usual(struct settings *settings);
/* One of them; NULL: it is not set. */
const char *settings_usual_of(const char *key);
/* Reads `KEY=VALUE` lines of a file; what is wrong is said with its line. */
void settings_read_file(void);

/* A copy that stays. NULL: no memory. */
char *settings_keep(const char *text, size_t length);
/* Room for a text, its end included, that stays. NULL: no memory. */
char *settings_keep_room(size_t size);

/* The name that differs least from the one that is meant; NULL: none is near. `next`
 * gives the names one after the other, NULL at the end. */
const char *settings_nearest(const char *name, const char *(*next)(size_t index));

#endif
