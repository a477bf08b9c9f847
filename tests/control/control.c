/*
 * Uses libtrammel-control: a case for each word of the command line (all without any),
 * and `--command COMMAND` to reach the engine so. The program `target` lies beside it.
 * Prints what is wrong, and `case NAME ok` for each that went well.
 */
#include <trammel/control.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG_MS = 60000 };

static const char *target, *command;
static int failures;

static void fail(int line, const char *what, const char *why)
{
	failures++;
	printf("line %d: %s: %s\n", line, what, why);
	fflush(stdout);
}

/* False, with a message: it is an error. */
static bool went_well(int line, const char *what, struct trm_error *error)
{
	if (!error)
		return true;
	fail(line, what, trm_error_message(error));
	trm_error_release(error);
	return false;
}
#define WELL(call) went_well(__LINE__, #call, call)

static bool holds(int line, const char *what, bool is)
{
	if (!is)
		fail(line, what, "does not hold");
	return is;
}
#define HOLDS(what) holds(__LINE__, #what, what)

/* It is an error of a kind, whose message has some words. */
static void went_wrong(int line, const char *what, struct trm_error *error,
		       enum trm_control_code code, const char *words)
{
	if (!error)
		fail(line, what, "went well");
	else if (trm_error_code(error) != code ||
		 !strstr(trm_error_message(error), words))
		fail(line, what, trm_error_message(error));
	else if (strchr(trm_error_message(error), '\n'))
		fail(line, what, "the message has several lines");
	trm_error_release(error);
}
#define WRONG(call, code, words)                                                         \
	went_wrong(__LINE__, #call, call, TRM_CONTROL_##code, words)

static struct trm_engine *open_engine(void)
{
	const struct trm_engine_options options = {.size = sizeof(options),
						   .command = command};
	struct trm_engine *engine = NULL;

	WELL(trm_engine_open(command ? &options : NULL, &engine));
	return engine;
}

/* There is one engine at a time that has processes with output. */
static struct trm_engine *engine_in_use;

static struct trm_process *create_target(struct trm_engine *engine)
{
	const char *const words[] = {target, NULL};
	struct trm_process *process = NULL;

	engine_in_use = engine;
	WELL(trm_process_create(engine, words, &process));
	WELL(trm_process_redirect(process, 0, TRM_RELAY, NULL));
	WELL(trm_process_redirect(process, 1, TRM_RELAY, NULL));
	return process;
}

/* Collects output until it ends with `end`; writes all of it to `output`. */
static void await_output(struct trm_process *process, const char *end, char *output,
			 size_t size)
{
	size_t length = 0;

	output[0] = '\0';
	while (length < strlen(end) || strcmp(output + length - strlen(end), end) != 0) {
		struct trm_event *event = NULL;
		size_t count;

		if (!WELL(trm_engine_wait(engine_in_use, LONG_MS, &event)) ||
		    !HOLDS(event))
			return;
		const void *data = trm_event_data(event, &count);

		/* What others wrote is of no interest. */
		if (trm_event_process(event) != process) {
			trm_event_release(event);
			continue;
		}
		if (trm_event_kind(event) == TRM_EVENT_OUTPUT && !count) {
			trm_event_release(event);
			return;
		}
		if (trm_event_kind(event) == TRM_EVENT_OUTPUT && length + count < size) {
			memcpy(output + length, data, count);
			length += count;
			output[length] = '\0';
		}
		trm_event_release(event);
	}
}

/* Has the target do what a line says. */
static void say(struct trm_process *process, const char *line)
{
	char output[4096];

	WELL(trm_process_write(process, line, strlen(line)));
	await_output(process, "done\n", output, sizeof(output));
}

static void start(struct trm_process *process)
{
	char output[4096];

	WELL(trm_process_run(process));
	await_output(process, "ready\n", output, sizeof(output));
	HOLDS(!strcmp(output, "ready\n"));
}

static int64_t count_in(struct trm_records *records, const char *function)
{
	size_t count = 0;

	WELL(trm_records_count(records, &count));
	for (size_t i = 0; i < count; i++) {
		struct trm_field name = {.size = sizeof(name)};
		struct trm_field calls = {.size = sizeof(calls)};

		WELL(trm_records_find(records, i, "function", &name));
		WELL(trm_records_find(records, i, "calls", &calls));
		if (name.kind == TRM_FIELD_TEXT && !strcmp(name.text, function))
			return calls.integer;
	}
	return 0;
}

static int64_t count_now(struct trm_process *process, const char *function)
{
	struct trm_records *records = NULL;

	if (!WELL(trm_process_read(process, &records)))
		return -1;
	int64_t count = count_in(records, function);

	trm_records_release(records);
	return count;
}

static int64_t count_at_end(struct trm_process *process, const char *function)
{
	struct trm_profile *profile = NULL;
	struct trm_records *records = NULL;
	int64_t count = -1;

	if (WELL(trm_process_profile(process, &profile)) &&
	    WELL(trm_profile_functions(profile, &records)))
		count = count_in(records, function);
	trm_records_release(records);
	trm_profile_release(profile);
	return count;
}

static void end_target(struct trm_process *process, int expected)
{
	int status = -1;

	WELL(trm_process_write(process, NULL, 0));
	WELL(trm_process_wait(process, LONG_MS, &status));
	HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

static void test_run(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	enum trm_process_state state;
	int pid = 0;

	WELL(trm_process_state(process, &state));
	HOLDS(state == TRM_PROCESS_NEW);
	start(process);
	WELL(trm_process_pid(process, &pid));
	HOLDS(pid > 0);
	say(process, "step 1000\n");
	WELL(trm_process_state(process, &state));
	HOLDS(state == TRM_PROCESS_RUNNING);
	WRONG(trm_process_profile(process, &(struct trm_profile *){NULL}), USAGE,
	      "goes on");
	end_target(process, 0);
	WELL(trm_process_state(process, &state));
	HOLDS(state == TRM_PROCESS_MEASURED);
	HOLDS(count_at_end(process, "step") == 1000);
	trm_engine_release(engine);
}

static void test_counting(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);

	WELL(trm_process_pause_first(process));
	start(process);
	say(process, "step 7\n");
	HOLDS(count_now(process, "step") == 0);
	WRONG(trm_process_pause(process), USAGE, "nothing is being counted");
	WELL(trm_process_resume(process));
	WRONG(trm_process_resume(process), USAGE, "being counted already");
	say(process, "step 100\n");
	HOLDS(count_now(process, "step") == 100);
	WELL(trm_process_pause(process));
	say(process, "step 30\n");
	say(process, "thread 30\n");
	HOLDS(count_now(process, "step") == 100);
	WELL(trm_process_resume(process));
	say(process, "thread 20\n");
	say(process, "fork 5\n");
	HOLDS(count_now(process, "step") == 125);
	WELL(trm_process_reset(process));
	HOLDS(count_now(process, "step") == 0);
	say(process, "step 3\n");
	HOLDS(count_now(process, "step") == 3);
	end_target(process, 0);
	HOLDS(count_at_end(process, "step") == 128);
	trm_engine_release(engine);
}

static void test_detach(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);

	start(process);
	say(process, "step 50\n");
	WELL(trm_process_detach(process));
	say(process, "step 9\n");
	WELL(trm_process_write(process, "exit 3\n", 7));
	end_target(process, 3);
	HOLDS(count_at_end(process, "step") == 50);
	WRONG(trm_process_detach(process), GONE, "over");
	trm_engine_release(engine);
}

static void test_attach(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = NULL;
	int in[2], out[2], status;
	char buffer[64];

	if (pipe(in) || pipe(out))
		return;
	pid_t pid = fork();

	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		execl(target, target, NULL);
		_exit(1);
	}
	HOLDS(read(out[0], buffer, sizeof(buffer)) == 6);
	WELL(trm_process_attach(engine, pid, &process));
	WRONG(trm_process_redirect(process, 1, TRM_NULL, NULL), USAGE, "runs already");
	WELL(trm_process_run(process));
	HOLDS(write(in[1], "step 40\n", 8) == 8);
	HOLDS(read(out[0], buffer, sizeof(buffer)) == 5);

	/* A second controller of the same process. */
	struct trm_engine *other = open_engine();
	struct trm_process *again = NULL;

	WELL(trm_process_attach(other, pid, &again));
	WRONG(trm_process_run(again), UNSUPPORTED, "measured already");
	trm_engine_release(other);
	HOLDS(count_now(process, "step") == 40);
	WELL(trm_process_detach(process));
	WELL(trm_process_wait(process, LONG_MS, NULL));
	HOLDS(write(in[1], "step 9\nexit 4\n", 14) == 14);
	HOLDS(read(out[0], buffer, sizeof(buffer)) == 5);
	waitpid(pid, &status, 0);
	HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 4);
	HOLDS(count_at_end(process, "step") == 40);
	trm_engine_release(engine);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
}

static void test_starting(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	char output[4096], path[] = "/tmp/trammel-control-XXXXXX";
	int fd = mkstemp(path);

	WELL(trm_process_environment(process, "STEPS", "many of them"));
	WELL(trm_process_environment(process, "HOME", NULL));
	WRONG(trm_process_environment(process, "A=B", "x"), USAGE, "not a variable");
	WELL(trm_process_directory(process, "/usr"));
	start(process);
	WRONG(trm_process_environment(process, "A", "x"), USAGE, "run already");
	WELL(trm_process_write(process, "env STEPS\n", 10));
	await_output(process, "done\n", output, sizeof(output));
	HOLDS(!strcmp(output, "many of them done\n"));
	WELL(trm_process_write(process, "env HOME\n", 9));
	await_output(process, "done\n", output, sizeof(output));
	HOLDS(!strcmp(output, "(none) done\n"));
	WELL(trm_process_write(process, "where\n", 6));
	await_output(process, "done\n", output, sizeof(output));
	HOLDS(!strcmp(output, "/usr done\n"));
	end_target(process, 0);
	trm_process_release(process);

	const char *const words[] = {"cat", "/etc/hostname", "/nowhere", NULL};

	WELL(trm_process_create(engine, words, &process));
	WELL(trm_process_redirect(process, 0, TRM_NULL, NULL));
	WELL(trm_process_redirect(process, 1, TRM_NULL, NULL));
	WELL(trm_process_redirect(process, 2, TRM_FILE, path));
	WELL(trm_process_run(process));
	WELL(trm_process_wait(process, LONG_MS, NULL));
	HOLDS(read(fd, output, sizeof(output)) > 10);
	trm_engine_release(engine);
	close(fd);
	unlink(path);
}

static void test_refused(void)
{
	struct trm_engine *engine = open_engine();
	const char *const nowhere[] = {"/nowhere/at/all", NULL};
	const char *const folder[] = {"/usr", NULL};
	struct trm_process *process = NULL;
	int refused = 0;

	WELL(trm_process_create(engine, nowhere, &process));
	WRONG(trm_process_run(process), SYSTEM, "/nowhere/at/all");
	WELL(trm_process_refused(process, &refused));
	HOLDS(refused == 127);
	/* It can be tried again. */
	WRONG(trm_process_run(process), SYSTEM, "/nowhere/at/all");
	trm_process_release(process);
	WELL(trm_process_create(engine, folder, &process));
	WRONG(trm_process_run(process), SYSTEM, "/usr");
	WELL(trm_process_refused(process, &refused));
	HOLDS(refused == 126);
	trm_process_release(process);
	WELL(trm_process_attach(engine, getpid(), &process));
	trm_process_release(process);
	WELL(trm_process_attach(engine, 4194303, &process));
	WRONG(trm_process_run(process), USAGE, "no process");
	WRONG(trm_process_attach(engine, -4, &process), USAGE, "not a process");
	WRONG(trm_process_create(engine, (const char *const[]){NULL}, &process), USAGE,
	      "no program");
	trm_engine_release(engine);
}

static void test_knobs(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	struct trm_records *knobs = NULL;
	char value[200] = "";
	size_t count = 0;

	WELL(trm_engine_knobs(engine, &knobs));
	WELL(trm_records_count(knobs, &count));
	HOLDS(count > 30);
	for (size_t i = 0; i < count; i++) {
		struct trm_field about = {.size = sizeof(about)};

		WELL(trm_records_find(knobs, i, "about", &about));
		HOLDS(about.kind == TRM_FIELD_TEXT && about.text_size > 5);
	}
	trm_records_release(knobs);
	WELL(trm_process_get(process, "frequency", value, sizeof(value)));
	HOLDS(!strcmp(value, "1000"));
	WELL(trm_process_set(process, "only", "step"));
	WELL(trm_process_set(process, "only", "main"));
	WELL(trm_process_get(process, "only", value, sizeof(value)));
	HOLDS(!strcmp(value, "step,main"));
	WELL(trm_process_set(process, "only", NULL));
	WELL(trm_process_set(process, "only", "step"));
	WELL(trm_process_set(process, "start_at", "main"));
	WELL(trm_process_set(process, "threads", "true"));
	WRONG(trm_process_set(process, "threads", "maybe"), USAGE, "true or false");
	WRONG(trm_process_set(process, "for", "soon"), USAGE, "not a time");
	WRONG(trm_process_set(process, "thread", "true"), USAGE, "'threads'");
	WRONG(trm_process_set(process, "output", "x.trm"), USAGE, "no knob");
	start(process);
	say(process, "step 5\n");
	end_target(process, 0);
	HOLDS(count_at_end(process, "step") == 5);
	HOLDS(count_at_end(process, "many") == 0);
	WRONG(trm_process_set(process, "only", "main"), USAGE, "run already");
	trm_engine_release(engine);
}

static void test_measurements(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_measurements *set = NULL;
	struct trm_process *process = create_target(engine);
	struct trm_records *known = NULL;
	char names[100] = "";
	size_t count = 0;

	WELL(trm_engine_measurements(engine, &known));
	WELL(trm_records_count(known, &count));
	HOLDS(count > 10);
	WELL(trm_measurements_create(engine, &set));
	WELL(trm_measurements_add(set, "calls"));
	WELL(trm_measurements_add(set, "edges"));
	WRONG(trm_measurements_add(set, "waits"), USAGE, "waits");
	WRONG(trm_measurements_check(set, "nonsense"), USAGE, "nonsense");
	WELL(trm_measurements_names(set, names, sizeof(names)));
	HOLDS(!strcmp(names, "calls,edges"));
	WELL(trm_measurements_remove(set, "calls"));
	WRONG(trm_measurements_remove(set, "calls"), USAGE, "not in the set");
	WELL(trm_process_measure(process, set));
	trm_measurements_release(set);
	WRONG(trm_measurements_add(set, "calls"), USAGE, "released");
	start(process);
	end_target(process, 0);

	struct trm_profile *profile = NULL;
	struct trm_records *edges = NULL;

	WELL(trm_process_profile(process, &profile));
	WELL(trm_profile_query(
		profile, "SELECT edge, count WHERE edge AND function = main", &edges));
	WELL(trm_records_count(edges, &count));
	HOLDS(count > 0);
	trm_records_release(edges);
	trm_records_release(known);
	trm_engine_release(engine);
	trm_profile_release(profile);
}

struct seen {
	struct trm_engine *engine;
	struct trm_process *process;
	int started, timers, output;
	bool waited;
};

static void on_event(void *context, const struct trm_event *event)
{
	struct seen *seen = context;
	struct trm_event *other;

	seen->started += trm_event_kind(event) == TRM_EVENT_STARTED &&
			 trm_event_process(event) == seen->process;
	seen->timers += trm_event_kind(event) == TRM_EVENT_TIMER;
	if (seen->waited)
		return;
	seen->waited = true;
	WRONG(trm_engine_wait(seen->engine, 0, &other), USAGE, "callback");
}

static void test_events(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	struct seen seen = {.engine = engine, .process = process};
	struct trm_event *event = NULL;
	struct epoll_event ready;
	int fd = -1, epoll = epoll_create1(0);

	WELL(trm_engine_on(engine, TRM_EVENT_STARTED, on_event, &seen));
	WELL(trm_engine_on(engine, TRM_EVENT_TIMER, on_event, &seen));
	WRONG(trm_engine_on(engine, TRM_EVENT_COUNT, on_event, &seen), USAGE, "kind");
	start(process);
	HOLDS(seen.started == 1);
	WRONG(trm_engine_timer(engine, 1000), USAGE, "1ms");
	WELL(trm_engine_timer(engine, 2000000));
	while (seen.timers < 3 && WELL(trm_engine_wait(engine, 5, &event)))
		trm_event_release(event);
	WELL(trm_engine_timer(engine, 0));

	WELL(trm_engine_descriptor(engine, &fd));
	ready = (struct epoll_event){.events = EPOLLIN};
	HOLDS(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ready));
	WELL(trm_engine_wait(engine, 0, &event));
	HOLDS(!event);
	WELL(trm_engine_post(engine, 42, "answer"));
	HOLDS(epoll_wait(epoll, &ready, 1, LONG_MS) == 1);
	WELL(trm_engine_wait(engine, LONG_MS, &event));
	HOLDS(event && trm_event_kind(event) == TRM_EVENT_USER);
	HOLDS(event && !strcmp(trm_event_text(event), "answer"));

	struct trm_context context = {.size = sizeof(context)};

	trm_event_context(event, &context);
	HOLDS(context.value == 42 && context.time_ns);
	trm_event_release(event);
	HOLDS(trm_event_kind(event) == TRM_EVENT_NONE);
	/* Output wakes an epoll, too. */
	WELL(trm_process_write(process, "step 1\n", 7));
	HOLDS(epoll_wait(epoll, &ready, 1, LONG_MS) == 1);
	end_target(process, 0);
	trm_engine_release(engine);
	close(epoll);
}

static void *interrupt_soon(void *engine)
{
	poll(NULL, 0, 50);
	trm_engine_interrupt(engine);
	return NULL;
}

static void test_threads(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	struct trm_event *event = NULL;
	pthread_t thread;

	start(process);
	pthread_create(&thread, NULL, interrupt_soon, engine);
	WELL(trm_engine_wait(engine, -1, &event));
	HOLDS(!event);
	pthread_join(thread, NULL);
	WRONG(trm_process_wait(process, 1, NULL), LIMIT, "goes on");
	/* Events that nobody waits for do not hold up what others ask. */
	pthread_create(&thread, NULL, interrupt_soon, engine);
	WRONG(trm_process_wait(process, -1, NULL), LIMIT, "interrupted");
	pthread_join(thread, NULL);
	WELL(trm_process_kill(process));

	int status = 0;

	WELL(trm_process_wait(process, LONG_MS, &status));
	HOLDS(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	WRONG(trm_process_kill(process), GONE, "ended");
	trm_engine_release(engine);
}

static void test_released(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	struct trm_event *event = NULL;
	struct trm_records *records = NULL;

	WRONG(trm_process_kill((struct trm_process *)(void *)engine), USAGE,
	      "an engine was given where a process is meant");
	WRONG(trm_process_kill(NULL), USAGE, "NULL");
	WRONG(trm_process_kill((struct trm_process *)(void *)&event), USAGE, "");
	trm_process_release(process);
	WRONG(trm_process_kill(process), USAGE, "released");
	trm_process_release(process);
	trm_engine_release(engine);
	WRONG(trm_engine_wait(engine, 0, &event), USAGE, "released");
	WRONG(trm_engine_knobs(engine, &records), USAGE, "released");
	trm_engine_release(engine);
	trm_engine_release(NULL);
}

static void test_output(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	enum { BYTES = 3000000 };
	size_t all = 0, count = 1;
	bool over = false;

	start(process);
	WELL(trm_process_write(process, "out 3000000\nexit 0\n", 19));
	/* Nobody takes it for a while: the program waits, nothing is lost. */
	poll(NULL, 0, 300);
	while (!over) {
		struct trm_event *event = NULL;

		if (!WELL(trm_engine_wait(engine, LONG_MS, &event)) || !HOLDS(event))
			break;
		trm_event_data(event, &count);
		HOLDS(trm_event_kind(event) != TRM_EVENT_LOST);
		if (trm_event_kind(event) == TRM_EVENT_OUTPUT)
			all += count;
		over = trm_event_kind(event) == TRM_EVENT_OUTPUT && !count;
		trm_event_release(event);
	}
	HOLDS(all == BYTES + 5);
	WELL(trm_process_wait(process, LONG_MS, NULL));
	trm_engine_release(engine);
}

static void test_profiles(void)
{
	struct trm_engine *engine = open_engine();
	char folder[] = "/tmp/trammel-control-XXXXXX", paths[3][64];
	const char *const parts[] = {paths[0], paths[1], NULL};
	struct trm_profile *profile = NULL;
	struct trm_records *records = NULL;
	size_t count = 0;

	HOLDS(mkdtemp(folder) != NULL);
	for (int i = 0; i < 3; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%d.trm", folder, i);
	for (int i = 0; i < 2; i++) {
		struct trm_process *process = create_target(engine);

		if (i)
			WELL(trm_process_output(process, paths[i]));
		start(process);
		say(process, "step 12\n");
		end_target(process, 0);
		if (!i)
			WELL(trm_process_save(process, paths[i]));
		trm_process_release(process);
	}
	WRONG(trm_profiles_merge(parts, paths[1]), USAGE, "written over");
	WELL(trm_profiles_merge(parts, paths[2]));
	WELL(trm_profile_open(paths[2], &profile));
	WELL(trm_profile_functions(profile, &records));
	HOLDS(count_in(records, "step") == 24);
	trm_records_release(records);
	WELL(trm_profile_query(profile, "SELECT host WHERE host", &records));
	WELL(trm_records_count(records, &count));
	HOLDS(count == 2);
	WRONG(trm_profile_query(profile, "SELECT sum(", &records), USAGE, "character");
	WRONG(trm_profile_open("/nowhere.trm", &profile), SYSTEM, "/nowhere.trm");
	trm_records_release(records);
	trm_profile_release(profile);
	trm_engine_release(engine);
	for (int i = 0; i < 3; i++)
		unlink(paths[i]);
	rmdir(folder);
}

#include "stops.h"

#include "events.h"

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"run", test_run},           {"counting", test_counting},
	{"detach", test_detach},     {"attach", test_attach},
	{"starting", test_starting}, {"refused", test_refused},
	{"knobs", test_knobs},       {"measurements", test_measurements},
	{"events", test_events},     {"threads", test_threads},
	{"released", test_released}, {"output", test_output},
	{"profiles", test_profiles}, {"stops", test_stops},
	{"watching", test_watching}, {"kinds", test_kinds},
	{"regions", test_regions},   {"halted", test_halted},
};

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return !argc;
}

int main(int argc, char **argv)
{
	static char path[4096];
	char *slash;

	snprintf(path, sizeof(path) - 10, "%s", argv[0]);
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, "target");
	target = path;
	argc--;
	argv++;
	if (argc > 1 && !strcmp(argv[0], "--command")) {
		command = argv[1];
		argc -= 2;
		argv += 2;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int before = failures;

		if (!is_wanted(cases[i].name, argc, argv))
			continue;
		cases[i].run();
		printf("case %s %s\n", cases[i].name,
		       failures == before ? "ok" : "failed");
		fflush(stdout);
	}
	return failures != 0;
}
