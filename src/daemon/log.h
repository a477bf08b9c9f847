/* The daemon's log: lines with the time. */
#ifndef TRAMMEL_DAEMON_LOG_H
#define TRAMMEL_DAEMON_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Sends the lines to a file, at its end, instead of to standard error. False, with errno,
 * if it cannot be opened. */
bool log_open(const char *path);

/* Writes a moment as text, 21 bytes with its end. */
void log_time(time_t at, char *ret_text, size_t size);

/* Writes a line. */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
