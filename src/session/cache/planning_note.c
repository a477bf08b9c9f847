#include "session/cache/planning_note.h"

#include <string.h>
#include <unistd.h>

void planning_note_send(int fd, const char *path, unsigned int left)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct planning_note note = {.left = left};
	size_t size = strnlen(name, sizeof(note.name) - 1);

	if (fd < 0)
		return;
	memcpy(note.name, name, size);
	if (write(fd, &note, sizeof(note)) < 0)
		return; /* the next one tells it, too */
}
