/* `trammel doctor`: see man/trammel-doctor.1.md. */
#include "cli/doctor/doctor.h"

#include "base/array.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/vector.h"
#include "cli/commands.h"

#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *word, *colour;
} statuses[] = {
	[FINDING_OK] = {"ok", "\033[32m"},
	[FINDING_WARN] = {"warn", "\033[33m"},
	[FINDING_FAIL] = {"fail", "\033[31m"},
	[FINDING_INFO] = {"info", "\033[2m"},
};

static const struct {
	const char *title, *needed_for;
} needs[NEED_COUNT] = {
	[NEED_COUNTS] =
		{"Counts (functions, blocks, edges, calls, call graphs, coverage)",
		 "functions,coverage"},
	[NEED_SAMPLES] = {"Samples (services of channels: sampler, perf)", "samples"},
};

static bool use_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no);
}

static void show_finding(const struct check *check, const struct finding *finding)
{
	bool colour = use_colour();

	printf("  %s%-4s%s  %-11s %s\n", colour ? statuses[finding->status].colour : "",
	       statuses[finding->status].word, colour ? "\033[0m" : "", check->name,
	       finding->value.length ? finding->value.data : "");
	if (finding->remedy.length)
		printf("%20s-> %s\n", "", finding->remedy.data);
}

static void show_finding_json(const struct check *check, const struct finding *finding)
{
	const struct {
		const char *name, *text;
	} members[] = {
		{"name", check->name},
		{"status", statuses[finding->status].word},
		{"value", finding->value.data},
		{"needed_for", needs[check->need].needed_for},
		{"remedy", finding->remedy.data},
	};
	struct text line = {0};

	text_add(&line, check == checks ? "\n  {" : ",\n  {");
	for (size_t i = 0; i < array_count(members); i++)
		json_add_text(&line, members[i].name,
			      members[i].text ? members[i].text : "");
	text_add(&line, "}");
	fputs(line.data, stdout);
	text_deinit(&line);
}

static void show_sum(const unsigned int counts[])
{
	if (counts[FINDING_FAIL])
		puts("\nFunctions cannot be measured here: see what failed.");
	else if (counts[FINDING_WARN])
		puts("\nFunctions can be measured here, within the limits that are "
		     "shown.");
	else
		puts("\nFunctions can be measured here.");
}

static enum exit_status examine_system(bool json)
{
	unsigned int counts[array_count(statuses)] = {0};

	if (json)
		fputs("{\"checks\": [", stdout);
	for (const struct check *check = checks; check->name; check++) {
		struct finding finding = {0};

		check->look(&finding);
		if (check->need == NEED_COUNTS)
			counts[finding.status]++;
		if (!json && (check == checks || check->need != check[-1].need))
			printf("%s%s\n", check == checks ? "" : "\n",
			       needs[check->need].title);
		if (json)
			show_finding_json(check, &finding);
		else
			show_finding(check, &finding);
		text_deinit(&finding.value);
		text_deinit(&finding.remedy);
	}
	if (json)
		puts("\n]}");
	else
		show_sum(counts);
	return counts[FINDING_FAIL] ? EXIT_FINDING : EXIT_DONE;
}

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...]");
	poptPrintHelp(context, stdout, 0);
	puts("\nSays what this machine allows, and what to change if it does not.\n"
	     "The exit status is 0 if functions can be measured, 1 if not.");
}

/* Whether the words are nothing but options that are known. */
static struct trm_error *parse_words(poptContext context)
{
	int option = poptGetNextOpt(context);
	const char *word;

	if (option < -1)
		return trm_error_create(TRM_ERROR_USAGE,
					"%s: %s. See 'trammel help doctor'.",
					poptBadOption(context, POPT_BADOPTION_NOALIAS),
					poptStrerror(option));
	word = poptGetArg(context);
	if (word)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"unexpected argument '%s'. See 'trammel help doctor'.", word);
	return NULL;
}

static int doctor_main(int argc, const char **argv)
{
	int json = 0, help = 0, status = EXIT_DONE;
	struct poptOption table[] = {
		{"json", 0, POPT_ARG_NONE, &json, 0, "one JSON object with all checks",
		 NULL},
		{"help", 'h', POPT_ARG_NONE, &help, 0, "show this help", NULL},
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel doctor"; /* for the usage line */
	poptContext context = poptGetContext("trammel doctor", argc, named, table, 0);
	struct trm_error *error = parse_words(context);

	if (error) {
		trm_error_print(error);
		status = EXIT_USAGE;
	} else if (help) {
		print_help(context);
	} else {
		status = (int)examine_system(json != 0);
		if (fflush(stdout) || ferror(stdout)) {
			trm_error_print(trm_error_create(TRM_ERROR_SYSTEM,
							 "cannot write the findings"));
			status = EXIT_FAILED;
		}
	}
	poptFreeContext(context);
	free(named);
	return status;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "say whether this machine allows what the measurements need",
	.main = doctor_main,
};
