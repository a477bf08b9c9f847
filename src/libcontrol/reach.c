#include "libcontrol/reach.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/program.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID_MAX = 1 << 16, SHOWN_MAX = 200 };

const char *reach_name(const struct connection_way *way)
{
	return way->host ? way->host : way->command ? way->command : way->program;
}

struct trm_error *reach_check(const struct connection_way *way)
{
	scoped_free char *ssh =
		way->host && !way->command ? program_find("ssh") : memory_copy_string("");

	return ssh ? NULL
		   : trm_error_create(TRM_ERROR_UNSUPPORTED,
				      "cannot reach '%s': there is no ssh here. Install "
				      "openssh-client, or name another way by "
				      "--agent-command",
				      way->host);
}

int reach_open_said(void)
{
	return memfd_create("trammel-said", MFD_CLOEXEC);
}

/* What was said since the last time, at most SAID_MAX bytes of it: the last ones. */
static char *take_said(struct connection *connection)
{
	struct stat status;

	if (connection->said_fd < 0 || fstat(connection->said_fd, &status))
		return memory_copy_string("");
	off_t from = connection->said_shown;

	if (status.st_size - from > SAID_MAX)
		from = status.st_size - SAID_MAX;
	const size_t size = status.st_size > from ? (size_t)(status.st_size - from) : 0;
	char *said = memory_allocate(size + 1);
	ssize_t count = pread(connection->said_fd, said, size, from);

	said[count > 0 ? count : 0] = '\0';
	connection->said_shown = status.st_size;
	return said;
}

void reach_show_said(struct connection *connection)
{
	scoped_free char *said = take_said(connection);

	fputs(said, stderr);
}

void reach_drop_said(struct connection *connection)
{
	if (connection->said_fd >= 0)
		close(connection->said_fd);
	connection->said_fd = -1;
}

/* The last line that says something, without control characters. */
static const char *last_line(char *said)
{
	char *line = said;

	for (char *at = said; *at; at++)
		if (*at == '\n' && at[1] && !isspace((unsigned char)at[1]))
			line = at + 1;
	line[strcspn(line, "\r\n")] = '\0';
	for (char *at = line; *at; at++)
		if (iscntrl((unsigned char)*at))
			*at = ' ';
	/* Our own, and ssh's, say who they are: that is known. */
	if (!strncmp(line, "ssh: ", 5))
		line += 5;
	return !strncmp(line, "trammel: ", 9) ? line + 9 : line;
}

/* Text in front of the first message; false: it is none. */
static bool take_noise(const struct connection *connection, char noise[SHOWN_MAX])
{
	const struct frame_reader *reader = &connection->reader;
	const char *bytes = reader->bytes.data + reader->taken;
	const size_t count = reader->bytes.length - reader->taken;
	size_t length = 0;

	for (size_t i = 0; i < count && length + 1 < SHOWN_MAX; i++) {
		const unsigned char byte = (unsigned char)bytes[i];

		/* What is not plain begins no greeting of a shell. */
		if ((byte < ' ' && !isspace(byte) && byte != '\033') ||
		    (byte >= 0x7f && !length))
			return false;
		if (byte == '\n' && length)
			break;
		if (byte >= ' ')
			noise[length++] = byte < 0x7f ? (char)byte : '?';
	}
	noise[length] = '\0';
	return length > 0;
}

static struct trm_error *explain_noise(const struct connection *connection,
				       struct trm_error *error)
{
	const char *name = reach_name(&connection->way);
	char noise[SHOWN_MAX];

	/* Text has a length that no message has. */
	if (error->code != TRM_ERROR_LIMIT || !take_noise(connection, noise))
		return trm_error_prefix(error, "no trammel answers from '%s'", name);
	trm_error_destroy(error);
	return trm_error_create(TRM_ERROR_FORMAT,
				"no trammel answers from '%s': it printed '%s' first. "
				"What its shell runs at the start (.bashrc, .profile) is "
				"to print nothing where there is no terminal",
				name, noise);
}

static const char *explain_status(const struct connection_way *way, int status)
{
	static const struct {
		int status;
		const char *ssh, *command;
	} reasons[] = {
		{255, "ssh cannot reach it", NULL},
		{127,
		 "trammel is not installed there, or not where its shells look. Install "
		 "it, or say where it is: --agent-command 'ssh %h /PATH/trammel agent "
		 "--stdio'",
		 "it, or what it starts, is not there"},
		{126, "its trammel cannot be executed", "it cannot be executed"},
	};

	for (size_t i = 0; i < array_count(reasons); i++)
		if (WIFEXITED(status) && WEXITSTATUS(status) == reasons[i].status)
			return way->command ? reasons[i].command : reasons[i].ssh;
	return NULL;
}

struct trm_error *reach_explain(struct connection *connection, struct trm_error *error,
				int status)
{
	const struct connection_way *way = &connection->way;
	scoped_free char *said = take_said(connection);
	const char *line = last_line(said);
	const char *reason = status < 0 ? NULL : explain_status(way, status);

	if (error->code != TRM_ERROR_GONE || (!*line && !reason))
		return explain_noise(connection, error);
	trm_error_destroy(error);
	return trm_error_create(TRM_ERROR_GONE, "no trammel answers from '%s': %s%s%.*s",
				reach_name(way), reason ? reason : "",
				reason && *line ? ": " : "", SHOWN_MAX, line);
}
