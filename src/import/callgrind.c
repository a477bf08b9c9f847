/*
 * callgrind's files: a head of "KEY: VALUE" lines, then for each function lines of costs
 * by position, and calls. Names may be numbered, positions relative.
 *
 * Source: valgrind's manual, "Callgrind Format Specification"
 */
#include "import/readers.h"

#include "base/array.h"
#include "base/path.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_MAX = 64 };

/* Names that were numbered, of one kind. */
struct named {
	struct table by_number; /* index in names + 1 */
	struct VECTOR(char *) names;
};

enum kind { KIND_OBJECT, KIND_FILE, KIND_FUNCTION, KIND_COUNT };

struct reading {
	struct import_input *input;
	struct import_sink *sink;
	struct named named[KIND_COUNT];
	/* The current object, file and function, and those of the next call. */
	char *object, *file, *function, *called_object, *called_file, *called;
	bool instructions, lines; /* positions */
	uint32_t first;           /* type */
	size_t events;
	bool of_trammel, calls_counted, calls_known;
	uint64_t address, line; /* the last position */
	uint64_t sums[EVENTS_MAX], totals[EVENTS_MAX];
	bool in_call, in_jump, with_totals;
	uint64_t calls, called_address;
	struct text types; /* of trammel: "NAME UNIT TYPE" a line */
};

bool import_is_callgrind(const struct import_input *input)
{
	static const char *const heads[] = {"# callgrind format", "version:", "creator:",
					    "positions:",         "events:",  "cmd:"};
	size_t length = input->size < 4096 ? input->size : 4096;

	for (size_t i = 0; i < array_count(heads); i++)
		if (input->size > strlen(heads[i]) &&
		    !memcmp(input->bytes, heads[i], strlen(heads[i])))
			return memmem(input->bytes, length, "events:", 7);
	return false;
}

static void forget_names(struct named *named)
{
	table_deinit(&named->by_number);
	vector_for_each (&named->names, name)
		free(*name);
	vector_deinit(&named->names);
}

static char *keep_name(struct reading *reading, struct named *named, const char *text)
{
	char *copy = memory_copy_string(text);

	if (reading->of_trammel)
		import_unescape(copy);
	vector_push(&named->names, copy);
	return copy;
}

/* A name, or "(NUMBER) NAME", or "(NUMBER)" of one that was there before. */
static struct trm_error *read_name(struct reading *reading, enum kind kind, char *text,
				   char **ret_name)
{
	struct named *named = &reading->named[kind];
	char *at = text + 1;
	uint64_t number, *known;
	bool made;

	text += strspn(text, " ");
	at = text + 1;
	if (*text != '(' || !import_number(&at, &number) || *at != ')') {
		*ret_name = keep_name(reading, named, text);
		return NULL;
	}
	at++;
	/* Names of trammel's may begin with blanks, or be empty. */
	const bool given = reading->of_trammel && *at == ' ';

	at += reading->of_trammel ? given : strspn(at, " ");
	known = table_insert(&named->by_number, number, &made);
	if (*at || given) {
		*known = named->names.count;
		*ret_name = keep_name(reading, named, at);
		return NULL;
	}
	if (made)
		return import_fault(reading->input,
				    "(%" PRIu64 ") has not been given a name", number);
	*ret_name = named->names.items[*known];
	return NULL;
}

/* Takes " [MODULE]" off a name that trammel made distinct so. */
static void cut_module(char *name, const char *object)
{
	size_t length = strlen(name), module = strlen(path_name(object));

	if (length > module + 3 && name[length - 1] == ']' &&
	    !strncmp(name + length - 1 - module, path_name(object), module) &&
	    !strncmp(name + length - module - 3, " [", 2))
		name[length - module - 3] = '\0';
}

static const char *known_or_none(const char *name)
{
	return name && strcmp(name, "???") != 0 ? name : "";
}

static struct import_frame make_frame(const struct reading *reading, char *object,
				      char *file, char *function)
{
	struct import_frame frame = {
		.module = known_or_none(object),
		.file = known_or_none(file),
		.function = function,
	};

	if (reading->of_trammel && !strncmp(frame.file, "/./", 3))
		frame.file += 2;
	if (reading->of_trammel)
		cut_module(function, frame.module);
	return frame;
}

/* Reads a number of a position: as it is, "+N", "-N" or "*". */
static bool read_subposition(char **at, bool hex, uint64_t *last)
{
	char sign = **at;
	uint64_t number;

	if (sign == '*') {
		++*at;
		return true;
	}
	if (sign == '+' || sign == '-')
		++*at;
	if (hex && (*at)[0] == '0' && (*at)[1] == 'x' ? !import_hex(at, &number)
						      : !import_number(at, &number))
		return false;
	*last = sign == '+' ? *last + number : sign == '-' ? *last - number : number;
	return true;
}

static bool skip_blanks(char **at)
{
	size_t count = strspn(*at, " \t");

	*at += count;
	return count;
}

/* Reads the positions that a line of costs begins with. */
static bool read_positions(struct reading *reading, char **at, uint64_t *address,
			   uint64_t *line)
{
	if (reading->instructions && !read_subposition(at, true, address))
		return false;
	if (reading->instructions && reading->lines && !skip_blanks(at))
		return false;
	return !reading->lines || read_subposition(at, true, line);
}

/* Reads costs up to the end of the line; missing ones are 0. */
static struct trm_error *read_costs(struct reading *reading, char *at, uint64_t *costs)
{
	size_t count = 0;

	memset(costs, 0, reading->events * sizeof(*costs));
	while (skip_blanks(&at) && *at) {
		if (count == reading->events)
			return import_fault(reading->input, "more costs than %zu events",
					    reading->events);
		if (!import_number(&at, &costs[count++]))
			return import_fault(reading->input,
					    "cost %zu is no number of at most 64 bits",
					    count);
	}
	return *at ? import_fault(reading->input, "'%.20s' is no cost", at) : NULL;
}

static struct trm_error *add_call(struct reading *reading)
{
	struct import_frame caller =
		make_frame(reading, reading->object, reading->file, reading->function);
	struct import_frame callee = make_frame(reading, reading->called_object,
						reading->called_file, reading->called);

	reading->in_call = false;
	/* They hold for one call. */
	reading->called_object = reading->object;
	reading->called_file = reading->file;
	if (reading->calls_known)
		import_arc(reading->sink, &caller, &callee, reading->calls,
			   !reading->calls_counted);
	return NULL;
}

static struct trm_error *read_cost_line(struct reading *reading, char *at)
{
	uint64_t costs[EVENTS_MAX];

	if (!reading->events)
		return import_fault(reading->input, "costs in front of 'events:'");
	if (!read_positions(reading, &at, &reading->address, &reading->line))
		return import_fault(reading->input, "no position");
	if (reading->in_jump) {
		reading->in_jump = false;
		return NULL;
	}
	TRM_TRY(read_costs(reading, at, costs));
	if (!reading->function)
		return import_fault(reading->input, "costs without a function, 'fn='");
	if (reading->in_call)
		return add_call(reading);
	struct import_frame frame =
		make_frame(reading, reading->object, reading->file, reading->function);
	struct import_place place = {&frame, 1, 0, 0};

	frame.line = reading->line <= INT32_MAX ? (uint32_t)reading->line : 0;
	frame.address = reading->instructions ? reading->address : 0;
	for (size_t i = 0; i < reading->events; i++)
		reading->sums[i] += costs[i];
	import_values(reading->sink, &place, reading->first, costs, reading->events);
	return NULL;
}

/* "calls=COUNT POSITIONS" */
static struct trm_error *read_calls(struct reading *reading, char *at)
{
	uint64_t address = reading->address, line = reading->line;

	at += strspn(at, " ");
	if (!reading->called || !reading->function)
		return import_fault(reading->input,
				    "calls without a function, or of none: 'cfn='");
	if (!import_number(&at, &reading->calls))
		return import_fault(reading->input, "no number of calls");
	if (!skip_blanks(&at) || !read_positions(reading, &at, &address, &line))
		return import_fault(reading->input, "no position of what is called");
	reading->in_call = true;
	return NULL;
}

static struct trm_error *read_function(struct reading *reading, char *text)
{
	return read_name(reading, KIND_FUNCTION, text, &reading->function);
}

static struct trm_error *read_object(struct reading *reading, char *text)
{
	TRM_TRY(read_name(reading, KIND_OBJECT, text, &reading->object));
	reading->called_object = reading->object;
	return NULL;
}

static struct trm_error *read_file(struct reading *reading, char *text)
{
	TRM_TRY(read_name(reading, KIND_FILE, text, &reading->file));
	reading->called_file = reading->file;
	return NULL;
}

static struct trm_error *read_called_object(struct reading *reading, char *text)
{
	return read_name(reading, KIND_OBJECT, text, &reading->called_object);
}

static struct trm_error *read_called_file(struct reading *reading, char *text)
{
	return read_name(reading, KIND_FILE, text, &reading->called_file);
}

static struct trm_error *read_called(struct reading *reading, char *text)
{
	return read_name(reading, KIND_FUNCTION, text, &reading->called);
}

/* Files and functions of jumps are known from elsewhere, but may be numbered here. */
static struct trm_error *read_jump_file(struct reading *reading, char *text)
{
	char *name;

	return read_name(reading, KIND_FILE, text, &name);
}

static struct trm_error *read_jump_function(struct reading *reading, char *text)
{
	char *name;

	return read_name(reading, KIND_FUNCTION, text, &name);
}

static struct trm_error *read_jump(struct reading *reading, char *text)
{
	(void)text;
	reading->in_jump = true;
	return NULL;
}

static const struct {
	const char *key;
	struct trm_error *(*read)(struct reading *reading, char *text);
} body_lines[] = {
	{"fn=", read_function},       {"fl=", read_file},
	{"fi=", read_file},           {"fe=", read_file},
	{"ob=", read_object},         {"cfn=", read_called},
	{"cfi=", read_called_file},   {"cfl=", read_called_file},
	{"cob=", read_called_object}, {"calls=", read_calls},
	{"jump=", read_jump},         {"jcnd=", read_jump},
	{"jfi=", read_jump_file},     {"jfn=", read_jump_function},
};

/* The type of an event: what trammel says that it is, instructions, or an event. */
static uint32_t type_of(struct reading *reading, const char *event)
{
	char name[256], unit[64], type[256];
	const char *line = reading->types.data;

	for (; line && *line; line = strchr(line, '\n') + 1)
		if (sscanf(line, "%255s %63s %255[^\n]", name, unit, type) == 3 &&
		    !strcmp(name, event)) {
			reading->calls_counted |= !strcmp(type, "calls");
			import_unescape(type);
			return import_type(reading->sink, type, unit);
		}
	if (!strcmp(event, "Ir"))
		return import_type(reading->sink, "instructions", "count");
	return import_type(reading->sink, event, "count");
}

static struct trm_error *read_events(struct reading *reading, char *text)
{
	size_t before = reading->events;

	reading->events = 0;
	for (char *event = strtok_r(text, " \t", &text); event;
	     event = strtok_r(NULL, " \t", &text)) {
		if (reading->events == EVENTS_MAX)
			return import_fault(reading->input, "more than %d events",
					    EVENTS_MAX);
		if (before) /* of a further part: it has the same */
			reading->events++;
		else if (!reading->events++)
			reading->first = type_of(reading, event);
		else
			type_of(reading, event);
	}
	if (!reading->events || (before && before != reading->events))
		return import_fault(reading->input,
				    before ? "other events than in the part before"
					   : "no events");
	return NULL;
}

static struct trm_error *read_position_names(struct reading *reading, char *text)
{
	reading->instructions = strstr(text, "instr");
	reading->lines = strstr(text, "line");
	if (!reading->instructions && !reading->lines)
		return import_fault(reading->input, "positions are 'instr' or 'line'");
	return NULL;
}

static struct trm_error *read_description(struct reading *reading, char *text)
{
	if (reading->of_trammel && !strncmp(text, "type ", 5))
		text_format(&reading->types, "%s\n", text + 5);
	if (reading->of_trammel && !strcmp(text, "numbers of calls are not known"))
		reading->calls_known = false;
	return NULL;
}

static struct trm_error *read_creator(struct reading *reading, char *text)
{
	reading->of_trammel = !strncmp(text, "trammel", 7);
	return NULL;
}

static struct trm_error *read_command(struct reading *reading, char *text)
{
	if (reading->of_trammel)
		import_unescape(text);
	import_command(reading->sink, text);
	return NULL;
}

/* Sums of the part that ends. A file that was cut has less. */
static struct trm_error *check_totals(struct reading *reading)
{
	for (size_t i = 0; i < reading->events && reading->with_totals; i++)
		if (reading->sums[i] != reading->totals[i])
			return import_fault(reading->input,
					    "the costs of event %zu make %" PRIu64
					    ", and the file says %" PRIu64 ": it was cut",
					    i + 1, reading->sums[i], reading->totals[i]);
	memset(reading->sums, 0, sizeof(reading->sums));
	reading->with_totals = false;
	return NULL;
}

static struct trm_error *read_totals(struct reading *reading, char *text)
{
	uint64_t totals[EVENTS_MAX];

	if (!reading->events)
		return NULL;
	/* What begins with a blank is costs. */
	TRM_TRY(read_costs(reading, text - 1, totals));
	memcpy(reading->totals, totals, reading->events * sizeof(*totals));
	reading->with_totals = true;
	return NULL;
}

static struct trm_error *read_part(struct reading *reading, char *text)
{
	(void)text;
	return check_totals(reading);
}

static const struct {
	const char *key;
	struct trm_error *(*read)(struct reading *reading, char *text);
} head_lines[] = {
	{"events:", read_events},    {"positions:", read_position_names},
	{"desc:", read_description}, {"creator:", read_creator},
	{"cmd:", read_command},      {"summary:", read_totals},
	{"totals:", read_totals},    {"part:", read_part},
};

/* A line of the head: a word, a colon, and a value. */
static bool is_head(const char *line)
{
	size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz");

	return length && line[length] == ':';
}

static struct trm_error *read_head(struct reading *reading, char *line)
{
	for (size_t i = 0; i < array_count(head_lines); i++) {
		size_t length = strlen(head_lines[i].key);

		if (strncmp(line, head_lines[i].key, length) != 0)
			continue;
		/* The value begins behind a blank. */
		char *value = line + length;

		return head_lines[i].read(reading, value + (*value == ' '));
	}
	return NULL;
}

static struct trm_error *read_line(struct reading *reading, char *line)
{
	if (!*line || *line == '#')
		return NULL;
	if (isdigit((unsigned char)*line) || strchr("+-*", *line))
		return read_cost_line(reading, line);
	if (is_head(line))
		return read_head(reading, line);
	if (reading->in_call || reading->in_jump)
		return import_fault(reading->input,
				    "the line behind a call or a jump has its costs");
	for (size_t i = 0; i < array_count(body_lines); i++) {
		size_t length = strlen(body_lines[i].key);

		if (!strncmp(line, body_lines[i].key, length))
			return body_lines[i].read(reading, line + length);
	}
	return import_fault(reading->input, "'%.40s' is no line of callgrind's", line);
}

static struct trm_error *check_end(struct reading *reading)
{
	if (reading->in_call || reading->in_jump)
		return import_fault(reading->input, "the file ends behind a call");
	if (reading->of_trammel && !reading->with_totals)
		return import_fault(reading->input, "the file ends without totals");
	return check_totals(reading);
}

struct trm_error *import_callgrind(struct import_input *input,
				   const struct import_options *options,
				   struct import_sink *sink)
{
	struct reading reading = {
		.input = input, .sink = sink, .lines = true, .calls_known = true};
	struct trm_error *error = NULL;

	(void)options;
	for (char *line; !error && (line = import_line(input));)
		error = read_line(&reading, line);
	if (!error)
		error = import_input_end(input);
	if (!error)
		error = check_end(&reading);
	for (size_t i = 0; i < KIND_COUNT; i++)
		forget_names(&reading.named[i]);
	text_deinit(&reading.types);
	return error;
}
