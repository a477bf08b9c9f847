/* Packets: framing, and numbers in them. */
#ifndef TRAMMEL_DEBUG_GDB_PACKET_H
#define TRAMMEL_DEBUG_GDB_PACKET_H

#include "debug/gdb/gdb.h"

/* Sends a packet with this text. */
void gdb_send(struct gdb *gdb, const char *text);

/* Sends one that may have any bytes in it: they are escaped. */
void gdb_send_bytes(struct gdb *gdb, const char *bytes, size_t size);

/* Sends OK, or the number of an error. */
void gdb_send_result(struct gdb *gdb, struct trm_error *error);

/* Adds bytes as hexadecimal digits. */
void gdb_add_hex(struct text *text, const void *bytes, size_t size);

/* Reads hexadecimal digits, two a byte; returns how many bytes were read. */
size_t gdb_read_hex(const char *digits, void *bytes, size_t size);

/* Reads a number in hexadecimal digits and moves *text behind it. */
uint64_t gdb_read_number(const char **text);

/* Adds the name of a thread, with that of its process for a gdb that knows of these. */
void gdb_add_thread(const struct gdb *gdb, struct text *text, pid_t pid, pid_t tid);

/* Reads the name of a thread and moves *text behind it. Returns its tid; 0: any, -1: all.
 */
pid_t gdb_read_thread(const char **text);

/* A packet without its frame, escapes undone; returns its size. */
size_t gdb_unescape(char *packet, size_t size);

/* Whether the sum of a packet's bytes is the one that stands behind its #. */
bool gdb_is_sound(const char *packet, size_t size);

/* Sends bytes as they are. */
void gdb_send_raw(struct gdb *gdb, const char *bytes, size_t size);

#endif
