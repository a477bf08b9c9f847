/* The daemon of a database, and those who ask it: a file that it locks, and a socket. */
#ifndef TRAMMEL_DAEMON_CONTROL_H
#define TRAMMEL_DAEMON_CONTROL_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

struct control {
	char *path;   /* "FILE.daemon"; beside it "FILE.daemon.socket"; of a server's
			 database in a folder of the user's */
	int lock_fd;  /* has the lock */
	int fd;       /* socket that listens */
	int asker_fd; /* who is answered; -1: nobody */
};

/* Becomes the daemon of a database. Error: another process is it. */
struct trm_error *control_begin(struct control *control, const char *database);

/* Ends that, and removes both files. */
void control_end(struct control *control);

/* Takes a request: a line without its end, at most `size` - 1 bytes. False: there is
 * none. It must be answered before the next one. */
bool control_take(struct control *control, char *ret_line, size_t size);

/* Answers it: with a text, or an error, which is freed. */
void control_answer(struct control *control, const char *text, struct trm_error *error);

/* From another process: sends a request to the daemon of a database, and adds its answer
 * to a text. Errors: none is running, or what it answers. */
struct trm_error *control_ask(const char *database, const char *line,
			      struct text *ret_answer);

#endif
