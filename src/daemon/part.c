#include "daemon/part.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "context/profile.h"
#include "record/known.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "sample/save.h"
#include "store/add.h"
#include "store/gc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CACHE_KIB = 4096,
	PATIENCE_MS = 2000, /* then another writer is let through, until the next time */
};

void part_run_begin(struct part_run *run)
{
	part_run_deinit(run);
	run->run = 0;
	run->start = time(NULL);
	run->begin_ns = clock_now_ns();
}

void part_run_deinit(struct part_run *run)
{
	table_deinit(&run->numbers);
	table_deinit(&run->kept);
}

/* Processes of one program are one image of the profile. */
static uint32_t *number_programs(struct part_run *run, const struct sampler *sampler)
{
	const struct sample_processes *processes = &sampler->processes;
	const size_t count = processes->images.count;
	uint32_t *numbers = memory_allocate_zeroed(count + 1, sizeof(*numbers));
	scoped_free bool *sampled = memory_allocate_zeroed(count + 1, 1);

	vector_for_each (&sampler->sums.sums, sum)
		sampled[sum->image] = true;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *number;

		if (!sampled[i])
			continue;
		number = table_insert(&run->numbers, sample_processes_kind(processes, i),
				      NULL);
		if (!*number)
			*number = run->numbers.count;
		numbers[i] = (uint32_t)*number;
	}
	return numbers;
}

static struct trm_error *save_programs(const struct sample_saving *saving,
				       const struct sampler *sampler)
{
	record_attribute process, image, program, state;
	const struct record_attribute_row rows[] = {
		{"process", &process},
		{"image", &image},
		{"program", &program},
		{"process.state", &state},
	};
	struct table saved = {0};

	TRM_TRY(record_attributes_intern(saving->model, rows, array_count(rows)));
	for (size_t i = 0; i < sampler->processes.images.count; i++) {
		const char *path = sampler->processes.images.items[i].program;
		const uint32_t number = saving->numbers[i];
		/* Which of its processes it was is not kept. */
		const struct record_pair pairs[] = {
			{process, record_uint(number)},
			{image, record_uint(number)},
			{program, record_string(path ? path : "[kernel threads]")},
			{state, record_string("running")},
		};
		bool made = false;

		if (number)
			table_insert(&saved, number, &made);
		if (made)
			trm_writer_record(saving->writer, 0, pairs, array_count(pairs));
	}
	table_deinit(&saved);
	return NULL;
}

/* What the events are; how often they happened is the sum of what is in the database. */
static struct trm_error *save_events(const struct sample_saving *saving,
				     const struct sampler *sampler)
{
	record_attribute name, unit, frequency;
	const struct record_attribute_row rows[] = {
		{"event", &name},
		{"event.frequency", &frequency},
		{"event.unit", &unit},
	};

	TRM_TRY(record_attributes_intern(saving->model, rows, array_count(rows)));
	for (size_t i = 0; i < sampler->events.count; i++) {
		const struct sample_event *event = &sampler->events.items[i];
		const struct record_pair pairs[] = {
			{name, record_string(event->name)},
			{frequency, record_uint(sampler->options.rate.frequency)},
			{unit, record_string("ns")},
		};

		if (sampler->source.tallies[i].opened)
			trm_writer_record(saving->writer, 0, pairs,
					  array_count(pairs) - !event->is_clock);
	}
	return NULL;
}

static struct trm_error *write_parts(struct part_run *run, struct sampler *sampler,
				     struct record_model *model,
				     struct trm_writer *writer)
{
	scoped_free uint32_t *numbers = number_programs(run, sampler);
	const struct context_saving context = {.model = model, .writer = writer};
	const struct sample_saving saving = {
		.model = model, .writer = writer, .numbers = numbers};
	const struct context_run described = {
		.measure = "samples",
		.command = STORE_DAEMON,
		.start = run->start,
		.wall_ns = clock_now_ns() - run->begin_ns,
		.exit = "",
	};

	TRM_TRY(context_run_save(&context, &described, "", false));
	TRM_TRY(save_events(&saving, sampler));
	TRM_TRY(save_programs(&saving, sampler));
	return sample_save_rows(&saving, sampler);
}

/* The part as a profile in memory. */
static struct trm_error *write_profile(struct part_run *run, struct sampler *sampler,
				       int fd)
{
	struct record_model *model = record_model_create();
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct trm_error *error, *written;

	trm_writer_leave_plain(writer);
	error = write_parts(run, sampler, model, writer);
	written = trm_writer_finish(writer);
	record_model_destroy(model);
	if (!error)
		return written;
	trm_error_destroy(written);
	return error;
}

/* By which its profile is known again. */
static uint64_t identity_of(const struct part_run *run)
{
	const uint64_t identity[] = {(uint64_t)run->start, run->begin_ns,
				     (uint64_t)getpid()};

	return hash_bytes(identity, sizeof(identity));
}

static struct trm_error *add_part(struct part_run *run,
				  const struct daemon_options *options, const char *path,
				  struct store_added *added)
{
	scoped_store struct sql *sql = NULL;
	const struct store_add_options how = {
		.epoch = run->epoch,
		.label = run->label,
		.name = STORE_DAEMON,
		.digest = identity_of(run),
		.again = true,
		.into = run->run,
		.kept = &run->kept,
	};

	TRM_TRY(store_open(options->database, SQL_CREATE, &sql));
	TRM_TRY(sql_economize(sql, CACHE_KIB, PATIENCE_MS));
	struct trm_error *error = store_add(sql, path, &how, added);

	if (error)
		snprintf(run->doubt, sizeof(run->doubt), "%s", sql_doubt(sql));
	return error;
}

/* Adds a part that lies in memory; to another run if this one is gone. */
static struct trm_error *add_profile(struct part_run *run,
				     const struct daemon_options *options, int fd,
				     int64_t *ret_numbers)
{
	struct store_added added = {0};
	struct trm_error *error;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = add_part(run, options, path, &added);
	if (error && error->code == TRM_ERROR_GONE && run->run) {
		/* Another database is at this path, or the run was deleted. */
		trm_error_destroy(error);
		run->run = 0;
		table_deinit(&run->kept);
		error = add_part(run, options, path, &added);
	}
	free(added.warning);
	TRM_TRY(error);
	run->run = added.first_run;
	*ret_numbers += added.counts;
	return NULL;
}

/* Whether the part that was being committed when the connection ended is there; writes
 * the run that it was added to. */
static struct trm_error *is_there(struct part_run *run,
				  const struct daemon_options *options, bool *ret_there)
{
	scoped_store struct sql *sql = NULL;

	TRM_TRY(store_open(options->database, SQL_CREATE, &sql));
	TRM_TRY(sql_economize(sql, CACHE_KIB, PATIENCE_MS));
	TRM_TRY(sql_resolve(sql, run->doubt, ret_there));
	if (!*ret_there || run->run)
		return NULL;
	return sql_number(sql, 0, &run->run,
			  "SELECT max(r.id) FROM profiles p JOIN runs r ON r.profile=p.id"
			  " WHERE p.digest=?",
			  "i", (int64_t)identity_of(run));
}

/* What was kept apart is written before anything else. */
static struct trm_error *settle_doubt(struct part_run *run,
				      const struct daemon_options *options,
				      int64_t *ret_numbers)
{
	bool there = false;

	if (run->doubt_fd < 0)
		return NULL;
	if (*run->doubt)
		TRM_TRY(is_there(run, options, &there));
	*run->doubt = '\0';
	if (!there)
		TRM_TRY(add_profile(run, options, run->doubt_fd, ret_numbers));
	close(take_fd(&run->doubt_fd));
	return NULL;
}

struct trm_error *part_save(struct part_run *run, const struct daemon_options *options,
			    struct sampler *sampler, int64_t *ret_numbers)
{
	scoped_fd int fd = memfd_create("trammel-part", MFD_CLOEXEC);
	struct trm_error *error;

	*ret_numbers = 0;
	if (fd < 0)
		return trm_error_system(errno, "memory for a profile");
	TRM_TRY(settle_doubt(run, options, ret_numbers));
	if (!sampler->sums.sums.count)
		return NULL;
	TRM_TRY(write_profile(run, sampler, fd));
	error = add_profile(run, options, fd, ret_numbers);
	if (!*run->doubt)
		return error;
	/* With what comes it could not be told apart any more. */
	run->doubt_fd = take_fd(&fd);
	sample_sums_clear(&sampler->sums);
	return error;
}
