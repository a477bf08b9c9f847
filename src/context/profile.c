#include "context/profile.h"

#include "base/host.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "context/channel_view.h"
#include "context/save.h"
#include "record/model.h"
#include "record/output.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

static int by_begin(const void *a, const void *b)
{
	const struct context_process *x = a, *y = b;
	uint64_t begin = x->head->begin.ns, other = y->head->begin.ns;

	return compare_numbers(begin, other);
}

struct context_spools context_spools_read(const char *path)
{
	struct context_spools spools = {0};
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct context_process process;
		struct text file = {0};

		if (entry->d_name[0] == '.')
			continue;
		text_format(&file, "%s/%s", path, entry->d_name);
		struct trm_error *error = context_process_init(&process, file.data);

		if (!error)
			vector_push(&spools, process);
		trm_error_destroy(error);
		text_deinit(&file);
	}
	if (folder)
		closedir(folder);
	if (spools.count)
		qsort(spools.items, spools.count, sizeof(*spools.items), by_begin);
	return spools;
}

void context_spools_deinit(struct context_spools *spools)
{
	vector_for_each (spools, spool)
		context_process_deinit(spool);
	vector_deinit(spools);
}

/* How a process stands; of others than the first one it is not known how they ended. */
static const char *state_of(const struct context_spools *spools, size_t index,
			    const struct context_run *run)
{
	const struct context_spool *head = spools->items[index].head;

	for (size_t i = index + 1; i < spools->count; i++)
		if (spools->items[i].head->pid == head->pid)
			return "exec";
	if (head->pid == run->first)
		return run->exit_state;
	return !head->finished && !kill((pid_t)head->pid, 0) ? "running" : "ended";
}

/* A pair of a record that is written once: found or made by its name. */
struct named_pair {
	const char *name;
	struct record_value value;
};

static struct trm_error *intern_pairs(struct record_model *model,
				      const struct named_pair *named, size_t count,
				      uint32_t properties, struct record_pair *pairs)
{
	for (size_t i = 0; i < count; i++) {
		TRM_TRY(record_attribute_intern(model, named[i].name, named[i].value.type,
						RECORD_AS_VALUE | properties,
						&pairs[i].attribute));
		pairs[i].value = named[i].value;
	}
	return NULL;
}

struct trm_error *context_run_save(const struct context_saving *saving,
				   const struct context_run *run, const char *faults,
				   bool running)
{
	char host[HOST_NAME_SIZE], start[32];
	struct tm broken;

	host_name(host);
	gmtime_r(&run->start, &broken);
	strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &broken);
	const struct named_pair globals[] = {
		{"trm.version", record_string(TRAMMEL_VERSION)},
		{"run.command", record_string(run->command)},
		{"run.start", record_string(start)},
		{"host", record_string(host)},
		{"run.wall.ns", record_uint(run->wall_ns)},
		{"run.measure", record_string(run->measure)},
		{"run.exit", record_string(run->exit)},
		{"run.state", record_string(running ? "running" : "complete")},
		{"context.faults", record_string(faults)},
	};
	size_t count = array_count(globals) - !*faults;
	struct record_pair pairs[array_count(globals)];

	TRM_TRY(intern_pairs(saving->model, globals, count, RECORD_GLOBAL, pairs));
	for (size_t i = 0; i < count; i++)
		trm_writer_global(saving->writer, pairs[i].attribute, pairs[i].value);
	return NULL;
}

struct trm_error *context_image_save(const struct context_saving *saving,
				     const struct context_spool *head, uint64_t image,
				     const char *state)
{
	scoped_free char *program = strndup(head->program, sizeof(head->program) - 1);
	const struct named_pair named[] = {
		{"process", record_uint(head->pid)},
		{"image", record_uint(image)},
		{"process.parent", record_uint(head->parent)},
		{"program", record_string(program)},
		{"threads", record_uint(head->threads)},
		{"process.state", record_string(state)},
	};
	struct record_pair pairs[array_count(named)];
	size_t count = array_count(named);

	TRM_TRY(intern_pairs(saving->model, named, count, 0, pairs));
	trm_writer_record(saving->writer, 0, pairs, count);
	return NULL;
}

static struct trm_error *save_process(const struct context_saving *saving,
				      const struct context_process *spool, uint64_t image,
				      const char *state)
{
	TRM_TRY(context_image_save(saving, spool->head, image, state));
	context_save(saving, spool, image);
	return NULL;
}

void context_describe_static(const struct context_spools *spools, bool is_static,
			     struct text *text)
{
	if (is_static && !spools->count)
		text_add(text, "the program is static: it loads no library, so what it "
			       "says of itself is not seen");
}

static struct trm_error *save_all(struct context_saving *saving,
				  const struct context_spools *spools,
				  const struct context_run *run)
{
	struct trm_error *error;
	struct text faults = {0};
	bool running = false;

	for (size_t i = 0; i < spools->count; i++) {
		running |= !strcmp(state_of(spools, i, run), "running");
		context_describe_faults(&spools->items[i], &faults);
	}
	context_describe_static(spools, run->is_static, &faults);
	error = context_run_save(saving, run, faults.data ? faults.data : "", running);
	text_deinit(&faults);
	if (spools->count)
		saving->first_ns = spools->items[0].head->begin.ns;
	for (size_t i = 0; i < spools->count && !error; i++)
		error = save_process(saving, &spools->items[i], i + 1,
				     state_of(spools, i, run));
	return error;
}

static struct trm_error *write_to(int fd, const char *folder,
				  const struct context_run *run)
{
	struct record_model *model = record_model_create();
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct context_spools spools = context_spools_read(folder);
	struct context_saving saving;
	struct trm_error *error = context_saving_init(&saving, writer, model), *disk;

	if (!error)
		error = save_all(&saving, &spools, run);
	context_spools_deinit(&spools);
	disk = trm_writer_finish(writer);
	record_model_destroy(model);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *context_profile_write(const char *path, const char *folder,
					const struct context_run *run)
{
	struct trm_output output;

	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, write_to(output.fd, folder, run));
}
