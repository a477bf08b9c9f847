/*
 * Messages of channels: on standard error, or where LOG_LOGFILE says: stdout, stderr,
 * none or a file, to which they are added. LOG_VERBOSITY: 1: also what is no warning; 2:
 * and how much memory all of it took. Where one of these is set, lines begin as those of
 * the peer do.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_LOG_H
#define TRAMMEL_RUNTIME_CHANNEL_LOG_H

/* Write a line: a warning, a message that is not a warning, and a detail for verbosity
 * 2. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
