/* Notes by which the tracer tells the front which modules are being planned: see
 * session/run/planning_notice.h. */
#ifndef TRAMMEL_SESSION_CACHE_PLANNING_NOTE_H
#define TRAMMEL_SESSION_CACHE_PLANNING_NOTE_H

#include <stdint.h>

struct planning_note {
	uint32_t left;
	char name[60]; /* name of the module begun last, ended by a 0 */
};

/* Sends the note that `left` modules, of which `path` is one, are being planned; 0:
 * planning is over. May be called from any thread. `fd` never blocks; a note for which
 * it has no room is lost. -1: the front wants no notes. */
void planning_note_send(int fd, const char *path, unsigned int left);

#endif
