/*
 * What a channel of the program has: a profile in memory, and queries over it. Each
 * output of the channel is a query's result, or the profile.
 */
#include "query/format.h"
#include "query/result.h"
#include "query/run.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "publish/publish.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "context/channels.h"
#include "publish/loops.h"
#include "publish/source.h"
#include "publish/spot.h"
#include "publish/steps.h"
#include "record/output.h"
#include "record/record.h"
#include "symbols/naming.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) publish_channel_function trammel_publish_channel;

/* What only profiles have: the process that records belong to. */
static const char *const profile_only[] = {"image", "run.measure", "trm.version"};
enum { NO_ATTRIBUTE = UINT32_MAX };

struct taking {
	struct record_model *model;
	struct trm_writer *writer;
	bool for_queries; /* nobody gets the profile itself */
};

static struct record_value value_of(const struct publish_value *value)
{
	struct record_value result = {.type = (enum record_type)value->type,
				      .u = value->u};

	if (value->type == RECORD_STRING || value->type == RECORD_BLOB) {
		result.size = value->size;
		result.bytes = value->bytes;
	}
	return result;
}

static uint32_t take_attribute(void *context, const char *name, uint32_t type,
			       uint32_t properties)
{
	struct taking *taking = context;

	for (size_t i = 0; i < array_count(profile_only); i++)
		if (taking->for_queries && !strcmp(name, profile_only[i]))
			return NO_ATTRIBUTE;
	/* What only others read has metadata of the run as contexts, as from the peer. */
	if (taking->for_queries &&
	    (properties & (RECORD_GLOBAL | RECORD_AGGREGATABLE)) == RECORD_GLOBAL)
		properties = RECORD_GLOBAL | RECORD_SCOPE_PROCESS | RECORD_SKIP_EVENTS |
			     RECORD_UNALIGNED;
	return record_attribute_make(taking->model, name, (enum record_type)type,
				     properties);
}

static struct publish_value string_value(const char *text)
{
	return (struct publish_value){
		.type = RECORD_STRING, .size = (uint32_t)strlen(text), .bytes = text};
}

static uint32_t take_node(void *context, uint32_t parent, uint32_t attribute,
			  struct publish_value value)
{
	struct taking *taking = context;

	return record_node_child(taking->model, parent, attribute, value_of(&value));
}

static void take_record(void *context, uint32_t node, const struct publish_pair *pairs,
			size_t count)
{
	struct taking *taking = context;
	struct record_pair taken[256];
	size_t used = 0;

	for (size_t i = 0; i < count && used < array_count(taken); i++)
		if (pairs[i].attribute != NO_ATTRIBUTE)
			taken[used++] = (struct record_pair){pairs[i].attribute,
							     value_of(&pairs[i].value)};
	trm_writer_record(taking->writer, node, taken, used);
}

static void take_global(void *context, uint32_t attribute, struct publish_value value)
{
	struct taking *taking = context;

	if (attribute != NO_ATTRIBUTE)
		trm_writer_global(taking->writer, attribute, value_of(&value));
}

static void take_description(void *context, uint32_t attribute, uint32_t key,
			     struct publish_value value)
{
	struct taking *taking = context;

	if (attribute != NO_ATTRIBUTE && key != NO_ATTRIBUTE)
		record_attribute_describe(taking->model, attribute, key,
					  value_of(&value));
}

static void say_global(struct taking *taking, const char *name, const char *text)
{
	take_global(taking,
		    take_attribute(taking, name, RECORD_STRING,
				   RECORD_AS_VALUE | RECORD_GLOBAL),
		    string_value(text));
}

/* The process, which all records belong to: image 1. */
static void say_process(struct taking *taking)
{
	const uint32_t value = RECORD_AS_VALUE;
	char program[4096] = "";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const struct publish_pair pairs[] = {
		{take_attribute(taking, "process", RECORD_UINT, value),
		 {.type = RECORD_UINT, .u = (uint64_t)getpid()}},
		{take_attribute(taking, "image", RECORD_UINT, value),
		 {.type = RECORD_UINT, .u = 1}},
		{take_attribute(taking, "process.parent", RECORD_UINT, value),
		 {.type = RECORD_UINT, .u = (uint64_t)getppid()}},
		{take_attribute(taking, "program", RECORD_STRING, value),
		 string_value(program)},
		{take_attribute(taking, "process.state", RECORD_STRING, value),
		 string_value("running")},
	};

	(void)length;
	take_record(taking, 0, pairs, array_count(pairs));
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct symbols *symbols = context;
	uint64_t start = UINT64_MAX, end = 0;
	const char *name = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	scoped_free char *path = realpath(name, NULL);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		start = at < start ? at : start;
		end = at + segment->p_memsz > end ? at + segment->p_memsz : end;
	}
	symbols_add(symbols, start, end, info->dlpi_addr, path ? path : info->dlpi_name);
	return 0;
}

/* Names of this process's own modules, as they are now. NULL: none is wanted. */
static struct naming *name_own(struct record_model *model, uint32_t lookups)
{
	struct symbols *symbols = lookups ? symbols_create(lookups) : NULL;

	if (symbols)
		dl_iterate_phdr(add_module, symbols);
	return symbols ? naming_create(model, symbols, lookups) : NULL;
}

static struct trm_error *save_spool(struct taking *taking,
				    const struct publish_channel *request)
{
	struct naming *naming = name_own(taking->model, request->lookups);
	const struct context_channel_saving saving = {
		.writer = taking->writer,
		.model = taking->model,
		.image = taking->for_queries ? 0 : 1,
		.ns_per_tick = request->ns_per_tick,
		.look_up = naming ? symbols_naming.look_up : NULL,
		.context = naming,
	};
	struct context_process process;
	struct trm_error *error;

	error = context_process_init_memory(&process, request->spool, request->spool_size,
					    request->name);
	if (!error)
		context_channel_save(&saving, &process, request->number);
	if (!error && request->also)
		context_channel_save(&saving, &process, request->also);
	context_process_deinit(&process);
	naming_destroy(naming);
	return error;
}

static struct trm_error *write_profile(int fd, const struct publish_channel *request)
{
	struct taking taking = {.model = record_model_create()};
	struct publish_sink sink = {
		.context = &taking,
		.attribute = take_attribute,
		.node = take_node,
		.record = take_record,
		.global = take_global,
		.describe = take_description,
	};
	struct trm_error *error, *disk;

	taking.for_queries = true;
	for (size_t i = 0; i < request->output_count; i++)
		taking.for_queries &= request->outputs[i].query ||
				      request->outputs[i].across ||
				      request->outputs[i].loops;
	taking.writer = trm_writer_create(fd, taking.model);
	if (taking.for_queries)
		trm_writer_leave_plain(taking.writer);
	say_global(&taking, "trm.version", TRAMMEL_VERSION);
	say_global(&taking, "cali.channel", request->name);
	say_global(&taking, "run.measure", "regions");
	if (!taking.for_queries)
		say_process(&taking);
	request->fill(request->context, &sink);
	error = request->spool ? save_spool(&taking, request)
			       : trm_error_create(TRM_ERROR_SYSTEM,
						  "no memory for the channel '%s'",
						  request->name);
	disk = trm_writer_finish(taking.writer);
	if (!error)
		error = disk;
	else
		trm_error_destroy(disk);
	record_model_destroy(taking.model);
	return error;
}

static struct trm_error *print_text(const struct publish_output *output,
				    const struct text *text)
{
	bool is_stdout = !strcmp(output->path, "stdout");
	FILE *file = is_stdout ? stdout : stderr;
	bool own = !is_stdout && strcmp(output->path, "stderr") != 0;

	if (own)
		file = fopen(output->path, output->append ? "ae" : "we");
	if (!file)
		return trm_error_system(errno, "cannot write '%s'", output->path);
	bool written = fwrite(text->data ? text->data : "", 1, text->length, file) ==
		       text->length;

	written &= !(own ? fclose(file) : fflush(file));
	return written ? NULL
		       : trm_error_system(errno, "cannot write '%s'", output->path);
}

/* The output that is written part by part: one channel is written at a time. */
static struct publish_output streaming;

static struct trm_error *write_part(const struct text *text)
{
	struct trm_error *error = print_text(&streaming, text);

	streaming.append = true;
	return error;
}

/* What holds of attributes goes on only if records do one by one. */
static struct trm_error *stream_query(const struct publish_output *output,
				      const struct query *query, const char *profile,
				      const struct query_style *style)
{
	struct text warnings = {0}, nothing = {0};
	struct trm_error *error;

	streaming = *output;
	error = write_part(&nothing);
	if (!error)
		error = query_stream(query, &profile, 1, style, write_part, &warnings);
	text_deinit(&warnings);
	return error;
}

/* One channel may be printed behind another, and both are tables. */
static struct trm_error *run_query(const struct publish_output *output,
				   const struct query *query, const char *profile)
{
	const struct query_style style = {.width = 0};
	struct text text = {0}, warnings = {0};
	struct query_result *result;
	struct trm_error *error;

	if (query_can_stream(query, &style))
		return stream_query(output, query, profile, &style);
	error = query_run(query, &profile, 1, 1, &result, &warnings);
	if (!error) {
		query_print(result, &style, &text);
		query_result_destroy(result);
		error = print_text(output, &text);
	}
	text_deinit(&text);
	text_deinit(&warnings);
	return error;
}

static struct trm_error *copy_profile(const struct publish_output *output, int fd)
{
	struct trm_error *error = NULL;
	struct trm_output file;
	off_t at = 0, size = lseek(fd, 0, SEEK_END);

	TRM_TRY(trm_output_open(output->path, &file));
	while (!error && at < size)
		if (sendfile(file.fd, fd, &at, (size_t)(size - at)) <= 0)
			error = trm_error_system(errno, "cannot write '%s'",
						 output->path);
	return trm_output_close(&file, error);
}

/* Folders of the file's name that are not there; who opens it says what is wrong. */
static void make_folders(const char *path)
{
	char folder[PATH_MAX];

	for (const char *at = strchr(path + (*path == '/'), '/'); at;
	     at = strchr(at + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(at - path), path);
		if (mkdir(folder, 0777) && errno != EEXIST)
			return;
	}
}

static struct trm_error *print_loops(const struct publish_output *output,
				     struct source *source)
{
	struct text text = {0};
	struct trm_error *error = output->loops->regions
					  ? spot_profile(output->loops, source, &text)
					  : loops_report(output->loops, source, &text);

	if (!error && source->writes)
		error = print_text(output, &text);
	text_deinit(&text);
	return error;
}

static struct trm_error *print_table(const struct publish_output *output,
				     struct source *source)
{
	struct text text = {0};
	struct trm_error *error =
		source_add(source, output->query, output->across, output->caliper, &text);

	if (!error && source->writes) {
		make_folders(output->path);
		error = print_text(output, &text);
	}
	text_deinit(&text);
	return error;
}

/* Others wait for what this process has, so it takes part whatever happens. `fd`: -1 if
 * there is no profile. */
static struct trm_error *write_across(const struct publish_channel *request,
				      const struct publish_output *output, int fd)
{
	struct trm_error *error;
	struct source source;

	source_init(&source, request, fd);
	if (output->loops)
		make_folders(output->path);
	error = output->loops ? print_loops(output, &source)
			      : print_table(output, &source);
	source_deinit(&source);
	return error;
}

static struct trm_error *write_output(const struct publish_channel *request,
				      const struct publish_output *output, int fd)
{
	struct query *query;
	char profile[64];

	if (output->loops)
		return write_across(request, output, fd);
	make_folders(output->path);
	if (!output->query)
		return copy_profile(output, fd);
	TRM_TRY(step_parse(output->query, output->caliper, &query));
	snprintf(profile, sizeof(profile), "/proc/self/fd/%d", fd);
	struct trm_error *error = run_query(output, query, profile);

	query_destroy(query);
	return error;
}

/* A write to a file that may not be so large raises a signal, too, which is not the
 * program's. It is blocked meanwhile, as it may be already. */
struct held {
	sigset_t signals, before;
	bool pending; /* it was the program's own */
};

static void hold_signal(struct held *held)
{
	sigset_t pending;

	sigemptyset(&held->signals);
	sigaddset(&held->signals, SIGXFSZ);
	sigpending(&pending);
	held->pending = sigismember(&pending, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &held->signals, &held->before);
}

static void release_signal(const struct held *held)
{
	const struct timespec now = {0, 0};

	while (!held->pending && sigtimedwait(&held->signals, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

static void print_error(struct trm_error *error)
{
	if (error)
		trm_error_print(error);
}

/* What the queries are over. */
static int open_profile(const struct publish_channel *request)
{
	return request->records ? open(request->records, O_RDONLY | O_CLOEXEC)
				: memfd_create("trammel channel", MFD_CLOEXEC);
}

static void publish_request(const struct publish_channel *request)
{
	scoped_fd int fd = open_profile(request);
	struct trm_error *error =
		fd < 0 ? trm_error_system(errno, "cannot write the channel '%s'",
					  request->name)
		: request->records ? NULL
				   : write_profile(fd, request);
	bool failed = error != NULL;

	print_error(error);
	for (size_t i = 0; i < request->output_count; i++) {
		const struct publish_output *output = &request->outputs[i];

		if (output->across)
			print_error(write_across(request, output, failed ? -1 : fd));
		else if (!failed)
			print_error(write_output(request, output, fd));
	}
}

void trammel_publish_channel(const struct publish_channel *request)
{
	struct held held;

	if (request->abi != PUBLISH_ABI) {
		fprintf(stderr,
			"trammel: cannot write the channel '%s': another version\n",
			request->name);
		return;
	}
	hold_signal(&held);
	publish_request(request);
	release_signal(&held);
}
