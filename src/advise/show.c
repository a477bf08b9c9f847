#include "advise/show.h"

#include "advise/rule.h"
#include "base/array.h"
#include "base/json_write.h"
#include "base/path.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

enum { WIDTH_USUAL = 100, INDENT = 4 };

/* Adds words in lines of a width, each indented, with `title` in front of the first. */
static void add_wrapped(struct text *out, const char *title, const char *words,
			size_t width)
{
	size_t column = 0;

	width = width ? width : WIDTH_USUAL;
	width = width > 40 ? width : 40;
	text_format(out, "%*s%s", INDENT, "", title);
	column = INDENT + strlen(title);
	while (*words) {
		const size_t length = strcspn(words, " ");
		struct text word = {0};

		text_add_bytes(&word, words, length);
		if (column + 1 + length > width && column > INDENT + strlen(title)) {
			text_format(out, "\n%*s", (int)(INDENT + strlen(title)), "");
			column = INDENT + strlen(title);
		}
		text_add(out, " ");
		report_add_visible(out, word.data ? word.data : "");
		column += length + 1;
		text_deinit(&word);
		words += length;
		words += strspn(words, " ");
	}
	text_add(out, "\n");
}

static void add_place(struct text *out, const struct advice_place *place)
{
	if (!place->module && !place->function && !place->file)
		return;
	text_format(out, "%*s ", INDENT - 1, "");
	if (place->module)
		report_add_visible(out, place->module);
	if (place->function) {
		text_add(out, place->module ? ":" : "");
		report_add_visible(out, place->function);
	}
	if (place->file) {
		text_add(out, place->module || place->function ? "  " : "");
		report_add_visible(out, path_name(place->file));
		if (place->line)
			text_format(out, ":%" PRIu64, place->line);
	}
	if (place->address)
		text_format(out, "  (0x%" PRIx64 ")", place->address);
	text_add(out, "\n");
}

static void add_share(struct text *out, const struct advice_finding *finding)
{
	if (finding->share >= 0)
		text_format(out, ", at most %.1f %% of %s", finding->share,
			    finding->of ? finding->of : "all");
}

/* What to try, unless a finding further above says the same. */
static void add_remedy(struct text *out, const struct advice *advice, size_t index,
		       size_t width)
{
	const char *remedy = advice->findings.items[index].remedy;
	size_t first = 0;
	char above[32];

	if (!remedy || !*remedy)
		return;
	while (!advice->findings.items[first].remedy ||
	       strcmp(advice->findings.items[first].remedy, remedy) != 0)
		first++;
	snprintf(above, sizeof(above), "as in %zu.", first + 1);
	add_wrapped(out, "try:  ", first == index ? remedy : above, width);
}

static void add_finding(struct text *out, const struct advice *advice, size_t index,
			const struct advice_style *style)
{
	const struct advice_finding *finding = &advice->findings.items[index];
	static const char *const colours[] = {"", YELLOW, RED};
	const char *colour = style->colour ? colours[finding->confidence] : "";

	text_format(out, "%zu. %s", index + 1, style->colour ? BOLD : "");
	report_add_visible(out, finding->title ? finding->title : "");
	text_format(out, "%s  [", style->colour ? PLAIN : "");
	report_add_visible(out, finding->rule);
	text_format(out, "; %s%s confidence%s", colour,
		    advice_confidences[finding->confidence], *colour ? PLAIN : "");
	add_share(out, finding);
	text_add(out, "]\n");
	add_place(out, &finding->place);
	if (finding->evidence && *finding->evidence)
		add_wrapped(out, "found:", finding->evidence, style->width);
	add_remedy(out, advice, index, style->width);
	text_add(out, "\n");
}

static void add_lacks(const struct advice *advice, struct text *out)
{
	if (!advice->lacks.count)
		return;
	text_add(out, "Not looked for, since the profiles lack what it needs:\n");
	vector_for_each (&advice->lacks, lack) {
		text_format(out, "  %-11s %s: measure with ", lack->rule, lack->title);
		report_add_visible(out, lack->needs);
		text_add(out, "\n");
	}
}

static void add_row(struct grid *grid, const struct advice_finding *finding)
{
	const struct advice_place *place = &finding->place;
	struct text share = {0}, line = {0};

	if (finding->share >= 0)
		text_format(&share, "%.1f %%", finding->share);
	if (place->file)
		text_add(&line, path_name(place->file));
	if (place->file && place->line)
		text_format(&line, ":%" PRIu64, place->line);
	grid_add_text(grid, finding->rule);
	grid_add_text(grid, advice_confidences[finding->confidence]);
	grid_add_text(grid, share.length ? share.data : "");
	grid_add_text(grid, finding->of ? finding->of : "");
	grid_add_text(grid, place->module ? place->module : "");
	grid_add_text(grid, place->function ? place->function : "");
	grid_add_text(grid, line.length ? line.data : "");
	grid_add_text(grid, finding->title ? finding->title : "");
	grid_add_text(grid, finding->evidence ? finding->evidence : "");
	grid_add_text(grid, finding->remedy ? finding->remedy : "");
	text_deinit(&share);
	text_deinit(&line);
}

void advice_table(const struct advice *advice, const struct advice_style *style,
		  struct text *out)
{
	static const char *const titles[] = {"Rule",     "Confidence", "Share", "Of",
					     "Module",   "Function",   "Line",  "Finding",
					     "Evidence", "Try"};
	const struct text_style grid_style = {style->colour, style->width};
	struct grid grid = {0};

	for (size_t i = 0; i < array_count(titles); i++)
		grid_add_column(&grid, titles[i], !strcmp(titles[i], "Share"));
	for (size_t i = 0; i < advice->findings.count && i < style->limit; i++)
		add_row(&grid, &advice->findings.items[i]);
	grid_print(&grid, &grid_style, out);
	if (advice->findings.count > style->limit)
		report_add_more(out, advice->findings.count - style->limit, "finding",
				"findings");
	grid_deinit(&grid);
}

void advice_text(const struct advice *advice, const struct advice_style *style,
		 struct text *out)
{
	const size_t count = advice->findings.count;

	if (!count) {
		report_add_count(out, advice->looked, "rule", "rules");
		text_add(out, " looked, and found nothing\n\n");
	}
	for (size_t i = 0; i < count && i < style->limit; i++)
		add_finding(out, advice, i, style);
	if (count > style->limit) {
		report_add_more(out, count - style->limit, "finding", "findings");
		text_add(out, "\n");
	}
	if (advice->small) {
		text_format(out,
			    "Left out, with less than %g %%: ", advice->options->least);
		report_add_count(out, advice->small, "finding", "findings");
		text_add(out, " (--least 0 shows all)\n");
	}
	add_lacks(advice, out);
}

static void add_finding_json(struct text *out, const struct advice_finding *finding)
{
	const struct advice_place *place = &finding->place;

	json_begin_item(out);
	json_add_text(out, "rule", finding->rule);
	json_add_string(out, "title", finding->title ? finding->title : "");
	json_add_text(out, "confidence", advice_confidences[finding->confidence]);
	if (finding->share >= 0) {
		json_add_key(out, "share");
		text_format(out, "%.4f", finding->share);
		json_add_text(out, "of", finding->of ? finding->of : "all");
	}
	json_add_string(out, "module", place->module ? place->module : "");
	json_add_string(out, "function", place->function ? place->function : "");
	if (place->address)
		json_add_address(out, "address", place->address);
	json_add_string(out, "source.file", place->file ? place->file : "");
	if (place->line)
		json_add_number(out, "source.line", place->line);
	json_add_string(out, "evidence", finding->evidence ? finding->evidence : "");
	json_add_string(out, "try", finding->remedy ? finding->remedy : "");
	text_add(out, "}");
}

void advice_json(const struct advice *advice, struct text *out)
{
	text_add(out, "{");
	json_add_number(out, "looked", advice->looked);
	json_add_number(out, "small", advice->small);
	json_begin_list(out, "findings");
	vector_for_each (&advice->findings, finding)
		add_finding_json(out, finding);
	text_add(out, "]");
	json_begin_list(out, "lacks");
	vector_for_each (&advice->lacks, lack) {
		json_begin_item(out);
		json_add_text(out, "rule", lack->rule);
		json_add_text(out, "title", lack->title);
		json_add_text(out, "needs", lack->needs);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}

void advice_list_text(const struct advice_style *style, struct text *out)
{
	for (const struct advice_rule *rule = advice_rules; rule->name; rule++) {
		text_format(out, "%s%s%s: %s\n", style->colour ? BOLD : "", rule->name,
			    style->colour ? PLAIN : "", rule->title);
		add_wrapped(out, "needs:", rule->needs, style->width);
		add_wrapped(out, "try:  ", rule->remedy, style->width);
	}
}

void advice_list_json(struct text *out)
{
	text_add(out, "{\"rules\": [");
	for (const struct advice_rule *rule = advice_rules; rule->name; rule++) {
		json_begin_item(out);
		json_add_text(out, "rule", rule->name);
		json_add_text(out, "title", rule->title);
		json_add_text(out, "needs", rule->needs);
		json_add_text(out, "try", rule->remedy);
		text_add(out, "}");
	}
	text_add(out, "]}\n");
}
