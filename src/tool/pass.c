#include "tool/pass.h"

#include "base/array.h"
#include "base/json.h"
#include "base/text.h"
#include "tool/kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 16, ARGUMENTS_MAX = ADDED_ARGUMENTS_MAX };

static struct {
	FILE *in, *out;
} ends;

/* A module while it is labelled. */
struct labelling {
	const struct trammel_api *api;
	const struct trammel_module *module;
	uint32_t next; /* number of a function */
};

static const char *const kind_names[] = {
	[TRAMMEL_PLAIN] = "plain",
	[TRAMMEL_JUMP] = "jump",
	[TRAMMEL_BRANCH] = "branch",
	[TRAMMEL_SWITCH] = "switch",
	[TRAMMEL_JUMP_INDIRECT] = "jump indirect",
	[TRAMMEL_RETURN] = "return",
	[TRAMMEL_CALL] = "call",
	[TRAMMEL_CALL_INDIRECT] = "call indirect",
	[TRAMMEL_SYSTEM] = "system",
	[TRAMMEL_STOP] = "stop",
};

static const char *const edge_names[] = {
	[TRAMMEL_EDGE_FALL] = "fall",
	[TRAMMEL_EDGE_TAKEN] = "taken",
	[TRAMMEL_EDGE_SWITCH] = "switch",
	[TRAMMEL_EDGE_LEAVE] = "leave",
};

/* Sends a line, which is freed. */
static void send_line(struct text *line)
{
	text_add(line, "\n");
	fwrite(line->data, 1, line->length, ends.out);
	fflush(ends.out);
	text_deinit(line);
}

/* [address, length, block, kind, class, mnemonic, text, target, [targets],
 *  [[reads, writes, bits], ...]] */
static void add_instruction(const struct trammel_api *api,
			    const struct trammel_instruction *row, struct text *out)
{
	char assembly[256];

	api->text(row, assembly, sizeof(assembly));
	text_format(out, "[%" PRIu64 ",%u,%u,\"%s\",\"%s\",", row->address, row->length,
		    row->block->number, kind_names[row->kind],
		    api->class_name(row->op_class));
	text_add_json(out, row->mnemonic);
	text_add(out, ",");
	text_add_json(out, assembly);
	text_format(out, ",%" PRIu64 ",[", row->target);
	for (uint32_t i = 0; i < row->target_count; i++)
		text_format(out, "%s%" PRIu64, i ? "," : "", row->targets[i]);
	text_add(out, "],[");
	bool first = true;

	for (unsigned int i = 0; i < row->operand_count; i++) {
		const struct trammel_operand *operand = &row->operands[i];

		if (operand->kind != TRAMMEL_OPERAND_MEMORY)
			continue;
		text_format(out, "%s[%d,%d,%u]", first ? "" : ",", operand->reads,
			    operand->writes, operand->bits);
		first = false;
	}
	text_add(out, "]]");
}

static void add_code(const struct trammel_api *api, const struct trammel_code *code,
		     struct text *out)
{
	text_add(out, ",\"blocks\":[");
	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct trammel_block *block = &code->blocks[i];

		text_format(out, "%s[%" PRIu64 ",%u,%u,%d]", i ? "," : "", block->address,
			    block->size,
			    (unsigned int)(block->instructions - code->instructions),
			    block->exposed);
	}
	text_add(out, "],\"edges\":[");
	for (uint32_t i = 0; i < code->edge_count; i++) {
		const struct trammel_edge *edge = &code->edges[i];

		text_format(out, "%s[\"%s\",%u,%d]", i ? "," : "", edge_names[edge->kind],
			    edge->from->number, edge->to ? (int)edge->to->number : -1);
	}
	text_add(out, "],\"instructions\":[");
	for (uint32_t i = 0; i < code->instruction_count; i++) {
		text_add(out, i ? "," : "");
		add_instruction(api, &code->instructions[i], out);
	}
	text_add(out, "]");
}

static void send_function(struct labelling *labelling)
{
	const struct trammel_api *api = labelling->api;
	const struct trammel_function *function =
		labelling->next < labelling->module->function_count
			? api->function(labelling->module, labelling->next)
			: NULL;
	struct text line = {0};

	if (!function) {
		text_add(&line, "null");
		send_line(&line);
		return;
	}
	const struct trammel_code *code = api->code(function);
	const char *trouble = api->trouble(function);

	labelling->next++;
	text_format(&line, "{\"number\":%u,\"address\":%" PRIu64 ",\"size\":%" PRIu64,
		    function->number, function->address, function->size);
	text_format(&line, ",\"exported\":%s", function->exported ? "true" : "false");
	text_add(&line, ",\"name\":");
	text_add_json(&line, function->name);
	text_add(&line, ",\"readable\":");
	text_add_json(&line, api->demangle(function->name));
	if (function->part_of)
		text_format(&line, ",\"part_of\":%u", function->part_of->number);
	text_add(&line, ",\"trouble\":");
	text_add_json(&line, trouble ? trouble : "");
	if (code)
		add_code(api, code, &line);
	text_add(&line, "}");
	send_line(&line);
}

static void send_module(const struct trammel_module *module)
{
	struct text line = {0};

	text_add(&line, "{\"path\":");
	text_add_json(&line, module->path);
	text_add(&line, ",\"build_id\":");
	text_add_json(&line, module->build_id);
	text_format(&line,
		    ",\"start\":%" PRIu64 ",\"end\":%" PRIu64
		    ",\"functions\":%u,\"is_program\":%s}",
		    module->start, module->end, module->function_count,
		    module->is_program ? "true" : "false");
	send_line(&line);
}

/* The point that a request names; false: there is none. */
static bool find_point(const struct labelling *labelling, const char *where,
		       uint32_t function_number, uint32_t number,
		       struct trammel_point *ret_point)
{
	const struct trammel_function *function =
		function_number < labelling->next
			? labelling->api->function(labelling->module, function_number)
			: NULL;
	const struct trammel_code *code =
		function ? labelling->api->code(function) : NULL;

	if (!code)
		return false;
	if (!strcmp(where, "entry"))
		*ret_point = trammel_entry(function);
	else if (!strcmp(where, "edge") && number < code->edge_count)
		*ret_point = trammel_on_edge(&code->edges[number]);
	else if (!strcmp(where, "before") && number < code->instruction_count)
		*ret_point = trammel_before(&code->instructions[number]);
	else if (!strcmp(where, "after") && number < code->instruction_count)
		*ret_point = trammel_after(&code->instructions[number]);
	else
		return false;
	return true;
}

/* Reads `[17, "text"]`; texts are copied. False: it is something else. */
static bool read_values(const char *text, struct trammel_argument *arguments,
			size_t *ret_count)
{
	struct json json = {.at = text, .end = text + strlen(text)};
	size_t count = 0;

	*ret_count = 0;
	if (json_peek(&json) != JSON_ARRAY)
		return false;
	while (json_next(&json, NULL, &count, false)) {
		struct trammel_argument *argument = &arguments[*ret_count];

		if (*ret_count == ARGUMENTS_MAX)
			return false;
		if (json_peek(&json) == JSON_STRING) {
			struct json_raw raw = json_string(&json);
			char *copy = memory_allocate(raw.length + 1);

			*json_unescape(&json, raw, copy) = '\0';
			*argument = trammel_text(copy);
		} else {
			char *end;
			struct json_raw raw = json_word(&json);

			*argument = trammel_int(strtoll(raw.at ? raw.at : "", &end, 10));
			if (!raw.length || end != raw.at + raw.length)
				return false;
		}
		++*ret_count;
	}
	return !json.wrong;
}

static void free_values(const struct trammel_argument *arguments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (arguments[i].kind == TRAMMEL_TEXT)
			free((void *)(uintptr_t)arguments[i].data);
}

/* Answers with a number, or with what went wrong. */
static void answer_number(uint64_t number)
{
	const struct tool *tool = tool_current();
	struct text line = {0};

	if (tool->failure)
		text_format(&line, "!%s", tool->failure);
	else
		text_format(&line, "%" PRIu64, number);
	send_line(&line);
}

static void serve_label(struct labelling *labelling, const char *words)
{
	struct trammel_argument arguments[ARGUMENTS_MAX] = {{0}};
	const struct tool_kinds *kinds = &tool_current()->labels->kinds;
	char kind[64], where[16];
	struct trammel_point point;
	uint32_t function, number;
	size_t count = 0, known = 0;
	uint64_t id = 0;
	int used = 0;

	if (sscanf(words, "%63s %15s %" SCNu32 " %" SCNu32 " %n", kind, where, &function,
		   &number, &used) < 4 ||
	    !read_values(words + used, arguments, &count))
		labelling->api->fail("label '%s': a kind, a place and values are meant",
				     words);
	else if ((known = tool_kinds_find(kinds, kind)) == kinds->count)
		labelling->api->fail("there is no kind '%s'", kind);
	else if (!find_point(labelling, where, function, number, &point))
		labelling->api->fail("label '%s': there is no such point", words);
	else
		id = labelling->api->add_label(point, (uint32_t)known, arguments, count);
	free_values(arguments, count);
	answer_number(id);
}

static void serve_kind(struct labelling *labelling, const char *words)
{
	char name[64], values[256] = "";

	if (sscanf(words, "%63s %255s", name, values) < 1)
		labelling->api->fail("a kind has a name");
	answer_number(tool_current()->failure ? 0 : labelling->api->kind(name, values));
}

/* False: the module is labelled. */
static bool serve_line(struct labelling *labelling, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!strcmp(line, "done"))
		return false;
	if (!strcmp(line, "next"))
		send_function(labelling);
	else if (!strncmp(line, "label ", 6))
		serve_label(labelling, line + 6);
	else if (!strncmp(line, "kind ", 5))
		serve_kind(labelling, line + 5);
	else
		labelling->api->fail("a pass cannot ask '%s'", line);
	return true;
}

static void label_module(const struct trammel_api *api,
			 const struct trammel_module *module)
{
	static char line[LINE_MAX_BYTES];
	struct labelling labelling = {api, module, 0};

	send_module(module);
	do
		if (!fgets(line, sizeof(line), ends.in)) {
			api->fail("the pass ended before '%s' was labelled",
				  module->path);
			return;
		}
	while (serve_line(&labelling, line));
}

struct tool *pass_open(FILE *in, FILE *out)
{
	static const struct trammel_tool table = {TRAMMEL_TOOL_HEAD,
						  "pass",
						  "a pass of another process's",
						  NULL,
						  NULL,
						  NULL,
						  label_module};
	struct tool *tool = memory_allocate_zeroed(1, sizeof(*tool));

	ends.in = in;
	ends.out = out;
	tool->table = &table;
	tool->path = memory_copy_string("pass");
	pthread_mutex_init(&tool->lock, NULL);
	return tool;
}
