#include "libcontrol/starting.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/settings.h"
#include "base/text.h"
#include "libcontrol/measurements.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Fields of a request while it is made. */
struct fields VECTOR(Trm__Field *);

static void add_field(struct fields *fields, const char *prefix, const char *name,
		      const char *value)
{
	Trm__Field *field = memory_allocate(sizeof(*field));
	struct text whole = {0};

	trm__field__init(field);
	text_format(&whole, "%s%s", prefix, name);
	field->name = whole.data;
	if (value) {
		field->value_case = TRM__FIELD__VALUE_TEXT;
		field->text = memory_copy_string(value);
	}
	vector_push(fields, field);
}

static void free_fields(struct fields *fields)
{
	vector_for_each (fields, field)
		trm__field__free_unpacked(*field, NULL);
	vector_deinit(fields);
}

static void add_stream(const struct control_process *process, int stream,
		       struct fields *fields)
{
	static const char *const names[PROCESS_STREAMS] = {"stdin", "stdout", "stderr"};
	const bool far = process->engine->connection.is_far;
	struct text file = {0};
	const char *how = "null";

	switch (process->redirections[stream]) {
	case TRM_INHERIT:
		how = !far ? "inherit" : stream ? "pipe" : "null";
		break;
	case TRM_RELAY:
		how = "pipe";
		break;
	case TRM_FILE:
		text_format(&file, "file:%s", process->files[stream]);
		how = file.data;
		break;
	case TRM_NULL:
	default:
		break;
	}
	add_field(fields, "", names[stream], how);
	text_deinit(&file);
}

/* A path of this host, for an engine on it that works elsewhere. */
static void add_path(const struct control_process *process, const char *name,
		     const char *path, struct fields *fields)
{
	char here[PATH_MAX];
	struct text whole = {0};

	if (!process->engine->connection.is_far && *path != '/' &&
	    getcwd(here, sizeof(here)))
		text_format(&whole, "%s/", here);
	text_add(&whole, path);
	add_field(fields, "", name, whole.data);
	text_deinit(&whole);
}

/* Of what is not a measurement alone. */
static void fill_ways(const struct control_process *process, struct fields *fields)
{
	char every[32];

	snprintf(every, sizeof(every), "%llu", (unsigned long long)process->save_ns);
	if (process->save_ns)
		add_field(fields, "", "save-every", every);
	if (process->debugged)
		add_field(fields, "", "console", "pipe");
	if (process->debugged && process->on_crash)
		add_field(fields, "", "on-crash", "true");
	if (process->stacks)
		add_field(fields, "", "stdout", "pipe");
}

static void fill_fields(const struct control_process *process, struct fields *fields)
{
	char here[PATH_MAX];

	vector_for_each (&process->knobs, knob)
		add_field(fields, "option.", knob->name, knob->value);
	if (process->output)
		add_path(process, "output", process->output, fields);
	if (process->paused)
		add_field(fields, "", "paused", "true");
	if (process->watched)
		add_field(fields, "", "watch", "true");
	if (process->stopped)
		add_field(fields, "", "stop", "true");
	if (process->regions)
		add_field(fields, "", "regions", "true");
	fill_ways(process, fields);
	if (process->attached_pid || process->save_ns)
		return;
	if (process->engine->connection.is_far)
		add_field(fields, "", "far", "true");
	vector_for_each (&process->environment, variable)
		add_field(fields, "environment.", variable->name, variable->value);
	/* A local engine may have been started in another folder. */
	if (process->directory)
		add_path(process, "directory", process->directory, fields);
	else if (!process->engine->connection.is_far && getcwd(here, sizeof(here)))
		add_field(fields, "", "directory", here);
	for (int i = 0; i < PROCESS_STREAMS; i++)
		add_stream(process, i, fields);
}

static struct trm_error *check_new(const struct control_process *process)
{
	return process->number
		       ? trm_error_create(TRM_ERROR_USAGE,
					  "the process was run already: create another "
					  "one for another run")
		       : NULL;
}

struct trm_error *starting_run(struct control_process *process)
{
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL, *fault = NULL;
	struct fields fields = {0};
	char json[] = "json", *words[] = {json};

	TRM_TRY(check_new(process));
	fill_fields(process, &fields);
	request.verb = process->stacks                             ? PROTOCOL_STACKS
		       : process->attached_pid || process->save_ns ? PROTOCOL_ATTACH
								   : PROTOCOL_RUN;
	request.words = process->words.items;
	request.n_words = process->words.count;
	if (process->json) {
		request.words = words;
		request.n_words = 1;
	}
	request.fields = fields.items;
	request.n_fields = fields.count;
	request.size = (uint64_t)process->attached_pid;
	struct trm_error *error =
		connection_ask(&process->engine->connection, &request, &answer, &fault);

	free_fields(&fields);
	if (!error) {
		process->number = answer->answer->number;
		process->pid = (int)answer->answer->pid;
		process->there = memory_copy_string(answer->answer->text);
		process->state = TRM_PROCESS_RUNNING;
		/* What happened meanwhile is about a process that is known now. */
		process->engine->looked = 0;
	} else if (fault) {
		process->refused = atoi(fault->answer->text);
	}
	frame_free(answer);
	frame_free(fault);
	return error;
}

/* Enters a process that was not run yet. */
static struct trm_error *enter_new(struct trm_process *ticket, bool started_here,
				   struct control_process **ret)
{
	TRM_TRY(process_enter(ticket, ret));
	struct trm_error *error = check_new(*ret);

	if (!error && started_here && (*ret)->attached_pid)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "process %d runs already: how it is started "
					 "cannot be chosen",
					 (*ret)->attached_pid);
	if (error)
		engine_leave((*ret)->engine);
	return error;
}

static struct trm_error *check_knob(struct control_process *process, const char *name,
				    const char *value)
{
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL;
	struct fields fields = {0};

	request.verb = PROTOCOL_CHECK;
	add_field(&fields, "option.", name, value);
	request.fields = fields.items;
	request.n_fields = fields.count;
	struct trm_error *error = engine_ask(process->engine, &request, &answer);

	frame_free(answer);
	free_fields(&fields);
	return error;
}

static void remove_knobs(struct control_process *process, const char *name)
{
	for (size_t i = process->knobs.count; i-- > 0;) {
		struct process_pair *knob = &process->knobs.items[i];

		if (strcmp(knob->name, name) != 0)
			continue;
		free(knob->name);
		free(knob->value);
		memmove(knob, knob + 1, (process->knobs.count - i - 1) * sizeof(*knob));
		process->knobs.count--;
	}
}

/* The knob's row of PROTOCOL_KNOBS. */
static struct trm_error *find_knob(struct control_process *process, const char *name,
				   struct measurements_knob *ret_knob)
{
	return measurements_find_knob(process->engine, name, ret_knob);
}

/* "start_at" is the name in files and programs where '-' cannot be. */
static char *plain_name(const char *name)
{
	char *plain = memory_copy_string(name);

	for (char *at = plain; *at; at++)
		if (*at == '_')
			*at = '-';
	return plain;
}

static struct trm_error *set_knob(struct control_process *process, const char *given,
				  const char *value)
{
	scoped_free char *name = plain_name(given);
	struct measurements_knob knob = {0};

	TRM_TRY(find_knob(process, name, &knob));
	if (value)
		TRM_TRY(check_knob(process, name, value));
	if (!value || !knob.adds)
		remove_knobs(process, name);
	if (value)
		vector_push(&process->knobs,
			    ((struct process_pair){memory_copy_string(name),
						   memory_copy_string(value)}));
	return NULL;
}

EXPORT struct trm_error *trm_process_set(struct trm_process *ticket, const char *knob,
					 const char *value)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, false, &process));
	struct trm_error *error = set_knob(process, knob, value);

	engine_leave(process->engine);
	return error;
}

static struct trm_error *get_knob(struct control_process *process, const char *given,
				  struct text *ret_value)
{
	scoped_free char *name = plain_name(given);
	struct measurements_knob knob = {0};

	TRM_TRY(find_knob(process, name, &knob));
	vector_for_each (&process->knobs, row)
		if (!strcmp(row->name, name))
			text_format(ret_value, "%s%s", ret_value->length ? "," : "",
				    row->value);
	if (!ret_value->length)
		text_add(ret_value, knob.usual);
	return NULL;
}

EXPORT struct trm_error *trm_process_get(struct trm_process *ticket, const char *knob,
					 char *ret_value, size_t size)
{
	struct control_process *process;
	struct text value = {0};

	TRM_TRY(process_enter(ticket, &process));
	struct trm_error *error = get_knob(process, knob, &value);

	if (!error && size)
		snprintf(ret_value, size, "%s", value.data ? value.data : "");
	text_deinit(&value);
	engine_leave(process->engine);
	return error;
}

static struct trm_error *take_setting(void *context, const char *name, const char *value,
				      size_t line)
{
	(void)line;
	return set_knob(context, name, value);
}

EXPORT struct trm_error *trm_process_configure(struct trm_process *ticket,
					       const char *path)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, false, &process));
	struct trm_error *error = settings_read(path, take_setting, process);

	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_environment(struct trm_process *ticket,
						 const char *name, const char *value)
{
	struct control_process *process;

	if (!name || !*name || strchr(name, '='))
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is not a variable's name",
					name ? name : "");
	TRM_TRY(enter_new(ticket, true, &process));
	vector_push(&process->environment,
		    ((struct process_pair){memory_copy_string(name),
					   value ? memory_copy_string(value) : NULL}));
	engine_leave(process->engine);
	return NULL;
}

static void keep_text(char **to, const char *text)
{
	free(*to);
	*to = text ? memory_copy_string(text) : NULL;
}

EXPORT struct trm_error *trm_process_directory(struct trm_process *ticket,
					       const char *path)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, true, &process));
	keep_text(&process->directory, path);
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_redirect(struct trm_process *ticket, int stream,
					      enum trm_redirection how, const char *path)
{
	struct control_process *process;

	if (stream < 0 || stream >= PROCESS_STREAMS || how > TRM_RELAY ||
	    (how == TRM_FILE && !path))
		return trm_error_create(TRM_ERROR_USAGE,
					"stream %d cannot be redirected so: streams are "
					"0, 1 and 2, and a file has a path",
					stream);
	TRM_TRY(enter_new(ticket, true, &process));
	process->redirections[stream] = how;
	keep_text(&process->files[stream], path);
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_output(struct trm_process *ticket, const char *path)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, false, &process));
	keep_text(&process->output, path);
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_pause_first(struct trm_process *ticket)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, false, &process));
	process->paused = true;
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_debug(struct trm_process *ticket, int on_crash)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, false, &process));
	process->debugged = true;
	process->on_crash = on_crash;
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_save_every(struct trm_process *ticket,
						uint64_t period_ns)
{
	struct control_process *process;

	if (!period_ns || period_ns > INT64_MAX)
		return trm_error_create(TRM_ERROR_USAGE, "profiles have no such period");
	TRM_TRY(enter_new(ticket, false, &process));
	process->save_ns = period_ns;
	engine_leave(process->engine);
	return NULL;
}

EXPORT struct trm_error *trm_process_stacks(struct trm_process *ticket, int json)
{
	struct control_process *process;
	struct trm_error *error = NULL;

	TRM_TRY(enter_new(ticket, false, &process));
	if (!process->attached_pid)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "stacks are those of a process that runs: "
					 "trm_process_attach comes first");
	process->stacks = !error;
	process->redirections[STDOUT_FILENO] = TRM_RELAY;
	process->json = !error && json;
	if (!error)
		error = starting_run(process);
	engine_leave(process->engine);
	return error;
}

EXPORT struct trm_error *trm_process_watch_regions(struct trm_process *ticket)
{
	struct control_process *process;

	TRM_TRY(enter_new(ticket, true, &process));
	process->regions = true;
	engine_leave(process->engine);
	return NULL;
}
