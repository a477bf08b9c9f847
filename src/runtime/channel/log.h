/*
 * Messages of channels: on standard error, or where LOG_LOGFILE says: stdout, stderr,
 * none or a file, to which they are appended. LOG_VERBOSITY: 1: also messages that are
 * not warnings; 2: and the memory that was used. Where one of these is set, lines begin
 * as those of LLNL's Caliper do.
 */
#ifndef TRAMMEL_RUNTIME_CHANNEL_LOG_H
#define TRAMMEL_RUNTIME_CHANNEL_LOG_H

/* Write a line: a warning, a message that is not a warning, and a detail for verbosity
 * 2. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_inform(const char *format, ...) __attribute__((format(printf, 1, 2)));

void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
