#include "page/page.h"

#include "base/cleanup.h"
#include "base/json_write.h"
#include "page/code.h"
#include "page/functions.h"
#include "page/template.h"
#include "page/trees.h"
#include "report/json/json.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { PAGE_DATA_VERSION = 1 };

static void add_intervals(const struct report_profile *profile, struct text *out)
{
	json_begin_list(out, "intervals");
	vector_for_each (&profile->intervals, interval) {
		json_begin_item(out);
		json_add_number(out, "number", interval->number);
		json_add_number(out, "start.ns", interval->start_ns);
		json_add_number(out, "end.ns", interval->end_ns);
		json_add_number(out, "calls", interval->calls);
		json_add_number(out, "instructions", interval->instructions);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_profile(const struct page_profile *of, const struct page_options *options,
			struct page_sources *sources, struct text *out)
{
	static const struct report_options modules = {.by = REPORT_BY_MODULE,
						      .all = true};

	text_add(out, "{\"file\":");
	text_add_json(out, of->path);
	text_add(out, ",\n\"report\":");
	report_json(of->profile, &modules, out);
	text_add(out, ",\n");
	page_add_functions(of->profile, out);
	text_add(out, ",\n");
	page_add_trees(of->profile, out);
	text_add(out, ",\n");
	page_add_arcs(of->profile, out);
	add_intervals(of->profile, out);
	text_add(out, ",\n");
	page_add_code(of->profile, options->code, sources, out);
	text_add(out, "}");
}

void page_data(const struct page_profile *profiles, size_t count,
	       const struct page_options *options, struct text *out)
{
	struct page_sources sources = {0};

	text_format(out, "{\"trammel.page\":%d,\"trm.version\":\"%s\",\n\"profiles\":[\n",
		    PAGE_DATA_VERSION, TRAMMEL_VERSION);
	for (size_t i = 0; i < count; i++) {
		text_add(out, i ? ",\n" : "");
		add_profile(&profiles[i], options, &sources, out);
	}
	text_add(out, "],\n");
	page_add_sources(&sources, options->sources, out);
	text_add(out, "}\n");
	string_table_deinit(&sources.paths);
}

/* Adds bytes in base64 (RFC 4648). */
static void add_base64(const uint8_t *bytes, size_t size, struct text *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = text_room(out, size / 3 * 4 + 5);

	for (size_t at = 0; at < size; at += 3) {
		const size_t left = size - at;
		const uint32_t three = (uint32_t)bytes[at] << 16 |
				       (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
				       (left > 2 ? bytes[at + 2] : 0);

		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = left > 1 ? digits[three >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[three & 63] : '=';
	}
	text_grow(out, to);
}

/* Adds data compressed and in base64: nothing in it can end the element that holds it. */
static struct trm_error *add_packed(const struct text *data, struct text *out)
{
	uLongf size = compressBound(data->length);
	scoped_free uint8_t *packed = memory_allocate(size);

	if (compress2(packed, &size, (const Bytef *)data->data, data->length,
		      Z_DEFAULT_COMPRESSION) != Z_OK)
		return trm_error_create(
			TRM_ERROR_LIMIT,
			"the page's data cannot be compressed: no memory");
	add_base64(packed, size, out);
	return NULL;
}

static const char *find_place(void)
{
	return memmem(page_template, page_template_size, PAGE_PLACE, strlen(PAGE_PLACE));
}

struct trm_error *page_check(void)
{
	if (find_place())
		return NULL;
	return trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"this trammel was built without npm, and has no page: "
		"./bootstrap build with npm installed makes one that has; "
		"--json writes the page's data");
}

struct trm_error *page_html(const struct page_profile *profiles, size_t count,
			    const struct page_options *options, struct text *out)
{
	const char *place = find_place(), *end = page_template + page_template_size;
	struct trm_error *error;
	struct text data = {0};

	TRM_TRY(page_check());
	page_data(profiles, count, options, &data);
	text_add_bytes(out, page_template, (size_t)(place - page_template));
	error = add_packed(&data, out);
	place += strlen(PAGE_PLACE);
	text_add_bytes(out, place, (size_t)(end - place));
	text_deinit(&data);
	return error;
}
