/*
 * Values of probes at points of one function: terms with their types, of which only what
 * a processor can compute is left.
 */
#ifndef TRAMMEL_PROBE_NODE_H
#define TRAMMEL_PROBE_NODE_H

#include "image/types.h"
#include "probe/program.h"

enum probe_node_kind {
	PROBE_NODE_CONSTANT, /* number */
	PROBE_NODE_REGISTER, /* number */
	PROBE_NODE_ARGUMENT, /* number: among the integer arguments, at entries and calls
			      */
	PROBE_NODE_RESULT,
	PROBE_NODE_VECTOR, /* the low 64 bits of vector register `number` */
	PROBE_NODE_FLOAT,  /* `number` times the number of floating point whose bits first
			      is,  of `size` bytes, as an integer */
	PROBE_NODE_CALLER,
	PROBE_NODE_PC,
	PROBE_NODE_ADDRESS, /* run-time address of link-time address `number` */
	PROBE_NODE_THREAD,
	PROBE_NODE_REGION, /* address of the thread's own context; 0: it has none */
	PROBE_NODE_PHASE,  /* address of the view in which it counts */
	PROBE_NODE_TIME,
	PROBE_NODE_ELAPSED,
	PROBE_NODE_THREAD_CELL, /* number */
	PROBE_NODE_CALL_CELL,   /* number */
	PROBE_NODE_TRIPS,
	PROBE_NODE_ACCESS,
	PROBE_NODE_ACCESS_SIZE,
	PROBE_NODE_ACCESS_VALUE,
	PROBE_NODE_LOAD,   /* `size` bytes at first + number */
	PROBE_NODE_BITS,   /* `size` bits of first, from bit `number` on */
	PROBE_NODE_EXTEND, /* the low `size` bytes of first */
	PROBE_NODE_UNARY,
	PROBE_NODE_BINARY,
	PROBE_NODE_SAME_TEXT, /* whether the string at first is `text` */
	PROBE_NODE_STRING,    /* address of a string: only as a key, or to be traced */
};

enum { PROBE_NO_NODE = UINT32_MAX };

struct probe_node {
	enum probe_node_kind kind;
	enum probe_symbol symbol;
	uint32_t first, second;
	int64_t number;
	uint8_t size;
	bool is_signed;   /* of a load, of bits, of a comparison or division */
	const char *text; /* as long as the program */
};
struct probe_nodes VECTOR(struct probe_node);

/* What a value is: of a program's type, or a number, maybe behind pointers. */
struct probe_type {
	uint32_t type;    /* in image_types.items; IMAGE_TYPE_NONE: a number */
	uint8_t size;     /* bytes of the number */
	bool is_signed;   /* of the number */
	uint8_t pointers; /* stars behind the number or type */
	bool in_memory;   /* the node is its address */
	bool in_words;    /* a struct in arguments: the nodes are first and second */
};

struct probe_value {
	uint32_t node;
	uint32_t second; /* in_words: of the second word; else PROBE_NO_NODE */
	struct probe_type type;
};

/* Where terms are looked at. */
struct probe_site {
	struct probe_program *program;
	const struct probe *probe;
	enum probe_place place;
	bool tail; /* PROBE_RETURN: the function is left by a jump, without a result */
	const struct image *image;
	const struct image_types *types; /* NULL: none */
	const char *lack;                /* why there are none; NULL: there are */
	uint64_t function;               /* address, link-time; 0: not in a function */
	uint64_t address;                /* of the instruction */
	uint64_t header; /* PROBE_LOOP: address of the loop's first instruction; else 0 */
	/* Finds the cell of a value that is kept from a function's entry, PROBE_ARGUMENT
	 * by its number, or PROBE_VARIABLE; -1: there is no room. NULL: see all. */
	int (*keep)(void *context, uint64_t function, const struct probe_term *term);
	void *context;
	struct probe_nodes nodes; /* the caller deinits it */
	size_t place_at;          /* of an error: offset in the text of the probe */
};

#endif
