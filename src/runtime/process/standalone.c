/*
 * A program that was linked with the library, or has it preloaded, and is run by nobody
 * who measures: the variable TRAMMEL_CONTEXT says what to record. The process that began
 * this makes a folder for the spools, its children's too, and writes the profile when it
 * ends.
 */
#include "runtime/process/standalone.h"
#include "runtime/libraries/publisher.h"
#include "runtime/store/folder.h"
#include "runtime/store/lock.h"
#include "runtime/store/state.h"

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
	bool disowned; /* it is in another profile */
	bool ranked;   /* one of many that run the same program: its number is in the name
			*/
	uint32_t rank;
	time_t start;
	uint64_t begin_ns;
} alone;

const char *standalone_begin(void)
{
	const char *folder = folder_make();

	if (!folder)
		return NULL;
	setenv("TRAMMEL_CONTEXT_FOLDER", folder, 1);
	alone.start = time(NULL);
	alone.begin_ns = runtime_clock_ns();
	return folder;
}

/* The words of the command line; those that a shell would not take as they are stand
 * between quotes. */
void standalone_command(char *text, size_t size)
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

void standalone_disown(void)
{
	alone.disowned = true;
}

void standalone_rank(uint32_t rank)
{
	alone.rank = rank;
	alone.ranked = true;
}

/* "NAME.trm", with the rank of a process that has one before the ".trm". */
static void name_output(char *path, size_t size)
{
	const char *output = getenv("TRAMMEL_OUTPUT");
	const char *name = output && *output ? output : program_invocation_short_name;
	size_t length = strlen(name);
	const char *end = name == output ? "" : ".trm";

	if (name == output && length > 4 && !strcmp(name + length - 4, ".trm")) {
		length -= 4;
		end = ".trm";
	}
	if (alone.ranked)
		snprintf(path, size, "%.*s.%u%s", (int)length, name, alone.rank, end);
	else
		snprintf(path, size, "%.*s%s", (int)length, name, end);
}

void standalone_end(bool tracing)
{
	const char *what = getenv("TRAMMEL_CONTEXT");
	publish_function *publish;
	char command[8192], output[4096];

	if (runtime_sealed || !folder_is_own())
		return;
	if (alone.disowned) {
		folder_remove();
		return;
	}
	publish = (publish_function *)publisher_find(PUBLISH_FUNCTION);
	if (!publish) {
		fprintf(stderr, "trammel: what was recorded is in \"%s\"\n",
			folder_path());
		return;
	}
	name_output(output, sizeof(output));
	standalone_command(command, sizeof(command));
	publish(&(struct publish_request){
		.abi = PUBLISH_ABI,
		.print = what && strstr(what, "report"),
		.folder = folder_path(),
		.output = output,
		.measure = tracing ? "regions,trace" : "regions",
		.command = command,
		.start = alone.start,
		.wall_ns = runtime_clock_ns() - alone.begin_ns,
		.pid = (uint32_t)getpid(),
	});
	folder_remove();
}
