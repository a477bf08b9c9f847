/* Samples: records of all kinds, in and out of order, whole and damaged; what they say of
 * processes; walks of stacks; and sums. */
#include "base/array.h"
#include "sample/forget.h"
#include "sample/jit.h"
#include "sample/sampler.h"
#include "sample_stream.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 100, CHILD = 200 };

static struct sampler *make_sampler(const char *events, bool callpath)
{
	const struct sampler_options options = {
		.events = events,
		.rate = {.frequency = 1000, .callpath = callpath},
	};
	struct sampler *sampler;

	assert_null(sampler_create(&options, &sampler));
	/* As if it had been opened. */
	sample_source_add(&sampler->source,
			  &(struct sample_opened){.fd = -1, .id = STREAM_EVENT});
	sampler->source.order.layout = callpath ? stream_stacks : stream_flat;
	return sampler;
}

static void visit(void *context, const struct sample_record *record)
{
	sampler_see(context, record);
}

static void feed(struct sampler *sampler, struct sample_stream *stream)
{
	sample_order_take(&sampler->source.order, stream->items, stream->count);
	sample_order_visit(&sampler->source.order, UINT64_MAX, visit, sampler);
	vector_deinit(stream);
}

static uint64_t total_of(const struct sampler *sampler)
{
	uint64_t total = 0;

	vector_for_each (&sampler->sums.sums, sum)
		total += sum->samples;
	return total;
}

/* The samples in an image at a link-time address of a module with this path. */
static uint64_t samples_at(const struct sampler *sampler, uint32_t image,
			   const char *path, uint64_t address)
{
	uint64_t samples = 0;

	vector_for_each (&sampler->sums.sums, sum) {
		const struct sample_node *node = &sampler->sums.nodes.items[sum->node];
		const char *name =
			node->module == SAMPLE_NOWHERE
				? "nowhere"
				: sampler->processes.modules.items.items[node->module]
					  ->path;

		if (sum->image == image && node->address == address &&
		    !strcmp(name, path))
			samples += sum->samples;
	}
	return samples;
}

static void reads_records(void **state)
{
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_stream stream = {0};

	(void)state;
	stream_execute(&stream, PID, 10);
	stream_map(&stream, PID, 20, 0x10000, 0x1000, "/no/such/file");
	stream_sample(&stream, PID, 30, 0x10010);
	stream_sample(&stream, PID, 31, 0x10010);
	stream_sample(&stream, PID, 32, 0x10020);
	stream_sample(&stream, PID, 33, 0x90000);
	stream_lost(&stream, 5, 40);
	stream_end(&stream, PID, 50);
	feed(sampler, &stream);
	assert_int_equal(sampler->taken[0], 4);
	assert_int_equal(sampler->lost, 5);
	assert_int_equal(sampler->begin_ns, 10);
	assert_int_equal(sampler->processes.images.count, 1);
	assert_true(sampler->processes.images.items[0].ended);
	assert_string_equal(sampler->processes.images.items[0].program, "/no/such/file");
	assert_int_equal(samples_at(sampler, 0, "/no/such/file", 0x10), 2);
	assert_int_equal(samples_at(sampler, 0, "/no/such/file", 0x20), 1);
	assert_int_equal(samples_at(sampler, 0, "nowhere", 0x90000), 1);
	assert_int_equal(sampler->sums.sums.items[0].events, 2000);
	sampler_destroy(sampler);
}

/* A mapping that another processor's ring has comes before samples of later times. */
static void orders_by_time(void **state)
{
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_order *order = &sampler->source.order;
	struct sample_stream first = {0}, second = {0};

	(void)state;
	stream_sample(&first, PID, 30, 0x10010);
	stream_sample(&first, PID, 60, 0x10010);
	stream_map(&second, PID, 20, 0x10000, 0x1000, "/old");
	stream_map(&second, PID, 50, 0x10000, 0x1000, "/new");
	sample_order_take(order, first.items, first.count);
	sample_order_take(order, second.items, second.count);
	sample_order_visit(order, 40, visit, sampler);
	assert_int_equal(sampler->taken[0], 1);
	assert_int_equal(order->rows.count, 2);
	sample_order_visit(order, UINT64_MAX, visit, sampler);
	assert_int_equal(samples_at(sampler, 0, "/old", 0x10), 1);
	assert_int_equal(samples_at(sampler, 0, "/new", 0x10), 1);
	vector_deinit(&first);
	vector_deinit(&second);
	sampler_destroy(sampler);
}

static void follows_processes(void **state)
{
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_stream stream = {0};

	(void)state;
	stream_execute(&stream, PID, 1);
	stream_map(&stream, PID, 2, 0x10000, 0x4000, "/program");
	stream_fork(&stream, CHILD, PID, 3);
	stream_sample(&stream, CHILD, 4, 0x10010);
	stream_execute(&stream, CHILD, 5);
	stream_sample(&stream, CHILD, 6, 0x10010); /* nothing is there any more */
	stream_map(&stream, CHILD, 7, 0x10000, 0x1000, "/other");
	stream_sample(&stream, CHILD, 8, 0x10010);
	/* A mapping in the middle of another one leaves both ends of it. */
	stream_map(&stream, PID, 9, 0x11000, 0x1000, "/library");
	stream_sample(&stream, PID, 10, 0x10fff);
	stream_sample(&stream, PID, 11, 0x11000);
	stream_sample(&stream, PID, 12, 0x12000);
	/* The pid comes again. */
	stream_end(&stream, CHILD, 13);
	stream_fork(&stream, CHILD, PID, 14);
	stream_sample(&stream, CHILD, 15, 0x11008);
	feed(sampler, &stream);
	assert_int_equal(sampler->processes.images.count, 4);
	assert_int_equal(samples_at(sampler, 1, "/program", 0x10), 1);
	assert_true(sampler->processes.images.items[1].executed);
	assert_int_equal(sampler->processes.images.items[2].parent, PID);
	assert_int_equal(samples_at(sampler, 2, "nowhere", 0x10010), 1);
	assert_int_equal(samples_at(sampler, 2, "/other", 0x10), 1);
	assert_int_equal(samples_at(sampler, 0, "/program", 0xfff), 1);
	assert_int_equal(samples_at(sampler, 0, "/library", 0), 1);
	assert_int_equal(samples_at(sampler, 0, "/program", 0x2000), 1);
	assert_int_equal(samples_at(sampler, 3, "/library", 8), 1);
	sampler_destroy(sampler);
}

/* Code without call-frame information: by frame pointers. */
/* Processes that are over become one of their kind, and are gone with their sums. */
static void forgets_what_is_over(void **state)
{
	enum { NEVER = 5000000 }; /* no process has such a number */
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_stream stream = {0};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		stream_execute(&stream, NEVER + i, 10 + 10 * i);
		stream_map(&stream, NEVER + i, 11 + 10 * i, 0x10000, 0x1000,
			   i < 2 ? "/no/such/file" : "/another");
		stream_sample(&stream, NEVER + i, 12 + 10 * i, 0x10010);
		stream_end(&stream, NEVER + i, 13 + 10 * i);
	}
	feed(sampler, &stream);
	sample_processes_read(&sampler->processes, (uint32_t)getpid());
	assert_int_equal(sampler->processes.images.count, 4);
	sampler_forget(sampler);
	assert_int_equal(sampler->processes.images.count, 3);
	assert_int_equal(sampler->sums.sums.count, 2);
	assert_int_equal(samples_at(sampler, 0, "/no/such/file", 0x10), 2);
	assert_int_equal(samples_at(sampler, 1, "/another", 0x10), 1);
	sample_sums_clear(&sampler->sums);
	sampler_forget(sampler);
	assert_int_equal(sampler->processes.images.count, 1);
	assert_int_equal(sampler->processes.images.items[0].pid, getpid());
	vector_for_each (&sampler->processes.images.items[0].maps, map)
		assert_true(map->module < sampler->processes.modules.items.count);
	vector_for_each (&sampler->processes.modules.items, module)
		assert_string_not_equal((*module)->path, "/another");
	sampler_destroy(sampler);
}

/* Sums have a bound; what is beyond it is counted. */
static void drops_beyond_bound(void **state)
{
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_stream stream = {0};

	(void)state;
	sampler->sums.most = 3;
	stream_execute(&stream, PID, 10);
	stream_map(&stream, PID, 20, 0x10000, 0x1000, "/no/such/file");
	for (uint32_t i = 0; i < 5; i++)
		stream_sample(&stream, PID, 30 + i, 0x10010 + i);
	feed(sampler, &stream);
	assert_int_equal(sampler->sums.sums.count, 2);
	assert_int_equal(sampler->sums.dropped, 3);
	sampler_destroy(sampler);
}

static void walks_by_pointers(void **state)
{
	enum { RSP = 0x7000 };
	struct sampler *sampler = make_sampler("cpu-clock", true);
	struct sample_stream stream = {0};
	const uint64_t stack[] = {1, RSP + 32, 0x10105, 2, 0, 0x10205, 3};
	struct sample_path *path = &sampler->path;

	(void)state;
	stream_map(&stream, PID, 1, 0x10000, 0x1000, "//anon");
	stream_stack_sample(&stream, PID, 2, 0x10010, RSP, RSP + 8, stack, sizeof(stack));
	feed(sampler, &stream);
	assert_int_equal(path->count, 3);
	assert_int_equal(path->addresses[0], 0x10010);
	assert_int_equal(path->addresses[1], 0x10104);
	assert_int_equal(path->addresses[2], 0x10204);
	assert_int_equal(total_of(sampler), 1);
	sampler_destroy(sampler);
}

static __attribute__((noinline)) uint64_t find_return(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

/* A stub that is not understood: its caller is on top of the stack, if that is behind a
 * call in a file. */
static void leaves_stubs(void **state)
{
	enum { RSP = 0x7000 };
	struct sampler *sampler = make_sampler("cpu-clock", true);
	struct sample_stream stream = {0};
	const uint64_t caller = find_return();
	const uint64_t stack[] = {caller, 0, 0}, other[] = {caller + 1, 0, 0};
	struct sample_path *path = &sampler->path;

	(void)state;
	sample_processes_read(&sampler->processes, (uint32_t)getpid());
	stream_map(&stream, (uint32_t)getpid(), 1, 0x10000, 0x1000, "//anon");
	stream_stack_sample(&stream, (uint32_t)getpid(), 2, 0x10010, RSP, 0, stack,
			    sizeof(stack));
	feed(sampler, &stream);
	assert_true(path->count >= 2);
	assert_int_equal(path->addresses[1], caller - 1);
	stream_stack_sample(&stream, (uint32_t)getpid(), 3, 0x10010, RSP, 0, other,
			    sizeof(other));
	feed(sampler, &stream);
	assert_int_equal(path->count, 1);
	sampler_destroy(sampler);
}

/* A whole record of each kind, at `number`; false behind the last. */
static bool make_record(unsigned number, struct sample_stream *stream)
{
	static const uint64_t stack[] = {1, 2, 3, 4};

	switch (number) {
	case 0:
		stream_stack_sample(stream, PID, 2, 3, 4, 5, stack, sizeof(stack));
		return true;
	case 1:
		stream_map(stream, PID, 1, 0x1000, 0x1000, "/name");
		return true;
	case 2:
		stream_execute(stream, PID, 1);
		return true;
	case 3:
		stream_fork(stream, CHILD, PID, 1);
		return true;
	case 4:
		stream_lost(stream, 5, 1);
		return true;
	default:
		return false;
	}
}

/* Cut short, and with each word of it made large, a record is refused or read without a
 * step outside (which sanitizers see). */
static void survives_damage(void **state)
{
	struct sample_record record;

	(void)state;
	for (unsigned number = 0;; number++) {
		struct sample_stream stream = {0};

		if (!make_record(number, &stream))
			break;
		for (size_t size = 0; size < stream.count; size++) {
			uint8_t *copy = memory_allocate(size + 1);
			struct perf_event_header header;

			memcpy(copy, stream.items, size);
			assert_int_equal(
				sample_record_read(&stream_stacks, copy, size, &record),
				0);
			/* The header says that this is all. */
			if (size >= sizeof(header)) {
				memcpy(&header, copy, sizeof(header));
				header.size = (uint16_t)size;
				memcpy(copy, &header, sizeof(header));
				assert_int_equal(sample_record_read(&stream_stacks, copy,
								    size, &record),
						 size);
			}
			free(copy);
		}
		for (size_t at = sizeof(struct perf_event_header); at + 8 <= stream.count;
		     at += 8) {
			uint64_t word;

			memcpy(&word, stream.items + at, sizeof(word));
			memset(stream.items + at, 0xff, sizeof(word));
			assert_int_equal(sample_record_read(&stream_stacks, stream.items,
							    stream.count, &record),
					 stream.count);
			memcpy(stream.items + at, &word, sizeof(word));
		}
		vector_deinit(&stream);
	}
}

/* A stack that is said to be longer than the record has it makes it no sample. */
static void refuses_wrong_sizes(void **state)
{
	const uint64_t stack[] = {1, 2, 3, 4};
	struct sample_stream stream = {0};
	struct sample_record record;
	uint64_t large = 1 << 20;
	const size_t size_at = sizeof(stack) + 16; /* from the end */

	(void)state;
	stream_stack_sample(&stream, PID, 2, 3, 4, 5, stack, sizeof(stack));
	sample_record_read(&stream_stacks, stream.items, stream.count, &record);
	assert_int_equal(record.kind, SAMPLE_TAKEN);
	assert_int_equal(record.stack_size, sizeof(stack));
	assert_true(record.has_registers);
	assert_int_equal(record.registers[7], 4);
	assert_int_equal(record.registers[SAMPLE_PC], 3);
	memcpy(stream.items + stream.count - size_at, &large, sizeof(large));
	sample_record_read(&stream_stacks, stream.items, stream.count, &record);
	assert_int_equal(record.kind, SAMPLE_OTHER);
	assert_null(record.stack);
	vector_deinit(&stream);
}

/* A record in the middle that is none ends what is read of these bytes. */
static void stops_at_damage(void **state)
{
	struct sampler *sampler = make_sampler("cpu-clock", false);
	struct sample_stream stream = {0};
	size_t first;

	(void)state;
	stream_sample(&stream, PID, 1, 0x10);
	first = stream.count;
	stream_sample(&stream, PID, 2, 0x10);
	stream_sample(&stream, PID, 3, 0x10);
	memset(stream.items + first, 0, sizeof(struct perf_event_header));
	feed(sampler, &stream);
	assert_int_equal(sampler->taken[0], 1);
	assert_int_equal(sampler->source.order.damaged, 1);
	sampler_destroy(sampler);
}

static void finds_events(void **state)
{
	const struct sample_rate rate = {.frequency = 1000}, every = {.period = 77};
	struct sample_events events;
	struct trm_error *error;

	(void)state;
	assert_null(sample_events_init("cpu-clock,page-faults", &rate, &events));
	assert_int_equal(events.count, 2);
	assert_true(events.items[0].is_clock);
	assert_int_equal(events.items[0].attributes.sample_period, 1000000);
	assert_false(events.items[0].attributes.freq);
	assert_true(events.items[1].attributes.freq);
	assert_int_equal(events.items[1].attributes.sample_freq, 1000);
	sample_events_deinit(&events);
	assert_null(sample_events_init("task-clock,page-faults", &every, &events));
	assert_int_equal(events.items[0].attributes.sample_period, 77);
	assert_int_equal(events.items[1].attributes.sample_period, 77);
	/* With it the kernel takes a sample at each fault. */
	assert_false(events.items[1].attributes.sample_type & PERF_SAMPLE_PERIOD);
	sample_events_deinit(&events);
	error = sample_events_init("cpu-clock,no-such-event", &rate, &events);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "'no-such-event'"));
	trm_error_destroy(error);
}

static void names_generated_code(void **state)
{
	struct sample_modules modules = {0};
	struct sample_module *module;
	const struct {
		uint64_t address;
		const char *name;
	} rows[] = {{0x1000, "new"},
		    {0x100f, "new"},
		    {0x1010, "[generated+0x1010]"},
		    {0x2008, "f;g h"},
		    {0xfff, "[generated+0xfff]"}};

	(void)state;
	assert_int_equal(sample_modules_generated(&modules, 3, NULL), 0);
	module = modules.items.items[0];
	sample_module_add(module, 0x2000, 0x10, "f;g h");
	sample_module_add(module, 0x1000, 0x20, "old");
	sample_module_add(module, 0x1000, 0x10, "new");
	for (size_t i = 0; i < array_count(rows); i++) {
		struct sample_name name = sample_module_name(module, rows[i].address);

		assert_string_equal(name.function, rows[i].name);
		free(name.function);
	}
	assert_int_equal(sample_modules_generated(&modules, 3, NULL), 0);
	sample_modules_deinit(&modules);
}

static void reads_maps(void **state)
{
	struct sample_modules modules = {0};
	struct sample_module *module;
	const struct {
		uint64_t address;
		const char *name;
	} rows[] = {{0x7f0010, "first of two"},
		    {0x7f0120, "Lazy Foo::bar;baz"},
		    {0x7f0200, "later"},
		    {0x7f0300, "[generated+0x7f0300]"}};

	(void)state;
	assert_int_equal(sample_modules_generated(&modules, 0, NULL), 0);
	module = modules.items.items[0];
	jit_map_read(module, "7f0000 20 first of two\n"
			     "0x7f0100 0x40 Lazy Foo::bar;baz\n"
			     "7f0200 10 earlier\n"
			     "not a line\n"
			     "7f0300 zz no size\n"
			     "7f0300 10\n"
			     "7f0300 0 empty\n"
			     "7f0200 10 later");
	for (size_t i = 0; i < array_count(rows); i++) {
		struct sample_name name = sample_module_name(module, rows[i].address);

		assert_string_equal(name.function, rows[i].name);
		free(name.function);
	}
	sample_modules_deinit(&modules);
}

static void add_number(struct sample_stream *stream, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		vector_push(stream, (uint8_t)(number >> 8 * i));
}

static void add_dump_head(struct sample_stream *stream)
{
	add_number(stream, 0x4a695444, 4);
	add_number(stream, 1, 4);
	add_number(stream, 40, 4);
	add_number(stream, 62, 4);
	add_number(stream, 0, 4);
	add_number(stream, PID, 4);
	add_number(stream, 0, 8);
	add_number(stream, 0, 8);
}

static void add_dump_load(struct sample_stream *stream, uint64_t time, uint64_t start,
			  const char *name)
{
	const size_t code = 16;

	add_number(stream, 0, 4);
	add_number(stream, 16 + 40 + strlen(name) + 1 + code, 4);
	add_number(stream, time, 8);
	add_number(stream, PID, 4);
	add_number(stream, PID, 4);
	add_number(stream, start, 8);
	add_number(stream, start, 8);
	add_number(stream, code, 8);
	add_number(stream, 1, 8);
	for (const char *c = name; *c; c++)
		vector_push(stream, (uint8_t)*c);
	add_number(stream, 0, 1);
	for (size_t i = 0; i < code; i++)
		vector_push(stream, 0x90);
}

static void add_dump_move(struct sample_stream *stream, uint64_t time, uint64_t from,
			  uint64_t to)
{
	add_number(stream, 1, 4);
	add_number(stream, 16 + 48, 4);
	add_number(stream, time, 8);
	add_number(stream, PID, 4);
	add_number(stream, PID, 4);
	add_number(stream, to, 8);
	add_number(stream, from, 8);
	add_number(stream, to, 8);
	add_number(stream, 16, 8);
	add_number(stream, 1, 8);
}

static void expect_code(struct jit_dump *dump, struct sample_module *module,
			uint64_t time, uint64_t address, const char *expected)
{
	uint64_t linked;
	struct sample_name name;

	if (!expected) {
		assert_false(jit_dump_find(dump, time, address, &linked));
		return;
	}
	assert_true(jit_dump_find(dump, time, address, &linked));
	name = sample_module_name(module, linked);
	assert_string_equal(name.function, expected);
	free(name.function);
}

/* Code is replaced and moved; each moment has its own. */
/* Samples are found again by their thread, in the order of time, and equal contexts have
 * one number. */
static void keeps_for_contexts(void **state)
{
	struct sample_contexts contexts = {0};
	struct sample_sums sums = {0};
	const uint64_t times[] = {30, 10, 20};
	struct sample_kept *found;
	size_t count;

	(void)state;
	for (uint32_t tid = 3; tid > 0; tid--) {
		for (size_t i = 0; i < array_count(times); i++) {
			const struct sample_record record = {
				.pid = PID, .tid = tid, .time = times[i]};
			const struct sample_sum sum = {.node = 1, .samples = 1};

			sample_contexts_keep(&contexts, &record, &sum);
		}
	}
	sample_contexts_sort(&contexts);
	found = sample_contexts_of(&contexts, PID, 2, &count);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(found[i].time, 10 * (i + 1));
	sample_contexts_of(&contexts, CHILD, 2, &count);
	assert_int_equal(count, 0);
	assert_int_equal(sample_contexts_number(&contexts, ""), 0);
	assert_int_equal(sample_contexts_number(&contexts, "main"), 1);
	assert_int_equal(sample_contexts_number(&contexts, "main/solve"), 2);
	assert_int_equal(sample_contexts_number(&contexts, "main"), 1);
	found[0].sum.context = 1;
	sample_contexts_add(&contexts, &sums);
	assert_int_equal(contexts.kept.count, 0);
	assert_int_equal(sums.sums.count, 2);
	sample_contexts_deinit(&contexts);
	sample_sums_deinit(&sums);
}

/* Without perf events: of a look only its own id is an event, and the clock is taken
 * instead of what cannot be had; why there is no sample is said. */
static void looks_instead(void **state)
{
	struct sampler *sampler = make_sampler("cycles,page-faults", false);
	struct sample_record record = {.kind = SAMPLE_TAKEN,
				       .pid = PID,
				       .tid = PID,
				       .id = STREAM_EVENT,
				       .ip = 0x10010,
				       .period = 3000000,
				       .overrun = 2,
				       .name = ""};
	struct text text = {0};

	(void)state;
	sample_source_look(&sampler->source, "forbidden");
	assert_string_equal(sampler->events.items[0].name, "cpu-clock");
	assert_non_null(strstr(sampler->source.notes.data, "forbidden"));
	assert_non_null(strstr(sampler->source.notes.data, "event cycles"));
	sampler_see(sampler, &record);
	assert_int_equal(sampler->taken[0], 0);
	sampler_explain_empty(sampler, &text);
	assert_non_null(strstr(text.data, "did not happen"));
	record.id = SAMPLE_LOOK_ID;
	sampler->paused = true;
	sampler_see(sampler, &record);
	sampler_explain_empty(sampler, &text);
	assert_non_null(strstr(text.data, "all 3 are of times"));
	sampler->paused = false;
	sampler_see(sampler, &record);
	assert_int_equal(sampler->taken[0], 3);
	assert_int_equal(total_of(sampler), 3);
	text_deinit(&text);
	sampler_destroy(sampler);
}

static void follows_dumps(void **state)
{
	struct sample_modules modules = {0};
	struct sample_stream bytes = {0};
	struct sample_module *module;
	struct jit_dump *dump;

	(void)state;
	assert_true(jit_is_dump("/tmp/jit-12.dump"));
	assert_false(jit_is_dump("/tmp/jit-.dump"));
	assert_false(jit_is_dump("/tmp/jit-12.dump.old"));
	assert_int_equal(sample_modules_generated(&modules, 0, "/tmp/jit-1.dump"), 0);
	module = modules.items.items[0];
	add_dump_head(&bytes);
	add_dump_load(&bytes, 10, 0x1000, "one");
	add_dump_load(&bytes, 20, 0x2000, "two");
	add_dump_move(&bytes, 30, 0x1000, 0x3000);
	add_dump_load(&bytes, 40, 0x2008, "three");
	dump = jit_dump_create(fmemopen(bytes.items, bytes.count, "r"));
	jit_dump_read(dump, module);
	expect_code(dump, module, 5, 0x1000, NULL);
	expect_code(dump, module, 15, 0x100f, "one");
	expect_code(dump, module, 15, 0x2000, NULL);
	expect_code(dump, module, 25, 0x2000, "two");
	expect_code(dump, module, 35, 0x1000, NULL);
	expect_code(dump, module, 35, 0x3004, "one");
	expect_code(dump, module, 45, 0x2000, NULL);
	expect_code(dump, module, 45, 0x200c, "three");
	jit_dump_destroy(dump);
	/* Cut short, it is read as far as it goes. */
	for (size_t size = 1; size < bytes.count; size++) {
		sample_module_clear(module);
		dump = jit_dump_create(fmemopen(bytes.items, size, "r"));
		jit_dump_read(dump, module);
		assert_true(module->functions.count < 3 || size > bytes.count - 17);
		jit_dump_destroy(dump);
	}
	vector_deinit(&bytes);
	sample_modules_deinit(&modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_records),
		cmocka_unit_test(orders_by_time),
		cmocka_unit_test(follows_processes),
		cmocka_unit_test(forgets_what_is_over),
		cmocka_unit_test(drops_beyond_bound),
		cmocka_unit_test(walks_by_pointers),
		cmocka_unit_test(leaves_stubs),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(refuses_wrong_sizes),
		cmocka_unit_test(stops_at_damage),
		cmocka_unit_test(finds_events),
		cmocka_unit_test(names_generated_code),
		cmocka_unit_test(reads_maps),
		cmocka_unit_test(follows_dumps),
		cmocka_unit_test(keeps_for_contexts),
		cmocka_unit_test(looks_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
