/* What the tracer tells the front while modules are being planned: see
 * session/run/planning_notice.h. */
#ifndef TRAMMEL_SESSION_CACHE_PLANNING_NOTE_H
#define TRAMMEL_SESSION_CACHE_PLANNING_NOTE_H

#include <stdint.h>

struct planning_note {
	uint32_t left;
	char name[60]; /* of the last one that was begun, ended by a 0 */
};

/* Tells that `left` modules, of which `path` is one, are being planned; 0: no more. From
 * any thread. `fd` never blocks; what it has no room for is lost. -1: nobody wants to
 * know. */
void planning_note_send(int fd, const char *path, unsigned int left);

#endif
