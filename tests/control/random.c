/*
 * Random calls of libtrammel-control, right ones and wrong ones, against a model of what
 * they must do: `random SEED CALLS [PROGRAM]`, PROGRAM: target.c. Prints the first call
 * that did something else, and ends so.
 */
#include <trammel/control.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ENGINES = 2, PROCESSES = 3, SETS = 2, OLD = 256, NAMES = 4, LONG_MS = 60000 };

enum state { NEW, RUNNING, OVER };

struct process {
	struct trm_process *ticket; /* NULL: there is none */
	int engine;
	enum state state;
	bool counting, halted, done;
	char said[16]; /* the last of its output */
	long since, total;
	bool reset;
};

struct set {
	struct trm_measurements *ticket;
	int engine;
	const char *names[NAMES];
	int count;
};

static struct {
	struct trm_engine *engines[ENGINES];
	long posted[ENGINES], taken[ENGINES]; /* numbers of events of one's own */
	struct process processes[PROCESSES];
	struct set sets[SETS];
	struct trm_profile *profile;
	struct trm_records *records;
	size_t rows;
	void *old[OLD]; /* tickets that were released */
	int olds;
} model;

static const char *const names[NAMES] = {"functions", "calls", "edges", "callgraph"};
static const char *target;
static unsigned long long seed, last_seed;
static long calls;
static const char *now = "";

static unsigned int draw(unsigned int below)
{
	last_seed = last_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(last_seed >> 33) % below;
}

__attribute__((format(printf, 1, 2), noreturn)) static void wrong(const char *format, ...)
{
	va_list list;

	printf("seed %llu, call %ld, %s: ", seed, calls, now);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	puts("");
	exit(1);
}

static const char *describe(int code)
{
	static const char *const codes[] = {"usage",       "system", "format",
					    "unsupported", "gone",   "limit"};

	return code < 0 ? "no error" : codes[code];
}

/* The error must have one of two codes (-1: none). */
static bool expect_either(const char *call, struct trm_error *error, int first,
			  int second)
{
	const int code = error ? (int)trm_error_code(error) : -1;

	now = call;
	if (code != first && code != second)
		wrong("%s, where %s is right: %s", describe(code), describe(first),
		      error ? trm_error_message(error) : "");
	if (error &&
	    (!*trm_error_message(error) || strchr(trm_error_message(error), '\n')))
		wrong("the message is no line");
	trm_error_release(error);
	return code < 0;
}

#define GOOD(call)      expect_either(#call, call, -1, -1)
#define BAD(call, code) expect_either(#call, call, code, code)
#define WHEN(is, call)                                                                   \
	expect_either(#call, call, (is) ? -1 : TRM_CONTROL_USAGE,                        \
		      (is) ? -1 : TRM_CONTROL_USAGE)

static void keep_old(void *ticket)
{
	if (ticket)
		model.old[model.olds++ % OLD] = ticket;
}

/* A ticket that is none of a kind: released, NULL, of another kind, or made up. */
static void *draw_bad(const void *kind)
{
	void *others[] = {model.engines[0], model.processes[0].ticket,
			  model.sets[0].ticket, model.profile, model.records};
	void *made_up = (void *)(uintptr_t)(0x7000000000ULL + draw(1 << 30));

	switch (draw(4)) {
	case 0:
		return NULL;
	case 1:
		return model.olds ? model.old[draw((unsigned int)(model.olds < OLD
									  ? model.olds
									  : OLD))]
				  : NULL;
	case 2:
		return others[draw(5)] == kind ? NULL : others[draw(5)];
	default:
		return made_up;
	}
}

/* All functions with an engine, a process, ...: with a ticket that is none. */
static void call_with_bad_ticket(void)
{
	static char text[64];
	void *bad[5];
	struct trm_records *records;
	struct trm_profile *profile;
	struct trm_event *event;
	int number;
	uint32_t place;
	size_t size;
	/* None of them is of any of the kinds, whichever function gets it. */
	void *ticket = draw_bad(NULL);

	memcpy(bad, (void *[]){model.engines[0], model.engines[1], NULL, NULL, NULL},
	       sizeof(bad));
	for (int i = 0; i < ENGINES; i++)
		if (ticket == model.engines[i])
			return;
	switch (draw(12)) {
	case 0:
		BAD(trm_engine_wait(ticket, 0, &event), TRM_CONTROL_USAGE);
		BAD(trm_engine_knobs(ticket, &records), TRM_CONTROL_USAGE);
		BAD(trm_engine_post(ticket, 1, "x"), TRM_CONTROL_USAGE);
		BAD(trm_engine_descriptor(ticket, &number), TRM_CONTROL_USAGE);
		break;
	case 1:
		BAD(trm_engine_timer(ticket, 0), TRM_CONTROL_USAGE);
		BAD(trm_engine_host(ticket, text, sizeof(text)), TRM_CONTROL_USAGE);
		BAD(trm_engine_on(ticket, TRM_EVENT_TIMER, NULL, NULL),
		    TRM_CONTROL_USAGE);
		trm_engine_interrupt(ticket);
		break;
	default:
		for (int i = 0; i < PROCESSES; i++)
			if (ticket == model.processes[i].ticket)
				return;
		BAD(trm_process_run(ticket), TRM_CONTROL_USAGE);
		BAD(trm_process_set(ticket, "threads", "true"), TRM_CONTROL_USAGE);
		BAD(trm_process_pause(ticket), TRM_CONTROL_USAGE);
		BAD(trm_process_read(ticket, &records), TRM_CONTROL_USAGE);
		BAD(trm_process_profile(ticket, &profile), TRM_CONTROL_USAGE);
		BAD(trm_process_wait(ticket, 0, &number), TRM_CONTROL_USAGE);
		BAD(trm_process_break(ticket, "main", 0, &place), TRM_CONTROL_USAGE);
		BAD(trm_process_reach(ticket, "main", 1, &place), TRM_CONTROL_USAGE);
		BAD(trm_process_read_memory(ticket, 4096, text, 8), TRM_CONTROL_USAGE);
		BAD(trm_process_kill(ticket), TRM_CONTROL_USAGE);
		BAD(trm_process_save(ticket, "/nowhere/at/all"), TRM_CONTROL_USAGE);
		if (ticket != model.profile)
			BAD(trm_profile_query(ticket, "SELECT *", &records),
			    TRM_CONTROL_USAGE);
		if (ticket != model.records)
			BAD(trm_records_count(ticket, &size), TRM_CONTROL_USAGE);
		for (int i = 0; i < SETS; i++)
			if (ticket == model.sets[i].ticket)
				return;
		BAD(trm_measurements_add(ticket, "calls"), TRM_CONTROL_USAGE);
		if (trm_event_kind(ticket) != TRM_EVENT_NONE)
			wrong("an event was found where none is");
	}
}

/* Takes in an event; what it says must fit. */
static bool take_event(int engine, int timeout_ms)
{
	struct trm_context context = {.size = sizeof(context)};
	struct trm_event *event = NULL;
	size_t size;

	GOOD(trm_engine_wait(model.engines[engine], timeout_ms, &event));
	if (!event)
		return false;
	const char *data = trm_event_data(event, &size);

	trm_event_context(event, &context);
	if (trm_event_kind(event) == TRM_EVENT_USER &&
	    context.value != ++model.taken[engine])
		wrong("event %ld of one's own came as %ld", (long)context.value,
		      model.taken[engine]);
	for (int i = 0; i < PROCESSES; i++) {
		struct process *process = &model.processes[i];

		if (!process->ticket || trm_event_process(event) != process->ticket)
			continue;
		if (trm_event_kind(event) == TRM_EVENT_STOPPED)
			process->halted = true;
		for (size_t k = 0; trm_event_kind(event) == TRM_EVENT_OUTPUT && k < size;
		     k++) {
			memmove(process->said, process->said + 1,
				sizeof(process->said) - 2);
			process->said[sizeof(process->said) - 2] = data[k];
			process->done |= data[k] == '\n';
		}
	}
	keep_old(event);
	trm_event_release(event);
	return true;
}

static void await_line(struct process *process)
{
	while (!process->done)
		if (!take_event(process->engine, LONG_MS))
			wrong("the program says nothing");
	process->done = false;
}

static void do_say(struct process *process)
{
	static const char *const words[] = {"step", "thread", "fork"};
	const long count = (long)draw(40);
	char line[64];

	snprintf(line, sizeof(line), "%s %ld\n", words[draw(3)], count);
	if (process->state == NEW) {
		BAD(trm_process_write(process->ticket, line, strlen(line)),
		    TRM_CONTROL_USAGE);
		return;
	}
	if (process->state != RUNNING || process->halted)
		return;
	GOOD(trm_process_write(process->ticket, line, strlen(line)));
	await_line(process);
	process->since += process->counting ? count : 0;
	process->total += process->counting ? count : 0;
}

static long count_steps(struct trm_records *records)
{
	size_t count;
	long found = 0;

	GOOD(trm_records_count(records, &count));
	for (size_t i = 0; i < count; i++) {
		struct trm_field name = {.size = sizeof(name)};
		struct trm_field number = {.size = sizeof(number)};

		GOOD(trm_records_find(records, i, "function", &name));
		GOOD(trm_records_find(records, i, "calls", &number));
		if (name.kind == TRM_FIELD_TEXT && !strcmp(name.text, "step"))
			found += (long)number.integer;
	}
	return found;
}

/* Records that are kept are replaced. */
static void keep_records(struct trm_records *records)
{
	keep_old(model.records);
	trm_records_release(model.records);
	model.records = records;
	GOOD(trm_records_count(records, &model.rows));
}

/* What is asked of a process that runs, is over, or is new. */
static int right_code(const struct process *process, bool now_right)
{
	return process->state == NEW    ? TRM_CONTROL_USAGE
	       : process->state == OVER ? TRM_CONTROL_GONE
	       : now_right              ? -1
					: TRM_CONTROL_USAGE;
}

static void do_count(struct process *process)
{
	struct trm_records *records;
	int right;

	switch (draw(4)) {
	case 0:
		right = right_code(process, process->counting);
		if (expect_either("pause", trm_process_pause(process->ticket), right,
				  right))
			process->counting = false;
		break;
	case 1:
		right = right_code(process, !process->counting);
		if (expect_either("resume", trm_process_resume(process->ticket), right,
				  right))
			process->counting = true;
		break;
	case 2:
		right = right_code(process, process->counting);
		if (expect_either("reset", trm_process_reset(process->ticket), right,
				  right))
			process->since = 0;
		break;
	default:
		right = right_code(process, true);
		if (!expect_either("read", trm_process_read(process->ticket, &records),
				   right, right))
			break;
		if (count_steps(records) != process->since)
			wrong("%ld calls, where %ld are right", count_steps(records),
			      process->since);
		keep_records(records);
	}
}

static void do_configure(struct process *process)
{
	const bool new = process->state == NEW;
	char value[64] = "";

	WHEN(new, trm_process_set(process->ticket, "memory", "500M"));
	BAD(trm_process_set(process->ticket, "no-such-knob", "1"), TRM_CONTROL_USAGE);
	BAD(trm_process_set(process->ticket, "threads", "perhaps"), TRM_CONTROL_USAGE);
	GOOD(trm_process_get(process->ticket, "frequency", value, sizeof(value)));
	if (strcmp(value, "1000") != 0)
		wrong("frequency is '%s'", value);
	WHEN(new, trm_process_environment(process->ticket, "SOME", "thing"));
	WHEN(new, trm_process_directory(process->ticket, "/usr"));
	BAD(trm_process_redirect(process->ticket, 7, TRM_NULL, NULL), TRM_CONTROL_USAGE);
	BAD(trm_process_signal(process->ticket, -1), TRM_CONTROL_USAGE);
	if (new && !draw(3)) {
		GOOD(trm_process_pause_first(process->ticket));
		process->counting = false;
	}
}

static void do_run(struct process *process)
{
	if (!WHEN(process->state == NEW, trm_process_run(process->ticket)))
		return;
	process->state = RUNNING;
	await_line(process);
}

/* All stand, and go on. */
static void do_stop(struct process *process)
{
	struct trm_records *records;
	uint64_t word;
	const int right = right_code(process, true);

	if (process->state == NEW)
		return;
	if (!process->halted) {
		expect_either("go", trm_process_go(process->ticket),
			      right_code(process, false), right_code(process, false));
		if (!expect_either("stop", trm_process_stop(process->ticket), right,
				   right))
			return;
		while (!process->halted)
			if (!take_event(process->engine, LONG_MS))
				wrong("it does not stop");
		GOOD(trm_process_registers(process->ticket, 0, &records));
		keep_records(records);
		expect_either(
			"memory",
			trm_process_read_memory(process->ticket, 1, &word, sizeof(word)),
			TRM_CONTROL_SYSTEM, TRM_CONTROL_USAGE);
		return;
	}
	GOOD(trm_process_go(process->ticket));
	process->halted = false;
}

static void do_end(struct process *process)
{
	int status = -1;

	if (process->state == RUNNING && draw(3)) {
		BAD(trm_process_wait(process->ticket, 1, NULL), TRM_CONTROL_LIMIT);
		return;
	}
	if (process->state == NEW) {
		BAD(trm_process_wait(process->ticket, 0, NULL), TRM_CONTROL_USAGE);
		return;
	}
	if (process->state == RUNNING && process->halted)
		do_stop(process);
	if (process->state == RUNNING)
		GOOD(trm_process_write(process->ticket, NULL, 0));
	GOOD(trm_process_wait(process->ticket, LONG_MS, &status));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		wrong("status %#x", status);
	process->state = OVER;
}

static void do_profile(struct process *process)
{
	struct trm_profile *profile;
	struct trm_records *records;

	if (!WHEN(process->state == OVER, trm_process_profile(process->ticket, &profile)))
		return;
	GOOD(trm_profile_functions(profile, &records));
	if (count_steps(records) != process->total)
		wrong("%ld calls in the profile, where %ld are right",
		      count_steps(records), process->total);
	keep_records(records);
	BAD(trm_profile_query(profile, "SELECT sum(", &records), TRM_CONTROL_USAGE);
	keep_old(model.profile);
	trm_profile_release(model.profile);
	model.profile = profile;
}

static void do_release(struct process *process)
{
	if (draw(4))
		return;
	/* What runs, or stands, ends by itself: nobody writes to it any more. */
	keep_old(process->ticket);
	trm_process_release(process->ticket);
	BAD(trm_process_kill(process->ticket), TRM_CONTROL_USAGE);
	*process = (struct process){0};
}

static void do_process(void)
{
	static void (*const ways[])(struct process *) = {
		do_say, do_say,  do_count, do_count,   do_configure, do_run,
		do_run, do_stop, do_end,   do_profile, do_release};
	struct process *process = &model.processes[draw(PROCESSES)];
	const char *const words[] = {target, NULL};

	if (process->ticket) {
		ways[draw(sizeof(ways) / sizeof(ways[0]))](process);
		return;
	}
	*process = (struct process){.engine = (int)draw(ENGINES), .counting = true};
	GOOD(trm_process_create(model.engines[process->engine], words, &process->ticket));
	GOOD(trm_process_redirect(process->ticket, 0, TRM_RELAY, NULL));
	GOOD(trm_process_redirect(process->ticket, 1, TRM_RELAY, NULL));
}

static int place_in(const struct set *set, const char *name)
{
	for (int i = 0; i < set->count; i++)
		if (!strcmp(set->names[i], name))
			return i;
	return -1;
}

static void do_set(void)
{
	struct set *set = &model.sets[draw(SETS)];
	const char *name = names[draw(NAMES)];
	char found[100] = "", right[100] = "";

	if (!set->ticket) {
		set->engine = (int)draw(ENGINES);
		GOOD(trm_measurements_create(model.engines[set->engine], &set->ticket));
		return;
	}
	const int at = place_in(set, name);

	BAD(trm_measurements_add(set->ticket, "nonsense"), TRM_CONTROL_USAGE);
	if (draw(2) && at < 0) {
		GOOD(trm_measurements_add(set->ticket, name));
		set->names[set->count++] = name;
	} else if (WHEN(at >= 0, trm_measurements_remove(set->ticket, name))) {
		for (int i = at + 1; i < set->count; i++)
			set->names[i - 1] = set->names[i];
		set->count--;
	}
	GOOD(trm_measurements_names(set->ticket, found, sizeof(found)));
	for (int i = 0; i < set->count; i++)
		sprintf(right + strlen(right), "%s%s", i ? "," : "", set->names[i]);
	if (strcmp(found, right) != 0)
		wrong("'%s', where '%s' is right", found, right);
}

static void do_records(void)
{
	struct trm_field field = {.size = sizeof(field)};
	size_t fields;

	if (!model.records)
		return;
	WHEN(model.rows, trm_records_fields(model.records, 0, &fields));
	BAD(trm_records_field(model.records, model.rows + draw(3), 0, &field),
	    TRM_CONTROL_USAGE);
	BAD(trm_records_field(model.records, 0, 1000 + draw(100), &field),
	    TRM_CONTROL_USAGE);
	if (!draw(4)) {
		keep_old(model.records);
		trm_records_release(model.records);
		model.records = NULL;
	}
}

/* With all that belongs to it, whatever that does just now. */
static void renew_engine(int engine)
{
	keep_old(model.engines[engine]);
	trm_engine_release(model.engines[engine]);
	for (int i = 0; i < PROCESSES; i++)
		if (model.processes[i].ticket && model.processes[i].engine == engine) {
			keep_old(model.processes[i].ticket);
			model.processes[i] = (struct process){0};
		}
	for (int i = 0; i < SETS; i++)
		if (model.sets[i].ticket && model.sets[i].engine == engine) {
			keep_old(model.sets[i].ticket);
			model.sets[i] = (struct set){0};
		}
	model.posted[engine] = model.taken[engine] = 0;
	GOOD(trm_engine_open(NULL, &model.engines[engine]));
}

static void do_engine(void)
{
	const int engine = (int)draw(ENGINES);
	struct trm_engine *ticket = model.engines[engine];
	int fd;

	switch (draw(8)) {
	case 0:
	case 1:
	case 2:
		GOOD(trm_engine_post(ticket, ++model.posted[engine], "posted"));
		break;
	case 3:
	case 4:
		while (take_event(engine, 0))
			;
		if (model.taken[engine] != model.posted[engine])
			wrong("%ld events of one's own came of %ld", model.taken[engine],
			      model.posted[engine]);
		break;
	case 5:
		BAD(trm_engine_timer(ticket, 10), TRM_CONTROL_USAGE);
		GOOD(trm_engine_timer(ticket, draw(2) ? 0 : 5000000));
		GOOD(trm_engine_descriptor(ticket, &fd));
		break;
	case 6:
		/* The next wait that would wait returns at once. */
		trm_engine_interrupt(ticket);
		while (take_event(engine, LONG_MS))
			;
		BAD(trm_engine_on(ticket, TRM_EVENT_COUNT, NULL, NULL),
		    TRM_CONTROL_USAGE);
		BAD(trm_process_create(ticket, (const char *const[]){NULL},
				       &model.processes[0].ticket),
		    TRM_CONTROL_USAGE);
		break;
	default:
		if (!draw(5))
			renew_engine(engine);
	}
}

int main(int argc, char **argv)
{
	seed = last_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const long count = argc > 2 ? atol(argv[2]) : 100;

	target = argc > 3 ? argv[3] : "./target";
	for (int i = 0; i < ENGINES; i++)
		GOOD(trm_engine_open(NULL, &model.engines[i]));
	for (calls = 0; calls < count; calls++) {
		const unsigned int what = draw(10);

		if (what < 6)
			do_process();
		else if (what < 7)
			do_set();
		else if (what < 8)
			do_engine();
		else if (what < 9)
			call_with_bad_ticket();
		else
			do_records();
	}
	for (int i = 0; i < ENGINES; i++)
		trm_engine_release(model.engines[i]);
	trm_profile_release(model.profile);
	trm_records_release(model.records);
	printf("%ld calls as the model has them\n", count);
	return 0;
}
