#include "cli/debug/prompt.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/debug/python.h"
#include "debug/frames.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif

struct prompt {
	int fd;
	struct prompt_lines *lines;
	struct text input, message;
	struct python python;
	bool ended;
	struct trm_error *error;
};

static struct prompt *current;            /* for libedit's functions */
static volatile sig_atomic_t interrupted; /* Ctrl-C was pressed */

struct trm_error *prompt_add_file(struct prompt_lines *lines, const char *path)
{
	const bool own = !strcmp(path, "-");
	char *line = NULL;
	size_t capacity = 0;
	FILE *file = own ? stdin : fopen(path, "re");

	if (!file)
		return trm_error_system(errno, "cannot read '%s'", path);
	while (getline(&line, &capacity, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		prompt_add_line(lines, line);
	}
	free(line);
	if (!own)
		fclose(file);
	return NULL;
}

void prompt_add_line(struct prompt_lines *lines, const char *line)
{
	vector_push(&lines->lines, memory_copy_string(line));
}

void prompt_deinit(struct prompt_lines *lines)
{
	vector_for_each (&lines->lines, line)
		free(*line);
	vector_deinit(&lines->lines);
}

static void see_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static bool say_to_tracer(struct prompt *prompt, enum frame_kind kind, const char *text)
{
	return frames_send(prompt->fd, kind, text, strlen(text));
}

/* Waits for the next message. Returns its kind; 0: the tracer is gone. */
static int next_message(struct prompt *prompt)
{
	char bytes[4096];
	int kind;

	while (!(kind = frames_take(&prompt->input, &prompt->message))) {
		struct pollfd end = {.fd = prompt->fd, .events = POLLIN};

		if (poll(&end, 1, -1) < 0 && errno == EINTR) {
			if (interrupted)
				say_to_tracer(prompt, FRAME_INTERRUPT, "");
			interrupted = 0;
			continue;
		}
		const ssize_t n = read(prompt->fd, bytes, sizeof(bytes));

		if (n <= 0)
			return 0;
		text_add_bytes(&prompt->input, bytes, (size_t)n);
	}
	return kind;
}

static void show_message(const struct prompt *prompt)
{
	fwrite(prompt->message.data, 1, prompt->message.length, stdout);
	fflush(stdout);
}

#ifdef HAVE_LIBEDIT
static EditLine *editor;
static History *past;

static char *prompt_text(EditLine *line)
{
	static char text[] = "(trammel) ";

	(void)line;
	return text;
}

/* What all words begin with, from `length` on; lists them if that is nothing. */
static unsigned char insert_words(EditLine *line, char *words, size_t length)
{
	const char *first = words;
	size_t same = strcspn(first, "\n"), count = 0;

	for (char *word = words; *word; word += strcspn(word, "\n") + 1) {
		size_t i = 0;

		while (i < same && word[i] == first[i])
			i++;
		same = i;
		count++;
	}
	if (!count)
		return CC_ERROR;
	if (same > length || count == 1) {
		struct text more = {0};

		text_add_bytes(&more, first + length, same - length);
		if (count == 1)
			text_add(&more, " ");
		if (more.length)
			el_insertstr(line, more.data);
		text_deinit(&more);
		return CC_REFRESH;
	}
	printf("\n%s", words);
	return CC_REDISPLAY;
}

/* The Tab key. */
static unsigned char complete_word(EditLine *line, int key)
{
	const LineInfo *info = el_line(line);
	struct text begin = {0};
	unsigned char result = CC_ERROR;
	const char *space;

	(void)key;
	text_add_bytes(&begin, info->buffer, (size_t)(info->cursor - info->buffer));
	if (begin.data && say_to_tracer(current, FRAME_COMPLETE, begin.data) &&
	    next_message(current) == FRAME_COMPLETE && current->message.length) {
		space = strrchr(begin.data, ' ');
		result = insert_words(line, current->message.data,
				      strlen(space ? space + 1 : begin.data));
	}
	text_deinit(&begin);
	return result;
}

/* Where lines of earlier times are kept. */
static bool history_path(char path[PATH_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (!state && !home)
		return false;
	snprintf(path, PATH_MAX, "%s%s", state ? state : home,
		 state ? "" : "/.local/state");
	mkdir(path, 0700);
	if (strlen(path) + 32 > PATH_MAX)
		return false;
	strcat(path, "/trammel");
	mkdir(path, 0700);
	strcat(path, "/debug-history");
	return true;
}

static void open_editor(void)
{
	char path[PATH_MAX];
	HistEvent event;

	editor = el_init("trammel", stdin, stdout, stderr);
	past = history_init();
	if (!editor || !past)
		return;
	history(past, &event, H_SETSIZE, 1000);
	history(past, &event, H_SETUNIQUE, 1);
	if (history_path(path))
		history(past, &event, H_LOAD, path);
	el_set(editor, EL_PROMPT, prompt_text);
	el_set(editor, EL_EDITOR, "emacs");
	el_set(editor, EL_HIST, history, past);
	el_set(editor, EL_ADDFN, "complete-word", "complete a word", complete_word);
	el_set(editor, EL_BIND, "^I", "complete-word", NULL);
	el_set(editor, EL_SIGNAL, 1);
	el_source(editor, NULL);
}

static char *ask_terminal(void)
{
	HistEvent event;
	int length = 0;
	const char *line;

	if (!editor)
		open_editor();
	line = editor ? el_gets(editor, &length) : NULL;
	if (!line || length <= 0)
		return NULL;
	if (length > 1)
		history(past, &event, H_ENTER, line);
	return strndup(line, strcspn(line, "\n"));
}

static void close_editor(void)
{
	char path[PATH_MAX];
	HistEvent event;

	if (!editor)
		return;
	if (history_path(path))
		history(past, &event, H_SAVE, path);
	history_end(past);
	el_end(editor);
	editor = NULL;
}
#else
static char *ask_terminal(void)
{
	char *line = NULL;
	size_t capacity = 0;

	fputs("(trammel) ", stdout);
	fflush(stdout);
	if (getline(&line, &capacity, stdin) < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void close_editor(void)
{
}
#endif

/* The next line; NULL: there is none. An empty one repeats the last step at a terminal.
 */
static char *next_line(struct prompt *prompt)
{
	static char *last;
	struct prompt_lines *lines = prompt->lines;
	char *line;

	if (lines->next < lines->lines.count) {
		line = memory_copy_string(lines->lines.items[lines->next++]);
		printf("(trammel) %s\n", line);
		fflush(stdout);
		return line;
	}
	line = lines->terminal ? ask_terminal() : NULL;
	if (!line)
		return NULL;
	if (!*line && last && strchr("sncu", *last)) {
		free(line);
		return memory_copy_string(last);
	}
	free(last);
	last = memory_copy_string(line);
	return line;
}

/* A command of a script's: what it says, until the next line may come. */
static bool execute_command(void *context, const char *command, struct text *answer)
{
	struct prompt *prompt = context;
	int kind;

	if (prompt->ended || !say_to_tracer(prompt, FRAME_LINE, command))
		return false;
	while ((kind = next_message(prompt)) == FRAME_TEXT)
		text_add_bytes(answer, prompt->message.data, prompt->message.length);
	prompt->ended = kind != FRAME_PROMPT;
	if (prompt->ended && answer->length)
		fwrite(answer->data, 1, answer->length, stdout);
	return !prompt->ended;
}

/* Lines up to one that is "end". */
static void read_block(struct prompt *prompt, struct text *code)
{
	char *line;

	while ((line = next_line(prompt)) && strcmp(line, "end") != 0) {
		text_format(code, "%s\n", line);
		free(line);
	}
	free(line);
}

static void run_python(struct prompt *prompt, const char *code)
{
	struct text block = {0};
	struct trm_error *error;

	if (!*code)
		read_block(prompt, &block);
	error = python_run(&prompt->python, block.data ? block.data : code, !*code,
			   execute_command, prompt);
	if (error)
		printf("%s\n", error->message);
	fflush(stdout);
	trm_error_destroy(error);
	text_deinit(&block);
}

static void answer_prompt(struct prompt *prompt)
{
	scoped_free char *line = next_line(prompt);
	const char *code = line ? python_code(line) : NULL;

	while (code && !prompt->ended) {
		run_python(prompt, code);
		if (prompt->ended)
			return;
		free(line);
		line = next_line(prompt);
		code = line ? python_code(line) : NULL;
	}
	if (!say_to_tracer(prompt, FRAME_LINE, line ? line : "detach"))
		prompt->ended = true;
}

struct trm_error *prompt_run(int fd, struct prompt_lines *lines, const char *token,
			     bool far)
{
	struct prompt prompt = {.fd = fd, .lines = lines};
	const struct sigaction action = {.sa_handler = far ? see_interrupt : SIG_IGN};

	current = &prompt;
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (token)
		say_to_tracer(&prompt, FRAME_TOKEN, token);
	while (!prompt.ended) {
		switch (next_message(&prompt)) {
		case FRAME_TEXT:
			show_message(&prompt);
			break;
		case FRAME_PROMPT:
			answer_prompt(&prompt);
			break;
		case FRAME_COMPLETE:
			break;
		case FRAME_REFUSED:
			prompt.error = trm_error_create(TRM_ERROR_USAGE, "refused: %s",
							prompt.message.data);
			prompt.ended = true;
			break;
		default:
			prompt.ended = true;
		}
	}
	close_editor();
	python_deinit(&prompt.python);
	text_deinit(&prompt.input);
	text_deinit(&prompt.message);
	return prompt.error;
}
