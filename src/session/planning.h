/*
 * That modules are being planned, told by the tracer to the front, whose terminal it is:
 * a large library takes some seconds when it is seen for the first time, and the program
 * waits meanwhile.
 */
#ifndef TRAMMEL_SESSION_PLANNING_H
#define TRAMMEL_SESSION_PLANNING_H

#include <stdbool.h>
#include <stdint.h>

/* Shows that `left` modules, of which `name` is one, are being planned; 0: no more. */
typedef void planning_show(const char *name, unsigned int left);

struct planning_note {
	uint32_t left;
	char name[60]; /* of the last one that was begun, ended by a 0 */
};

/* In the front. */
struct planning {
	int fd; /* notes come here; -1: nobody wants to know, or the tracer is gone */
	planning_show *show;
	struct planning_note last;
	uint64_t since_ns; /* modules are being planned; 0: none are */
	bool shown;
};

/* In the tracer, from any thread. `fd` never blocks; what it has no room for is lost. */
void planning_tell(int fd, const char *path, unsigned int left);

/* In how many ms something is to be shown; -1: that is not known. */
int planning_wait_ms(const struct planning *planning, uint64_t now_ns);

/* Reads what has come, and shows what is to be shown now. */
void planning_act(struct planning *planning, uint64_t now_ns);

/* Takes away what was shown. */
void planning_end(struct planning *planning);

#endif
