/*
 * What happens to an engine that is none, or is lost: `failing open COMMAND` opens one
 * and prints the error; `failing ask COMMAND` asks it something, too. `failing run FILE
 * WHAT PROGRAM [ARGUMENT...]` runs a program whose profile goes to FILE, prints its
 * number, and waits; WHAT: what becomes of it if this process ends. `failing line COMMAND
 * FILE` runs `target` beside it by an engine that is reached again after cuts: see
 * tests/run-control.py.
 */
#include <trammel/control.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int tell(struct trm_error *error)
{
	printf("%d %s\n", trm_error_code(error), trm_error_message(error));
	fflush(stdout);
	trm_error_release(error);
	return 1;
}

static int open_other(const char *command, bool asks)
{
	const struct trm_engine_options options = {.size = sizeof(options),
						   .command = command};
	struct trm_engine *engine;
	struct trm_records *records;
	struct trm_error *error = trm_engine_open(&options, &engine);

	if (error)
		return tell(error);
	puts("opened");
	if (asks)
		error = trm_engine_knobs(engine, &records);
	if (error)
		tell(error);
	/* It stays as it is. */
	if (error && asks)
		error = trm_engine_timer(engine, 0);
	if (error)
		tell(error);
	trm_engine_release(engine);
	return 0;
}

static int run_program(const char *profile, const char *what, char **words)
{
	const struct trm_engine_options options = {
		.size = sizeof(options), .on_loss = (enum trm_control_loss)atoi(what)};
	struct trm_engine *engine;
	struct trm_process *process;
	int pid, status;
	struct trm_error *error = trm_engine_open(&options, &engine);

	if (!error)
		error = trm_process_create(engine, (const char *const *)words, &process);
	if (!error)
		error = trm_process_output(process, profile);
	if (!error)
		error = trm_process_run(process);
	if (!error)
		error = trm_process_pid(process, &pid);
	if (error)
		return tell(error);
	printf("running %d\n", pid);
	fflush(stdout);
	error = trm_process_wait(process, -1, &status);
	if (error)
		tell(error);
	else
		printf("status %d\n", status);
	trm_engine_release(engine);
	return 0;
}

/* Reads a line of standard input for each thing to do, and tells when it is done. */
static int use_line(const char *command, const char *target, const char *profile)
{
	const struct trm_engine_options options = {
		.size = sizeof(options), .command = command, .linger_seconds = 60};
	const char *const words[] = {target, NULL};
	char line[256], output[1 << 16] = "";
	struct trm_engine *engine;
	struct trm_process *process;
	struct trm_event *event;
	size_t length = 0, count;
	struct trm_error *error = trm_engine_open(&options, &engine);

	if (!error)
		error = trm_process_create(engine, words, &process);
	if (!error)
		error = trm_process_redirect(process, 0, TRM_RELAY, NULL);
	if (!error)
		error = trm_process_redirect(process, 1, TRM_RELAY, NULL);
	if (!error)
		error = trm_process_run(process);
	while (!error && fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "take\n")) {
			error = trm_engine_wait(engine, 10000, &event);
			if (error || !event)
				break;
			const void *data = trm_event_data(event, &count);

			if (trm_event_kind(event) == TRM_EVENT_OUTPUT && count &&
			    length + count < sizeof(output)) {
				memcpy(output + length, data, count);
				length += count;
			}
			trm_event_release(event);
			puts("taken");
		} else {
			error = trm_process_write(process, line, strlen(line));
			puts("said");
		}
		fflush(stdout);
	}
	if (!error)
		error = trm_process_write(process, NULL, 0);
	while (!error) {
		error = trm_engine_wait(engine, 10000, &event);
		if (error || !event)
			break;
		const void *data = trm_event_data(event, &count);

		if (trm_event_kind(event) == TRM_EVENT_OUTPUT &&
		    length + count < sizeof(output)) {
			memcpy(output + length, data, count);
			length += count;
		}
		bool over = trm_event_kind(event) == TRM_EVENT_MEASURED;

		trm_event_release(event);
		if (over)
			break;
	}
	if (!error)
		error = trm_process_save(process, profile);
	if (error)
		return tell(error);
	printf("output %.*s\n", (int)length, output);
	trm_engine_release(engine);
	return 0;
}

int main(int argc, char **argv)
{
	static char target[4096];

	snprintf(target, sizeof(target) - 10, "%s", argv[0]);
	strcpy(strrchr(target, '/') + 1, "target");
	if (argc == 3 && (!strcmp(argv[1], "open") || !strcmp(argv[1], "ask")))
		return open_other(argv[2], !strcmp(argv[1], "ask"));
	if (argc > 4 && !strcmp(argv[1], "run"))
		return run_program(argv[2], argv[3], argv + 4);
	if (argc == 4 && !strcmp(argv[1], "line"))
		return use_line(argv[2], target, argv[3]);
	return 2;
}
