/*
 * Messages between a prompt and the tracer, over a stream: a letter, a length (4 bytes,
 * little-endian) and so many bytes. From the prompt: a token first, then lines. From the
 * tracer: text, and a prompt when the next line may come.
 */
#ifndef TRAMMEL_DEBUG_FRAMES_H
#define TRAMMEL_DEBUG_FRAMES_H

#include "base/text.h"

#include <stddef.h>

enum frame_kind {
	FRAME_TOKEN = 'k',     /* of the prompt: its first message */
	FRAME_LINE = 'l',      /* a command */
	FRAME_INTERRUPT = 'i', /* all threads are to stop */
	FRAME_COMPLETE =
		'c',         /* a line up to the cursor; the answer: words, a line each */
	FRAME_TEXT = 't',    /* what is to be shown */
	FRAME_PROMPT = 'p',  /* the next line may come; its bytes: the prompt */
	FRAME_END = 'e',     /* there is nothing left to debug */
	FRAME_REFUSED = 'r', /* the token is wrong; its bytes: why */
};

enum { FRAME_HEAD = 5, FRAME_MAX = 1 << 20 };

/* Sends a message; gives up after some seconds in which nothing is taken. Returns false
 * if it could not be sent. */
bool frames_send(int fd, enum frame_kind kind, const char *bytes, size_t size);

/* Takes a message from the front of `input` and writes its bytes to `ret_bytes`, which is
 * emptied before. Returns its kind; 0: it is not whole yet; -1: it is longer than any. */
int frames_take(struct text *input, struct text *ret_bytes);

#endif
