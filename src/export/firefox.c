/*
 * The processed format of the Firefox Profiler, version 48: JSON with tables by column. A
 * type of numbers is a thread there, as a thread has weights of one kind. Each node of
 * the view is a frame and a stack; a function is a function.
 *
 * Source: github.com/firefox-devtools/profiler,
 * docs-developer/processed-profile-format.md and CHANGELOG-formats.md,
 * src/types/profile.js
 */
#include "base/json_write.h"
#include "base/path.h"
#include "export/formats.h"
#include "export/places.h"
#include "report/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 48, GECKO_VERSION = 30, NS_OF_MS = 1000000 };

struct firefox {
	struct export_view *view;
	struct export_out *out;
	uint32_t *library_of; /* of each module of the profile: its number */
	struct string_table strings;
	uint32_t type;  /* that the thread at hand shows */
	uint64_t clock; /* its sum so far */
	size_t count;   /* numbers of it */
};

/* Adds a column of a table: a value for each of `count` rows. */
static void add_column(struct firefox *firefox, const char *name, size_t count,
		       void (*add)(struct firefox *firefox, size_t row))
{
	text_format(&firefox->out->text, ",\n\"%s\": [", name);
	for (size_t i = 0; i < count; i++) {
		text_add(&firefox->out->text, i ? "," : "");
		add(firefox, i);
		export_out_drain(firefox->out);
	}
	text_add(&firefox->out->text, "]");
}

static void add_number(struct firefox *firefox, uint64_t number)
{
	text_format(&firefox->out->text, "%" PRIu64, number);
}

static void add_null(struct firefox *firefox, size_t row)
{
	(void)row;
	text_add(&firefox->out->text, "null");
}

static void add_zero(struct firefox *firefox, size_t row)
{
	(void)row;
	text_add(&firefox->out->text, "0");
}

static void add_false(struct firefox *firefox, size_t row)
{
	(void)row;
	text_add(&firefox->out->text, "false");
}

static void add_row(struct firefox *firefox, size_t row)
{
	add_number(firefox, row);
}

static void add_string(struct firefox *firefox, const char *string)
{
	if (string)
		add_number(firefox, string_table_intern(&firefox->strings, string));
	else
		add_null(firefox, 0);
}

static const struct export_frame *frame_at(const struct firefox *firefox, size_t row)
{
	return &firefox->view->frames.items[row];
}

static void add_name(struct firefox *firefox, size_t row)
{
	add_string(firefox, frame_at(firefox, row)->name);
}

static void add_file(struct firefox *firefox, size_t row)
{
	add_string(firefox, frame_at(firefox, row)->file);
}

static void add_start(struct firefox *firefox, size_t row)
{
	if (frame_at(firefox, row)->line)
		add_number(firefox, frame_at(firefox, row)->line);
	else
		add_null(firefox, 0);
}

static void add_resource(struct firefox *firefox, size_t row)
{
	uint32_t module = frame_at(firefox, row)->module;

	if (module == EXPORT_NONE)
		text_add(&firefox->out->text, "-1");
	else
		add_number(firefox, firefox->library_of[module]);
}

static void add_frame(struct firefox *firefox, size_t row)
{
	add_number(firefox, firefox->view->nodes.items[row].frame);
}

static void add_address(struct firefox *firefox, size_t row)
{
	const struct export_node *node = &firefox->view->nodes.items[row];

	if (node->address)
		add_number(firefox, node->address);
	else
		text_add(&firefox->out->text, "-1");
}

static void add_line(struct firefox *firefox, size_t row)
{
	const char *file;
	uint32_t line;

	export_line_of(firefox->view, &firefox->view->nodes.items[row], &file, &line);
	if (line)
		add_number(firefox, line);
	else
		add_null(firefox, 0);
}

static void add_parent(struct firefox *firefox, size_t row)
{
	uint32_t parent = firefox->view->nodes.items[row].parent;

	if (parent == EXPORT_NONE)
		add_null(firefox, 0);
	else
		add_number(firefox, parent);
}

/* Calls `add` for each number of the thread's type, as a column. */
static void add_samples_column(struct firefox *firefox, const char *name,
			       void (*add)(struct firefox *firefox,
					   const struct export_count *count))
{
	bool first = true;

	text_format(&firefox->out->text, ",\n\"%s\": [", name);
	vector_for_each (&firefox->view->counts, count) {
		if (count->type != firefox->type)
			continue;
		text_add(&firefox->out->text, first ? "" : ",");
		first = false;
		add(firefox, count);
		export_out_drain(firefox->out);
	}
	text_add(&firefox->out->text, "]");
}

static bool is_time(const struct firefox *firefox)
{
	return !strcmp(firefox->view->types.items[firefox->type].unit, "nanoseconds");
}

static void add_stack_of(struct firefox *firefox, const struct export_count *count)
{
	add_number(firefox, count->node);
}

static void add_weight(struct firefox *firefox, const struct export_count *count)
{
	if (is_time(firefox))
		text_format(&firefox->out->text, "%" PRIu64 ".%06" PRIu64,
			    count->value / NS_OF_MS, count->value % NS_OF_MS);
	else
		add_number(firefox, count->value);
}

/* Times must not go back; what is no time has a millisecond each. */
static void add_time(struct firefox *firefox, const struct export_count *count)
{
	if (is_time(firefox))
		text_format(&firefox->out->text, "%" PRIu64 ".%06" PRIu64,
			    firefox->clock / NS_OF_MS, firefox->clock % NS_OF_MS);
	else
		add_number(firefox, firefox->clock);
	firefox->clock += is_time(firefox) ? count->value : 1;
}

static void add_samples(struct firefox *firefox)
{
	const char *unit = firefox->view->types.items[firefox->type].unit;

	firefox->clock = firefox->count = 0;
	vector_for_each (&firefox->view->counts, count)
		firefox->count += count->type == firefox->type;
	text_format(&firefox->out->text,
		    ",\n\"samples\": {\"length\": %zu, \"weightType\": \"%s\"",
		    firefox->count,
		    is_time(firefox)        ? "tracing-ms"
		    : strcmp(unit, "bytes") ? "samples"
					    : "bytes");
	add_samples_column(firefox, "stack", add_stack_of);
	add_samples_column(firefox, "time", add_time);
	add_samples_column(firefox, "weight", add_weight);
	text_add(&firefox->out->text, "}");
}

/* A column of a table. */
struct column {
	const char *name;
	void (*add)(struct firefox *firefox, size_t row);
};

static void add_table(struct firefox *firefox, const char *name, size_t count,
		      const struct column *columns)
{
	text_format(&firefox->out->text, ",\n\"%s\": {\"length\": %zu", name, count);
	for (; columns->name; columns++)
		add_column(firefox, columns->name, count, columns->add);
	text_add(&firefox->out->text, "}");
}

static void add_tables(struct firefox *firefox, size_t libraries)
{
	static const struct column functions[] = {
		{"name", add_name},           {"isJS", add_false},
		{"relevantForJS", add_false}, {"resource", add_resource},
		{"fileName", add_file},       {"lineNumber", add_start},
		{"columnNumber", add_null},   {NULL, NULL}};
	static const struct column frames[] = {{"address", add_address},
					       {"inlineDepth", add_zero},
					       {"category", add_zero},
					       {"subcategory", add_zero},
					       {"func", add_frame},
					       {"nativeSymbol", add_null},
					       {"innerWindowID", add_null},
					       {"implementation", add_null},
					       {"line", add_line},
					       {"column", add_null},
					       {NULL, NULL}};
	static const struct column stacks[] = {{"frame", add_row},
					       {"category", add_zero},
					       {"subcategory", add_zero},
					       {"prefix", add_parent},
					       {NULL, NULL}};

	add_table(firefox, "funcTable", firefox->view->frames.count, functions);
	add_table(firefox, "frameTable", firefox->view->nodes.count, frames);
	add_table(firefox, "stackTable", firefox->view->nodes.count, stacks);
	text_format(
		&firefox->out->text,
		",\n\"nativeSymbols\": {\"length\": 0, \"libIndex\": [], \"address\": "
		"[], \"name\": [], \"functionSize\": []}"
		",\n\"markers\": {\"length\": 0, \"category\": [], \"data\": [], "
		"\"endTime\": [], \"name\": [], \"phase\": [], \"startTime\": []}"
		",\n\"resourceTable\": {\"length\": %zu",
		libraries);
}

static void add_library_name(struct firefox *firefox, size_t row)
{
	const struct report_profile *profile = firefox->view->profile;

	vector_for_each (&profile->modules, module)
		if (firefox->library_of[module - profile->modules.items] == row) {
			add_string(firefox, module->name);
			return;
		}
}

static void add_one(struct firefox *firefox, size_t row)
{
	(void)row;
	text_add(&firefox->out->text, "1");
}

/* A resource of type 1 is a library. */
static void add_resources(struct firefox *firefox, size_t libraries)
{
	static const struct column columns[] = {{"lib", add_row},
						{"name", add_library_name},
						{"host", add_null},
						{"type", add_one},
						{NULL, NULL}};

	for (const struct column *column = columns; column->name; column++)
		add_column(firefox, column->name, libraries, column->add);
	text_add(&firefox->out->text, "}");
}

static void add_thread(struct firefox *firefox, size_t libraries)
{
	const struct report_image *image = firefox->view->profile->images.items;
	const struct export_type *type = &firefox->view->types.items[firefox->type];
	struct text *text = &firefox->out->text;

	string_table_deinit(&firefox->strings);
	firefox->strings = (struct string_table){0};
	json_begin_item(text);
	json_add_text(text, "processType", "default");
	json_add_number(text, "processStartupTime", 0);
	text_add(text, ", \"processShutdownTime\": null, \"unregisterTime\": null, "
		       "\"pausedRanges\": []");
	json_add_number(text, "registerTime", 0);
	json_add_text(text, "name", type->name);
	json_add_boolean(text, "isMainThread", true);
	if (firefox->view->profile->images.count)
		json_add_text(text, "processName", path_name(image->program));
	text_format(text, ", \"pid\": \"%" PRIu64 "\"",
		    firefox->view->profile->images.count ? image->process : 0);
	json_add_number(text, "tid", firefox->type + 1);
	add_samples(firefox);
	add_tables(firefox, libraries);
	add_resources(firefox, libraries);
	text_add(text, ",\n\"stringArray\": [");
	for (size_t i = 0; i < firefox->strings.count; i++) {
		text_add(text, i ? "," : "");
		text_add_json(text, firefox->strings.strings[i]);
		export_out_drain(firefox->out);
	}
	text_add(text, "]}");
}

static size_t add_libraries(struct firefox *firefox)
{
	struct text *text = &firefox->out->text;
	size_t count;
	uint32_t *modules = export_modules(firefox->view, &count);

	text_add(text, ",\n\"libs\": [");
	for (size_t i = 0; i < count; i++) {
		const struct report_module *module =
			&firefox->view->profile->modules.items[modules[i]];

		firefox->library_of[modules[i]] = (uint32_t)i;
		json_begin_item(text);
		json_add_text(text, "name", module->name);
		json_add_text(text, "path", module->path);
		json_add_text(text, "debugName", module->name);
		json_add_text(text, "debugPath", module->path);
		json_add_text(text, "breakpadId", "");
		json_add_text(text, "codeId", module->build_id);
		json_add_text(text, "arch", "x86_64");
		text_add(text, "}");
	}
	text_add(text, "]");
	free(modules);
	return count;
}

static void add_meta(struct firefox *firefox)
{
	const struct report_image *image = firefox->view->profile->images.items;
	struct text *text = &firefox->out->text;

	text_format(text,
		    "{\"meta\": {\"interval\": 1, \"startTime\": 0, \"processType\": 0, "
		    "\"version\": %d, \"preprocessedProfileVersion\": %d, "
		    "\"symbolicated\": true, \"debug\": false, \"stackwalk\": 1, "
		    "\"usesOnlyOneStackType\": true, \"doesNotUseFrameImplementation\": "
		    "true, \"sourceCodeIsNotOnSearchfox\": true, \"markerSchema\": [], "
		    "\"extensions\": {\"length\": 0, \"id\": [], \"name\": [], "
		    "\"baseURL\": []}, \"categories\": [{\"name\": \"Code\", \"color\": "
		    "\"blue\", \"subcategories\": [\"Other\"]}]",
		    GECKO_VERSION, FORMAT_VERSION);
	json_add_text(text, "product",
		      firefox->view->profile->images.count ? path_name(image->program)
							   : "");
	json_add_text(text, "importedFrom", "trammel " TRAMMEL_VERSION);
	text_add(text, "}");
}

struct trm_error *export_firefox(struct export_view *view,
				 const struct export_options *options,
				 struct export_out *out)
{
	struct firefox firefox = {.view = view, .out = out};
	uint32_t wanted;

	TRM_TRY(export_choose_type(view, options, &wanted));
	firefox.library_of = memory_allocate((view->profile->modules.count + 1) *
					     sizeof(*firefox.library_of));
	memset(firefox.library_of, -1,
	       (view->profile->modules.count + 1) * sizeof(*firefox.library_of));
	add_meta(&firefox);
	size_t libraries = add_libraries(&firefox);

	text_add(&out->text, ",\n\"pages\": [], \"threads\": [");
	/* The wanted one first: it is shown first. */
	firefox.type = wanted;
	add_thread(&firefox, libraries);
	for (uint32_t type = 0; type < view->types.count; type++) {
		if (type == wanted || !view->types.items[type].total)
			continue;
		firefox.type = type;
		add_thread(&firefox, libraries);
	}
	text_add(&out->text, "\n]}\n");
	string_table_deinit(&firefox.strings);
	free(firefox.library_of);
	return NULL;
}
