#include "sample/sampler.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "sample/kernel.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses from here on are the kernel's. */
#define KERNEL (1ull << 63)

struct trm_error *sampler_create(const struct sampler_options *options,
				 struct sampler **ret_sampler)
{
	struct sample_events events;
	struct sampler *sampler;

	TRM_TRY(sample_events_init(options->events, &options->rate, &events));
	sampler = memory_allocate_zeroed(1, sizeof(*sampler));
	sampler->options = *options;
	sampler->events = events;
	sample_source_init(&sampler->source, &sampler->events);
	sampler->source.branches = options->rate.branches;
	*ret_sampler = sampler;
	return NULL;
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	sample_source_deinit(&sampler->source);
	sample_events_deinit(&sampler->events);
	sample_processes_deinit(&sampler->processes);
	sample_sums_deinit(&sampler->sums);
	sample_contexts_deinit(&sampler->contexts);
	sample_branches_deinit(&sampler->branches);
	text_deinit(&sampler->why_empty);
	free(sampler);
}

struct trm_error *sampler_open(struct sampler *sampler, pid_t pid)
{
	sampler->first = (uint32_t)pid;
	return sample_source_open(&sampler->source, pid, false);
}

/* Opens events for the threads that have none yet. Returns how many there were. */
static struct trm_error *open_threads(struct sampler *sampler, pid_t pid,
				      struct table *known, size_t *ret_new)
{
	char path[64];
	struct dirent *entry;
	struct trm_error *error = NULL;
	DIR *folder;

	*ret_new = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return trm_error_create(TRM_ERROR_GONE, "there is no process %d",
					(int)pid);
	while (!error && (entry = readdir(folder))) {
		const long tid = strtol(entry->d_name, NULL, 10);
		bool made = false;

		if (tid > 0)
			table_insert(known, (uint64_t)tid, &made);
		if (!made)
			continue;
		error = sample_source_open(&sampler->source, (pid_t)tid, true);
		if (error && error->code == TRM_ERROR_GONE) {
			trm_error_destroy(error);
			error = NULL;
			continue;
		}
		++*ret_new;
		sample_processes_thread(&sampler->processes, (uint32_t)pid,
					(uint32_t)tid);
	}
	closedir(folder);
	return error;
}

struct trm_error *sampler_attach(struct sampler *sampler, pid_t pid)
{
	struct table known = {0};
	size_t count = 1;
	struct trm_error *error = NULL;

	sampler->first = (uint32_t)pid;
	/* Threads may begin while others are looked at. */
	while (!error && count)
		error = open_threads(sampler, pid, &known, &count);
	table_deinit(&known);
	TRM_TRY(error);
	sampler->begin_ns = clock_now_ns();
	sample_source_start(&sampler->source);
	sampler->source.begun = true;
	/* What is mapped from now on comes as a record. */
	sample_processes_read(&sampler->processes, (uint32_t)pid);
	return NULL;
}

/* What each process has mapped. */
static void read_processes(struct sampler *sampler)
{
	struct dirent *entry;
	DIR *folder = opendir("/proc");

	while (folder && (entry = readdir(folder))) {
		const long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0)
			sample_processes_read(&sampler->processes, (uint32_t)pid);
	}
	if (folder)
		closedir(folder);
}

struct trm_error *sampler_watch_all(struct sampler *sampler)
{
	TRM_TRY(sample_source_open_all(&sampler->source));
	sampler->begin_ns = clock_now_ns();
	sample_source_start(&sampler->source);
	read_processes(sampler);
	return NULL;
}

struct trm_error *sampler_watch_some(struct sampler *sampler)
{
	sampler->begin_ns = clock_now_ns();
	sampler->source.begun = true;
	return sample_source_open_rings(&sampler->source);
}

struct trm_error *sampler_follow(struct sampler *sampler, pid_t pid)
{
	struct table known = {0};
	size_t count = 1;
	struct trm_error *error = NULL;

	sampler->source.group = (uint32_t)pid;
	while (!error && count)
		error = open_threads(sampler, pid, &known, &count);
	table_deinit(&known);
	if (error)
		sampler_leave(sampler, pid);
	else
		sample_processes_read(&sampler->processes, (uint32_t)pid);
	return error;
}

void sampler_leave(struct sampler *sampler, pid_t pid)
{
	sample_source_close(&sampler->source, (uint32_t)pid);
}

bool sampler_counts(const struct sampler *sampler, uint32_t pid, uint64_t time)
{
	const struct sampler_options *options = &sampler->options;
	const uint64_t since = time - sampler->begin_ns;

	if (sampler->paused || (options->no_follow && pid != sampler->first))
		return false;
	if (!options->after_ns && !options->for_ns)
		return true;
	return since >= options->after_ns &&
	       (!options->for_ns || since - options->after_ns < options->for_ns);
}

/* Where the program is: in the kernel it is at the call that led there. */
static uint64_t find_pc(const struct sample_record *record)
{
	uint64_t address = record->ip;

	if (address < KERNEL)
		return address;
	if (record->has_registers)
		return record->registers[SAMPLE_PC];
	/* Among the frames stand marks, which are like addresses of the kernel. */
	for (uint64_t i = 0; i < record->chain_count; i++) {
		memcpy(&address, record->chain + 8 * i, sizeof(address));
		if (address < KERNEL)
			return address;
	}
	return 0;
}

static uint32_t add_frame(struct sampler *sampler, uint32_t image, uint32_t parent,
			  uint64_t address)
{
	struct sample_map map;
	const bool known =
		sample_processes_place(&sampler->processes, image, address, &map);

	return sample_sums_node(&sampler->sums, parent,
				known ? map.module : SAMPLE_NOWHERE,
				known ? address + map.delta : address);
}

/* A return address as the program would have it. */
static uint64_t show_caller(void *context, uint64_t address)
{
	const struct sampler *sampler = context;
	const struct sampler_original *original = &sampler->original;

	return original->lead_caller_back
		       ? original->lead_caller_back(original->context, sampler->walked,
						    address)
		       : address;
}

uint32_t sampler_add_path(struct sampler *sampler, uint32_t image,
			  const struct sample_record *record, uint64_t pc, uint64_t rsp,
			  bool partial)
{
	struct sample_path *path = &sampler->path;
	const struct sample_walk walk = {
		.processes = &sampler->processes,
		.image = image,
		.record = record,
		.partial = partial,
		.pc = pc,
		.rsp = rsp,
		.show_caller = show_caller,
		.context = sampler,
	};
	uint32_t node = 0;

	sampler->walked = record->pid;
	sample_stack_walk(&walk, path);
	if (!path->whole) {
		sampler->cut_off++;
		node = sample_sums_node(&sampler->sums, 0, SAMPLE_CUT_OFF, 0);
	}
	for (uint32_t i = path->count; i-- > 0;) {
		node = add_frame(sampler, image, node, path->addresses[i]);
		if (!node)
			break;
	}
	return node;
}

void sampler_add_names(struct sampler *sampler, uint32_t node, unsigned int most,
		       struct text *out)
{
	/* Larger files take long to open, and are no C library. */
	enum { LIBRARY_MAX = 16 << 20 };
	const struct sample_modules *modules = &sampler->processes.modules;

	for (; node && most; most--) {
		const struct sample_node *frame = &sampler->sums.nodes.items[node];

		node = frame->parent;
		if (frame->module >= modules->items.count ||
		    modules->items.items[frame->module]->size > LIBRARY_MAX)
			continue;
		struct sample_name name = sample_module_name(
			modules->items.items[frame->module], frame->address);

		text_format(out, "%s ", name.function);
		free(name.function);
	}
}

static uint32_t add_kernel_frame(struct sampler *sampler, uint32_t parent,
				 uint64_t address)
{
	const uint32_t module = sample_modules_kernel(&sampler->processes.modules);

	return sample_sums_node(&sampler->sums, parent, module, address);
}

/* Adds the frames of the kernel, which the kernel tells, the innermost first. */
static uint32_t add_kernel_path(struct sampler *sampler, uint32_t parent,
				const struct sample_record *record)
{
	uint64_t count = 0, address;

	/* A mark stands in front of them, and one behind them. */
	for (; count < record->chain_count; count++) {
		memcpy(&address, record->chain + 8 * count, sizeof(address));
		if (address == (uint64_t)PERF_CONTEXT_USER)
			break;
	}
	for (uint64_t i = count; i-- > 0;) {
		memcpy(&address, record->chain + 8 * i, sizeof(address));
		if (address >= KERNEL && address < (uint64_t)PERF_CONTEXT_MAX &&
		    address != record->ip)
			parent = add_kernel_frame(sampler, parent, address - 1);
	}
	return add_kernel_frame(sampler, parent, record->ip);
}

/* Whether the sample is one of the kernel's code, and not of the program that called it.
 */
static bool is_in_kernel(const struct sampler *sampler,
			 const struct sample_record *record)
{
	return sampler->source.kernel && record->ip >= KERNEL;
}

static struct sample_place find_place(struct sampler *sampler, uint32_t image,
				      uint32_t pid, uint64_t address)
{
	const struct sampler_original *original = &sampler->original;
	struct sample_map map;
	uint64_t rsp = 0;

	if (original->lead_back)
		original->lead_back(original->context, pid, &address, &rsp);
	if (!sample_processes_place(&sampler->processes, image, address, &map))
		return (struct sample_place){SAMPLE_NOWHERE, address};
	return (struct sample_place){map.module, address + map.delta};
}

static void add_branches(struct sampler *sampler, uint32_t image,
			 const struct sample_record *record)
{
	for (uint64_t i = 0; record->branches && i < record->branch_count; i++) {
		struct perf_branch_entry entry;

		memcpy(&entry, record->branches + SAMPLE_BRANCH_BYTES * i, sizeof(entry));
		/* A branch from or to the kernel is no edge of the program. */
		if (!entry.from || entry.from >= KERNEL || !entry.to ||
		    entry.to >= KERNEL)
			continue;
		const struct sample_branch branch = {
			.image = image,
			.from = find_place(sampler, image, record->pid, entry.from),
			.to = find_place(sampler, image, record->pid, entry.to),
			.count = 1,
			.missed = entry.mispred,
		};

		sample_branches_add(&sampler->branches, &branch);
	}
}

/* Notes where the data came from that a precise sample says. */
static void add_level(struct sample_levels *levels, uint64_t source)
{
	const uint64_t level = source >> PERF_MEM_LVL_SHIFT;

	if (!(level & PERF_MEM_LVL_HIT))
		levels->other++;
	else if (level & PERF_MEM_LVL_L1)
		levels->l1++;
	else if (level & PERF_MEM_LVL_L2)
		levels->l2++;
	else if (level & PERF_MEM_LVL_L3)
		levels->l3++;
	else if (level & PERF_MEM_LVL_LOC_RAM)
		levels->memory++;
	else
		levels->other++;
}

static void see_extras(struct sampler *sampler, const struct sample_sum *sum,
		       const struct sample_record *record)
{
	add_branches(sampler, sum->image, record);
	if (record->data_source)
		add_level(&sampler->levels[sum->event], record->data_source);
}

static void see_sample(struct sampler *sampler, const struct sample_record *record)
{
	struct sample_sum sum = {.samples = 1 + record->overrun,
				 .events = record->period,
				 .weight = record->weight};
	uint64_t pc = find_pc(record), rsp = record->registers[UNWIND_RSP];

	if (!sample_source_event(&sampler->source, record->id, &sum.event) ||
	    (!pc && !is_in_kernel(sampler, record)))
		return;
	if (!record->period)
		sum.events = sampler->events.items[sum.event].period;
	if (!sampler_counts(sampler, record->pid, record->time)) {
		sampler->outside += sum.samples;
		return;
	}
	sampler->taken[sum.event] += sum.samples;
	sample_processes_thread(&sampler->processes, record->pid, record->tid);
	sum.image = sample_processes_find(&sampler->processes, record->pid);
	sum.tid = sampler->options.threads ? record->tid : 0;
	if (sampler->original.lead_back)
		sampler->original.lead_back(sampler->original.context, record->pid, &pc,
					    &rsp);
	if (sampler->options.rate.callpath && record->has_registers)
		sum.node = sampler_add_path(sampler, sum.image, record, pc, rsp, false);
	else if (!is_in_kernel(sampler, record))
		sum.node = add_frame(sampler, sum.image, 0, pc);
	if (is_in_kernel(sampler, record))
		sum.node = add_kernel_path(sampler, sum.node, record);
	see_extras(sampler, &sum, record);
	if (sampler->options.contexts)
		sample_contexts_keep(&sampler->contexts, record, &sum);
	else
		sample_sums_add(&sampler->sums, &sum);
}

static void see_mapping(struct sampler *sampler, const struct sample_record *record)
{
	const struct sample_mapping mapping = {record->start, record->size,
					       record->file_offset, record->inode,
					       record->name};

	if (record->executable)
		sample_processes_map(&sampler->processes, record->pid, &mapping);
}

static void see_name(struct sampler *sampler, const struct sample_record *record)
{
	if (!record->executed)
		return;
	if (!sampler->begin_ns)
		sampler->begin_ns = record->time;
	sample_processes_execute(&sampler->processes, record->pid);
	sample_processes_thread(&sampler->processes, record->pid, record->tid);
}

static void see_fork(struct sampler *sampler, const struct sample_record *record)
{
	sample_processes_fork(&sampler->processes, record->pid, record->parent);
	sample_processes_thread(&sampler->processes, record->pid, record->tid);
}

/* The end of a process is that of its first thread, or of the last of the others: that
 * the first one has ended is enough. */
static void see_end(struct sampler *sampler, const struct sample_record *record)
{
	if (record->pid == record->tid)
		sample_processes_end(&sampler->processes, record->pid);
}

static void see_lost(struct sampler *sampler, const struct sample_record *record)
{
	sampler->lost += record->lost;
}

static void see_throttle(struct sampler *sampler, const struct sample_record *record)
{
	(void)record;
	sampler->throttled++;
}

void sampler_see(struct sampler *sampler, const struct sample_record *record)
{
	static void (*const sees[])(struct sampler * sampler,
				    const struct sample_record *record) = {
		[SAMPLE_OTHER] = NULL,         [SAMPLE_TAKEN] = see_sample,
		[SAMPLE_MAPPED] = see_mapping, [SAMPLE_NAMED] = see_name,
		[SAMPLE_FORKED] = see_fork,    [SAMPLE_ENDED] = see_end,
		[SAMPLE_LOST] = see_lost,      [SAMPLE_THROTTLED] = see_throttle,
	};

	sampler->processes.now_ns = record->time;
	if (sees[record->kind])
		sees[record->kind](sampler, record);
}

static void visit_record(void *context, const struct sample_record *record)
{
	sampler_see(context, record);
}

uint64_t sampler_own_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sampler_take(struct sampler *sampler, bool all)
{
	const uint64_t begin = sampler_own_clock();

	sample_processes_read_dumps(&sampler->processes);
	sample_source_drain(&sampler->source, all, visit_record, sampler);
	sampler->own_ns += sampler_own_clock() - begin;
}

/* All of the first event, in words. */
static void add_amount(struct text *text, const struct sampler *sampler)
{
	const struct sample_event *event = &sampler->events.items[0];
	const uint64_t total = sampler->source.tallies[0].total;

	if (event->is_clock)
		text_format(text, "%.1f ms of processor time", (double)total / 1e6);
	else
		text_format(text, "%" PRIu64 " events", total);
}

void sampler_explain_empty(const struct sampler *sampler, struct text *text)
{
	for (size_t i = 0; i < sampler->events.count; i++)
		if (sampler->taken[i])
			return;
	text_add(text, "no samples: ");
	if (sampler->why_empty.length)
		text_add(text, sampler->why_empty.data);
	else if (sampler->outside)
		text_format(text,
			    "all %" PRIu64 " are of times, or of processes, that "
			    "were not chosen",
			    sampler->outside);
	else if (sampler->lost)
		text_add(text, "the kernel had no room for the records");
	else if (!sampler->source.tallies[0].total)
		text_format(text, "%s did not happen", sampler->events.items[0].name);
	else {
		text_format(text, "%s: ", sampler->events.items[0].name);
		add_amount(text, sampler);
		text_add(text, " in all, less than a period, or in the kernel");
	}
	text_add(text, "\n");
}

void sampler_finish(struct sampler *sampler)
{
	sample_source_stop(&sampler->source);
	sampler_take(sampler, true);
	sample_source_count(&sampler->source);
	sampler->finished = true;
}
