/*
 * What is wrong in a text of configurations: each complaint is a line of a message.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_COMPLAINTS_H
#define TRAMMEL_RUNTIME_CONFIG_COMPLAINTS_H

#include <stddef.h>

/* Makes it empty; complaints go there from now on, as far as `size` bytes are enough. */
void complaints_begin(char *message, size_t size);

void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
