/*
 * Complaints about a text of configurations: each is a line of a message.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_COMPLAINTS_H
#define TRAMMEL_RUNTIME_CONFIG_COMPLAINTS_H

#include <stddef.h>

/* Empties `message`, to which complaints are added from now on, as far as its `size`
 * bytes suffice. */
void complaints_begin(char *message, size_t size);

/* Adds a complaint. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
