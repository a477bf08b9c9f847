/*
 * One error type for all of trammel. A function that can fail returns `struct trm_error
 * *`: NULL is success. Results come back through `ret_*` parameters, last in the list,
 * and are written only on success. An error owns its message; the caller frees it or
 * passes it on.
 */
#ifndef TRAMMEL_BASE_ERROR_H
#define TRAMMEL_BASE_ERROR_H

#include <stdarg.h>

enum trm_error_code {
	TRM_ERROR_USAGE,       /* the command line or the request is wrong */
	TRM_ERROR_SYSTEM,      /* a system call failed */
	TRM_ERROR_FORMAT,      /* a file or a structure in memory is damaged */
	TRM_ERROR_UNSUPPORTED, /* sound input that trammel cannot handle */
	TRM_ERROR_GONE,        /* the process or thread ended meanwhile */
	TRM_ERROR_LIMIT,       /* more than the user allows */
};

struct trm_error {
	enum trm_error_code code;
	int system_code; /* errno of the failed call; 0 where there was none */
	char *message;   /* one line, no newline: the thing in quotes, the reason, the
			    remedy */
};

/* Creates an error with a formatted message. Never fails: without memory it is a static
 * error. */
struct trm_error *trm_error_create(enum trm_error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Creates an error for a failed system call: ": strerror(system_code)" is added to the
 * message. */
struct trm_error *trm_error_system(int system_code, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Puts "text: " in front of the message of `error` and returns `error`. */
struct trm_error *trm_error_prefix(struct trm_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Frees an error; NULL is allowed. */
void trm_error_destroy(struct trm_error *error);

/* Prints "trammel: message" on standard error, in red on a terminal, and frees the error.
 */
void trm_error_print(struct trm_error *error);

/* Returns from the calling function when the expression is an error. */
#define TRM_TRY(expression)                                                              \
	do {                                                                             \
		struct trm_error *trm_try_error_ = (expression);                         \
		if (trm_try_error_)                                                      \
			return trm_try_error_;                                           \
	} while (0)

#endif
