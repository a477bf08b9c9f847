#include "page/page.h"

#include "base/json_write.h"
#include "page/code.h"
#include "page/functions.h"
#include "page/tables.h"
#include "page/template.h"
#include "page/timeline.h"
#include "page/trees.h"
#include "report/json/json.h"

#include <string.h>

enum { PAGE_DATA_VERSION = 1 };

static void note_error(struct page_out *out, struct trm_error *error)
{
	if (out->error)
		trm_error_destroy(error);
	else
		out->error = error;
}

static void add_profile(const struct page_profile *of, const struct page_options *options,
			struct page_sources *sources, struct page_out *out)
{
	static const struct report_options modules = {.by = REPORT_BY_MODULE,
						      .all = true};

	text_add(out->json, "{\"file\":");
	text_add_json(out->json, of->path);
	text_add(out->json, ",\n\"report\":");
	report_json(of->profile, &modules, out->json);
	text_add(out->json, ",\n");
	page_add_functions(of->profile, out);
	text_add(out->json, ",\n");
	page_add_trees(of->profile, out);
	text_add(out->json, ",\n");
	page_add_arcs(of->profile, out);
	note_error(out, page_add_timeline(of->profile, of->path, out));
	page_add_coverage(of->profile, options->cover, out->json);
	note_error(out, page_add_tables(of->profile, of->path, out->json));
	text_add(out->json, ",\n");
	page_add_code(of->profile, options->code, sources, out->json);
	text_add(out->json, "}");
}

static void add_data(const struct page_profile *profiles, size_t count,
		     const struct page_options *options, struct page_out *out)
{
	struct page_sources sources = {0};

	text_format(out->json,
		    "{\"trammel.page\":%d,\"trm.version\":\"%s\",\n\"profiles\":[\n",
		    PAGE_DATA_VERSION, TRAMMEL_VERSION);
	for (size_t i = 0; i < count; i++) {
		text_add(out->json, i ? ",\n" : "");
		add_profile(&profiles[i], options, &sources, out);
	}
	text_add(out->json, "],\n");
	page_add_sources(&sources, options->sources, out->json);
	text_add(out->json, "}\n");
	string_table_deinit(&sources.paths);
}

struct trm_error *page_data(const struct page_profile *profiles, size_t count,
			    const struct page_options *options, struct text *json)
{
	struct page_out out = {.json = json};

	add_data(profiles, count, options, &out);
	return out.error;
}

static const char *find_place(const char *from, const char *name)
{
	return memmem(from, (size_t)(page_template + page_template_size - from), name,
		      strlen(name));
}

struct trm_error *page_check(void)
{
	if (find_place(page_template, PAGE_DATA))
		return NULL;
	return trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"this trammel was built without npm, and has no page: "
		"./bootstrap build with npm installed makes one that has; "
		"--json writes the page's data");
}

/* Adds the page with the elements of the data in it. */
static void fill_template(const struct page_out *data, const char *first,
			  struct text *out)
{
	const char *late = find_place(first, PAGE_REST);
	const char *end = page_template + page_template_size;

	text_add_bytes(out, page_template, (size_t)(first - page_template));
	text_add_bytes(out, data->early.data, data->early.length);
	first += strlen(PAGE_DATA);
	text_add_bytes(out, first, (size_t)(late - first));
	if (data->late.length)
		text_add_bytes(out, data->late.data, data->late.length);
	late += strlen(PAGE_REST);
	text_add_bytes(out, late, (size_t)(end - late));
}

struct trm_error *page_html(const struct page_profile *profiles, size_t count,
			    const struct page_options *options, struct text *out)
{
	struct text json = {0};
	struct page_out data = {.json = &json, .apart = true};
	struct trm_error *error;

	TRM_TRY(page_check());
	add_data(profiles, count, options, &data);
	error = data.error;
	if (!error)
		error = page_add_element(&data.early, "id=\"data\"", json.data,
					 json.length);
	if (!error)
		fill_template(&data, find_place(page_template, PAGE_DATA), out);
	text_deinit(&json);
	text_deinit(&data.early);
	text_deinit(&data.late);
	return error;
}
