/*
 * Bytes that sources of points have the program hold, for their routines: each process
 * has a copy of its own, at one distance from an address of its own. They are added while
 * functions are planned, by any thread, and a process has them before code that names
 * them runs.
 */
#ifndef TRAMMEL_CODE_POINTS_POINT_DATA_H
#define TRAMMEL_CODE_POINTS_POINT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in all that fit, and further ones that fit once there is a process which may have
 * few addresses; the multiple at which each piece begins. */
enum {
	POINT_DATA_MAX = 256 << 20,
	POINT_DATA_SMALL = 8 << 20,
	POINT_DATA_ALIGN = 16,
};

struct point_data;

struct point_data *point_data_create(void);

/* Frees all; NULL is allowed. */
void point_data_destroy(struct point_data *data);

/* Adds `size` bytes; for the same address and size as before, in the same way as then,
 * the piece that is there already. `ret_offset`: distance of the piece from the start.
 * False: there is no room. */
bool point_data_add(struct point_data *data, const void *bytes, size_t size,
		    uint32_t *ret_offset);

/* Adds a text, with its end; equal texts are one piece. */
bool point_data_add_text(struct point_data *data, const char *text, uint32_t *ret_offset);

/* Has no more than `size` further bytes fit from now on. Returns how many fit in all. */
uint32_t point_data_limit(struct point_data *data, uint32_t size);

/* The number of bytes so far. */
uint32_t point_data_size(struct point_data *data);

/* Copies the bytes from `offset` on, `size` at most, to `to`; returns how many. */
size_t point_data_read(struct point_data *data, uint32_t offset, void *to, size_t size);

/* Returns the number, from 0 on, of a module (path) whose code is told by numbers. */
uint32_t point_data_add_module(struct point_data *data, const char *path);

/* Returns the path of a module by its number; valid as long as the data. NULL: there is
 * none with it. */
const char *point_data_module(struct point_data *data, uint32_t number);

#endif
