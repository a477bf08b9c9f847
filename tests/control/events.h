/* Cases of control.c about events of programs, each kind of them. Included there, behind
 * what they use. */
#ifndef TRAMMEL_TESTS_CONTROL_EVENTS_H
#define TRAMMEL_TESTS_CONTROL_EVENTS_H

/* The next event of a kind must have a text that ends so, and a value; returns where. */
static struct trm_context expect_event(int line, struct trm_engine *engine,
				       enum trm_event_kind kind, const char *end,
				       int64_t value)
{
	struct trm_event *event = await_event(engine, kind);
	struct trm_context context = {.size = sizeof(context)};
	const char *text = event ? trm_event_text(event) : "";
	const size_t length = strlen(text);

	trm_event_context(event, &context);
	if (length < strlen(end) || strcmp(text + length - strlen(end), end) != 0 ||
	    context.value != value) {
		printf("line %d: %s: '%s', value %lld\n", line, trm_event_kind_name(kind),
		       text, (long long)context.value);
		failures++;
	}
	trm_event_release(event);
	return context;
}
#define EVENT(kind, end, value)                                                          \
	expect_event(__LINE__, engine, TRM_EVENT_##kind, end, value)

static void type(struct trm_process *process, const char *line)
{
	WELL(trm_process_write(process, line, strlen(line)));
}

/* Counts of calls of step(), from the first instruction on. */
static void reach_counts(struct trm_engine *engine, struct trm_process *process)
{
	char output[4096];
	uint32_t number;

	EVENT(STOPPED, "", 0);
	WELL(trm_process_reach(process, "target:step", 7, &number));
	WRONG(trm_process_reach(process, "target:stop", 7, &number), USAGE,
	      "no function");
	WRONG(trm_process_reach(process, "target:step", 0, &number), USAGE, "at least 1");
	WELL(trm_process_first(process, "loaded.so:loaded", &number));
	WELL(trm_process_go(process));
	await_output(process, "ready\n", output, sizeof(output));
	type(process, "step 10\n");

	struct trm_context context = EVENT(COUNTER, "target:step", 7);
	int64_t steps = count_now(process, "step");

	HOLDS(context.tid == context.pid && context.address);
	HOLDS(steps == 6 || steps == 7);
	WELL(trm_process_go(process));
	await_output(process, "done\n", output, sizeof(output));
	WRONG(trm_process_reach(process, "step", 12, &number), USAGE, "stop it first");
	WELL(trm_process_stop(process));
	EVENT(STOPPED, "", 0);
	WRONG(trm_process_reach(process, "step", 10, &number), USAGE, "10 times already");
	WELL(trm_process_reach(process, "step", 12, &number));
	WELL(trm_process_go(process));
	say(process, "step 1\n");
	type(process, "step 1\n");
	EVENT(COUNTER, "step", 12);
	WELL(trm_process_go(process));
	await_output(process, "done\n", output, sizeof(output));
}

static void see_processes(struct trm_engine *engine, struct trm_process *process)
{
	int pid = 0;

	WELL(trm_process_pid(process, &pid));
	type(process, "thread 1\n");
	struct trm_context begun = EVENT(THREAD, "", 0);

	HOLDS(begun.pid == pid && begun.tid != pid);
	HOLDS(EVENT(THREAD_ENDED, "", 0).tid == begun.tid);
	type(process, "fork 3\n");

	struct trm_event *fork = await_event(engine, TRM_EVENT_FORK);

	trm_event_context(fork, &begun);
	trm_event_release(fork);
	HOLDS(begun.pid == pid && begun.value > 0 && begun.value != pid);
	HOLDS(EVENT(ENDED, "", 0).pid == (int)begun.value);
	type(process, "raise 10\n");
	HOLDS(EVENT(SIGNAL, "", SIGUSR1).tid == pid);
	WELL(trm_process_go(process));
}

static void test_kinds(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	char line[4200];

	WELL(trm_process_watch(process));
	WELL(trm_process_stop(process));
	WELL(trm_process_run(process));
	EVENT(EXEC, "/target", 0);
	reach_counts(engine, process);
	see_processes(engine, process);
	snprintf(line, sizeof(line), "load %.*sloaded.so\n",
		 (int)(strlen(target) - strlen("target")), target);
	type(process, line);
	EVENT(LOADED, "/loaded.so", 0);
	EVENT(FUNCTION, "loaded.so:loaded", 2);
	EVENT(UNLOADED, "/loaded.so", 0);
	type(process, "become\n");
	EVENT(EXEC, "/target", 0);
	trm_event_release(await_event(engine, TRM_EVENT_LOADED));
	end_target(process, 0);
	EVENT(ENDED, "", 0);
	HOLDS(count_at_end(process, "step") == 16);
	trm_engine_release(engine);
}

static void test_regions(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);

	WELL(trm_process_watch_regions(process));
	WRONG(trm_process_run(process), USAGE, "add \"regions\"");
	WELL(trm_process_set(process, "measure", "regions"));
	WRONG(trm_process_run(process), UNSUPPORTED, "without a tracer");
	WELL(trm_process_set(process, "measure", "functions,regions"));
	start(process);
	WRONG(trm_process_watch_regions(process), USAGE, "run already");
	type(process, "region solve\nregion write\n");
	EVENT(ANNOTATION, "region=solve", 1);
	EVENT(ANNOTATION, "region=solve", 0);
	EVENT(ANNOTATION, "region=write", 1);
	EVENT(ANNOTATION, "region=write", 0);
	end_target(process, 0);
	HOLDS(count_at_end(process, "step") == 2);
	trm_engine_release(engine);
}

#endif
