#include "page/code.h"

#include "annotate/show.h"
#include "base/json_write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number by which the code of a function is worth looking at. */
static uint64_t weight_of(const struct report_function *function)
{
	return function->instructions ? function->instructions : function->samples;
}

static int by_weight(const void *a, const void *b)
{
	const struct report_function *const *x = a, *const *y = b;
	const uint64_t of_x = weight_of(*x), of_y = weight_of(*y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static int by_module(const void *a, const void *b)
{
	const struct report_function *const *x = a, *const *y = b;

	if ((*x)->module != (*y)->module)
		return (*x)->module < (*y)->module ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* Returns the heaviest functions that have a weight, by module; the caller frees. */
static const struct report_function **
choose_functions(const struct report_profile *profile, size_t limit, size_t *ret_count)
{
	const struct report_function **list =
		memory_allocate((profile->functions.count + 1) * sizeof(*list));
	size_t count = 0;

	vector_for_each (&profile->functions, function)
		if (weight_of(function))
			list[count++] = function;
	qsort(list, count, sizeof(*list), by_weight);
	count = count < limit ? count : limit;
	qsort(list, count, sizeof(*list), by_module);
	*ret_count = count;
	return list;
}

/* A module's functions while their code is added. */
struct adding {
	const struct report_profile *profile;
	struct page_sources *sources;
	struct text *out, troubles;
	bool first;
};

static void note_sources(struct adding *adding, const struct annotation *annotation,
			 const struct image_rows *rows)
{
	const uint64_t end = annotation->address + annotation->size;

	for (size_t i = image_rows_from(rows, annotation->address);
	     i < rows->rows.count && rows->rows.items[i].start < end; i++)
		if (rows->rows.items[i].place.line)
			string_table_intern(
				&adding->sources->paths,
				rows->files.strings[rows->rows.items[i].place.file]);
}

static void add_function(struct adding *adding, const struct annotation_file *file,
			 const struct report_function *function,
			 const struct image_rows *rows)
{
	const struct annotation_options options = {.rows = rows};
	struct annotation annotation;
	struct trm_error *error =
		annotation_init(&annotation, adding->profile, function, file);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	text_format(adding->out,
		    "%s{\"function\":%zu,\"listing\":", adding->first ? "" : ",\n",
		    (size_t)(function - adding->profile->functions.items));
	adding->first = false;
	if (rows)
		note_sources(adding, &annotation, rows);
	annotation_json(&annotation, &options, adding->out);
	text_add(adding->out, "}");
	annotation_deinit(&annotation);
}

static void add_trouble(struct adding *adding, const struct report_module *module,
			struct trm_error *error)
{
	json_begin_item(&adding->troubles);
	json_add_text(&adding->troubles, "module", module->name);
	json_add_text(&adding->troubles, "reason", error->message);
	text_add(&adding->troubles, "}");
	trm_error_destroy(error);
}

/* Adds the functions of one module. Without debug information code is shown without
 * lines. */
static void add_module(struct adding *adding, const struct report_function *const *list,
		       size_t count)
{
	const struct report_module *module =
		&adding->profile->modules.items[list[0]->module];
	struct annotation_file file;
	struct image_rows rows;
	struct trm_error *error = annotation_open(&file, module), *no_rows;

	if (error) {
		add_trouble(adding, module, error);
		return;
	}
	no_rows = image_rows_init(&rows, file.image);
	for (size_t i = 0; i < count; i++)
		add_function(adding, &file, list[i], no_rows ? NULL : &rows);
	if (!no_rows)
		image_rows_deinit(&rows);
	trm_error_destroy(no_rows);
	annotation_close(&file);
}

void page_add_code(const struct report_profile *profile, size_t limit,
		   struct page_sources *sources, struct text *out)
{
	struct adding adding = {
		.profile = profile, .sources = sources, .out = out, .first = true};
	size_t count = 0, end;
	const struct report_function **list = choose_functions(profile, limit, &count);

	text_add(out, "\"code\":[");
	for (size_t at = 0; at < count; at = end) {
		for (end = at; end < count && list[end]->module == list[at]->module;)
			end++;
		add_module(&adding, list + at, end - at);
	}
	text_add(out, "],\n\"troubles\":[");
	text_add(out, adding.troubles.data ? adding.troubles.data : "");
	text_add(out, "]");
	text_deinit(&adding.troubles);
	free(list);
}

/* Reads a file of at most `most` bytes; false: it is not there, or larger. */
static bool read_source(const char *path, size_t most, struct text *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	char buffer[1 << 16];
	ssize_t got = 0;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    (uint64_t)status.st_size <= most)
		while (text->length <= most &&
		       (got = read(fd, buffer, sizeof(buffer))) > 0)
			text_add_bytes(text, buffer, (size_t)got);
	close(fd);
	return text->length && text->length <= most && !got;
}

void page_add_sources(const struct page_sources *sources, size_t size, struct text *out)
{
	bool first = true;

	text_add(out, "\"sources\":{");
	for (size_t i = 0; i < sources->paths.count; i++) {
		const char *path = sources->paths.strings[i];
		struct text text = {0};

		if (read_source(path, size, &text)) {
			size -= text.length;
			text_add(out, first ? "\n" : ",\n");
			text_add_json(out, path);
			text_add(out, ":");
			text_add_json(out, text.data);
			first = false;
		}
		text_deinit(&text);
	}
	text_add(out, "}");
}
