#include "store/add.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "report/merge.h"
#include "report/runs.h"
#include "store/context_store.h"
#include "store/delta.h"
#include "store/facts.h"
#include "store/rest.h"
#include "store/subject.h"
#include "store/trait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

/* The numbers of a record: what was counted, and how often. */
struct number {
	int64_t event;
	enum trait_fold fold;
	struct record_value value;
};

struct adding {
	struct sql *sql;
	const char *path;
	const struct store_add_options *options;
	struct facts facts;
	struct record_model *model; /* of the second reading */
	struct context_names names;
	struct VECTOR(struct trait) traits;
	struct subjects subjects;
	struct table sources, contexts, events;
	struct VECTOR(struct number) numbers; /* of the record */
	struct text keys, form, event;
	struct rest rest;
	size_t rest_records;
	struct VECTOR(uint64_t) fresh; /* hashes of records that were not kept before */
	struct deltas deltas;
	int64_t profile;
	struct VECTOR(int64_t) runs; /* one for each of the facts */
	struct store_added added;
	struct trm_error *error; /* the first; nothing is taken in after it */
};

/* Of what is there and what is added. */
#define LARGER(table, column)                                                            \
	"CASE WHEN excluded." column " > " table "." column " THEN excluded." column     \
	" ELSE " table "." column " END"

/* The number of a row with this name, made if it is new. `find` and `make` are
 * statements with the name as their parameter. */
static struct trm_error *name_row(struct sql *sql, const char *make, const char *find,
				  const char *name, int64_t *ret_id)
{
	TRM_TRY(sql_run(sql, make, "t", name));
	return sql_number(sql, -1, ret_id, find, "t", name);
}

static void write_now(char *text, size_t size)
{
	const time_t now = time(NULL);
	struct tm broken;

	gmtime_r(&now, &broken);
	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &broken);
}

static struct trm_error *epoch_of(struct adding *adding, const struct fact_run *run,
				  int64_t *ret_epoch)
{
	const char *start = facts_get(run, "run.start", "");
	char day[32], now_text[32];

	if (adding->options->epoch)
		return name_row(adding->sql,
				"INSERT INTO epochs(name, kind) VALUES(?, 'named')"
				" ON CONFLICT DO NOTHING",
				"SELECT id FROM epochs WHERE name=?",
				adding->options->epoch, ret_epoch);
	write_now(now_text, sizeof(now_text));
	if (strlen(start) < 10 || start[4] != '-' || start[7] != '-')
		start = now_text;
	snprintf(day, sizeof(day), "%.4s%.2s%.2s", start, start + 5, start + 8);
	return name_row(adding->sql,
			"INSERT INTO epochs(name, kind) VALUES(?, 'day')"
			" ON CONFLICT DO NOTHING",
			"SELECT id FROM epochs WHERE name=?", day, ret_epoch);
}

static struct trm_error *add_label(struct adding *adding, int64_t run)
{
	int64_t label;

	if (!adding->options->label)
		return NULL;
	TRM_TRY(name_row(
		adding->sql, "INSERT INTO labels(name) VALUES(?) ON CONFLICT DO NOTHING",
		"SELECT id FROM labels WHERE name=?", adding->options->label, &label));
	return sql_run(adding->sql, "INSERT INTO run_labels VALUES(?, ?)", "ii", run,
		       label);
}

static struct trm_error *add_run(struct adding *adding, const struct fact_run *run)
{
	char now_text[32];
	int64_t epoch, host, id;

	write_now(now_text, sizeof(now_text));
	TRM_TRY(epoch_of(adding, run, &epoch));
	TRM_TRY(name_row(
		adding->sql, "INSERT INTO hosts(name) VALUES(?) ON CONFLICT DO NOTHING",
		"SELECT id FROM hosts WHERE name=?", facts_get(run, "host", ""), &host));
	TRM_TRY(sql_number(
		adding->sql, -1, &id,
		"INSERT INTO runs(profile, number, epoch, host, command, measure, start,"
		" wall_ns, exit, runs) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 1) RETURNING id",
		"iiiitttit", adding->profile, (int64_t)run->number, epoch, host,
		facts_get(run, "run.command", ""), facts_get(run, "run.measure", ""),
		facts_get(run, "run.start", now_text),
		(int64_t)atoll(facts_get(run, "run.wall.ns", "0")),
		facts_get(run, "run.exit", "")));
	vector_push(&adding->runs, id);
	return add_label(adding, id);
}

/* The size of the file that was measured, if it is still there as it was before the
 * profile was written; else -1. */
static int64_t size_of(const struct adding *adding, const char *path)
{
	struct stat file, profile;

	if (*path != '/' || stat(path, &file) || !S_ISREG(file.st_mode) ||
	    stat(adding->path, &profile) || file.st_mtime >= profile.st_mtime)
		return -1;
	return file.st_size;
}

static struct trm_error *add_module(struct adding *adding,
				    const struct fact_module *module)
{
	const int64_t run =
		adding->runs.items[facts_run_of(&adding->facts, module->image)];
	int64_t image, size = size_of(adding, module->path);

	TRM_TRY(subjects_image(&adding->subjects, module->path, module->build, &image));
	if (size >= 0)
		TRM_TRY(sql_run(adding->sql,
				"UPDATE images SET size=? WHERE id=? AND size IS NULL",
				"ii", size, image));
	return sql_run(
		adding->sql,
		"INSERT INTO run_images VALUES(?, ?, ?, ?)"
		" ON CONFLICT(run, image) DO UPDATE"
		" SET known=" LARGER("run_images", "known") ", instrumented=" LARGER(
			"run_images", "instrumented"),
		"iiii", run, image, (int64_t)module->known,
		(int64_t)module->instrumented);
}

static struct trm_error *add_runs(struct adding *adding)
{
	struct trm_error *error = NULL;

	vector_for_each (&adding->facts.runs, run)
		if (!error)
			error = add_run(adding, run);
	vector_for_each (&adding->facts.modules, module)
		if (!error)
			error = add_module(adding, module);
	return error;
}

static struct trait *trait_of(struct adding *adding, record_attribute attribute)
{
	while (adding->traits.count <= attribute) {
		const record_attribute next = (record_attribute)adding->traits.count;

		vector_push(&adding->traits, trait_find(adding->model, next));
	}
	return &adding->traits.items[attribute];
}

static uint64_t mix_keys(uint64_t a, uint64_t b)
{
	const uint64_t both[] = {a, b};

	return hash_bytes(both, sizeof(both));
}

/* The event that a number is, made if it is new. */
static struct trm_error *find_event(struct adding *adding, record_attribute attribute,
				    enum trait_mark about, const char *event,
				    struct number *ret_number)
{
	const char *name = record_attribute_name(adding->model, attribute);
	uint64_t key = mix_keys(attribute + ((uint64_t)about << 32),
				event ? hash_bytes(event, strlen(event)) : 0);
	int64_t id;
	bool new;
	uint64_t *known = table_insert(&adding->events, key, &new);

	ret_number->fold = trait_fold_of(name);
	if (new) {
		TRM_TRY(context_names_attribute(&adding->names, attribute, &id));
		adding->event.length = 0;
		trait_name_event(name, about, event, &adding->event);
		TRM_TRY(sql_run(adding->sql,
				"INSERT INTO events(name, attribute, fold, type, sampled)"
				" VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				"titii", adding->event.data, id,
				trait_fold_names[ret_number->fold],
				(int64_t)record_attribute_type(adding->model, attribute),
				(int64_t)trait_is_sampled(name)));
		TRM_TRY(sql_number(adding->sql, -1, &id,
				   "SELECT id FROM events WHERE name=?", "t",
				   adding->event.data));
		*known = (uint64_t)id;
	}
	ret_number->event = (int64_t)*known;
	return NULL;
}

/* What a record is, from its pairs. */
struct described {
	int64_t image, thread, interval; /* -1: not said */
	int64_t address, weight;         /* -1: none */
	uint64_t offset;
	uint8_t closeness; /* of the address */
	enum trait_mark about;
	const char *event;
	bool apart, counted;
};

static struct described describe_record(struct adding *adding,
					const struct record_pair *pairs, size_t count)
{
	struct described record = {-1, -1, -1, -1, -1, .about = TRAIT_PLAIN};

	for (size_t i = 0; i < count; i++) {
		const struct trait *trait = trait_of(adding, pairs[i].attribute);
		const struct record_value value = pairs[i].value;

		record.apart |= trait->role == TRAIT_APART;
		record.counted |= trait->role == TRAIT_NUMBER;
		if (trait->role == TRAIT_IMAGE)
			record.image = value.i;
		if (trait->role == TRAIT_THREAD)
			record.thread = value.i;
		if (trait->role == TRAIT_INTERVAL)
			record.interval = value.i;
		if (trait->address > record.closeness) {
			record.closeness = trait->address;
			record.address = value.i;
		}
		if (trait->mark == TRAIT_OFFSET)
			record.offset = value.u;
		if (trait->mark == TRAIT_WEIGHT)
			record.weight = value.i;
		if (trait->mark == TRAIT_BLOCK || trait->mark == TRAIT_EDGE)
			record.about = trait->mark;
		if (trait->mark == TRAIT_EVENT && value.type == RECORD_STRING)
			record.event = value.bytes;
	}
	return record;
}

/* Numbers of the record, its keys as bytes, and its form: which numbers it has. */
static struct trm_error *split_pairs(struct adding *adding,
				     const struct described *record,
				     const struct record_pair *pairs, size_t count)
{
	adding->numbers.count = adding->keys.length = adding->form.length = 0;
	text_add(&adding->keys, "");
	text_add(&adding->form, "");
	for (size_t i = 0; i < count; i++) {
		const struct trait *trait = trait_of(adding, pairs[i].attribute);
		struct number number = {.value = pairs[i].value};

		if (trait->role == TRAIT_KEY)
			TRM_TRY(context_names_pack(&adding->names, &pairs[i],
						   &adding->keys));
		if (trait->role != TRAIT_NUMBER)
			continue;
		if (number.value.type == RECORD_UINT && number.value.u > INT64_MAX)
			return trm_error_create(
				TRM_ERROR_LIMIT,
				"'%s': a number of '%s' is %lu: the database holds "
				"numbers up to 2^63 - 1",
				adding->path,
				record_attribute_name(adding->model, pairs[i].attribute),
				number.value.u);
		TRM_TRY(find_event(adding, pairs[i].attribute, record->about,
				   record->event, &number));
		text_format(&adding->form, "%s%ld", adding->form.length ? "," : "",
			    (long)number.event);
		vector_push(&adding->numbers, number);
	}
	return NULL;
}

static struct trm_error *make_source(struct adding *adding,
				     const struct described *record, int64_t run,
				     int64_t *ret_source)
{
	*ret_source = -1;
	if (adding->options->into)
		TRM_TRY(sql_number(adding->sql, -1, ret_source,
				   "SELECT id FROM sources WHERE run=? AND image=?"
				   " AND thread=? AND interval=?",
				   "iiii", run, record->image, record->thread,
				   record->interval));
	if (*ret_source >= 0)
		return NULL;
	return sql_number(adding->sql, -1, ret_source,
			  "INSERT INTO sources(run, image, thread, interval)"
			  " VALUES(?, ?, ?, ?) RETURNING id",
			  "iiii", run, record->image, record->thread, record->interval);
}

static struct trm_error *find_source(struct adding *adding,
				     const struct described *record, int64_t *ret_source)
{
	const int64_t run =
		adding->runs.items[facts_run_of(&adding->facts, (uint64_t)record->image)];
	bool new;
	uint64_t *known = table_insert(
		&adding->sources,
		mix_keys(mix_keys((uint64_t)record->image, (uint64_t)record->thread),
			 (uint64_t)record->interval),
		&new);

	if (new) {
		TRM_TRY(make_source(adding, record, run, ret_source));
		*known = (uint64_t)*ret_source;
	}
	*ret_source = (int64_t)*known;
	return NULL;
}

/* The row of a context that is not known from this profile. */
static struct trm_error *make_context(struct adding *adding,
				      const struct described *record, int64_t node,
				      int64_t function, int64_t *ret_context)
{
	static const char find[] =
		"SELECT id FROM contexts WHERE function=? AND node=? AND form=?"
		" AND keys=? AND DIGEST(form)=DIGEST(?3) AND DIGEST(keys)=DIGEST(?4)";
	const struct text *form = &adding->form, *keys = &adding->keys;

	TRM_TRY(sql_number(adding->sql, -1, ret_context, find, "iitb", function, node,
			   form->data, keys->data, keys->length));
	if (*ret_context < 0)
		TRM_TRY(sql_number(adding->sql, -1, ret_context,
				   "INSERT INTO contexts(node, function, form, keys,"
				   " address, weight) VALUES(?, ?, ?, ?,"
				   " nullif(CAST(? AS BIGINT), -1),"
				   " nullif(CAST(? AS BIGINT), -1))"
				   " ON CONFLICT DO NOTHING RETURNING id",
				   "iitbii", node, function, form->data, keys->data,
				   keys->length, record->address, record->weight));
	/* Another process has made it meanwhile. */
	if (*ret_context < 0)
		TRM_TRY(sql_number(adding->sql, -1, ret_context, find, "iitb", function,
				   node, form->data, keys->data, keys->length));
	return NULL;
}

static struct trm_error *find_context(struct adding *adding,
				      const struct described *record, record_node node,
				      int64_t *ret_context, int64_t *ret_function)
{
	const struct text *form = &adding->form, *keys = &adding->keys;
	int64_t id, function;
	bool new;

	TRM_TRY(context_names_node(&adding->names, node, &id));
	TRM_TRY(subjects_find(&adding->subjects, node, (uint64_t)record->image,
			      record->offset, &function));
	uint64_t *known =
		table_insert(&adding->contexts,
			     mix_keys(mix_keys((uint64_t)id, (uint64_t)function),
				      mix_keys(hash_bytes(form->data, form->length),
					       hash_bytes(keys->data, keys->length))),
			     &new);

	if (new) {
		TRM_TRY(make_context(adding, record, id, function, ret_context));
		*known = (uint64_t)*ret_context;
	}
	*ret_context = (int64_t)*known;
	*ret_function = function;
	return NULL;
}

#define ADD_COUNT                                                                        \
	"INSERT INTO counts VALUES(?, ?, ?, ?) ON CONFLICT(source, context, event) DO "

static const char *const count_statements[FOLD_COUNT] = {
	[FOLD_SUM] = ADD_COUNT "UPDATE SET value=counts.value + excluded.value",
	[FOLD_MIN] = ADD_COUNT "UPDATE SET value=CASE WHEN excluded.value < counts.value"
			       " THEN excluded.value ELSE counts.value END",
	[FOLD_MAX] = ADD_COUNT "UPDATE SET value=" LARGER("counts", "value"),
	[FOLD_KEEP] = ADD_COUNT "NOTHING",
};

static struct trm_error *add_counts(struct adding *adding, record_node node,
				    const struct described *record,
				    const struct record_pair *pairs, size_t count)
{
	int64_t source, context, function;

	TRM_TRY(split_pairs(adding, record, pairs, count));
	TRM_TRY(find_source(adding, record, &source));
	TRM_TRY(find_context(adding, record, node, &context, &function));
	vector_for_each (&adding->numbers, number) {
		const char *statement = count_statements[number->fold];

		adding->added.counts++;
		if (adding->options->into)
			deltas_add(&adding->deltas, number->event, function,
				   number->value.i);
		/* All others do not just add up. */
		adding->deltas.useless |= number->fold != FOLD_SUM ||
					  number->value.type == RECORD_DOUBLE ||
					  record->about == TRAIT_BLOCK;
		if (number->value.type == RECORD_DOUBLE)
			TRM_TRY(sql_run(adding->sql, statement, "iiid", source, context,
					number->event, number->value.d));
		else
			TRM_TRY(sql_run(adding->sql, statement, "iiii", source, context,
					number->event, number->value.i));
	}
	return NULL;
}

/* Whether a record that is no number was kept of an earlier part of the run. */
static bool is_kept(struct adding *adding, record_node node,
		    const struct record_pair *pairs, size_t count)
{
	struct text text = {0};
	uint64_t hash;

	if (!adding->options->kept)
		return false;
	for (; node; node = record_node_parent(adding->model, node)) {
		const struct record_pair pair = record_node_pair(adding->model, node);

		text_format(&text, "%s\n",
			    record_attribute_name(adding->model, pair.attribute));
		record_value_text(&text, pair.value);
	}
	for (size_t i = 0; i < count; i++) {
		text_format(&text, "\n%s\n",
			    record_attribute_name(adding->model, pairs[i].attribute));
		record_value_text(&text, pairs[i].value);
	}
	hash = hash_bytes(text.data ? text.data : "", text.length);
	text_deinit(&text);
	if (table_find(adding->options->kept, hash, NULL))
		return true;
	vector_push(&adding->fresh, hash);
	return false;
}

static void keep_record(struct adding *adding, record_node node,
			const struct record_pair *pairs, size_t count)
{
	if (is_kept(adding, node, pairs, count))
		return;
	adding->rest_records++;
	trm_writer_record(adding->rest.writer, node, pairs, count);
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct adding *adding = context;
	struct described record;

	if (adding->error)
		return;
	record = describe_record(adding, pairs, count);
	if (record.apart || !record.counted)
		keep_record(adding, node, pairs, count);
	else
		adding->error = add_counts(adding, node, &record, pairs, count);
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct adding *adding = context;

	adding->rest_records++;
	trm_writer_global(adding->rest.writer, attribute, value);
}

static struct trm_error *read_records(struct adding *adding)
{
	struct trm_visitor visitor = {
		.context = adding, .record = see_record, .global = see_global};
	struct trm_error *error;
	scoped_free char *warning = NULL;

	TRM_TRY(rest_begin(adding->model, &adding->rest));
	error = trm_read(adding->path, adding->model, &visitor, &warning);
	if (!error)
		error = take_pointer(adding->error);
	trm_error_destroy(take_pointer(adding->error));
	if (!adding->rest_records)
		return rest_drop(&adding->rest, error);
	return rest_end(&adding->rest, adding->sql, adding->profile, error);
}

/* A further part of a run that is there. */
static struct trm_error *add_part(struct adding *adding)
{
	const int64_t run = adding->options->into;

	TRM_TRY(sql_number(adding->sql, -1, &adding->profile,
			   "SELECT profile FROM runs WHERE id=?", "i", run));
	if (adding->profile < 0 || adding->facts.runs.count != 1)
		return trm_error_create(TRM_ERROR_GONE, "'%s' has no run %ld any more",
					sql_path(adding->sql), (long)run);
	vector_push(&adding->runs, run);
	TRM_TRY(sql_run(adding->sql,
			"UPDATE runs SET wall_ns=?1 WHERE id=?2 AND wall_ns < ?1", "ii",
			(int64_t)atoll(facts_get(&adding->facts.runs.items[0],
						 "run.wall.ns", "0")),
			run));
	vector_for_each (&adding->facts.modules, module)
		TRM_TRY(add_module(adding, module));
	TRM_TRY(read_records(adding));
	return deltas_apply(&adding->deltas, adding->sql, run);
}

static struct trm_error *add_profile(struct adding *adding, uint64_t digest)
{
	char now_text[32];
	int64_t had;

	TRM_TRY(sql_lock(adding->sql, (int64_t)digest));
	TRM_TRY(sql_number(adding->sql, -1, &had,
			   "SELECT min(r.id) FROM profiles p JOIN runs r ON"
			   " r.profile=p.id WHERE p.digest=?",
			   "i", (int64_t)digest));
	if (had >= 0 && !adding->options->again)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' is in '%s' already, as run %ld: --again "
					"adds it once more",
					adding->options->name, sql_path(adding->sql),
					(long)had);
	write_now(now_text, sizeof(now_text));
	TRM_TRY(sql_number(adding->sql, -1, &adding->profile,
			   "INSERT INTO profiles(added, origin, digest) VALUES(?, ?, ?)"
			   " RETURNING id",
			   "tti", now_text, path_name(adding->options->name),
			   (int64_t)digest));
	TRM_TRY(add_runs(adding));
	TRM_TRY(read_records(adding));
	vector_for_each (&adding->runs, run)
		TRM_TRY(store_sum_runs(adding->sql, *run, *run));
	return NULL;
}

/* The whole file's, by which it is known again. */
static struct trm_error *digest_file(const char *path, uint64_t *ret_digest)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return trm_error_system(errno, "cannot read '%s'", path);
	if (!S_ISREG(status.st_mode))
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' is not a file: save the profile first, it "
					"is read twice",
					path);
	if (!status.st_size)
		return report_error_empty(path);
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return trm_error_system(errno, "cannot read '%s'", path);
	*ret_digest = hash_bytes(bytes, (size_t)status.st_size);
	munmap(bytes, (size_t)status.st_size);
	return NULL;
}

/* Profiles that lie one behind the other in a file have image numbers of their own:
 * merged, in memory, they have none in common. */
static struct trm_error *merge_heads(const char *path, int fd)
{
	struct report_merge *merge = report_merge_create(fd);
	scoped_free char *warning = NULL;
	struct trm_error *error = report_merge_add(merge, path, &warning);
	struct trm_error *written = report_merge_finish(merge);

	if (error)
		trm_error_destroy(written);
	return error ? error : written;
}

static struct trm_error *add_facts(struct adding *adding, uint64_t digest, bool alone)
{
	struct trm_error *error;

	if (!adding->facts.records)
		return report_error_empty(adding->path);
	TRM_TRY(store_prepare(adding->sql));
	TRM_TRY(sql_begin(adding->sql, alone ? SQL_CHANGING : SQL_ADDING));
	error = adding->options->into ? add_part(adding) : add_profile(adding, digest);
	if (!error)
		return sql_commit(adding->sql);
	sql_undo(adding->sql);
	return error;
}

static void adding_deinit(struct adding *adding)
{
	facts_deinit(&adding->facts);
	context_names_deinit(&adding->names);
	subjects_deinit(&adding->subjects);
	vector_deinit(&adding->traits);
	vector_deinit(&adding->numbers);
	table_deinit(&adding->sources);
	table_deinit(&adding->contexts);
	table_deinit(&adding->events);
	deltas_deinit(&adding->deltas);
	vector_deinit(&adding->fresh);
	vector_deinit(&adding->runs);
	text_deinit(&adding->keys);
	text_deinit(&adding->form);
	text_deinit(&adding->event);
	record_model_destroy(adding->model);
}

/* Where the numbers are, if all went well. */
static void tell_added(struct adding *adding, struct store_added *ret_added)
{
	*ret_added = adding->added;
	ret_added->profile = adding->profile;
	ret_added->first_run = adding->runs.items[0];
	ret_added->last_run = adding->runs.items[adding->runs.count - 1];
	ret_added->runs = adding->runs.count;
	if (adding->options->kept)
		vector_for_each (&adding->fresh, hash)
			table_insert(adding->options->kept, *hash, NULL);
}

/* `alone`: no other process adds anything meanwhile. */
static struct trm_error *add_once(struct sql *sql, const char *path,
				  const struct store_add_options *options,
				  uint64_t digest, bool alone,
				  struct store_added *ret_added)
{
	struct adding adding = {.sql = sql, .path = path, .options = options};
	scoped_fd int merged = -1;
	char merged_path[32];

	adding.model = record_model_create();
	adding.names = (struct context_names){.sql = sql, .model = adding.model};
	adding.subjects = (struct subjects){
		.sql = sql, .model = adding.model, .facts = &adding.facts};
	struct trm_error *error = facts_read(&adding.facts, path, &adding.added.warning);

	if (!error && adding.facts.heads > 1) {
		merged = memfd_create("trammel-merged", MFD_CLOEXEC);
		snprintf(merged_path, sizeof(merged_path), "/proc/self/fd/%d", merged);
		error = merge_heads(path, merged);
		facts_deinit(&adding.facts);
		free(take_pointer(adding.added.warning));
		adding.path = merged_path;
		if (!error)
			error = facts_read(&adding.facts, merged_path,
					   &adding.added.warning);
	}
	if (!error)
		error = add_facts(&adding, digest, alone);
	if (error)
		free(take_pointer(adding.added.warning));
	else
		tell_added(&adding, ret_added);
	adding_deinit(&adding);
	return error;
}

struct trm_error *store_add(struct sql *sql, const char *path,
			    const struct store_add_options *options,
			    struct store_added *ret_added)
{
	struct store_add_options named = *options;
	uint64_t digest = options->digest;
	struct trm_error *error;

	named.name = options->name ? options->name : path;
	if (!digest)
		TRM_TRY(digest_file(path, &digest));
	error = add_once(sql, path, &named, digest, false, ret_added);
	if (!error || !sql_conflicted(sql))
		return error;
	/* Two processes waited for each other's names. */
	trm_error_destroy(error);
	return add_once(sql, path, &named, digest, true, ret_added);
}
