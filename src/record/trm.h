/*
 * The .trm file format, version 2. Shared by the writer and the reader only.
 *
 * A file is a sequence of chunks. Each has a header of 24 bytes, numbers little-endian:
 *
 *     offset  size
 *          0     4  'T' 'R' 'M' 0x1a
 *          4     1  kind: 'H' head of a file, 'D' data, 'E' end
 *          5     1  'H': format version, 1 or 2; else 0
 *          6     1  how the payload is stored: 0 as it is, 1 as one zstd frame
 *          7     1  0
 *          8     4  bytes of the payload in the file, at most 16 MiB + 64 KiB
 *         12     4  bytes of the payload when decompressed, at most 16 MiB
 *         16     8  checksum: XXH3-64 of the payload as it is in the file, with the
 *                   XXH3-64 of header bytes 0-15 as the seed
 *         24        payload
 *
 * A file begins with an 'H' chunk and ends with an 'E' chunk, both with an empty payload,
 * with 'D' chunks between them. Files may be put one behind the other: every 'H' starts
 * afresh. A reader that finds a chunk torn or damaged drops what follows up to the next
 * sound 'H'. Every change to the format needs a new version; a reader refuses a later
 * one.
 *
 * The payload of a 'D' chunk. Numbers are varints: 7 bits a byte, low ones first, the
 * high bit set on all bytes but the last. "Signed" ones are zigzag-coded first: 0 -1 1 -2
 * are 0 1 2 3.
 *
 *     varint  bytes of definitions
 *     the definitions, each a byte for its kind and
 *         1 attribute   varint bytes of the name, the name, byte type (enum
 *                       record_type), varint properties (enum record_property)
 *         2 node        varint own id minus the parent's, varint attribute, value
 *         3 global      varint attribute, value
 *         4 shape       varint number of attributes, varint attribute each
 *         5 description (from version 2 on) varint attribute, varint attribute that says
 *                       something of it, value
 *     the records, up to the end of the payload, each
 *         varint shape, signed node minus the node of the record before, and for each
 *         attribute of the shape a value
 *
 * Attributes are numbered from 0 and nodes from 1 (0 is the root), in the order in which
 * the file defines them, through all chunks up to the next 'H'. Shapes (which attributes
 * a record has) are numbered from 0 anew in every chunk. So no chunk needs records of
 * another one, and definitions stand before their first use.
 *
 * A value is, by the attribute's type:
 *
 *     uint address type  varint
 *     int                signed
 *     bool               varint, 0 or 1
 *     double             8 bytes, IEEE 754, low byte first
 *     string blob        varint bytes, the bytes, a 0 byte that does not count
 *
 * but in records a uint, int or address is the signed difference (modulo 2^64) from the
 * value that the record of the same shape before it had there; 0 before the first one in
 * the chunk.
 *
 * Example, the payload of a chunk with one record, {function=main, calls=3}:
 *
 *     21                                   33 bytes of definitions
 *     01 08 'f' 'u' 'n' 'c' 't' 'i' 'o' 'n' 03 00    attribute 0: string
 *     01 05 'c' 'a' 'l' 'l' 's' 01 20      attribute 1: uint, aggregatable
 *     02 01 00 04 'm' 'a' 'i' 'n' 00       node 1: child of 0, function=main
 *     04 01 01                             shape 0: calls
 *     00 02 06                             shape 0, node 0 + 1, calls 0 + 3
 *
 * Limits, so that a hostile file takes no unbounded memory: what it decompresses to, and
 * what its nodes take in memory, may each be some hundred MiB plus a multiple of the
 * bytes read (TRM_INFLATE_*, TRM_NODES_*); see also the other TRM_..._MAX.
 */
#ifndef TRAMMEL_RECORD_TRM_H
#define TRAMMEL_RECORD_TRM_H

#include <stdint.h>
#include <string.h>

#define TRM_VERSION 2
#define TRM_MAGIC   "TRM\x1a"

enum trm_sizes {
	TRM_HEADER_SIZE = 24,
	TRM_PAYLOAD_MAX = 16 << 20,
	TRM_STORED_MAX = TRM_PAYLOAD_MAX + (64 << 10),
	TRM_ITEM_MAX = 8 << 20, /* one record, one node, one global */
	TRM_NAME_MAX = 4096,    /* bytes of an attribute's name */
	/* A process may have 65,536, of each of which profiles say up to seven things:
	 * sum#NAME, event.begin#NAME. */
	TRM_ATTRIBUTES_MAX = 1 << 20,
	TRM_DESCRIPTIONS_MAX = 256,    /* of one attribute */
	TRM_SHAPE_PAIRS_MAX = 1 << 17, /* attributes in all shapes of one chunk */
	TRM_RECORD_PAIRS_MAX = TRM_SHAPE_PAIRS_MAX / 2, /* in a record that is written */
};

/* Limit of the bytes that one file may decompress to: a fixed number, plus a
 * number for each byte read. */
#define TRM_INFLATE_FREE  ((uint64_t)1 << 30)
#define TRM_INFLATE_RATIO 1024
/* Limit of the bytes that nodes take in memory, in the same form; each node counts as
 * TRM_NODE_COST plus its string. */
#define TRM_NODES_FREE  ((uint64_t)256 << 20)
#define TRM_NODES_RATIO 128
#define TRM_NODE_COST   48

enum trm_kind { TRM_HEAD = 'H', TRM_DATA = 'D', TRM_END = 'E' };
enum trm_storage { TRM_PLAIN = 0, TRM_ZSTD = 1 };

enum trm_definition {
	TRM_DEFINE_ATTRIBUTE = 1,
	TRM_DEFINE_NODE = 2,
	TRM_DEFINE_GLOBAL = 3,
	TRM_DEFINE_SHAPE = 4,
	TRM_DEFINE_DESCRIPTION = 5,
};

struct trm_header {
	enum trm_kind kind;
	unsigned version;
	enum trm_storage storage;
	uint32_t stored_size;  /* bytes in the file */
	uint32_t payload_size; /* bytes decompressed */
	uint64_t checksum;
};

static inline uint64_t trm_zigzag(uint64_t number)
{
	return number << 1 ^ (uint64_t)((int64_t)number >> 63);
}

static inline uint64_t trm_unzigzag(uint64_t number)
{
	return number >> 1 ^ -(number & 1);
}

/* Writes a varint; the end of it. At most 10 bytes. */
static inline uint8_t *trm_put_varint(uint8_t *at, uint64_t number)
{
	while (number >= 0x80) {
		*at++ = (uint8_t)number | 0x80;
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	return at;
}

/* Spare bytes, all 0, that must follow a payload: trm_get_varint reads on without
 * looking. */
#define TRM_PADDING 16

/* Reads a varint; the end of it, which may be up to 10 bytes behind the payload's end. */
static inline const uint8_t *trm_get_varint(const uint8_t *at, uint64_t *ret_number)
{
	uint64_t number = *at & 0x7f;

	for (unsigned shift = 7; *at++ & 0x80 && shift < 70; shift += 7)
		number |= (uint64_t)(*at & 0x7f) << shift;
	*ret_number = number;
	return at;
}

/* The machine is little-endian, as the format is. */
static inline void trm_put_u32(uint8_t *at, uint32_t number)
{
	memcpy(at, &number, sizeof(number));
}

static inline void trm_put_u64(uint8_t *at, uint64_t number)
{
	memcpy(at, &number, sizeof(number));
}

static inline uint32_t trm_get_u32(const uint8_t *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

static inline uint64_t trm_get_u64(const uint8_t *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

#endif
