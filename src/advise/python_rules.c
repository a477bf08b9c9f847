/* Rules in Python, which run in a process of their own. */
#include "advise/python_rules.h"

#include "advise/rule.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* A finding while its line is read; texts are owned. */
enum member {
	MEMBER_RULE,
	MEMBER_TITLE,
	MEMBER_MODULE,
	MEMBER_FUNCTION,
	MEMBER_FILE,
	MEMBER_OF,
	MEMBER_CONFIDENCE,
	MEMBER_EVIDENCE,
	MEMBER_TRY,
	MEMBERS
};
static const char *const member_names[MEMBERS] = {"rule",       "title",    "module",
						  "function",   "file",     "of",
						  "confidence", "evidence", "try"};

struct line {
	char *texts[MEMBERS];
	double share, number; /* number: of the line */
};

static char *read_text(struct json *json)
{
	const struct json_raw raw = json_string(json);
	char *text = memory_allocate(raw.length + 1);

	*json_unescape(json, raw, text) = '\0';
	return text;
}

static double read_number(struct json *json)
{
	const struct json_raw word = json_word(json);
	char digits[64];

	snprintf(digits, sizeof(digits), "%.*s", (int)word.length, word.at);
	return strtod(digits, NULL);
}

static bool is_named(struct json_raw name, const char *word)
{
	return name.length == strlen(word) && !memcmp(name.at, word, name.length);
}

static void read_member(struct json *json, struct json_raw name, struct line *line)
{
	const enum json_kind kind = json_peek(json);

	if (kind == JSON_NUMBER && is_named(name, "share")) {
		line->share = read_number(json);
		return;
	}
	if (kind == JSON_NUMBER && is_named(name, "line")) {
		line->number = read_number(json);
		return;
	}
	for (int i = 0; kind == JSON_STRING && i < MEMBERS; i++) {
		if (!is_named(name, member_names[i]))
			continue;
		free(line->texts[i]);
		line->texts[i] = read_text(json);
		return;
	}
	json_skip(json);
}

/* Whether it is an object that says what it finds, and why. */
static bool read_finding(const char *text, size_t length, struct line *line)
{
	struct json json = {.at = text, .end = text + length};
	struct json_raw name;
	size_t count = 0;

	if (json_peek(&json) != JSON_OBJECT)
		return false;
	while (json_next(&json, &name, &count, true))
		read_member(&json, name, line);
	return !json.wrong && line->texts[MEMBER_RULE] && line->texts[MEMBER_EVIDENCE];
}

static enum advice_confidence confidence_of(const char *word)
{
	for (int i = 0; word && i < ADVICE_CONFIDENCES; i++)
		if (!strcmp(word, advice_confidences[i]))
			return (enum advice_confidence)i;
	return ADVICE_MEDIUM;
}

static void add_line(struct advice *advice, const struct line *line)
{
	char *const *texts = line->texts;
	const struct advice_finding finding = {
		.rule = texts[MEMBER_RULE],
		.title = texts[MEMBER_TITLE] ? texts[MEMBER_TITLE] : texts[MEMBER_RULE],
		.place = {.module = texts[MEMBER_MODULE],
			  .function = texts[MEMBER_FUNCTION],
			  .file = texts[MEMBER_FILE],
			  .line = line->number > 0 && line->number < 1e9
					  ? (uint64_t)line->number
					  : 0},
		.share = line->share,
		.of = texts[MEMBER_OF],
		.confidence = confidence_of(texts[MEMBER_CONFIDENCE]),
		.evidence = texts[MEMBER_EVIDENCE],
		.remedy = texts[MEMBER_TRY],
	};

	if (advice_wants(advice->options, finding.rule))
		advice_add_own(advice, &finding);
}

static struct trm_error *take_lines(struct advice *advice, const char *path,
				    const struct text *output)
{
	struct trm_error *error = NULL;
	size_t number = 0;

	for (const char *at = output->data; at && *at && !error;) {
		const size_t length = strcspn(at, "\n");
		struct line line = {.share = -1};

		number++;
		if (strspn(at, " \t\r") < length) {
			if (read_finding(at, length, &line))
				add_line(advice, &line);
			else
				error = trm_error_create(
					TRM_ERROR_USAGE,
					"'%s' printed no finding in line %zu: '%.*s'; "
					"one "
					"is a JSON object with 'rule' and 'evidence'",
					path, number, (int)(length > 60 ? 60 : length),
					at);
		}
		for (int i = 0; i < MEMBERS; i++)
			free(line.texts[i]);
		at += length + (at[length] == '\n');
	}
	return error;
}

/* In the child: the program with the profiles, its modules where they are found. */
static void become_python(const struct advice *advice, const char *path, int output)
{
	const char **words = memory_allocate((advice->path_count + 3) * sizeof(*words));
	const char *folder = advice->options->modules, *given = getenv("PYTHONPATH");
	struct text folders = {0};

	words[0] = "python3";
	words[1] = path;
	for (size_t i = 0; i < advice->path_count; i++)
		words[i + 2] = advice->paths[i];
	words[advice->path_count + 2] = NULL;
	if (folder) {
		text_format(&folders, "%s%s%s", folder, given ? ":" : "",
			    given ? given : "");
		setenv("PYTHONPATH", folders.data, 1);
	}
	dup2(output, STDOUT_FILENO);
	execvp(words[0], (char *const *)(uintptr_t)words);
	_exit(127);
}

static struct trm_error *read_output(int fd, struct text *output)
{
	char buffer[4096];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return trm_error_create(TRM_ERROR_SYSTEM, "python3: %s",
						strerror(errno));
		text_add_bytes(output, buffer, (size_t)got);
	}
	return NULL;
}

static struct trm_error *run_python(struct advice *advice, const char *path,
				    struct text *output)
{
	struct trm_error *error;
	int ends[2], status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return trm_error_create(TRM_ERROR_SYSTEM, "python3: %s", strerror(errno));
	pid = fork();
	if (!pid)
		become_python(advice, path, ends[1]);
	close(ends[1]);
	error = pid < 0 ? trm_error_create(TRM_ERROR_SYSTEM, "python3: %s",
					   strerror(errno))
			: read_output(ends[0], output);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return error;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE, "'%s' failed%s", path,
				WIFEXITED(status) && WEXITSTATUS(status) == 127
					? ": python3 cannot be run (package python3)"
					: ": its rules were not applied");
}

struct trm_error *python_rules_apply(struct advice *advice, const char *path)
{
	struct text output = {0};
	struct trm_error *error;

	if (access(path, R_OK))
		return trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s", path,
					strerror(errno));
	error = run_python(advice, path, &output);
	if (!error) {
		advice->looked++;
		error = take_lines(advice, path, &output);
	}
	text_deinit(&output);
	return error;
}
