#include "cli/options/words.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "cli/tool/value_profiler.h"
#include "probe/parse.h"
#include "session/options/by_region.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct trm_error *measuring_time(const char *option, const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9},   {"s", 1e9},  {"ms", 1e6},
		     {"us", 1e3}, {"m", 60e9}, {"h", 3600e9}};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < array_count(units); i++) {
		double ns = number * units[i].ns;

		if (end == text || strcmp(end, units[i].name) || !(ns >= 1 && ns < 9e18))
			continue;
		*ret_ns = (uint64_t)ns;
		return NULL;
	}
	return trm_error_create(TRM_ERROR_USAGE,
				"--%s '%s' is not a time above 0: write 10s, 500ms or 2m",
				option, text);
}

/* "10M" instructions; false if it is no such number. */
static bool find_instructions(const char *text, uint64_t *ret_count)
{
	static const struct {
		const char *name;
		double times;
	} units[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < array_count(units); i++) {
		double count = number * units[i].times;

		if (end == text || strcmp(end, units[i].name) ||
		    !(count >= 1 && count < 9e18))
			continue;
		*ret_count = (uint64_t)count;
		return true;
	}
	return false;
}

/* "USR1", "SIGUSR1" or "10"; 0 if it is no signal that a tracer sees. */
static int find_signal(const char *text)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	char *end;
	long number = strtol(text, &end, 10);

	if (*end)
		number = 0;
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcasecmp(sigabbrev_np(i), name))
			number = i;
	return number > 0 && number < 64 && number != SIGKILL ? (int)number : 0;
}

/* How the word of an option is taken in: `to` is what the row's offset leads to. */
static struct trm_error *take_patterns(const char *option, const char *word, void *to)
{
	(void)option;
	patterns_add(to, word);
	return NULL;
}

static struct trm_error *take_files(const char *option, const char *word, void *to)
{
	(void)option;
	patterns_add_files(to, word);
	return NULL;
}

static struct trm_error *take_time(const char *option, const char *word, void *to)
{
	return measuring_time(option, word, to);
}

static struct trm_error *take_interval(const char *option, const char *word, void *to)
{
	struct session_window *window = to;

	window->interval_ns = window->interval_instructions = 0;
	if (find_instructions(word, &window->interval_instructions))
		return NULL;
	return measuring_time(option, word, &window->interval_ns);
}

static struct trm_error *take_signal(const char *option, const char *word, void *to)
{
	uint64_t *signals = to;
	int number = find_signal(word);

	if (!number)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--%s '%s' is not a signal that can be seen: write USR1 or 10",
			option, word);
	*signals |= 1ull << number;
	return NULL;
}

static struct trm_error *take_tool(const char *option, const char *word, void *to)
{
	(void)option;
	tool_choices_add(to, word);
	return NULL;
}

static struct trm_error *take_label_file(const char *option, const char *word, void *to)
{
	struct tool_using *given = to;

	(void)option;
	vector_push(&given->label_files, memory_copy_string(word));
	return NULL;
}

static struct trm_error *take_name(const char *option, const char *word, void *to)
{
	char **name = to;

	(void)option;
	free(*name);
	*name = memory_copy_string(word);
	return NULL;
}

/* "500M", "2G"; "none". */
static struct trm_error *take_memory(const char *option, const char *word, void *to)
{
	static const char units[] = "kMGT";
	uint64_t *limit = to, unit = 1;
	char *end;
	double number = strtod(word, &end);
	const char *found = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;

	for (const char *at = units; found && at <= found; at++)
		unit *= 1024;
	if (found)
		end += end[1] == 'B' ? 2 : !strcmp(end + 1, "iB") ? 3 : 1;
	*limit = 0;
	if (!strcmp(word, "none"))
		return NULL;
	if (*end || !(number * (double)unit >= 1u << 20 && number * (double)unit < 9e18))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--%s '%s' is not a size of 1M or more: write 500M, "
			"2G or none",
			option, word);
	*limit = (uint64_t)(number * (double)unit);
	return NULL;
}

/* `to` is the whole struct measuring. */
static struct trm_error *take_probe(const char *option, const char *word, void *to)
{
	struct measuring *given = to;
	size_t place = 0;
	struct trm_error *error = probe_program_add(&given->probes, word, &place);

	(void)option;
	if (error)
		text_add_place(word, place, &given->probe_place);
	return error;
}

static struct trm_error *take_probe_file(const char *option, const char *word, void *to)
{
	scoped_file FILE *file = fopen(word, "re");
	struct text text = {0};
	char buffer[4096];
	size_t count;

	if (!file)
		return trm_error_system(errno, "--%s '%s'", option, word);
	text_add(&text, "");
	while ((count = fread(buffer, 1, sizeof(buffer), file)))
		text_add_bytes(&text, buffer, count);
	struct trm_error *error = take_probe(option, text.data, to);

	text_deinit(&text);
	return error ? trm_error_prefix(error, "'%s'", word) : NULL;
}

/* A decimal number from 1 on. */
static struct trm_error *take_number(const char *option, const char *word, void *to)
{
	uint64_t *number = to;
	char *end;

	errno = 0;
	unsigned long long value = strtoull(word, &end, 10);

	if (errno || !value || *end || word[strspn(word, "0123456789")] ||
	    value > INT64_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is not a number above 0", option,
					word);
	*number = value;
	return NULL;
}

static struct trm_error *take_frequency(const char *option, const char *word, void *to)
{
	enum { MOST = 100000 };
	uint64_t number = 0;

	TRM_TRY(take_number(option, word, &number));
	if (number > MOST)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is more than %d samples a second: "
					"write 10000",
					option, word, MOST);
	*(uint64_t *)to = number;
	return NULL;
}

/* Instructions of a stretch. */
static struct trm_error *take_length(const char *option, const char *word, void *to)
{
	uint64_t number = 0;

	TRM_TRY(take_number(option, word, &number));
	if (number > VALUES_LENGTH_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is more than %d instructions", option,
					word, VALUES_LENGTH_MAX);
	*(uint64_t *)to = number;
	return NULL;
}

static struct trm_error *take_profiler(const char *option, const char *word, void *to)
{
	(void)option;
	return value_profiler_open(word, to);
}

/* What was done before. */
static struct trm_error *take_nothing(const char *option, const char *word, void *to)
{
	(void)option;
	(void)word;
	(void)to;
	return NULL;
}

#define PLACE(member) offsetof(struct measuring, options.member)

static const struct word_option {
	const char *name;
	struct trm_error *(*take)(const char *option, const char *word, void *to);
	size_t place;
	bool window; /* the profile tells it */
} word_options[] = {
	[OPTION_ONLY] = {"only", take_patterns, PLACE(only), false},
	[OPTION_SKIP] = {"skip", take_patterns, PLACE(skip), false},
	[OPTION_AFTER] = {"after", take_time, PLACE(window.start.wait_ns), true},
	[OPTION_FOR] = {"for", take_time, PLACE(window.stop.wait_ns), true},
	[OPTION_INTERVAL] = {"interval", take_interval, PLACE(window), true},
	[OPTION_START_AT] = {"start-at", take_patterns, PLACE(window.start.calls), true},
	[OPTION_START_AT_LOAD] = {"start-at-load", take_files, PLACE(window.start.loads),
				  true},
	[OPTION_START_AT_SIGNAL] = {"start-at-signal", take_signal,
				    PLACE(window.start.signals), true},
	[OPTION_STOP_AT] = {"stop-at", take_patterns, PLACE(window.stop.calls), true},
	[OPTION_STOP_AT_LOAD] = {"stop-at-load", take_files, PLACE(window.stop.loads),
				 true},
	[OPTION_STOP_AT_SIGNAL] = {"stop-at-signal", take_signal,
				   PLACE(window.stop.signals), true},
	[OPTION_ONLY_PROGRAM] = {"only-program", take_files, PLACE(only_programs), false},
	[OPTION_SKIP_PROGRAM] = {"skip-program", take_files, PLACE(skip_programs), false},
	[OPTION_REGIONS] = {"regions", take_patterns, offsetof(struct measuring, regions),
			    false},
	[OPTION_BY_REGION] = {"by-region", by_region_take, PLACE(by_region), false},
	[OPTION_EVENT] = {"event", take_name, PLACE(samples.events), false},
	[OPTION_FREQUENCY] = {"frequency", take_frequency, PLACE(samples.rate.frequency),
			      false},
	[OPTION_PERIOD] = {"period", take_number, PLACE(samples.rate.period), false},
	[OPTION_NINTERPRET] = {"ninterpret", take_length, PLACE(values.length), false},
	[OPTION_VFREQ] = {"vfreq", take_number, PLACE(values.every), false},
	[OPTION_SEED] = {"seed", take_number, PLACE(values.seed), false},
	[OPTION_VALUES_PLUGIN] = {"values-plugin", take_profiler, PLACE(values.profiler),
				  false},
	[OPTION_VALUES] = {"values", take_name, PLACE(values.kinds), false},
	[OPTION_MEMORY] = {"memory", take_memory, PLACE(memory_limit), false},
	[OPTION_TOOL] = {"tool", take_tool, PLACE(tools), false},
	[OPTION_LABELS] = {"labels", take_label_file, offsetof(struct measuring, using),
			   false},
	[OPTION_ANALYSIS] = {"analysis", take_name,
			     offsetof(struct measuring, using.analysis), false},
	[OPTION_TOOL_OUTPUT] = {"tool-output", take_name, PLACE(tool_output), false},
	[OPTION_TOOL_TIMEOUT] = {"tool-timeout", take_time, PLACE(tool_ns), false},
	[OPTION_PROBE] = {"probe", take_probe, 0, false},
	[OPTION_PROBE_FILE] = {"probe-file", take_probe_file, 0, false},
	[OPTION_ELSEWHERE] = {"options", take_nothing, 0, false},
};

struct trm_error *measuring_take_word(struct measuring *given, int option,
				      const char *word)
{
	const struct word_option *row = &word_options[option];

	if (row->window)
		text_format(&given->window, "%s--%s %s", given->window.length ? " " : "",
			    row->name, word);
	return row->take(row->name, word, (char *)given + row->place);
}

const char *measuring_word_kind(int option)
{
	static const struct {
		struct trm_error *(*take)(const char *option, const char *word, void *to);
		const char *kind;
	} kinds[] = {
		{take_patterns, "patterns"}, {take_files, "patterns"},
		{take_time, "time"},         {take_interval, "length"},
		{take_signal, "signal"},     {take_tool, "tool"},
		{take_label_file, "file"},   {take_name, "text"},
		{take_memory, "size"},       {take_probe, "probe"},
		{take_probe_file, "file"},   {take_number, "number"},
		{take_frequency, "number"},  {take_length, "number"},
		{take_profiler, "file"},
	};

	for (size_t i = 0; i < array_count(kinds); i++)
		if (option > 0 && option < OPTION_HELP &&
		    kinds[i].take == word_options[option].take)
			return kinds[i].kind;
	return "text";
}

bool measuring_word_adds(int option)
{
	static struct trm_error *(*const adding[])(const char *option, const char *word,
						   void *to) = {
		take_patterns,   take_files, take_signal,     take_tool,
		take_label_file, take_probe, take_probe_file,
	};

	for (size_t i = 0; i < array_count(adding); i++)
		if (option > 0 && option < OPTION_HELP &&
		    word_options[option].take == adding[i])
			return true;
	return false;
}
