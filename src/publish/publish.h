/*
 * libtrammel-report.so: what a program loads at its end to write its own profile, when
 * nobody runs it who would. The library that records stays small that way.
 */
#ifndef TRAMMEL_PUBLISH_PUBLISH_H
#define TRAMMEL_PUBLISH_PUBLISH_H

#include <stdbool.h>
#include <stdint.h>

enum { PUBLISH_ABI = 1 };
#define PUBLISH_LIBRARY  "libtrammel-report.so.0"
#define PUBLISH_FUNCTION "trammel_publish"

struct publish_request {
	uint32_t abi;
	bool print;          /* the short report, on standard error */
	const char *folder;  /* of the spools */
	const char *output;  /* path of the profile */
	const char *measure; /* as -m has it */
	const char *command; /* as a shell would need it */
	int64_t start;       /* seconds since 1970 */
	uint64_t wall_ns;
	uint32_t pid;
};

/* Writes the profile; what goes wrong is said on standard error, in a line. */
typedef void publish_function(const struct publish_request *request);

#endif
