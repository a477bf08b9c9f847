#include "runtime/channel/settings.h"
#include "runtime/channel/log.h"
#include "runtime/store/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is set for the process; those of the program's last word stand first. */
static struct {
	struct settings fixed, file, preset;
} usual;

static struct {
	char *at, *end;
} kept;

char *settings_keep_room(size_t size)
{
	size_t mapped = size > 16384 ? size : 16384;

	if (!kept.at || (size_t)(kept.end - kept.at) < size) {
		kept.at = runtime_map(mapped);
		kept.end = kept.at + mapped;
		if (!kept.at)
			return NULL;
	}
	kept.at += size;
	return kept.at - size;
}

char *settings_keep(const char *text, size_t length)
{
	char *copy = settings_keep_room(length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

static const char *without_prefix(const char *key)
{
	if (!strncmp(key, "CALI_", 5))
		return key + 5;
	return strncmp(key, "TRAMMEL_", 8) ? key : key + 8;
}

static void add_setting(struct settings *settings, const char *key, size_t length,
			const char *value)
{
	const char *own = settings_keep(key, length);
	const char *copy = settings_keep(value, strlen(value));

	if (!own || !copy)
		return;
	for (uint32_t i = 0; i < settings->count; i++) {
		if (i >= settings->fixed && !strcmp(settings->items[i].key, own)) {
			settings->items[i].value = copy;
			return;
		}
	}
	if (settings->count == SETTINGS_MAX) {
		log_warn("no room for the setting '%s': there are %d", own, SETTINGS_MAX);
		return;
	}
	settings->items[settings->count++] = (struct setting){own, copy};
}

void settings_add(struct settings *settings, const char *key, const char *value)
{
	key = without_prefix(key);
	add_setting(settings, key, strlen(key), value);
}

static const char *from_environment(const char *key)
{
	static const char *const prefixes[] = {"TRAMMEL_", "CALI_"};
	const char *value = NULL;
	char name[128];

	for (size_t i = 0; i < 2 && !value; i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], key);
		value = getenv(name);
	}
	return value;
}

static const char *find_setting(const struct settings *settings, uint32_t from,
				uint32_t end, const char *key)
{
	for (uint32_t i = from; i < end; i++)
		if (!strcmp(settings->items[i].key, key))
			return settings->items[i].value;
	return NULL;
}

const char *settings_get(const struct settings *settings, const char *key)
{
	const char *value = find_setting(settings, 0, settings->fixed, key);

	if (!value && settings->reads_environment)
		value = from_environment(key);
	return value ? value
		     : find_setting(settings, settings->fixed, settings->count, key);
}

static bool is_among(const char *value, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(value, *words))
			return true;
	return false;
}

bool word_is_off(const char *word)
{
	static const char *const words[] = {"false", "off", "no", "f", "0", NULL};

	return is_among(word, words);
}

bool word_is_on(const char *word)
{
	static const char *const words[] = {"true", "on", "yes", "t", "1", NULL};

	return is_among(word, words);
}

bool settings_is_true(const struct settings *settings, const char *key, bool otherwise)
{
	const char *value = settings_get(settings, key);

	if (!value || word_is_on(value))
		return value ? true : otherwise;
	if (*value && !word_is_off(value))
		log_warn("'%s' of %s is neither true nor false: false is taken", value,
			 key);
	return false;
}

uint64_t settings_number(const struct settings *settings, const char *key,
			 uint64_t otherwise)
{
	const char *value = settings_get(settings, key);
	char *end;

	if (!value)
		return otherwise;
	errno = 0;
	uint64_t number = strtoull(value, &end, 10);

	if (!errno && end != value && !*end && *value != '-')
		return number;
	log_warn("'%s' of %s is not a number: %llu is taken", value, key,
		 (unsigned long long)otherwise);
	return otherwise;
}

void settings_set_usual(const char *key, const char *value, bool preset)
{
	settings_add(preset ? &usual.preset : &usual.fixed, key, value);
}

const char *settings_usual_of(const char *key)
{
	const char *value = find_setting(&usual.fixed, 0, usual.fixed.count, key);

	if (!value)
		value = from_environment(key);
	if (!value)
		value = find_setting(&usual.file, 0, usual.file.count, key);
	return value ? value : find_setting(&usual.preset, 0, usual.preset.count, key);
}

static void add_all(struct settings *settings, const struct settings *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		if (!find_setting(settings, 0, settings->count, from->items[i].key))
			settings_add(settings, from->items[i].key, from->items[i].value);
}

void settings_usual(struct settings *settings)
{
	settings->fixed = 0;
	add_all(settings, &usual.fixed);
	settings->fixed = settings->count;
	settings->reads_environment = true;
	add_all(settings, &usual.file);
	add_all(settings, &usual.preset);
}

static const char *chosen_profile(void)
{
	const char *chosen = from_environment("CONFIG_PROFILE");

	return chosen ? chosen
		      : find_setting(&usual.fixed, 0, usual.fixed.count,
				     "CONFIG_PROFILE");
}

/* Settings that have a name, as some of the peer's are known. */
static const struct {
	const char *profile, *key, *value;
} built_in[] = {
	{"serial-trace", "SERVICES_ENABLE", "event,recorder,timer,trace"},
	{"serial-trace", "TIMER_INCLUSIVE_DURATION", "true"},
	{"event-trace", "SERVICES_ENABLE", "event,recorder,timer,trace"},
	{"thread-trace", "SERVICES_ENABLE", "event,pthread,recorder,timer,trace"},
	{"runtime-report", "SERVICES_ENABLE", "event,timer,aggregate,report"},
	{"runtime-report", "EVENT_ENABLE_SNAPSHOT_INFO", "false"},
	{"runtime-report", "REPORT_FILENAME", "stderr"},
	{"runtime-report", "QUERY_DIALECT", "caliper"},
	{"runtime-report", "REPORT_CONFIG",
	 "SELECT path, inclusive_scale(sum#time.duration.ns, 1e-9) AS \"Inclusive "
	 "time\", "
	 "scale(sum#time.duration.ns, 1e-9) AS \"Exclusive time\", "
	 "percent_total(sum#time.duration.ns) AS \"Time %\" GROUP BY path FORMAT tree"},
};

/* What a file says goes before. */
static void add_built_in(void)
{
	const char *chosen = chosen_profile();

	for (size_t i = 0; chosen && i < sizeof(built_in) / sizeof(built_in[0]); i++)
		if (!strcmp(built_in[i].profile, chosen) &&
		    !find_setting(&usual.file, 0, usual.file.count, built_in[i].key))
			settings_add(&usual.file, built_in[i].key, built_in[i].value);
}

/* `[profile]` in a comment begins a profile: it counts if its name is chosen. */
static bool read_profile(const char *line, bool *counts)
{
	const char *chosen = chosen_profile();
	char name[128];

	if (sscanf(line, "# [%127[^]]]", name) != 1)
		return false;
	*counts = !strcmp(name, "default") || (chosen && !strcmp(name, chosen));
	return true;
}

static void read_line(const char *path, int number, char *line)
{
	char *sign = strchr(line, '=');

	line[strcspn(line, "\r\n")] = '\0';
	if (!sign || sign == line) {
		log_warn("'%s', line %d: not KEY=VALUE, but \"%s\"", path, number, line);
		return;
	}
	const char *key = line + strspn(line, " \t");

	key = strncmp(key, "export ", 7) ? key : key + 7;
	*sign = '\0';
	settings_add(&usual.file, key, sign + 1);
}

void settings_read_file(void)
{
	const char *path = from_environment("CONFIG_FILE");
	bool counts = true;
	char line[4096];
	FILE *file;

	if (!path)
		path = find_setting(&usual.fixed, 0, usual.fixed.count, "CONFIG_FILE");
	file = fopen(path ? path : "caliper.config", "re");
	if ((!file && path) || (file && (fgetc(file) == EOF && ferror(file))))
		log_warn("cannot read the configuration '%s': %s",
			 path ? path : "caliper.config", strerror(errno));
	if (file)
		rewind(file);
	for (int number = 1; file && fgets(line, sizeof(line), file); number++) {
		const char *text = line + strspn(line, " \t");

		if (!*text || strchr("#\r\n", *text)) {
			if (*text == '#')
				read_profile(text, &counts);
			continue;
		}
		if (counts)
			read_line(path ? path : "caliper.config", number, line);
	}
	if (file)
		fclose(file);
	add_built_in();
}

/* Levenshtein's distance, of short names. */
static size_t distance_of(const char *a, const char *b)
{
	enum { MOST = 48 };
	size_t row[MOST + 1], length = strnlen(b, MOST);

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; a[i] && i < MOST; i++) {
		size_t before = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			size_t best = before + (a[i] != b[j]);

			best = row[j] + 1 < best ? row[j] + 1 : best;
			best = row[j + 1] + 1 < best ? row[j + 1] + 1 : best;
			before = row[j + 1];
			row[j + 1] = best;
		}
	}
	return row[length];
}

const char *settings_nearest(const char *name, const char *(*next)(size_t index))
{
	size_t best = strlen(name) / 2 + 1;
	const char *found = NULL, *other;

	for (size_t i = 0; (other = next(i)); i++) {
		size_t far = distance_of(name, other);

		if (far < best) {
			best = far;
			found = other;
		}
	}
	return found;
}
