/*
 * Built against what is installed alone, by pkg-config: `outside PROGRAM COLLECTOR FILE`
 * measures PROGRAM (target.c) by a collector of one's own (collector.c), which it stops,
 * starts, resets and reads while the program runs; FILE is for profiles. Prints what was
 * counted: until the reset, behind it, and by the collector's records.
 */
#include <trammel/control.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trm_engine *engine;
static struct trm_process *process;

static void check(struct trm_error *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", trm_error_message(error));
	exit(1);
}

/* Has the program do something, and waits until that is done. */
static void say(const char *line)
{
	size_t size = 0;
	bool done = false;

	if (line)
		check(trm_process_write(process, line, strlen(line)));
	while (!done) {
		struct trm_event *event = NULL;

		check(trm_engine_wait(engine, 60000, &event));
		if (!event)
			exit(2);
		const char *data = trm_event_data(event, &size);

		done = trm_event_kind(event) == TRM_EVENT_OUTPUT && size &&
		       data[size - 1] == '\n';
		trm_event_release(event);
	}
}

static long ask(struct trm_profile *profile, const char *query)
{
	struct trm_field field = {.size = sizeof(field)};
	struct trm_records *records;
	size_t count;

	check(trm_profile_query(profile, query, &records));
	check(trm_records_count(records, &count));
	if (count)
		check(trm_records_find(records, 0, "n", &field));
	trm_records_release(records);
	return (long)field.integer;
}

static void print_counts(struct trm_profile *profile)
{
	printf("%ld %ld %ld\n",
	       ask(profile, "SELECT sum(collector#calls) AS n WHERE interval = 1"),
	       ask(profile, "SELECT sum(collector#calls) AS n WHERE interval = 2"),
	       ask(profile, "SELECT sum(collector#seen) AS n WHERE tool.table = steps"));
	trm_profile_release(profile);
}

int main(int argc, char **argv)
{
	const char *const words[] = {argc > 3 ? argv[1] : "", NULL};
	struct trm_profile *profile;

	check(trm_engine_open(NULL, &engine));
	check(trm_process_create(engine, words, &process));
	check(trm_process_set(process, "measure", "tools"));
	check(trm_process_set(process, "tool", argv[2]));
	check(trm_process_redirect(process, 0, TRM_RELAY, NULL));
	check(trm_process_redirect(process, 1, TRM_RELAY, NULL));
	check(trm_process_pause_first(process));
	check(trm_process_run(process));
	say(NULL);
	say("step 100\n");
	check(trm_process_resume(process));
	say("step 10\n");
	check(trm_process_pause(process));
	say("step 5\n");
	check(trm_process_resume(process));
	say("thread 3\n");
	check(trm_process_reset(process));
	say("step 1\n");
	check(trm_process_save_now(process, argv[3]));
	check(trm_profile_open(argv[3], &profile));
	print_counts(profile);
	say("step 1\n");
	check(trm_process_write(process, NULL, 0));
	check(trm_process_wait(process, 60000, NULL));
	check(trm_process_profile(process, &profile));
	print_counts(profile);
	trm_engine_release(engine);
	return 0;
}
