/*
 * Tables of tools: what they recorded, and their counters; see docs/profile.md, "tool
 * records".
 */
#ifndef TRAMMEL_REPORT_TOOLS_H
#define TRAMMEL_REPORT_TOOLS_H

#include "report/profile.h"

enum report_tool_fold {
	REPORT_TOOL_KEY,
	REPORT_TOOL_SUM,
	REPORT_TOOL_LEAST,
	REPORT_TOOL_MOST
};

struct report_tool_column {
	const char *title; /* "times", "most ns" */
	const char *whole; /* as the attribute is called */
	uint8_t fold;      /* enum report_tool_fold */
	uint8_t type;      /* enum record_type */
};

struct report_tool_table {
	const char *tool, *name;
	/* Keys and numbers, each in the order of the tool's. */
	struct VECTOR(struct report_tool_column) columns;
	bool has_code; /* its rows are about code */
};

/* The code that a row is about. */
struct report_tool_code {
	const char *module, *path, *function; /* NULL: about none */
	uint64_t offset, address;
	bool has_offset;
	const char *file; /* NULL: not known */
	uint64_t line;
};

struct report_tool_row {
	uint32_t table, image;
	uint64_t records;
	struct report_tool_code code;
	uint32_t first_cell; /* in profile.tool_cells; one for each column that the table
				had then */
	uint32_t cell_count;
};

/* A value of the column's type; texts are the profile's. */
struct report_tool_cell {
	bool there;
	union {
		int64_t i;
		double d;
		const char *text;
	};
};

/* A row of the selection, summed over images. */
struct report_tool_sum {
	struct report_tool_code code;
	uint64_t records;
	struct report_tool_cell *cells; /* by column */
};

struct report_tool_sums {
	struct VECTOR(struct report_tool_sum) rows;
	struct report_tool_cell *cells;
};

/* Adds a record that has "tool.records". */
void report_tools_add(struct report_profile *profile, const struct record_model *model,
		      record_node node, const struct record_pair *pairs, size_t count,
		      uint32_t image);

/* Computes the rows of a table in the selection, the largest first number first. The
 * caller deinits them. */
struct report_tool_sums report_tools_sums(const struct report_profile *profile,
					  uint32_t table);
void report_tools_sums_deinit(struct report_tool_sums *sums);

/* Computes the order of two values of a column. */
int report_tools_compare(const struct report_tool_column *column,
			 const struct report_tool_cell *a,
			 const struct report_tool_cell *b);

/* Frees the columns of tables. */
void report_tools_deinit(struct report_profile *profile);

#endif
