#include "record/trm_reader.h"

#include "record/cali_reader.h"
#include "record/split_reader.h"
#include "record/trm_writer.h"
#include "record/cali.h"
#include "record/trm.h"
#include "record/trm_decode.h"
#include "record/trm_source.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <zstd.h>

struct reader {
	const char *name; /* of the file, for messages */
	struct trm_source source;
	struct trm_decoder decoder;
	ZSTD_DCtx *decompressor;
	struct VECTOR(uint8_t) payload; /* of a chunk, and TRM_PADDING zeros */
	uint64_t inflated;              /* bytes of all payloads */
	bool ended;                     /* nothing but another file may follow */
	char *warning;                  /* the first */
};

/* Keeps a warning about the chunk at the source, if it is the first. */
static void warn_reader(struct reader *reader, const char *what)
{
	if (reader->warning)
		return;
	if (asprintf(&reader->warning,
		     "'%s' is damaged at byte %" PRIu64
		     " (%s): what was written before it is "
		     "kept, the rest is dropped",
		     reader->name, reader->source.offset, what) < 0)
		reader->warning = NULL;
}

static struct trm_header parse_header(const uint8_t *bytes)
{
	return (struct trm_header){
		.kind = (enum trm_kind)bytes[4],
		.version = bytes[5],
		.storage = (enum trm_storage)bytes[6],
		.stored_size = trm_get_u32(bytes + 8),
		.payload_size = trm_get_u32(bytes + 12),
		.checksum = trm_get_u64(bytes + 16),
	};
}

static bool sound_header(const struct trm_header *header, const uint8_t *bytes)
{
	if (memcmp(bytes, TRM_MAGIC, 4) || bytes[7])
		return false;
	unsigned least = header->kind == TRM_HEAD, most = least ? TRM_VERSION : 0;

	if (header->version < least || header->version > most)
		return false;
	if (header->kind != TRM_DATA)
		return (header->kind == TRM_HEAD || header->kind == TRM_END) &&
		       !header->stored_size && !header->payload_size;
	if (header->storage == TRM_PLAIN && header->stored_size != header->payload_size)
		return false;
	return header->storage <= TRM_ZSTD && header->stored_size <= TRM_STORED_MAX &&
	       header->payload_size <= TRM_PAYLOAD_MAX;
}

/* The payload of the chunk in the window, decompressed into reader->payload. */
static const char *unpack_payload(struct reader *reader, const struct trm_header *header)
{
	const uint8_t *stored = reader->source.window + TRM_HEADER_SIZE;
	size_t size = header->payload_size;
	uint64_t file_bytes =
		reader->source.offset + TRM_HEADER_SIZE + header->stored_size;

	reader->inflated += size;
	if (reader->inflated > TRM_INFLATE_FREE + TRM_INFLATE_RATIO * file_bytes)
		return "it decompresses to more than a file of its size should";
	vector_reserve(&reader->payload, size + TRM_PADDING);
	if (header->storage == TRM_PLAIN) {
		memcpy(reader->payload.items, stored, size);
	} else {
		size_t got =
			ZSTD_decompressDCtx(reader->decompressor, reader->payload.items,
					    size, stored, header->stored_size);

		if (got != size)
			return "it does not decompress";
	}
	memset(reader->payload.items + size, 0, TRM_PADDING);
	return NULL;
}

static const char *read_data(struct reader *reader, const struct trm_header *header)
{
	uint64_t file_bytes = reader->source.offset + header->stored_size;
	const char *damage = unpack_payload(reader, header);

	if (damage)
		return damage;
	return trm_decoder_payload(&reader->decoder, reader->payload.items,
				   header->payload_size,
				   TRM_NODES_FREE + TRM_NODES_RATIO * file_bytes);
}

static void begin_file(struct reader *reader)
{
	const struct trm_visitor *visitor = reader->decoder.visitor;

	trm_decoder_restart(&reader->decoder);
	if (visitor->file)
		visitor->file(visitor->context);
}

/* Reads the chunk at the source and goes behind it, or says what is wrong with it. */
static const char *read_chunk(struct reader *reader)
{
	struct trm_source *source = &reader->source;

	if (trm_source_peek(source, TRM_HEADER_SIZE) < TRM_HEADER_SIZE)
		return "it ends there";
	struct trm_header header = parse_header(source->window);

	if (!sound_header(&header, source->window))
		return "no chunk begins there";
	size_t size = TRM_HEADER_SIZE + header.stored_size;

	if (trm_source_peek(source, size) < size)
		return "it ends inside of a chunk";
	if (trm_checksum(source->window, source->window + TRM_HEADER_SIZE,
			 header.stored_size) != header.checksum)
		return "the checksum is wrong";
	if (header.kind == TRM_HEAD)
		begin_file(reader);
	else if (reader->ended)
		return "no file's head is there";
	const char *damage = header.kind == TRM_DATA ? read_data(reader, &header) : NULL;

	if (!damage) {
		reader->ended = header.kind == TRM_END;
		trm_source_skip(source, size);
	}
	return damage;
}

/* Whether a file's head written by a later version is at the source. */
static struct trm_error *check_version(struct reader *reader)
{
	struct trm_source *source = &reader->source;
	const uint8_t *head = source->window;

	if (trm_source_peek(source, TRM_HEADER_SIZE) < TRM_HEADER_SIZE)
		return NULL;
	head = source->window;
	if (memcmp(head, TRM_MAGIC "H", 5) || head[5] <= TRM_VERSION)
		return NULL;
	return trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"'%s' has the format version %d, this trammel reads up to %d: "
		"use a later one",
		reader->name, head[5], TRM_VERSION);
}

static struct trm_error *read_chunks(struct reader *reader)
{
	struct trm_source *source = &reader->source;

	while (trm_source_peek(source, 1)) {
		TRM_TRY(check_version(reader));
		const char *damage = read_chunk(reader);

		if (!damage)
			continue;
		warn_reader(reader, damage);
		/* Another file may follow, put behind this one. */
		trm_source_skip(source, 1);
		if (!trm_source_seek(source, TRM_MAGIC "H", 5))
			break;
		reader->ended = true;
	}
	if (source->failure)
		return trm_error_system(source->failure, "cannot read '%s'",
					reader->name);
	if (!reader->ended)
		warn_reader(reader,
			    "it ends there without an end mark, its writer was stopped");
	return NULL;
}

/* Reads a .trm file. Of the source a copy is used. */
static struct trm_error *read_trm(struct trm_source *source, const char *name,
				  struct record_model *model,
				  const struct trm_visitor *visitor, char **ret_warning)
{
	struct reader reader = {
		.name = name,
		.source = *source,
		.decoder = {.model = model, .visitor = visitor},
		.decompressor = ZSTD_createDCtx(),
	};
	struct trm_error *error = NULL;

	trm_decoder_restart(&reader.decoder);
	if (!reader.decompressor)
		error = trm_error_create(TRM_ERROR_SYSTEM, "out of memory");
	if (!error)
		error = read_chunks(&reader);
	if (error)
		free(reader.warning);
	else
		*ret_warning = reader.warning;
	ZSTD_freeDCtx(reader.decompressor);
	trm_decoder_deinit(&reader.decoder);
	*source = reader.source;
	vector_deinit(&reader.payload);
	return error;
}

/* How files of each kind begin, and who reads them. */
static const struct {
	const char *begin;
	size_t size;
	bool text; /* empty lines may be before it */
	struct trm_error *(*read)(struct trm_source *source, const char *name,
				  struct record_model *model,
				  const struct trm_visitor *visitor, char **ret_warning);
} kinds[] = {
	{TRM_MAGIC "H", 5, false, read_trm},
	{"__rec=", 6, true, cali_read},
	{"{", 1, true, split_read},
};

/* What a file of no known kind is. */
static struct trm_error *refuse_file(const char *begin, size_t size, const char *name)
{
	static const struct {
		const char *magic;
		size_t size;
		const char *command;
	} packed[] = {
		{"\x1f\x8b", 2, "zcat"},
		{"\xfd"
		 "7zXZ",
		 5, "xzcat"},
		{"\x28\xb5\x2f\xfd", 4, "zstdcat"},
		{"BZh", 3, "bzcat"},
	};

	for (size_t i = 0; i < array_count(packed); i++)
		if (size >= packed[i].size &&
		    !memcmp(begin, packed[i].magic, packed[i].size))
			return trm_error_create(TRM_ERROR_FORMAT,
						"'%s' is compressed: let trammel read "
						"what '%s' makes of it, as file '-'",
						name, packed[i].command);
	return trm_error_create(TRM_ERROR_FORMAT,
				"'%s' is not a profile: it does not begin as a "
				".trm or .cali file",
				name);
}

/* Takes over the source. */
static struct trm_error *read_source(struct trm_source source, const char *name,
				     struct record_model *model,
				     const struct trm_visitor *visitor,
				     char **ret_warning)
{
	size_t size = trm_source_peek(&source, 4096), blank = 0;
	struct trm_error *error;

	while (blank < size && strchr("\r\n \t", source.window[blank]) &&
	       source.window[blank])
		blank++;
	if (source.failure)
		error = trm_error_system(source.failure, "cannot read '%s'", name);
	else if (!size)
		error = trm_error_create(TRM_ERROR_FORMAT,
					 "'%s' is empty: its writer ended before it "
					 "could write, measure again",
					 name);
	else
		error = refuse_file((const char *)source.window, size, name);
	for (size_t i = 0; size && i < array_count(kinds); i++) {
		size_t skip = kinds[i].text ? blank : 0;

		if (size - skip < kinds[i].size ||
		    memcmp(source.window + skip, kinds[i].begin, kinds[i].size))
			continue;
		trm_error_destroy(error);
		error = kinds[i].read(&source, name, model, visitor, ret_warning);
		break;
	}
	trm_source_deinit(&source);
	return error;
}

struct trm_error *trm_read(const char *path, struct record_model *model,
			   const struct trm_visitor *visitor, char **ret_warning)
{
	scoped_fd int fd =
		open(strcmp(path, "-") ? path : "/dev/stdin", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "cannot open '%s'", path);
	return read_source(trm_source_fd(fd), path, model, visitor, ret_warning);
}

struct trm_error *trm_read_memory(const void *bytes, size_t size, const char *name,
				  struct record_model *model,
				  const struct trm_visitor *visitor, char **ret_warning)
{
	return read_source(trm_source_memory(bytes, size), name, model, visitor,
			   ret_warning);
}
