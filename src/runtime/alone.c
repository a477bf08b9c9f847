/*
 * A program that was linked with the library, or has it preloaded, and is run by nobody
 * who measures: the variable TRAMMEL_CONTEXT says what to record. The process that began
 * this makes a folder for the spools, its children's too, and writes the profile when it
 * ends.
 */
#include "runtime/publisher.h"
#include "runtime/runtime.h"

#include "publish/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	char folder[4096];
	pid_t owner; /* 0: nothing is to be written */
	time_t start;
	uint64_t begin_ns;
} alone;

const char *alone_begin(void)
{
	const char *place = getenv("TMPDIR");

	snprintf(alone.folder, sizeof(alone.folder), "%s/trammel-XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(alone.folder))
		return NULL;
	setenv("TRAMMEL_CONTEXT_FOLDER", alone.folder, 1);
	alone.owner = getpid();
	alone.start = time(NULL);
	alone.begin_ns = runtime_clock_ns();
	return alone.folder;
}

/* The words of the command line; those that a shell would not take as they are stand
 * between quotes. */
static void read_command(char *text, size_t size)
{
	char words[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, words, sizeof(words) - 1);
	size_t used = 0;

	if (fd >= 0)
		close(fd);
	text[0] = '\0';
	words[length > 0 ? length : 0] = '\0';
	for (char *word = words; word < words + length; word += strlen(word) + 1) {
		bool plain = *word && !strpbrk(word, " \t\n'\"\\$`*?[]{}();&|<>!#~");
		int added =
			snprintf(text + used, size - used, "%s%s%s%s", used ? " " : "",
				 plain ? "" : "'", word, plain ? "" : "'");

		if (added < 0 || (size_t)added >= size - used)
			return;
		used += (size_t)added;
	}
}

static void remove_folder(void)
{
	DIR *folder = opendir(alone.folder);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(alone.folder);
}

void alone_end(bool tracing)
{
	const char *what = getenv("TRAMMEL_CONTEXT"), *output = getenv("TRAMMEL_OUTPUT");
	publish_function *publish;
	char command[8192], usual[4096];

	if (runtime_sealed || !alone.owner || alone.owner != getpid())
		return;
	publish = (publish_function *)publisher_find(PUBLISH_FUNCTION);
	if (!publish) {
		fprintf(stderr, "trammel: what was recorded is in \"%s\"\n",
			alone.folder);
		return;
	}
	snprintf(usual, sizeof(usual), "%s.trm", program_invocation_short_name);
	read_command(command, sizeof(command));
	publish(&(struct publish_request){
		.abi = PUBLISH_ABI,
		.print = what && strstr(what, "report"),
		.folder = alone.folder,
		.output = output && *output ? output : usual,
		.measure = tracing ? "regions,trace" : "regions",
		.command = command,
		.start = alone.start,
		.wall_ns = runtime_clock_ns() - alone.begin_ns,
		.pid = (uint32_t)alone.owner,
	});
	remove_folder();
}
