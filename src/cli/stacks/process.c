#include "cli/stacks/process.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/path.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "session/run/attach_check.h"
#include "stacks/look.h"
#include "symbols/symbols.h"
#include "wire/context.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000u

/* Modules lie behind each other, as symbols see them. */
#define MODULE_SPAN (1ull << 48)

struct viewing {
	uint32_t pid;
	struct sampler *sampler;
	struct stacks *stacks;
	struct symbols *symbols;
	struct table added; /* modules that the symbols have */
	bool sampled;       /* threads that run were sampled */
	bool json;
	struct text *out;
};

/* A frame as it is shown. */
struct shown_frame {
	const char *function, *module, *place; /* place NULL: not known */
	const char *file;
	uint32_t line;
	bool inlined;
};

static struct trm_error *check_access(uint32_t pid)
{
	char path[64], text[8];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/syscall", pid);
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (attach_is_kernel_thread((pid_t)pid))
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"process %" PRIu32
			" is a thread of the kernel, which has no program",
			pid);
	if (fd >= 0 && read(fd, text, sizeof(text)) > 0)
		return NULL;
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return trm_error_create(
			TRM_ERROR_GONE,
			"there is no process %" PRIu32 ": 'ps -e' lists them", pid);
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"process %" PRIu32
				" may not be looked at: it is another user's, or the "
				"kernel's kernel.yama.ptrace_scope is not 0: use sudo",
				pid);
}

static bool any_running(const struct viewing *viewing)
{
	vector_for_each (&viewing->stacks->rows, row)
		if (row->thread.state == STACKS_RUNNING && !row->node)
			return true;
	return false;
}

/* The last place at which samples found a thread that runs. */
static void place_running(const struct viewing *viewing)
{
	vector_for_each (&viewing->stacks->rows, row) {
		if (row->thread.state != STACKS_RUNNING)
			continue;
		vector_for_each (&viewing->sampler->sums.sums, sum)
			if (sum->tid == row->thread.tid)
				row->node = sum->node;
	}
}

/* Samples the threads that run for a moment. */
static void sample_running(struct viewing *viewing)
{
	enum { TRIES = 10, TRY_MS = 10 };

	if (!any_running(viewing))
		return;
	struct trm_error *error = sampler_attach(viewing->sampler, (pid_t)viewing->pid);

	viewing->sampled = !error;
	trm_error_destroy(error);
	for (int i = 0; i < TRIES && viewing->sampled && any_running(viewing); i++) {
		usleep(TRY_MS * 1000);
		sampler_take(viewing->sampler, true);
		place_running(viewing);
	}
	if (viewing->sampled)
		sample_source_stop(&viewing->sampler->source);
}

static const struct symbols_place *find_symbols(struct viewing *viewing, uint32_t module,
						uint64_t address)
{
	const struct sample_module *of =
		viewing->sampler->processes.modules.items.items[module];
	const uint64_t base = (module + 1) * MODULE_SPAN;
	bool made;

	if (of->owner || of->path[0] != '/' || access(of->path, R_OK))
		return NULL;
	table_insert(&viewing->added, module, &made);
	if (made)
		symbols_add(viewing->symbols, base, base + MODULE_SPAN, base, of->path);
	return symbols_find(viewing->symbols, base + address);
}

typedef void show_frame(struct viewing *viewing, const struct shown_frame *frame,
			uint32_t number);

/* Code in no file, or in one that cannot be read. */
static void visit_plain(struct viewing *viewing, const struct sample_node *node,
			uint32_t *number, show_frame *show)
{
	const struct sample_modules *modules = &viewing->sampler->processes.modules;
	struct sample_name name = {0};
	char words[40];
	struct shown_frame frame = {.function = words};

	snprintf(words, sizeof(words), "[0x%" PRIx64 "]", node->address);
	if (node->module == SAMPLE_CUT_OFF)
		frame.function = "[cut off]";
	if (node->module < modules->items.count) {
		name = sample_module_name(modules->items.items[node->module],
					  node->address);
		frame.function = name.function;
		frame.module = modules->items.items[node->module]->path;
	}
	show(viewing, &frame, (*number)++);
	free(name.function);
}

/* Visits the frames of a node and those of functions inlined there. */
static void visit_frames(struct viewing *viewing, uint32_t node, show_frame *show)
{
	const struct sample_node *nodes = viewing->sampler->sums.nodes.items;
	uint32_t number = 0;

	for (; node; node = nodes[node].parent) {
		const struct sample_node *at = &nodes[node];
		const struct symbols_place *found =
			at->module < viewing->sampler->processes.modules.items.count
				? find_symbols(viewing, at->module, at->address)
				: NULL;

		if (!found) {
			visit_plain(viewing, at, &number, show);
			continue;
		}
		for (size_t i = found->function_count; i-- > 0;) {
			const bool last = i + 1 == found->function_count;
			const struct shown_frame frame = {
				.function = found->functions[i],
				.module = found->module,
				.place = last ? found->place : NULL,
				.file = last ? found->file : NULL,
				.line = last ? found->line : 0,
				.inlined = i > 0,
			};

			show(viewing, &frame, number++);
		}
	}
}

static void show_frame_text(struct viewing *viewing, const struct shown_frame *frame,
			    uint32_t number)
{
	text_format(viewing->out, "  #%-3" PRIu32 " ", number);
	report_add_visible(viewing->out, frame->function);
	if (frame->place) {
		text_add(viewing->out, " at ");
		report_add_visible(viewing->out, frame->place);
	}
	if (frame->inlined)
		text_add(viewing->out, " (inlined)");
	if (frame->module && *frame->module) {
		text_add(viewing->out, " in ");
		report_add_visible(viewing->out, path_name(frame->module));
	}
	text_add(viewing->out, "\n");
}

static void show_frame_json(struct viewing *viewing, const struct shown_frame *frame,
			    uint32_t number)
{
	text_add(viewing->out, number ? ", {" : "{");
	json_add_text(viewing->out, "function", frame->function);
	json_add_string(viewing->out, "module.path", frame->module ? frame->module : "");
	if (frame->file) {
		json_add_text(viewing->out, "file", frame->file);
		json_add_number(viewing->out, "line", frame->line);
	}
	if (frame->inlined)
		json_add_boolean(viewing->out, "inlined", true);
	text_add(viewing->out, "}");
}

static void show_thread_text(struct viewing *viewing, const struct stacks_row *row)
{
	struct text *out = viewing->out;
	const char *words = row->object.words.data;

	text_format(out, "\nthread %" PRIu32 " ", row->thread.tid);
	report_add_visible(out, row->thread.name);
	text_format(out, ": %s", stacks_state_names[row->thread.state]);
	if (words) {
		text_add(out, " for ");
		report_add_visible(out, words);
	}
	if (row->thread.in_kernel && stacks_call_name(row->thread.call.number))
		text_format(out, ", in %s", stacks_call_name(row->thread.call.number));
	text_add(out, "\n");
	visit_frames(viewing, row->node, show_frame_text);
	if (!row->node)
		text_add(out, viewing->sampled
				      ? "  (it had no processor for a moment)\n"
				      : "  (its stack is not known: it runs, and perf "
					"events are forbidden)\n");
}

static void show_thread_json(struct viewing *viewing, const struct stacks_row *row)
{
	struct text *out = viewing->out;
	const char *call =
		row->thread.in_kernel ? stacks_call_name(row->thread.call.number) : NULL;

	json_begin_item(out);
	json_add_number(out, "thread", row->thread.tid);
	json_add_text(out, "thread.name", row->thread.name);
	json_add_text(out, "state", stacks_state_names[row->thread.state]);
	if (row->object.words.data) {
		json_add_text(out, "wait.kind", stacks_kind_names[row->object.kind]);
		json_add_text(out, "wait.on", row->object.words.data);
	}
	if (row->object.holder)
		json_add_number(out, "wait.holder.thread", row->object.holder);
	json_add_string(out, "call", call ? call : "");
	text_add(out, ", \"frames\": [");
	visit_frames(viewing, row->node, show_frame_json);
	text_add(out, "]}");
}

static int by_thread(const void *left, const void *right)
{
	const struct stacks_row *a = left, *b = right;

	return a->thread.tid < b->thread.tid ? -1 : a->thread.tid > b->thread.tid;
}

static void show_process(struct viewing *viewing)
{
	struct stacks *stacks = viewing->stacks;
	const struct sample_image *image =
		&viewing->sampler->processes.images.items[stacks->image];
	const char *program = image->program ? image->program : "";

	if (stacks->rows.count)
		qsort(stacks->rows.items, stacks->rows.count, sizeof(*stacks->rows.items),
		      by_thread);
	if (viewing->json) {
		text_add(viewing->out, "{");
		json_add_number(viewing->out, "process", viewing->pid);
		json_add_text(viewing->out, "program", program);
		json_begin_list(viewing->out, "threads");
	} else {
		text_format(viewing->out, "process %" PRIu32 " ", viewing->pid);
		report_add_visible(viewing->out, program);
		text_add(viewing->out, ": ");
		report_add_count(viewing->out, stacks->rows.count, "thread", "threads");
		text_add(viewing->out, "\n");
	}
	vector_for_each (&stacks->rows, row)
		(viewing->json ? show_thread_json : show_thread_text)(viewing, row);
	if (viewing->json)
		text_add(viewing->out, "\n]}\n");
}

struct trm_error *stacks_of_process(uint32_t pid, bool json, struct text *out)
{
	const struct sampler_options asked = {
		.events = "task-clock",
		.rate = {.period = MS, .callpath = true},
		.threads = true,
	};
	struct viewing viewing = {.pid = pid, .json = json, .out = out};
	struct trm_error *ended = NULL;

	TRM_TRY(check_access(pid));
	TRM_TRY(sampler_create(&asked, &viewing.sampler));
	viewing.stacks = stacks_create(viewing.sampler);
	viewing.stacks->samples_run = true;
	viewing.symbols = symbols_create(CONTEXT_LOOK_FUNCTIONS | CONTEXT_LOOK_PLACES |
					 CONTEXT_LOOK_FILES | CONTEXT_LOOK_LINES |
					 CONTEXT_LOOK_INLINES);
	sample_processes_read(&viewing.sampler->processes, pid);
	stacks_look(viewing.stacks, pid);
	if (!viewing.stacks->rows.count)
		ended = trm_error_create(TRM_ERROR_GONE,
					 "process %" PRIu32
					 " has ended already, and its parent has not "
					 "noticed yet",
					 pid);
	sample_running(&viewing);
	show_process(&viewing);
	symbols_destroy(viewing.symbols);
	table_deinit(&viewing.added);
	stacks_destroy(viewing.stacks);
	sampler_destroy(viewing.sampler);
	return ended;
}
