/*
 * Messages over descriptors: 4 bytes of length, little-endian, and a Trm__Message. What
 * the other side sends may be damaged, and never costs more memory than FRAME_MAX and
 * FRAME_MEMORY_MAX.
 */
#ifndef TRAMMEL_PROTOCOL_FRAME_H
#define TRAMMEL_PROTOCOL_FRAME_H

#include "base/error.h"
#include "base/text.h"
#include "trammel.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	FRAME_MAX = 16 << 20,        /* bytes of a message */
	FRAME_MEMORY_MAX = 64 << 20, /* bytes that an unpacked one may take */
};

/* What was received and not yet taken. All-zero is an empty one. */
struct frame_reader {
	struct text bytes;
	size_t taken;
};

/* Receives what can be had without waiting, or waits for some if `fd` waits, up to the
 * end of a message of the greatest length. `ret_ended`: the other side has ended. */
struct trm_error *frame_receive(struct frame_reader *reader, int fd, bool *ret_ended);

/* Adds bytes that were received otherwise. */
void frame_put(struct frame_reader *reader, const void *bytes, size_t count);

/* Takes the next message, which the caller frees by frame_free; NULL: none is whole yet.
 * Errors (TRM_ERROR_FORMAT, TRM_ERROR_LIMIT): what came is no message, or too long; the
 * connection is of no use then. */
struct trm_error *frame_next(struct frame_reader *reader, Trm__Message **ret_message);

/* Whether a part of a message is there. */
bool frame_has_part(const struct frame_reader *reader);

void frame_reader_deinit(struct frame_reader *reader);
void frame_free(Trm__Message *message);

/* Frees a message when its name goes out of scope. */
static inline void frame_free_(Trm__Message **message)
{
	frame_free(*message);
}
#define scoped_message __attribute__((cleanup(frame_free_)))

/* Adds a message to what is to be sent. */
void frame_add(struct text *out, const Trm__Message *message);

/* Sends of `out`, from its begin, what `fd` takes (all, if it waits), and removes it.
 * TRM_ERROR_GONE: the other side has ended. */
struct trm_error *frame_send(struct text *out, int fd);

/* Sends one message and waits until it is sent. */
struct trm_error *frame_send_whole(int fd, const Trm__Message *message);

/* Waits for one message. TRM_ERROR_GONE: the other side has ended. */
struct trm_error *frame_await(struct frame_reader *reader, int fd,
			      Trm__Message **ret_message);

#endif
