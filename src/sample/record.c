#include "sample/record.h"

#include "base/array.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

struct reading {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t read_bytes(struct reading *reading, size_t size)
{
	uint64_t number = 0;

	if ((size_t)(reading->end - reading->at) < size) {
		reading->failed = true;
		reading->at = reading->end;
		return 0;
	}
	memcpy(&number, reading->at, size);
	reading->at += size;
	return number;
}

static uint64_t read_u64(struct reading *reading)
{
	return read_bytes(reading, 8);
}

static uint32_t read_u32(struct reading *reading)
{
	return (uint32_t)read_bytes(reading, 4);
}

/* `count` items of `size` bytes; NULL: there are not as many. */
static const uint8_t *skip_items(struct reading *reading, uint64_t count, size_t size)
{
	const uint8_t *items = reading->at;

	if (count > (uint64_t)(reading->end - reading->at) / size) {
		reading->failed = true;
		reading->at = reading->end;
		return NULL;
	}
	reading->at += count * size;
	return items;
}

/* A string that ends with a zero byte, within its field. */
static const char *read_name(struct reading *reading)
{
	const char *name = (const char *)reading->at;
	const size_t left = (size_t)(reading->end - reading->at);
	const size_t length = strnlen(name, left);

	if (length == left) {
		reading->failed = true;
		return "";
	}
	reading->at = reading->end;
	return name;
}

/* The registers of asm/perf_regs.h by their numbers in DWARF; those of segments and the
 * flags are nobody's. */
static void read_registers(struct reading *reading, uint64_t mask,
			   struct sample_record *record)
{
	enum { NONE = 255 };
	static const uint8_t numbers[] = {
		0,    3,    2,    1,    4, 5, 6,  7,  SAMPLE_PC, NONE, NONE, NONE,
		NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12,        13,   14,   15};

	/* 1: of 32 bits; 2: of 64. */
	record->has_registers = read_u64(reading) == 2;
	for (unsigned bit = 0; record->has_registers && bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		uint64_t word = read_u64(reading);

		if (bit < array_count(numbers) && numbers[bit] != NONE)
			record->registers[numbers[bit]] = word;
	}
	record->has_registers &= !reading->failed;
}

static void read_stack(struct reading *reading, struct sample_record *record)
{
	uint64_t size = read_u64(reading), used;

	if (!size)
		return;
	record->stack = skip_items(reading, size, 1);
	used = read_u64(reading);
	if (!record->stack || reading->failed || used > size)
		record->stack = NULL;
	else
		record->stack_size = used;
}

static void read_branches(struct reading *reading, struct sample_record *record)
{
	record->branch_count = read_u64(reading);
	record->branches = skip_items(reading, record->branch_count, SAMPLE_BRANCH_BYTES);
}

/* What only some events have: in this order. */
static void read_rest(struct reading *reading, uint64_t type,
		      const struct sample_layout *layout, struct sample_record *record)
{
	if (type & PERF_SAMPLE_CALLCHAIN) {
		record->chain_count = read_u64(reading);
		record->chain = skip_items(reading, record->chain_count, 8);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(reading, record);
	if (type & PERF_SAMPLE_REGS_USER)
		read_registers(reading, layout->registers, record);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(reading, record);
	if (type & PERF_SAMPLE_WEIGHT)
		record->weight = read_u64(reading);
	if (type & PERF_SAMPLE_DATA_SRC)
		record->data_source = read_u64(reading);
}

static void read_sample(struct reading *reading, const struct sample_layout *layout,
			struct sample_record *record)
{
	uint64_t type = layout->type;

	record->kind = SAMPLE_TAKEN;
	record->id = read_u64(reading);
	if (layout->types)
		table_find(layout->types, record->id, &type);
	record->ip = type & PERF_SAMPLE_IP ? read_u64(reading) : 0;
	record->pid = read_u32(reading);
	record->tid = read_u32(reading);
	record->time = read_u64(reading);
	record->address = type & PERF_SAMPLE_ADDR ? read_u64(reading) : 0;
	record->period = type & PERF_SAMPLE_PERIOD ? read_u64(reading) : 0;
	read_rest(reading, type, layout, record);
}

static void read_mapping(struct reading *reading, const struct sample_layout *layout,
			 struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_MAPPED;
	record->pid = read_u32(reading);
	record->tid = read_u32(reading);
	record->start = read_u64(reading);
	record->size = read_u64(reading);
	record->file_offset = read_u64(reading);
	record->major = read_u32(reading);
	record->minor = read_u32(reading);
	record->inode = read_u64(reading);
	read_u64(reading); /* generation */
	record->executable = read_u32(reading) & PROT_EXEC;
	read_u32(reading); /* flags */
	record->name = read_name(reading);
}

static void read_naming(struct reading *reading, const struct sample_layout *layout,
			struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_NAMED;
	record->pid = read_u32(reading);
	record->tid = read_u32(reading);
	record->name = read_name(reading);
}

static void read_task(struct reading *reading, struct sample_record *record)
{
	record->pid = read_u32(reading);
	record->parent = read_u32(reading);
	record->tid = read_u32(reading);
	read_u32(reading); /* the thread that did it */
}

static void read_fork(struct reading *reading, const struct sample_layout *layout,
		      struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_FORKED;
	read_task(reading, record);
}

static void read_exit(struct reading *reading, const struct sample_layout *layout,
		      struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_ENDED;
	read_task(reading, record);
}

static void read_lost(struct reading *reading, const struct sample_layout *layout,
		      struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_LOST;
	read_u64(reading); /* the event, which the end of the record tells, too */
	record->lost = read_u64(reading);
}

static void read_lost_samples(struct reading *reading, const struct sample_layout *layout,
			      struct sample_record *record)
{
	(void)layout;
	record->kind = SAMPLE_LOST;
	record->lost = read_u64(reading);
}

static void read_throttle(struct reading *reading, const struct sample_layout *layout,
			  struct sample_record *record)
{
	(void)reading;
	(void)layout;
	record->kind = SAMPLE_THROTTLED;
}

/* How the record of each type is read. */
static void (*const readers[])(struct reading *reading,
			       const struct sample_layout *layout,
			       struct sample_record *record) = {
	[PERF_RECORD_LOST] = read_lost,
	[PERF_RECORD_COMM] = read_naming,
	[PERF_RECORD_EXIT] = read_exit,
	[PERF_RECORD_THROTTLE] = read_throttle,
	[PERF_RECORD_FORK] = read_fork,
	[PERF_RECORD_SAMPLE] = read_sample,
	[PERF_RECORD_MMAP2] = read_mapping,
	[PERF_RECORD_LOST_SAMPLES] = read_lost_samples,
};

/* What stands at the end of each record that is no sample: pid, tid, time, id. */
static void read_trailer(struct reading *reading, struct sample_record *record)
{
	enum { TRAILER = 24 };
	struct reading trailer = {.end = reading->end};

	if (reading->end - reading->at < TRAILER) {
		reading->failed = true;
		return;
	}
	reading->end -= TRAILER;
	trailer.at = reading->end;
	record->pid = read_u32(&trailer);
	record->tid = read_u32(&trailer);
	record->time = read_u64(&trailer);
	record->id = read_u64(&trailer);
}

size_t sample_record_read(const struct sample_layout *layout, const void *bytes,
			  size_t size, struct sample_record *ret_record)
{
	struct perf_event_header header;
	struct reading reading = {.at = bytes};

	*ret_record = (struct sample_record){.name = ""};
	if (size < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > size)
		return 0;
	reading.end = reading.at + header.size;
	reading.at += sizeof(header);
	if (header.type >= array_count(readers) || !readers[header.type])
		return header.size;
	if (header.type != PERF_RECORD_SAMPLE)
		read_trailer(&reading, ret_record);
	if (!reading.failed)
		readers[header.type](&reading, layout, ret_record);
	ret_record->executed = ret_record->kind == SAMPLE_NAMED &&
			       header.misc & PERF_RECORD_MISC_COMM_EXEC;
	if (reading.failed)
		*ret_record = (struct sample_record){.name = ""};
	return header.size;
}
