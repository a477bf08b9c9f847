/* The file systems of open files, for the service io. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_IO_PLACE_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_IO_PLACE_H

struct io_place {
	char filesystem[32]; /* its type, or "unknown" */
	char mount[256];     /* where it is mounted, or "unknown" */
	char file[256]; /* its path, or the kernel's name of it; cut if it is longer */
};

/* Finds where an open file lies. Asks the kernel, and for the first file of a device
 * /proc/self/mountinfo; the first two are "unknown" where these have no answer, as for
 * pipes. */
void io_place_of(int fd, struct io_place *ret_place);

#endif
