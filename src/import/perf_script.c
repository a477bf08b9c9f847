/*
 * What `perf script` prints: for each sample a line "COMM PID/TID [CPU] TIME: PERIOD
 * EVENT:", and one for each frame, "ADDRESS SYMBOL+OFFSET (FILE)", the innermost first,
 * up to an empty one; or all in one line, of samples without call paths.
 */
#include "import/readers.h"

#include "base/table.h"
#include "base/vector.h"

#include <ctype.h>
#include <string.h>

/* A sample while its lines are read. */
struct reading {
	struct import_input *input;
	struct import_sink *sink;
	struct table types; /* hash of an event's name: number of its first type + 1 */
	struct VECTOR(struct import_frame) frames;
	bool open; /* a head was read */
	uint32_t type;
	uint64_t process, thread, period;
	bool linked;  /* addresses are those of files: it is an export of trammel's */
	bool counted; /* the period is a number that was counted: there are no samples */
};

/* "123.456789:", and how long that is; 0: none. */
static size_t time_length(const char *text)
{
	size_t seconds = strspn(text, "0123456789");
	size_t parts = seconds && text[seconds] == '.'
			       ? strspn(text + seconds + 1, "0123456789")
			       : 0;

	return parts && text[seconds + 1 + parts] == ':' ? seconds + parts + 2 : 0;
}

/* The time of a head, in front of which there is a blank; NULL: it is none. */
static char *find_time(char *line)
{
	for (char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
		if (time_length(at + 1))
			return at + 1;
	return NULL;
}

bool import_is_perf_script(const struct import_input *input)
{
	const char *at = input->bytes, *end = at + input->size;

	for (int lines = 0; lines < 200 && at < end; lines++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		char line[400] = {0};
		size_t length = (size_t)((stop ? stop : end) - at);

		if (length >= sizeof(line))
			length = sizeof(line) - 1;
		memcpy(line, at, length);
		if (*line && *line != '#')
			return find_time(line);
		at += length + 1;
	}
	return false;
}

/* What perf counts by samples is an event, whatever its name. */
static uint32_t type_of(struct reading *reading, const char *event)
{
	const char *unit = import_unit_of(event);
	bool made;
	uint64_t *type =
		table_insert(&reading->types, hash_bytes(event, strlen(event)), &made);

	reading->counted = reading->linked && import_is_known(event);
	if (made)
		*type = reading->counted ? import_type(reading->sink, event, unit)
					 : import_event(reading->sink, event, unit);
	return (uint32_t)*type;
}

/* Reads "PID/TID" or "TID", which end where `end` is; false if it is neither. */
static bool read_ids(struct reading *reading, char *start, char *end)
{
	char *at;

	/* In front of it is the command, with blanks in it; behind it the processor. */
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (end > start && end[-1] == ']') {
		while (end > start && *--end != '[')
			;
		while (end > start && isspace((unsigned char)end[-1]))
			end--;
	}
	for (at = end; at > start && !isspace((unsigned char)at[-1]);)
		at--;
	reading->process = reading->thread = 0;
	if (at == start || !import_number(&at, &reading->process))
		return false;
	reading->thread = reading->process;
	if (*at == '/') {
		at++;
		return import_number(&at, &reading->thread) && at == end;
	}
	/* The thread alone: it stands for its process. */
	return at == end;
}

/* The name of an event, without what stands behind it: in place. */
static char *read_event(char **at)
{
	char *event = *at, *end = event + strcspn(event, " \t");

	*at = *end ? end + 1 : end;
	*end = '\0';
	while (end > event && end[-1] == ':')
		*--end = '\0';
	return event;
}

static struct trm_error *add_frame(struct reading *reading, char *at);

static struct trm_error *read_head(struct reading *reading, char *line)
{
	char *time = find_time(line), *at;

	if (!time || !read_ids(reading, line, time - 1))
		return import_fault(reading->input,
				    "'COMM PID/TID TIME: PERIOD EVENT:' is expected");
	at = time + time_length(time);
	at += strspn(at, " \t");
	reading->period = 1;
	if (isdigit((unsigned char)*at)) {
		char *number = at;

		/* An event may begin with digits. */
		if (import_number(&number, &reading->period) &&
		    (*number == ' ' || !*number))
			at = number + strspn(number, " \t");
		else
			reading->period = 1;
	}
	if (!*at)
		return import_fault(reading->input, "a sample without an event");
	const char *event = read_event(&at);

	if (!*event)
		return import_fault(reading->input, "a sample without an event");
	reading->type = type_of(reading, event);
	reading->open = true;
	reading->frames.count = 0;
	at += strspn(at, " \t");
	return isxdigit((unsigned char)*at) ? add_frame(reading, at) : NULL;
}

/* Of functions that were put into others no file is told: it is that of what is around
 * them. */
static void place_inlined(struct reading *reading, const char *module)
{
	size_t count = reading->frames.count;

	for (size_t i = count; i-- > 0 && !reading->frames.items[i].module;)
		reading->frames.items[i].module = module;
}

/* Cuts "+0x12" off a symbol. */
static bool cut_offset(char *symbol, uint64_t *ret_offset)
{
	char *plus = strrchr(symbol, '+'), *at = plus ? plus + 1 : NULL;

	if (!plus || plus == symbol || strncmp(at, "0x", 2) != 0 ||
	    !import_hex(&at, ret_offset) || *at)
		return false;
	*plus = '\0';
	return true;
}

static struct trm_error *add_frame(struct reading *reading, char *at)
{
	struct import_frame frame = {.module = "", .file = ""};
	char *open, *close = at + strlen(at);
	uint64_t address, offset = 0;

	if (!import_hex(&at, &address) || *at != ' ')
		return import_fault(reading->input,
				    "'ADDRESS SYMBOL (FILE)' is expected in a call path");
	at++;
	while (close > at && isspace((unsigned char)close[-1]))
		*--close = '\0';
	open = strstr(at, " (");
	for (char *next = open; next; next = strstr(next + 1, " ("))
		open = next;
	if (!open || close[-1] != ')' || open == at)
		return import_fault(reading->input, "a frame without a file, '(FILE)'");
	*open = close[-1] = '\0';
	frame.module = open + 2;
	bool inlined = !strcmp(frame.module, "inlined");
	bool placed = cut_offset(at, &offset);

	frame.function = at;
	frame.region = reading->linked && !strcmp(frame.module, "[region]");
	if (inlined)
		frame.module = NULL;
	else if (frame.region)
		frame.module = "";
	if (reading->linked) {
		import_unescape(at);
		frame.address = address;
		if (frame.module)
			import_unescape(open + 2);
		frame.offset = placed ? address - offset : 0;
	}
	if (frame.module)
		place_inlined(reading, frame.module);
	vector_push(&reading->frames, frame);
	return NULL;
}

/* Ends a sample. Without a frame it is of nothing that is known. */
static void end_sample(struct reading *reading)
{
	const struct import_frame unknown = {
		.module = "", .function = "[unknown]", .file = ""};
	const uint64_t values[] = {1, reading->period};
	struct import_place place = {.process = reading->process,
				     .thread = reading->thread};

	if (!reading->open)
		return;
	place_inlined(reading, "");
	place.frames = reading->frames.count ? reading->frames.items : &unknown;
	place.count = reading->frames.count ?: 1;
	import_values(reading->sink, &place, reading->type, values + reading->counted,
		      2 - reading->counted);
	reading->open = false;
	reading->frames.count = 0;
}

static struct trm_error *read_line(struct reading *reading, char *line)
{
	char *text = line + strspn(line, " \t");

	if (!strcmp(line, "# trammel: addresses are those of files"))
		reading->linked = true;
	if (*line == '#')
		return NULL;
	if (!*text) {
		end_sample(reading);
		return NULL;
	}
	/* perf puts blanks in front of short commands. */
	if (find_time(line) && !(*line == '\t' && reading->open)) {
		end_sample(reading);
		return read_head(reading, text);
	}
	if (!reading->open)
		return import_fault(reading->input, "a frame without a sample's head");
	return add_frame(reading, text);
}

struct trm_error *import_perf_script(struct import_input *input,
				     const struct import_options *options,
				     struct import_sink *sink)
{
	struct reading reading = {.input = input, .sink = sink};
	struct trm_error *error = NULL;

	(void)options;
	for (char *line; !error && (line = import_line(input));)
		error = read_line(&reading, line);
	if (!error)
		error = import_input_end(input);
	if (!error)
		end_sample(&reading);
	table_deinit(&reading.types);
	vector_deinit(&reading.frames);
	return error;
}
