/* Queries over random records, against what is computed from the same records in the
 * simplest way; and over several files, against the same over one. */
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "query/format.h"
#include "query/gather.h"

#include "profile_maker.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "good_query.h"

enum { RECORDS = 3000, DEPTH_MAX = 4, NAMES = 3, FILES = 5 };

static const char *const files[FILES] = {"0.trm", "1.trm", "2.trm", "3.trm", "4.trm"};

struct sample {
	char path[64]; /* "a/b"; "" has no region */
	bool has_x, has_d;
	int64_t x;
	double d;
	uint64_t rank;
};

static struct sample samples[RECORDS];
static uint64_t seed = 88172645463325252u;

/* Xorshift (Marsaglia 2003). */
static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void make_sample(struct sample *sample)
{
	size_t depth = next_random() % (DEPTH_MAX + 1), length = 0;

	*sample = (struct sample){.has_x = next_random() % 8,
				  .has_d = next_random() % 4,
				  .rank = next_random() % 3};
	for (size_t i = 0; i < depth; i++)
		length += (size_t)snprintf(
			sample->path + length, sizeof(sample->path) - length, "%s%c",
			i ? "/" : "", (int)('a' + next_random() % NAMES));
	sample->x = (int64_t)next_random() >> (next_random() % 64);
	if (sample->x == INT64_MIN || next_random() % 16 == 0)
		sample->x = 0;
	sample->d = (double)((int64_t)next_random() >> 20) / 1024;
}

static void write_sample(struct maker *maker, const struct sample *sample)
{
	struct record_pair pairs[3] = {pair(maker, "rank", record_uint(sample->rank))};
	record_attribute region;
	record_node node = 0;
	size_t count = 1;

	assert_null(record_attribute_intern(maker->model, "region", RECORD_STRING,
					    RECORD_NESTED, &region));
	for (const char *c = sample->path; *c; c++)
		if (*c != '/') {
			char name[2] = {*c, '\0'};

			node = record_node_child(maker->model, node, region,
						 record_string(name));
		}
	if (sample->has_x)
		pairs[count++] = pair(maker, "x", record_int(sample->x));
	if (sample->has_d)
		pairs[count++] = pair(
			maker, "d",
			(struct record_value){.type = RECORD_DOUBLE, .d = sample->d});
	trm_writer_record(maker->writer, node, pairs, count);
}

/* The samples in files of different sizes, one of which has none, and in one file. */
static void write_files(void)
{
	static const size_t ends[FILES] = {RECORDS / 10, RECORDS / 10, RECORDS / 2,
					   RECORDS / 2 + 1, RECORDS};
	size_t at = 0;

	for (int i = 0; i < RECORDS; i++)
		make_sample(&samples[i]);
	unlink("all.trm");
	for (int f = 0; f < FILES; f++) {
		struct maker parts[] = {begin_profile(files[f], false),
					begin_profile("all.trm", true)};

		for (; at < ends[f]; at++)
			for (int i = 0; i < 2; i++)
				write_sample(&parts[i], &samples[at]);
		end_profile(&parts[0]);
		end_profile(&parts[1]);
	}
}

static struct query_result *ask(const struct query *query, const char *const *paths,
				size_t count, size_t threads)
{
	struct text warnings = {0};
	struct query_result *result = NULL;

	assert_null(query_run(query, paths, count, threads, &result, &warnings));
	text_deinit(&warnings);
	return result;
}

/* What the samples of a group are together, kept as they are. */
struct truth {
	struct VECTOR(int64_t) x; /* in order */
	struct VECTOR(double) d;
	uint64_t records;
	__int128 sum_x, ranks;
	long double sum_d;
};

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool is_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	return !strncmp(path, above, length) && (!path[length] || path[length] == '/');
}

/* `inclusive`: of all below the path, too. */
static struct truth truth_of(const char *path, bool inclusive)
{
	struct truth truth = {0};

	for (int i = 0; i < RECORDS; i++) {
		const struct sample *s = &samples[i];

		if (strcmp(s->path, path) &&
		    !(inclusive && path[0] && is_below(s->path, path)))
			continue;
		truth.records++;
		truth.ranks += s->rank;
		if (s->has_x) {
			vector_push(&truth.x, s->x);
			truth.sum_x += s->x;
		}
		if (s->has_d) {
			vector_push(&truth.d, s->d);
			truth.sum_d += s->d;
		}
	}
	qsort(truth.x.items, truth.x.count, sizeof(int64_t), compare_numbers);
	return truth;
}

static void truth_deinit(struct truth *truth)
{
	vector_deinit(&truth->x);
	vector_deinit(&truth->d);
}

static void check_whole(struct record_value value, __int128 expected)
{
	assert_true(value.type == RECORD_UINT || value.type == RECORD_INT);
	assert_true(query_as_whole(value) == expected);
}

static void check_double(struct record_value value, long double expected)
{
	long double size = fabsl(expected) > 1e-30L ? fabsl(expected) : 1;

	assert_int_equal(value.type, RECORD_DOUBLE);
	assert_true(fabsl(value.d - expected) / size < 1e-14L);
}

static int64_t percentile(const struct truth *truth, unsigned percent)
{
	size_t rank = (truth->x.count * percent + 99) / 100;

	return truth->x.items[rank ? rank - 1 : 0];
}

static long double variance(const struct truth *truth)
{
	long double mean = (long double)truth->sum_x / truth->x.count, squares = 0;

	for (size_t i = 0; i < truth->x.count; i++)
		squares += (truth->x.items[i] - mean) * (truth->x.items[i] - mean);
	return squares / truth->x.count;
}

/* Counts of x by powers of two, as text. */
static void check_histogram(struct record_value value, const struct truth *truth)
{
	struct text text = {0};
	size_t i = 0;

	text_add(&text, "");
	while (i < truth->x.count) {
		__int128 x = truth->x.items[i], low = x < 0 ? -1 : 1;
		size_t begin = i;

		while (x > 0 ? low * 2 <= x : x < 0 && low * 2 >= x)
			low *= 2;
		for (; i < truth->x.count; i++) {
			__int128 y = truth->x.items[i];

			if (x == 0 ? y != 0 : x > 0 ? y >= low * 2 : y > low)
				break;
		}
		text_format(&text, "%s%" PRId64 ":%zu", begin ? " " : "",
			    x ? (int64_t)low : 0, i - begin);
	}
	assert_int_equal(value.type, RECORD_STRING);
	assert_string_equal(value.bytes, text.data);
	text_deinit(&text);
}

enum column {
	PATH,
	COUNT,
	SUM_X,
	SUM_D,
	MIN_X,
	MAX_X,
	AVG_X,
	VARIANCE_X,
	STDDEV_X,
	MEDIAN_X,
	PERCENTILE_X,
	HISTOGRAM_X,
	RATIO,
	SCALE,
	SCALE_COUNT,
	PERCENT,
	I_COUNT,
	I_SUM_D,
	I_MIN,
	I_MAX,
	I_SCALE,
	I_RATIO,
	I_PERCENT,
	COLUMNS
};

static const char all_operators[] =
	"SELECT path, count(), sum(x), sum(d), min(x), max(x), avg(x), variance(x), "
	"stddev(x), median(x), percentile(x,90), histogram(x), ratio(x,d,2), "
	"scale(d,0.5), scale_count(3), percent_total(rank), inclusive_count(), "
	"inclusive_sum(d), inclusive_min(x), inclusive_max(x), inclusive_scale(d,0.5), "
	"inclusive_ratio(x,d), inclusive_percent_total(rank) GROUP BY path";

static void check_group(const char *path, const struct record_value *cells)
{
	struct truth own = truth_of(path, false), all = truth_of(path, true);
	__int128 ranks = 0;

	for (int i = 0; i < RECORDS; i++)
		ranks += samples[i].rank;
	check_whole(cells[COUNT], own.records);
	check_double(cells[SUM_D], own.sum_d);
	check_whole(cells[MIN_X], own.x.items[0]);
	check_whole(cells[MAX_X], own.x.items[own.x.count - 1]);
	check_double(cells[AVG_X], (long double)own.sum_x / own.x.count);
	check_double(cells[VARIANCE_X], variance(&own));
	check_double(cells[STDDEV_X], sqrtl(variance(&own)));
	check_whole(cells[MEDIAN_X], percentile(&own, 50));
	check_whole(cells[PERCENTILE_X], percentile(&own, 90));
	check_histogram(cells[HISTOGRAM_X], &own);
	check_double(cells[RATIO], 2 * (long double)own.sum_x / own.sum_d);
	check_double(cells[SCALE], own.sum_d / 2);
	check_whole(cells[SCALE_COUNT], 3 * (__int128)own.records);
	check_double(cells[PERCENT], 100 * (long double)own.ranks / (long double)ranks);
	check_whole(cells[I_COUNT], all.records);
	check_double(cells[I_SUM_D], all.sum_d);
	check_whole(cells[I_MIN], all.x.items[0]);
	check_whole(cells[I_MAX], all.x.items[all.x.count - 1]);
	check_double(cells[I_SCALE], all.sum_d / 2);
	check_double(cells[I_RATIO], (long double)all.sum_x / all.sum_d);
	check_double(cells[I_PERCENT], 100 * (long double)all.ranks / (long double)ranks);
	/* What does not fit becomes a double; most do not. */
	if (own.sum_x >= INT64_MIN && own.sum_x <= UINT64_MAX)
		check_whole(cells[SUM_X], own.sum_x);
	else
		check_double(cells[SUM_X], (long double)own.sum_x);
	truth_deinit(&own);
	truth_deinit(&all);
}

static void test_operators(void **state)
{
	struct query *query = parse_good(all_operators);
	size_t groups = 1, level = 1;

	(void)state;
	for (int i = 0; i < DEPTH_MAX; i++)
		groups += level *= NAMES;
	for (size_t threads = 1; threads <= 3; threads++) {
		struct query_result *result = ask(query, files, FILES, threads);
		struct record_value cells[COLUMNS];

		assert_int_equal(result->columns.count, COLUMNS);
		assert_int_equal(result->rows.count, groups);
		vector_for_each (&result->rows, row) {
			query_result_cells(result, row, cells);
			char *path = memory_copy_string(
				query_is_there(cells[PATH]) ? cells[PATH].bytes : "");

			check_group(path, cells);
			free(path);
		}
		query_result_destroy(result);
	}
	query_destroy(query);
}

static const char *const all_queries[] = {
	all_operators,
	"SELECT *",
	"SELECT region, x WHERE d > 0 AND rank = 1 ORDER BY x DESC, d",
	"SELECT region, any(x), first(path), count() GROUP BY region, rank",
	"LET y = x / 2 + d, l = leaf() SELECT l, sum(y), rank GROUP BY l, rank "
	"HAVING sum(y) > 0 ORDER BY sum(y) LIMIT 4 FORMAT expand",
	"SELECT path, avg(d), count() GROUP BY rank, path FORMAT tree",
	"SELECT path, max(x) GROUP BY path FORMAT json-split",
	"AGGREGATE count, sum(rank) GROUP BY path FORMAT folded",
	"SELECT sum(d), sum(rank) GROUP BY () FORMAT csv",
};

static void test_files(void **state)
{
	static const char *const one[] = {"all.trm"};

	(void)state;
	for (size_t i = 0; i < sizeof(all_queries) / sizeof(all_queries[0]); i++) {
		const struct query_style style = {0};
		struct query *query = parse_good(all_queries[i]);
		struct query_result *result = ask(query, one, 1, 1);
		struct text whole = {0};

		query_print(result, &style, &whole);
		query_result_destroy(result);
		for (size_t threads = 1; threads <= 7; threads++) {
			struct text out = {0};

			result = ask(query, files, FILES, threads);
			query_print(result, &style, &out);
			query_result_destroy(result);
			assert_string_equal(out.data, whole.data);
			text_deinit(&out);
		}
		text_deinit(&whole);
		query_destroy(query);
	}
}

/* Takes in what the other has, and no more than that. */
static void pass(struct query_gather *from, struct query_gather *to)
{
	void *bytes;
	size_t size;

	query_gather_pack(from, &bytes, &size);
	assert_null(query_gather_add(to, bytes, size));
	free(bytes);
}

/* What ranks put together, each with a file of its own: the last but one has that of the
 * last, and so on down to the first. */
static void test_gather(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all_queries) / sizeof(all_queries[0]); i++) {
		const struct query_style style = {0};
		struct query *query = parse_good(all_queries[i]);
		struct query_result *result = ask(query, files, FILES, 1);
		struct query_gather *ranks[FILES];
		struct text whole = {0}, warnings = {0}, out = {0};

		query_print(result, &style, &whole);
		query_result_destroy(result);
		for (size_t rank = 0; rank < FILES; rank++) {
			ranks[rank] = query_gather_create(query);
			assert_null(
				query_gather_read(ranks[rank], files[rank], &warnings));
		}
		for (size_t rank = FILES - 1; rank > 0; rank--) {
			pass(ranks[rank], ranks[rank - 1]);
			query_gather_destroy(ranks[rank]);
		}
		query_print(query_gather_result(ranks[0], &warnings), &style, &out);
		assert_string_equal(out.data, whole.data);
		query_gather_destroy(ranks[0]);
		text_deinit(&whole);
		text_deinit(&warnings);
		text_deinit(&out);
		query_destroy(query);
	}
}

/* Bytes that were cut off or changed are an error, or else what they say. */
static void test_gather_faults(void **state)
{
	struct query *query = parse_good(all_queries[0]);
	struct query_gather *gather = query_gather_create(query);
	struct text warnings = {0};
	size_t size;
	void *bytes;

	(void)state;
	assert_null(query_gather_read(gather, files[0], &warnings));
	query_gather_pack(gather, &bytes, &size);
	for (size_t i = 0; i < size; i += 1 + next_random() % (size / 200)) {
		struct query_gather *other = query_gather_create(query);
		scoped_free char *copy = memory_allocate(size);
		struct trm_error *error = query_gather_add(other, bytes, i);

		assert_non_null(error);
		trm_error_destroy(error);
		memcpy(copy, bytes, size);
		copy[i] = (char)next_random();
		trm_error_destroy(query_gather_add(other, copy, size));
		query_gather_destroy(other);
	}
	free(bytes);
	query_gather_destroy(gather);
	query_destroy(query);
	text_deinit(&warnings);
}

/* What a stream wrote, and when it is to fail. */
static struct {
	struct text text;
	int parts, fail_at;
} written;

static struct trm_error *write_part(const struct text *text)
{
	if (++written.parts == written.fail_at)
		return trm_error_create(TRM_ERROR_SYSTEM, "full");
	text_add_bytes(&written.text, text->data, text->length);
	return NULL;
}

static void test_stream(void **state)
{
	static const struct {
		const char *words;
		bool streams;
	} queries[] = {
		{"SELECT region, x, d FORMAT csv", true},
		{"SELECT * WHERE rank = 1 FORMAT json", true},
		{"FORMAT expand", true},
		{"SELECT path, d HAVING d > 0 FORMAT csv", true},
		{"WHERE nothing FORMAT json", true},
		{"SELECT * FORMAT csv", false},
		{"SELECT x", false},
		{"SELECT x ORDER BY x FORMAT csv", false},
		{"SELECT x LIMIT 3 FORMAT csv", false},
		{"SELECT sum(x) FORMAT csv", false},
	};
	static const char *const paths[] = {"big.trm", "0.trm"};
	struct maker maker = begin_profile("big.trm", false);
	struct text warnings = {0};

	(void)state;
	for (int i = 0; i < 40000; i++)
		write_sample(&maker, &samples[i % RECORDS]);
	end_profile(&maker);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		const struct query_style style = {0};
		struct query *query = parse_good(queries[i].words);
		struct text whole = {0};

		assert_int_equal(query_can_stream(query, &style), queries[i].streams);
		written.text.length = 0;
		written.parts = written.fail_at = 0;
		if (queries[i].streams) {
			struct query_result *result = ask(query, paths, 2, 2);

			query_print(result, &style, &whole);
			query_result_destroy(result);
			assert_null(query_stream(query, paths, 2, &style, write_part,
						 &warnings));
			assert_string_equal(written.text.data, whole.data);
			text_deinit(&whole);
		}
		query_destroy(query);
	}
	struct query *query = parse_good("SELECT x FORMAT csv");

	written.parts = 0;
	written.fail_at = 2;
	struct trm_error *error = query_stream(query, paths, 2, &(struct query_style){0},
					       write_part, &warnings);

	assert_non_null(error);
	assert_string_equal(error->message, "full");
	assert_int_equal(written.parts, 2);
	trm_error_destroy(error);
	query_destroy(query);
	text_deinit(&warnings);
	text_deinit(&written.text);
	unlink("big.trm");
}

static char *print(const char *words, const char *const *paths, size_t count)
{
	const struct query_style style = {0};
	struct query *query = parse_good(words);
	struct query_result *result = ask(query, paths, count, 2);
	struct text out = {0};

	query_print(result, &style, &out);
	query_result_destroy(result);
	query_destroy(query);
	return out.data;
}

static void save(const char *path, const struct text *text)
{
	scoped_file FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
}

static const char *const cali_files[FILES] = {"0.cali", "1.cali", "2.cali", "3.cali",
					      "4.cali"};

/* Whatever is asked of records that went through .cali files, the answer is the same. */
static void test_cali(void **state)
{
	(void)state;
	for (int f = 0; f < FILES; f++) {
		struct query *query = parse_good("SELECT path FORMAT cali");
		struct text warnings = {0};

		written.text.length = 0;
		written.parts = written.fail_at = 0;
		assert_true(query_can_stream(query, &(struct query_style){0}));
		assert_null(query_stream(query, &files[f], 1, &(struct query_style){0},
					 write_part, &warnings));
		save(cali_files[f], &written.text);
		query_destroy(query);
	}
	text_deinit(&written.text);
	for (size_t i = 0; i < sizeof(all_queries) / sizeof(all_queries[0]); i++) {
		char *trm = print(all_queries[i], files, FILES);
		char *cali = print(all_queries[i], cali_files, FILES);

		assert_string_equal(cali, trm);
		free(trm);
		free(cali);
	}
}

/* Results that were written as .cali are taken in again: sums of sums, and so on. */
static void test_cali_results(void **state)
{
	static const char words[] = "SELECT path, count(), sum(rank), min(x), max(x), "
				    "percent_total(rank) GROUP BY path ORDER BY path "
				    "FORMAT ";
	struct text part = {0}, all = {0};

	(void)state;
	text_format(&part, "%scali", words);
	text_format(&all, "%scsv", words);
	for (int f = 0; f < FILES; f++) {
		struct text out = {0};

		out.data = print(part.data, &files[f], 1);
		out.length = strlen(out.data);
		save(cali_files[f], &out);
		text_deinit(&out);
	}
	char *direct = print(all.data, files, FILES);
	char *again = print(all.data, cali_files, FILES);

	assert_string_equal(again, direct);
	free(direct);
	free(again);
	text_deinit(&part);
	text_deinit(&all);
}

static int begin(void **state)
{
	int failed = enter_folder(state);

	if (!failed)
		write_files();
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),     cmocka_unit_test(test_files),
		cmocka_unit_test(test_stream),        cmocka_unit_test(test_cali),
		cmocka_unit_test(test_cali_results),  cmocka_unit_test(test_gather),
		cmocka_unit_test(test_gather_faults),
	};

	return cmocka_run_group_tests(tests, begin, leave_folder);
}
