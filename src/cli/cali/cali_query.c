/*
 * `cali-query`: the program of this name of LLNL's Caliper, with its options and its
 * output. See man/cali-query.1.md. Options become clauses behind those of the query.
 */
#include "context/channel_view.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/library.h"
#include "cli/cali/help.h"
#include "cli/cali/options.h"
#include "query/format.h"
#include "query/query.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/annotate.h>
#include <trammel/channel.h>
#include <unistd.h>

/* In the environment of a cali-query that measures itself. */
#define MEASURED "CALI_QUERY_IS_MEASURED"

/* As Caliper has them, but for the last: it says 0. */
enum { EXIT_OPTION = 255, EXIT_QUERY = 254, EXIT_READ = 4 };

enum option {
	OPTION_SELECT,
	OPTION_AGGREGATE,
	OPTION_AGGREGATE_KEY,
	OPTION_EXPAND,
	OPTION_ATTRIBUTES,
	OPTION_SORT,
	OPTION_FORMAT,
	OPTION_TITLE,
	OPTION_TABLE,
	OPTION_TREE,
	OPTION_PATH_ATTRIBUTES,
	OPTION_JSON,
	OPTION_JSON_SPLIT,
	OPTION_QUERY,
	OPTION_QUERY_FILE,
	OPTION_LIST_ATTRIBUTES,
	OPTION_LIST_GLOBALS,
	OPTION_THREADS,
	OPTION_PROFILE,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_OUTPUT,
	OPTION_HELP,
	OPTION_COUNT
};

static const struct cali_option options[OPTION_COUNT + 1] = {
	[OPTION_SELECT] =
		{"select", 's', "QUERY_STRING",
		 "only records with these attributes: [-]attribute[=value],..."},
	[OPTION_AGGREGATE] = {"aggregate", 'a', "OPERATORS",
			      "sum up records: sum(attribute),count,..."},
	[OPTION_AGGREGATE_KEY] = {"aggregate-key", 0, "ATTRIBUTES",
				  "tell groups apart by these only; none: by none"},
	[OPTION_EXPAND] = {"expand", 'e', NULL,
			   "a line attribute=value,... for each record"},
	[OPTION_ATTRIBUTES] = {"print-attributes", 0, "ATTRIBUTES",
			       "print these attributes only"},
	[OPTION_SORT] = {"sort-by", 'S', "ATTRIBUTES", "sort the rows of tables"},
	[OPTION_FORMAT] = {"format", 'f', "FORMAT",
			   "a line for each record: %[WIDTH]attribute%..."},
	[OPTION_TITLE] = {"title", 0, "STRING", "the first line, with --format"},
	[OPTION_TABLE] = {"table", 't', NULL, "a table"},
	[OPTION_TREE] = {"tree", 'T', NULL, "a tree of the paths"},
	[OPTION_PATH_ATTRIBUTES] = {"path-attributes", 0, "ATTRIBUTES",
				    "these make the path, with --tree"},
	[OPTION_JSON] = {"json", 'j', NULL, "JSON, a list of objects"},
	[OPTION_JSON_SPLIT] = {"json-split", 'J', NULL,
			       "JSON as Hatchet and Thicket read it"},
	[OPTION_QUERY] = {"query", 'q', "QUERY", "a query, see --help=calql"},
	[OPTION_QUERY_FILE] = {"query-file", 'Q', "FILE", "the query is in a file"},
	[OPTION_LIST_ATTRIBUTES] = {"list-attributes", 0, NULL,
				    "the attributes, instead of records"},
	[OPTION_LIST_GLOBALS] = {"list-globals", 'G', NULL,
				 "run metadata, instead of records"},
	[OPTION_THREADS] = {"threads", 0, "N", "so many files at once"},
	[OPTION_PROFILE] = {"caliper-config", 'P', "CONFIG",
			    "measure cali-query itself, as runtime-report"},
	[OPTION_VERBOSE] = {"verbose", 'v', NULL, "say which files are read"},
	[OPTION_VERSION] = {"version", 'V', NULL, "print the version"},
	[OPTION_OUTPUT] = {"output", 'o', "FILE", "write there"},
	[OPTION_HELP] = {"help", 'h', "TOPIC", "this help, or that of a topic"},
};

static struct {
	const char *given[OPTION_COUNT]; /* "" for an option without argument */
	struct cali_words files;
	bool failed; /* a file could not be read */
	FILE *out;
} arguments;

/* Of an option that comes twice the first one counts. */
static void take_option(int option, const char *argument)
{
	if (!arguments.given[option])
		arguments.given[option] = argument;
}

static void print_help(const char *topic)
{
	if (*topic) {
		cali_help(topic);
		return;
	}
	puts("cali-query [OPTION]... [FILE]...\n"
	     "  Reads, filters and sums up .cali and .trm files.\n");
	cali_options_print(options, stdout);
	puts("\n --help=services and --help=configs list what -P takes, --help=NAME says "
	     "more of one;\n"
	     " --help=calql tells of queries, also --help=let, select, groupby, where "
	     "and "
	     "format.");
}

/* "[-]attribute[=value],...", also with < and >. */
static void add_selectors(struct text *out, const char *list)
{
	scoped_free char *copy = memory_copy_string(list);
	char *rest = copy, *clause;
	const char *before = " WHERE ";

	while ((clause = strsep(&rest, ","))) {
		bool not = *clause == '-';
		size_t size = strcspn(clause += not, "<=>");
		char sign = clause[size];

		if (!size)
			continue;
		text_format(out, "%s%s", before, not ? "NOT " : "");
		clause[size] = '\0';
		cali_add_quoted(out, clause, "");
		if (sign) {
			text_format(out, " %c ", sign);
			cali_add_quoted(out, clause + size + 1, "");
		}
		before = ", ";
	}
}

static void add_list(struct text *out, const char *clause, enum option option)
{
	if (!arguments.given[option])
		return;
	text_add(out, clause);
	cali_add_quoted(out, arguments.given[option], ",");
}

static void add_group(struct text *out)
{
	const char *keys = arguments.given[OPTION_AGGREGATE_KEY];
	const char *operators = arguments.given[OPTION_AGGREGATE];

	if (!operators)
		return;
	if (*operators)
		text_format(out, " AGGREGATE %s", operators);
	if (!keys)
		return;
	if (!strcmp(keys, "none"))
		text_add(out, " GROUP BY ()");
	else
		text_format(out, " GROUP BY %s", keys);
}

/* The format that an option chooses: the first one that was given, in Caliper's order. */
static void add_format(struct text *out)
{
	static const struct {
		enum option option;
		const char *clause;
	} formats[] = {
		{OPTION_JSON, " FORMAT json"}, {OPTION_EXPAND, " FORMAT expand"},
		{OPTION_FORMAT, NULL},         {OPTION_TABLE, " FORMAT table"},
		{OPTION_TREE, " FORMAT tree"}, {OPTION_JSON_SPLIT, " FORMAT json-split"},
	};
	size_t i = 0, count = array_count(formats);

	while (i < count && !arguments.given[formats[i].option])
		i++;
	if (i == count)
		return;
	if (formats[i].clause) {
		text_add(out, formats[i].clause);
		if (formats[i].option == OPTION_TREE &&
		    arguments.given[OPTION_PATH_ATTRIBUTES]) {
			text_add(out, "(path-attributes=");
			cali_add_quoted(out, arguments.given[OPTION_PATH_ATTRIBUTES], "");
			text_add(out, ")");
		}
		return;
	}
	text_add(out, " FORMAT format(format=");
	cali_add_quoted(out, arguments.given[OPTION_FORMAT], "");
	if (arguments.given[OPTION_TITLE]) {
		text_add(out, ", title=");
		cali_add_quoted(out, arguments.given[OPTION_TITLE], "");
	}
	text_add(out, ")");
}

static struct trm_error *add_query_file(struct text *out, const char *path)
{
	scoped_file FILE *file = fopen(path, "r");
	char bytes[4096];
	size_t got;

	if (!file)
		return trm_error_system(errno, "cannot open query file '%s'", path);
	while ((got = fread(bytes, 1, sizeof(bytes), file)) &&
	       out->length < QUERY_TEXT_MAX)
		text_add_bytes(out, bytes, got);
	return NULL;
}

/* All that the command line says, as a query. */
static struct trm_error *make_query(struct query **ret_query)
{
	TRM_REGION("Initialization");
	struct text text = {0};
	struct trm_error *error = NULL;
	size_t place;

	text_add(&text, "");
	if (arguments.given[OPTION_QUERY])
		text_add(&text, arguments.given[OPTION_QUERY]);
	else if (arguments.given[OPTION_QUERY_FILE])
		error = add_query_file(&text, arguments.given[OPTION_QUERY_FILE]);
	if (arguments.given[OPTION_SELECT])
		add_selectors(&text, arguments.given[OPTION_SELECT]);
	add_list(&text, " SELECT ", OPTION_ATTRIBUTES);
	add_group(&text);
	add_list(&text, " ORDER BY ", OPTION_SORT);
	add_format(&text);
	if (!error)
		error = query_parse_caliper(text.data, ret_query, &place);
	text_deinit(&text);
	return error;
}

static void report_error(struct trm_error *error, const char *what)
{
	fprintf(stderr, "cali-query: %s%s\n", what, error->message);
	trm_error_destroy(error);
}

/* As Caliper does, goes on with the next file where one cannot be read. */
static struct trm_error *read_file(const char *path, struct record_model *model,
				   const struct trm_visitor *visitor, char **ret_warning)
{
	bool standard = !*path;

	if (arguments.given[OPTION_VERBOSE])
		fprintf(stderr, "cali-query: Reading %s\n", standard ? "stdin" : path);
	trm_begin("cali-query.stream", standard ? "stdin" : path);
	struct trm_error *error =
		trm_read(standard ? "/dev/stdin" : path, model, visitor, ret_warning);

	trm_end("cali-query.stream");
	if (error) {
		arguments.failed = true;
		report_error(error, "Error reading ");
	}
	return NULL;
}

struct globals {
	struct record_model *model;
	struct VECTOR(record_node) nodes; /* children of the root */
};

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct globals *globals = context;
	record_node node = record_node_child(globals->model, 0, attribute, value);

	vector_for_each (&globals->nodes, known) {
		if (record_node_pair(globals->model, *known).attribute == attribute) {
			*known = node;
			return;
		}
	}
	vector_push(&globals->nodes, node);
}

/* Reads all files, and tells the globals of all of them as one record. */
static struct trm_error *read_globals(const char *file_at, struct record_model *model,
				      const struct trm_visitor *visitor,
				      char **ret_warning)
{
	struct globals globals = {.model = model};
	record_node path = 0;
	const struct trm_visitor own = {.context = &globals, .global = see_global};
	struct VECTOR(struct record_pair) pairs = {0};
	char *warning = NULL;

	(void)file_at;
	vector_for_each (&arguments.files, file) {
		trm_error_destroy(read_file(*file, model, &own, &warning));
		if (!*ret_warning)
			*ret_warning = take_pointer(warning);
		free(warning);
		warning = NULL;
	}
	vector_for_each (&globals.nodes, node) {
		struct record_pair pair = record_node_pair(model, *node);

		visitor->global(visitor->context, pair.attribute, pair.value);
		if (record_attribute_properties(model, pair.attribute) & RECORD_AS_VALUE)
			vector_push(&pairs, pair);
		else
			path = record_node_child(model, path, pair.attribute, pair.value);
	}
	if (globals.nodes.count)
		visitor->record(visitor->context, path, pairs.items, pairs.count);
	vector_deinit(&pairs);
	vector_deinit(&globals.nodes);
	return NULL;
}

/* A record for an attribute of another model. */
static void tell_attribute(const struct record_model *from, record_attribute id,
			   struct record_model *model, const struct trm_visitor *visitor)
{
	struct VECTOR(struct record_pair) pairs = {0};

	vector_push(&pairs, ((struct record_pair){
				    record_attribute_make(model, "attribute.id",
							  RECORD_UINT, RECORD_AS_VALUE),
				    record_uint(id)}));
	vector_push(&pairs, ((struct record_pair){
				    record_attribute_make(model, "cali.attribute.name",
							  RECORD_STRING, RECORD_AS_VALUE),
				    record_string(record_attribute_name(from, id))}));
	vector_push(&pairs, ((struct record_pair){
				    record_attribute_make(model, "cali.attribute.prop",
							  RECORD_INT, RECORD_AS_VALUE),
				    record_int(cali_properties_write(
					    record_attribute_properties(from, id)))}));
	for (size_t i = 0; i < record_attribute_descriptions(from, id); i++) {
		struct record_pair said = record_attribute_description(from, id, i);

		said.attribute = record_attribute_make(
			model, record_attribute_name(from, said.attribute),
			said.value.type, RECORD_AS_VALUE);
		vector_push(&pairs, said);
	}
	vector_push(&pairs, ((struct record_pair){
				    record_attribute_make(model, "cali.attribute.type",
							  RECORD_TYPE, RECORD_AS_VALUE),
				    {.type = RECORD_TYPE,
				     .u = record_attribute_type(from, id)}}));
	visitor->record(visitor->context, 0, pairs.items, pairs.count);
	vector_deinit(&pairs);
}

/* Tells the attributes of a file as records. */
static struct trm_error *read_attributes(const char *path, struct record_model *model,
					 const struct trm_visitor *visitor,
					 char **ret_warning)
{
	struct record_model *from = record_model_create();
	const struct trm_visitor none = {0};
	struct trm_error *error = read_file(path, from, &none, ret_warning);

	for (record_attribute id = 0; id < record_attribute_count(from); id++)
		tell_attribute(from, id, model, visitor);
	record_model_destroy(from);
	return error;
}

static struct trm_error *write_part(const struct text *text)
{
	if (!text->length ||
	    (fwrite(text->data, 1, text->length, arguments.out) == text->length &&
	     !fflush(arguments.out)))
		return NULL;
	return trm_error_system(errno, "cannot write");
}

static struct trm_error *show_result(const struct query *query)
{
	const char *const *files = arguments.files.items;
	size_t count = arguments.files.count, threads = 4;
	struct query_output output = {.write = write_part};
	const struct query_style style = {.output = &output};
	struct text warnings = {0}, text = {0};
	struct query_result *result;
	struct trm_error *error;

	if (arguments.given[OPTION_THREADS])
		threads = strtoul(arguments.given[OPTION_THREADS], NULL, 10);
	if (arguments.given[OPTION_LIST_GLOBALS])
		count = 1;
	trm_begin("region", "Processing");
	if (query_can_stream(query, &style)) {
		error = query_stream(query, files, count, &style, write_part, &warnings);
		trm_end("region");
		TRM_REGION("Writing");
		if (!error && fflush(arguments.out))
			error = trm_error_system(errno, "cannot write");
	} else {
		error = query_run(query, files, count, threads, &result, &warnings);
		trm_end("region");
		TRM_REGION("Writing");
		if (!error) {
			query_print(result, &style, &text);
			query_result_destroy(result);
			error = output.error ? output.error : write_part(&text);
			text_deinit(&text);
		}
	}
	text_print_warnings(&warnings, "cali-query");
	text_deinit(&warnings);
	return error;
}

static struct trm_error *open_output(void)
{
	const char *path = arguments.given[OPTION_OUTPUT];

	arguments.out = stdout;
	if (!path || !strcmp(path, "stdout"))
		return NULL;
	arguments.out = strcmp(path, "stderr") ? fopen(path, "w") : stderr;
	return arguments.out ? NULL : trm_error_system(errno, "cannot open '%s'", path);
}

static int run_query(struct query *query)
{
	if (arguments.given[OPTION_LIST_GLOBALS])
		query->read = read_globals;
	else if (arguments.given[OPTION_LIST_ATTRIBUTES])
		query->read = read_attributes;
	else
		query->read = read_file;
	query->shows_globals = query->read == read_globals;
	query->shows_all |= query->shows_globals;
	struct trm_error *error = open_output();

	if (!error)
		error = show_result(query);
	if (arguments.out && arguments.out != stdout && arguments.out != stderr &&
	    fclose(arguments.out) && !error)
		error = trm_error_system(errno, "cannot write");
	if (error) {
		report_error(error, "");
		return EXIT_READ;
	}
	return arguments.failed ? EXIT_READ : 0;
}

/* With the library of contexts in it, which reads the configuration before main(): so
 * this program executes itself once more. */
static void measure_itself(const char **argv)
{
	const char *preloaded = getenv("LD_PRELOAD");
	struct text libraries = {0};
	char self[PATH_MAX];

	if (getenv(MEASURED))
		return;
	scoped_free char *library = library_find("runtime", LIBRARY_RUNTIME);
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	text_format(&libraries, "%s%s%s", library ? library : "", preloaded ? ":" : "",
		    preloaded ? preloaded : "");
	setenv(MEASURED, "1", 1);
	setenv("LD_PRELOAD", libraries.data, 1);
	setenv("TRAMMEL_CONFIG", arguments.given[OPTION_PROFILE], 1);
	text_deinit(&libraries);
	if (library && length > 0) {
		self[length] = '\0';
		execv(self, (char *const *)(uintptr_t)argv);
	}
	fprintf(stderr, "cali-query: warning: -P is left out: cannot %s\n",
		library ? "execute cali-query once more" : "find '" LIBRARY_RUNTIME "'");
}

/* In the one that is measured: what is wrong in the configuration, which the library has
 * said as it began. */
static bool is_measured_as_asked(void)
{
	typeof(&trm_channels_create) create;
	typeof(&trm_channels_message) message;
	typeof(&trm_channels_destroy) destroy;

	*(void **)&create = dlsym(RTLD_DEFAULT, "trm_channels_create");
	*(void **)&message = dlsym(RTLD_DEFAULT, "trm_channels_message");
	*(void **)&destroy = dlsym(RTLD_DEFAULT, "trm_channels_destroy");
	if (!create || !message || !destroy)
		return true;
	struct trm_channels *again = create(arguments.given[OPTION_PROFILE]);
	bool right = !*message(again);

	destroy(again);
	return right;
}

static int run_command_line(const char **argv)
{
	struct query *query;
	const char *unknown =
		cali_options_parse(options, argv, take_option, &arguments.files);

	if (unknown) {
		fprintf(stderr,
			"cali-query: error: unknown option: %s\n  Available options:\n",
			unknown);
		cali_options_print(options, stderr);
		return EXIT_OPTION;
	}
	if (arguments.given[OPTION_HELP]) {
		print_help(arguments.given[OPTION_HELP]);
		return 0;
	}
	if (arguments.given[OPTION_VERSION]) {
		fputs("trammel " TRAMMEL_VERSION "\n", stderr);
		return 0;
	}
	if (arguments.given[OPTION_PROFILE]) {
		measure_itself(argv);
		if (!is_measured_as_asked())
			return EXIT_OPTION;
	}
	if (!arguments.files.count)
		vector_push(&arguments.files, "");
	struct trm_error *error = make_query(&query);

	if (error) {
		report_error(error, "Invalid query: ");
		return EXIT_QUERY;
	}
	int status = run_query(query);

	query_destroy(query);
	return status;
}

int main(int argc, const char **argv)
{
	(void)argc;
	int status = run_command_line(argv);

	vector_deinit(&arguments.files);
	return status;
}
