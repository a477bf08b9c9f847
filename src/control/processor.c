#include "control/processor.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fields of /proc/TID/stat, by their numbers in proc(5). */
enum { FIELD_STATE = 3, FIELD_PROCESSOR = 39, FIELD_POLICY = 41 };

static cpu_set_t usual; /* processors on which the process may be */
static bool usual_known;

/* The number in a field, counted from the state on. */
static const char *find_field(const char *text, int number)
{
	for (int i = FIELD_STATE; text && i < number; i++) {
		text = strchr(text, ' ');
		text = text ? text + 1 : NULL;
	}
	return text;
}

static bool read_line(pid_t tid, bool keep, int *kept, char *line, size_t capacity)
{
	char path[64];
	ssize_t size;
	int fd = *kept - 1;

	if (fd < 0) {
		/* That of the thread: /proc/TID/stat adds up those of the process. */
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tid, tid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return false;
	size = pread(fd, line, capacity - 1, 0);
	line[size > 0 ? size : 0] = '\0';
	if (keep && size > 0)
		*kept = fd + 1;
	else
		close(fd);
	if (size <= 0)
		*kept = 0;
	return size > 0;
}

bool processor_read(pid_t tid, bool keep, int *kept, struct processor_use *ret_use)
{
	char line[1024];
	const char *state, *last, *policy;

	if (!read_line(tid, keep, kept, line, sizeof(line)))
		return false;
	/* A program's name may have spaces and parentheses in it. */
	state = strrchr(line, ')');
	if (!state || state[1] != ' ')
		return false;
	state += 2;
	last = find_field(state, FIELD_PROCESSOR);
	policy = find_field(state, FIELD_POLICY);
	if (!last || !policy)
		return false;
	*ret_use =
		(struct processor_use){.state = *state, .last = (unsigned int)atoi(last)};

	const int how = atoi(policy);

	ret_use->shared = how == SCHED_OTHER || how == SCHED_BATCH || how == SCHED_IDLE;
	return true;
}

void processor_forget(int *kept)
{
	if (*kept)
		close(*kept - 1);
	*kept = 0;
}

bool processor_follow(unsigned int number)
{
	cpu_set_t one;

	if (number >= CPU_SETSIZE)
		return false;
	if (!usual_known && sched_getaffinity(0, sizeof(usual), &usual))
		return false;
	usual_known = true;
	CPU_ZERO(&one);
	CPU_SET(number, &one);
	return CPU_ISSET(number, &usual) && !sched_setaffinity(0, sizeof(one), &one);
}

void processor_leave(void)
{
	if (usual_known)
		sched_setaffinity(0, sizeof(usual), &usual);
}
