/* `trammel bbv`: see man/trammel-bbv.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "derive/bbv.h"

#include <stdio.h>

static struct {
	struct showing shown;
	char *output, *table;
} arguments;

static const struct poptOption option_table[] = {
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "write the vectors here (default: to standard output)", "FILE"},
	{"table", 't', POPT_ARG_STRING, &arguments.table, 0,
	 "write here what the numbers of vectors and blocks mean", "FILE"},
	SHOWING_MODULE(arguments.shown),
	SHOWING_PROCESS(arguments.shown),
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static struct trm_error *write_vectors(const struct bbv *bbv)
{
	struct text vectors = {0}, table = {0};
	size_t lines = bbv_vectors(bbv, &vectors);
	struct trm_error *error = NULL;

	bbv_table(bbv, &table);
	/* Who has the vectors has the table, too. */
	if (arguments.table)
		error = showing_write(arguments.table, &table);
	if (!error)
		error = showing_write(arguments.output, &vectors);
	if (!error)
		fprintf(stderr, "trammel: vectors written: %zu, of blocks: %zu\n", lines,
			bbv->blocks.count);
	text_deinit(&vectors);
	text_deinit(&table);
	return error;
}

static struct trm_error *run_bbv(int *ret_status)
{
	struct report_filter filter;
	char *warning = NULL;
	struct bbv bbv;

	(void)ret_status;
	if (arguments.shown.words.count != 1)
		return trm_error_create(TRM_ERROR_USAGE,
					"one profile is read, not %zu: trammel bbv FILE",
					arguments.shown.words.count);
	TRM_TRY(showing_filter(&arguments.shown, &filter));
	struct trm_error *error = bbv_init(
		&bbv, arguments.shown.words.items[0],
		&(struct bbv_filter){filter.one_process, filter.process, filter.module},
		&warning);

	if (warning)
		fprintf(stderr, "trammel: warning: %s\n", warning);
	free(warning);
	if (error)
		return error;
	error = write_vectors(&bbv);
	bbv_deinit(&bbv);
	return error;
}

const struct command cmd_bbv = {
	.name = "bbv",
	.summary = "write basic-block vectors of intervals, for SimPoint",
	.usage = "Usage: trammel bbv [OPTION]... FILE\n"
		 "Writes basic-block vectors of intervals, for SimPoint.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_bbv,
};
