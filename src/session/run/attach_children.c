#include "session/run/attach_children.h"

#include "base/cleanup.h"
#include "control/remote.h"
#include "session/state/tables.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pids VECTOR(pid_t);

/* proc(5), /proc/pid/task/tid/children: the numbers of those that a thread has made. */
static void read_children(pid_t pid, pid_t tid, struct pids *pids)
{
	char path[128];
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && fscanf(file, "%d", &child) == 1)
		vector_push(pids, child);
}

static void note_child(struct session *session, pid_t pid, pid_t parent)
{
	char program[PATH_MAX];

	remote_read_program(pid, program, sizeof(program));
	struct image_run *image = session_add_image(session, pid, parent, program);

	image->threads = 1;
	image->started = image->ended = true;
	snprintf(image->state, sizeof(image->state), "untraced");
	image->reason = memory_copy_string(
		"it was started before the measurement: attach to it by itself");
}

/* It may have made us; what it has made since it was attached to is followed. */
static bool is_left(const struct session *session, pid_t pid)
{
	return pid != getpid() && !session_find_process(session, pid);
}

static void note_all(struct session *session, pid_t pid, struct pids *pids)
{
	char path[64];
	struct dirent *entry;
	size_t first = pids->count;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			read_children(pid, (pid_t)atoi(entry->d_name), pids);
	if (folder)
		closedir(folder);
	for (size_t i = first; i < pids->count; i++)
		if (is_left(session, pids->items[i]))
			note_child(session, pids->items[i], pid);
}

void attach_note_children(struct session *session, pid_t pid)
{
	struct pids pids = {0};

	note_all(session, pid, &pids);
	/* Each is looked at once: it has one parent. */
	for (size_t i = 0; i < pids.count; i++)
		if (is_left(session, pids.items[i]))
			note_all(session, pids.items[i], &pids);
	vector_deinit(&pids);
}
