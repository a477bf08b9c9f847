/*
 * What the commands that measure have in common: their options, and the summary.
 */
#ifndef TRAMMEL_CLI_MEASURING_H
#define TRAMMEL_CLI_MEASURING_H

#include "session/options.h"

#include <popt.h>

enum measuring_option { OPTION_ONLY = 1, OPTION_SKIP, OPTION_HELP };

/* Room for what the options give. */
struct measuring {
	char *output, *measure, *calls;
	int quiet, verbose;
	struct session_options options;
};

/* The rows of a popt table; `given` is a struct measuring. */
#define MEASURING_OPTIONS(given)                                                           \
	{"output",        'o', POPT_ARG_STRING,                                            \
	 &(given).output, 0,   "write the profile here (default PROGRAM.trm)",             \
	 "FILE"},                                                                          \
		{"measure",                                                                \
		 'm',                                                                      \
		 POPT_ARG_STRING,                                                          \
		 &(given).measure,                                                         \
		 0,                                                                        \
		 "what to measure (default functions)",                                    \
		 "NAME"},                                                                  \
		{"only",   0, POPT_ARG_STRING, NULL, OPTION_ONLY, "measure only these",    \
		 "PATTERN"},                                                               \
		{"skip",   0, POPT_ARG_STRING, NULL, OPTION_SKIP, "do not measure these",  \
		 "PATTERN"},                                                               \
		{"calls",        0, POPT_ARG_STRING,                                       \
		 &(given).calls, 0, "where relocated functions make calls (default auto)", \
		 "HOW"},                                                                   \
		{"quiet", 'q', POPT_ARG_NONE, &(given).quiet, 0, "no summary at the end",  \
		 NULL},                                                                    \
		{"verbose",                                                                \
		 'v',                                                                      \
		 POPT_ARG_NONE,                                                            \
		 &(given).verbose,                                                         \
		 0,                                                                        \
		 "name the functions that were not instrumented",                          \
		 NULL},                                                                    \
	{                                                                                  \
		"help", 'h', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL      \
	}

/* What comes behind popt's help: measurements and patterns. */
void measuring_print_help(void);

/* Reads the options; 0: go on, else the exit status plus 1. `help` prints the help. */
int measuring_parse(poptContext context, struct measuring *given, const char *command,
		    void (*help)(poptContext context));

/* Completes given->options for a program; false, with a message, if -m is wrong. */
bool measuring_complete(struct measuring *given, const char *program);

void measuring_deinit(struct measuring *given);

/* The summary of the profile, unless it is not wanted. */
void measuring_summarize(const struct measuring *given);

#endif
