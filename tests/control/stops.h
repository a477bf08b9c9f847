/* Cases of control.c about stops, memory, registers and events. Included there, behind
 * what they use. */
#ifndef TRAMMEL_TESTS_CONTROL_STOPS_H
#define TRAMMEL_TESTS_CONTROL_STOPS_H

/* The next event of a kind. */
static struct trm_event *await_event(struct trm_engine *engine, enum trm_event_kind kind)
{
	for (;;) {
		struct trm_event *event = NULL;

		if (!WELL(trm_engine_wait(engine, LONG_MS, &event)) || !HOLDS(event))
			return NULL;
		if (trm_event_kind(event) == kind)
			return event;
		trm_event_release(event);
	}
}

static uint64_t register_of(struct trm_process *process, int tid, const char *name)
{
	struct trm_records *records = NULL;
	uint64_t value = 0;
	size_t count = 0;

	if (!WELL(trm_process_registers(process, tid, &records)))
		return 0;
	WELL(trm_records_count(records, &count));
	for (size_t i = 0; i < count; i++) {
		struct trm_field named = {.size = sizeof(named)};
		struct trm_field found = {.size = sizeof(found)};

		WELL(trm_records_find(records, i, "name", &named));
		WELL(trm_records_find(records, i, "value", &found));
		if (!strcmp(named.text, name))
			value = strtoull(found.text, NULL, 10);
	}
	trm_records_release(records);
	return value;
}

static void test_stops(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	struct trm_context context = {.size = sizeof(context)};
	unsigned char code[4] = "", again[4] = "";
	char output[4096];
	uint32_t number = 0;

	start(process);
	say(process, "step 1\n");
	WRONG(trm_process_break(process, "no_such_function", 0, &number), USAGE,
	      "no function 'no_such_function'");
	/* The tenth of 15 calls from now on. */
	WELL(trm_process_break(process, "step", 9, &number));
	WELL(trm_process_write(process, "step 15\n", 8));

	struct trm_event *event = await_event(engine, TRM_EVENT_BREAKPOINT);

	trm_event_context(event, &context);
	trm_event_release(event);
	HOLDS(context.value == number && context.tid > 0);
	HOLDS(register_of(process, context.tid, "rip") == context.address);
	WELL(trm_process_read_memory(process, context.address, code, sizeof(code)));
	WELL(trm_process_unbreak(process, number));
	WELL(trm_process_read_memory(process, context.address, again, sizeof(again)));
	HOLDS(!memcmp(code, again, sizeof(code)) && code[0] != 0xcc);
	HOLDS(count_now(process, "step") == 10 || count_now(process, "step") == 11);
	WRONG(trm_process_unbreak(process, number), USAGE, "no breakpoint");
	WELL(trm_process_step(process, context.tid));
	trm_event_release(await_event(engine, TRM_EVENT_STOPPED));
	HOLDS(register_of(process, context.tid, "rip") != context.address);
	WELL(trm_process_go(process));
	await_output(process, "done\n", output, sizeof(output));
	WELL(trm_process_stop(process));
	trm_event_release(await_event(engine, TRM_EVENT_STOPPED));
	WELL(trm_process_go(process));
	WRONG(trm_process_go(process), USAGE, "runs");
	end_target(process, 0);
	HOLDS(count_at_end(process, "step") == 16);
	trm_engine_release(engine);
}

/* Both stand: one is released, the engine of the other is killed; neither stays so. */
static void test_halted(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	char path[64], word[16] = "";
	int pid = 0, agent = 0;

	start(process);
	WELL(trm_process_stop(process));
	trm_event_release(await_event(engine, TRM_EVENT_STOPPED));
	WELL(trm_process_pid(process, &pid));
	trm_process_release(process);
	for (int i = 0; i < LONG_MS / 10 && !kill(pid, 0); i++)
		poll(NULL, 0, 10);
	HOLDS(kill(pid, 0));

	process = create_target(engine);
	start(process);
	WELL(trm_process_stop(process));
	trm_event_release(await_event(engine, TRM_EVENT_STOPPED));
	WELL(trm_process_pid(process, &pid));
	printf("stands %d\n", pid);
	/* Its parent is the front, whose parent is the agent. */
	for (int i = 0, of = pid; i < 2; i++, of = agent) {
		snprintf(path, sizeof(path), "/proc/%d/stat", of);
		FILE *file = fopen(path, "r");

		if (!HOLDS(file &&
			   fscanf(file, "%*d %*[^)]) %15s %d", word, &agent) == 2))
			agent = 0;
		if (file)
			fclose(file);
	}
	HOLDS(agent > 1 && !kill(agent, SIGKILL));
	WRONG(trm_process_go(process), GONE, "gone");
	trm_engine_release(engine);
}

static void test_watching(void)
{
	struct trm_engine *engine = open_engine();
	struct trm_process *process = create_target(engine);
	uint32_t number = 0;

	start(process);
	WELL(trm_process_watch(process));

	struct trm_event *event = await_event(engine, TRM_EVENT_LOADED);

	HOLDS(event && strchr(trm_event_text(event), '/'));
	trm_event_release(event);
	WELL(trm_process_first(process, "target:step", &number));
	WELL(trm_process_write(process, "thread 4\n", 9));
	trm_event_release(await_event(engine, TRM_EVENT_THREAD));
	event = await_event(engine, TRM_EVENT_FUNCTION);
	HOLDS(event && !strcmp(trm_event_text(event), "target:step"));
	trm_event_release(event);
	WELL(trm_process_write(process, "fork 4\n", 7));
	trm_event_release(await_event(engine, TRM_EVENT_FORK));
	trm_event_release(await_event(engine, TRM_EVENT_ENDED));
	end_target(process, 0);
	HOLDS(count_at_end(process, "step") == 8);
	trm_engine_release(engine);
}

#endif
