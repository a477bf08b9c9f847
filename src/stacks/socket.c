#include "stacks/socket.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LISTENING = 0x0a,
	/* Sockets that are not listed are looked for again in so many processes. */
	LOOKS_MAX = 64,
};

static void note_name(struct stacks_sockets *sockets, uint64_t inode, const char *name)
{
	*table_insert(&sockets->by_inode, inode, NULL) =
		string_table_intern(&sockets->names, name) + 1u;
}

/* An address of a list: words of four bytes as the processor has them, and a port. */
static bool add_address(const char *digits, size_t length, unsigned int port,
			struct text *out)
{
	const bool six = length == 32;
	unsigned char bytes[16];
	char words[INET6_ADDRSTRLEN];
	uint32_t word;
	bool any = port != 0;

	for (size_t i = 0; i < length / 8; i++) {
		char part[9] = "";

		memcpy(part, digits + 8 * i, 8);
		word = (uint32_t)strtoul(part, NULL, 16);
		any |= word != 0;
		memcpy(bytes + 4 * i, &word, 4);
	}
	inet_ntop(six ? AF_INET6 : AF_INET, bytes, words, sizeof(words));
	text_format(out, six ? "[%s]:%u" : "%s:%u", words, port);
	return any;
}

/* A line of /proc/PID/net/tcp and the like. */
static void read_internet(struct stacks_sockets *sockets, const char *line,
			  const char *protocol)
{
	char local[33], remote[33];
	unsigned int local_port, remote_port, state;
	uint64_t inode;
	struct text name = {0}, far = {0};

	if (sscanf(line,
		   " %*d: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*s %*s %*s %*s %*s %" SCNu64,
		   local, &local_port, remote, &remote_port, &state, &inode) != 6 ||
	    !inode)
		return;
	text_add(&name, protocol);
	if (add_address(remote, strlen(remote), remote_port, &far)) {
		text_add(&name, far.data);
	} else {
		if (state == LISTENING)
			text_add(&name, "listening on ");
		add_address(local, strlen(local), local_port, &name);
	}
	note_name(sockets, inode, name.data);
	text_deinit(&far);
	text_deinit(&name);
}

/* A line of /proc/PID/net/unix: sockets that have no name are not told apart. */
static void read_unix(struct stacks_sockets *sockets, const char *line,
		      const char *protocol)
{
	uint64_t inode;
	int path = 0;
	struct text name = {0};

	if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %" SCNu64 " %n", &inode, &path) != 1 ||
	    !path)
		return;
	text_add(&name, protocol);
	if (line[path])
		text_format(&name, " %s", line + path);
	note_name(sockets, inode, name.data);
	text_deinit(&name);
}

static const struct list {
	const char *name, *protocol;
	void (*read)(struct stacks_sockets *sockets, const char *line,
		     const char *protocol);
} lists[] = {
	{"tcp", "", read_internet},     {"tcp6", "", read_internet},
	{"udp", "udp ", read_internet}, {"udp6", "udp ", read_internet},
	{"raw", "raw ", read_internet}, {"unix", "unix", read_unix},
};

static void read_list(struct stacks_sockets *sockets, uint32_t pid,
		      const struct list *list)
{
	char path[64], *line = NULL;
	size_t capacity = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/net/%s", pid, list->name);
	scoped_file FILE *file = fopen(path, "re");

	while (file && getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		list->read(sockets, line, list->protocol);
	}
	free(line);
}

const char *stacks_socket_address(struct stacks_sockets *sockets, uint32_t pid,
				  uint64_t inode)
{
	uint64_t index;

	if (!table_find(&sockets->by_inode, inode, &index) &&
	    sockets->looked < LOOKS_MAX) {
		sockets->looked++;
		for (size_t i = 0; i < array_count(lists); i++)
			read_list(sockets, pid, &lists[i]);
	}
	return table_find(&sockets->by_inode, inode, &index)
		       ? sockets->names.strings[index - 1]
		       : NULL;
}

void stacks_sockets_deinit(struct stacks_sockets *sockets)
{
	table_deinit(&sockets->by_inode);
	string_table_deinit(&sockets->names);
	*sockets = (struct stacks_sockets){0};
}
