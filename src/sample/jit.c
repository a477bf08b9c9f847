#include "sample/jit.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/search.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	HEAD = 40,          /* bytes of the file's head */
	PREFIX = 16,        /* of a record: kind, size, time */
	LOAD = 0,
	MOVE = 1,
	RECORD_MAX = 64 << 20,
	MAP_MAX = 256 << 20,
	ALIGNED = 16,
};

/* Reads one line of a map; false: it is none. */
static bool read_line(const char *line, uint64_t *ret_start, uint64_t *ret_size,
		      const char **ret_name)
{
	char *end;

	*ret_start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	line = end + 1;
	*ret_size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || !*ret_size)
		return false;
	*ret_name = end + 1;
	return true;
}

void jit_map_read(struct sample_module *module, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);
		uint64_t start, size;
		const char *name;

		if (line && read_line(line, &start, &size, &name))
			sample_module_add(module, start, size, name);
		free(line);
		text += length + (text[length] != '\0');
	}
}

/* Anybody can make a file in /tmp: only those of this user, or root's, are believed. */
static FILE *open_own(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat status;

	if (file && (fstat(fileno(file), &status) || !S_ISREG(status.st_mode) ||
		     (status.st_uid != geteuid() && status.st_uid && geteuid()))) {
		fclose(file);
		return NULL;
	}
	return file;
}

void jit_map_load(struct sample_module *module, uint32_t pid)
{
	char path[96], buffer[1 << 14];
	struct text text = {0};
	size_t count;

	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
	scoped_file FILE *file = open_own(path);

	if (!file) {
		snprintf(path, sizeof(path),
			 "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", pid, pid);
		file = open_own(path);
	}
	while (file && text.length < MAP_MAX &&
	       (count = fread(buffer, 1, sizeof(buffer), file)))
		text_add_bytes(&text, buffer, count);
	if (text.data)
		jit_map_read(module, text.data);
	text_deinit(&text);
}

bool jit_is_dump(const char *path)
{
	const char *name = path_name(path);
	size_t digits;

	if (strncmp(name, "jit-", 4) != 0)
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

struct jit_dump *jit_dump_create(FILE *file)
{
	struct jit_dump *dump = memory_allocate_zeroed(1, sizeof(*dump));

	dump->file = file;
	return dump;
}

void jit_dump_destroy(struct jit_dump *dump)
{
	if (!dump)
		return;
	if (dump->file)
		fclose(dump->file);
	vector_deinit(&dump->coming);
	vector_deinit(&dump->live);
	free(dump);
}

static uint64_t number_at(const uint8_t *bytes, size_t at, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, bytes + at, size);
	return number;
}

/* Takes in code with its name, which must end in the record. */
static void take_load(struct jit_dump *dump, struct sample_module *module, uint64_t time,
		      const uint8_t *body, size_t size)
{
	enum { FIXED = 40 };
	struct jit_code code = {.time = time};

	if (size <= FIXED || !memchr(body + FIXED, '\0', size - FIXED))
		return;
	code.start = number_at(body, 16, 8);
	code.size = number_at(body, 24, 8);
	code.linked = dump->linked;
	if (!code.size || code.size > RECORD_MAX || code.start > UINT64_MAX - RECORD_MAX)
		return;
	dump->linked += (code.size + ALIGNED - 1) / ALIGNED * ALIGNED;
	sample_module_add(module, code.linked, code.size, (const char *)body + FIXED);
	vector_push(&dump->coming, code);
}

static void take_move(struct jit_dump *dump, uint64_t time, const uint8_t *body,
		      size_t size)
{
	enum { FIXED = 48 };

	struct jit_code code = {.time = time};

	if (size < FIXED)
		return;
	code.from = number_at(body, 16, 8);
	code.start = number_at(body, 24, 8);
	code.size = number_at(body, 32, 8);
	if (code.from && code.size && code.size <= RECORD_MAX &&
	    code.start <= UINT64_MAX - RECORD_MAX)
		vector_push(&dump->coming, code);
}

/* Reads the head of the file; false: it is not whole yet, or wrong. */
static bool read_head(struct jit_dump *dump)
{
	uint8_t head[HEAD];
	uint64_t size;

	if (fread(head, 1, sizeof(head), dump->file) != sizeof(head))
		return false;
	size = number_at(head, 8, 4);
	/* Times by the processor's counter are nobody else's. */
	dump->damaged = number_at(head, 0, 4) != MAGIC || size < HEAD ||
			size > RECORD_MAX || number_at(head, 32, 8) & 1 ||
			fseek(dump->file, (long)size, SEEK_SET);
	dump->begun = !dump->damaged;
	return dump->begun;
}

/* Reads a record, if all of it is there. */
static bool read_record(struct jit_dump *dump, struct sample_module *module)
{
	const long start = ftell(dump->file);
	uint8_t prefix[PREFIX];
	uint64_t size, time;

	if (fread(prefix, 1, sizeof(prefix), dump->file) != sizeof(prefix))
		return false;
	size = number_at(prefix, 4, 4);
	time = number_at(prefix, 8, 8);
	dump->damaged = size < PREFIX || size > RECORD_MAX;
	if (dump->damaged)
		return false;
	scoped_free uint8_t *body = memory_allocate(size - PREFIX + 1);

	if (fread(body, 1, size - PREFIX, dump->file) != size - PREFIX)
		return false;
	if (number_at(prefix, 0, 4) == LOAD)
		take_load(dump, module, time, body, size - PREFIX);
	else if (number_at(prefix, 0, 4) == MOVE)
		take_move(dump, time, body, size - PREFIX);
	return start >= 0;
}

void jit_dump_read(struct jit_dump *dump, struct sample_module *module)
{
	long at = dump->file ? ftell(dump->file) : -1;

	if (at < 0 || dump->damaged)
		return;
	clearerr(dump->file);
	if (dump->begun || read_head(dump)) {
		at = ftell(dump->file);
		while (read_record(dump, module))
			at = ftell(dump->file);
	}
	/* What is not whole yet is read again. */
	fseek(dump->file, at, SEEK_SET);
}

/* The first live code that ends behind an address. */
static size_t find_behind(const struct jit_dump *dump, uint64_t address)
{
	return search_first(dump->live.count, i,
			    dump->live.items[i].start + dump->live.items[i].size <=
				    address);
}

static const struct jit_code *find_live(const struct jit_dump *dump, uint64_t address)
{
	const size_t at = find_behind(dump, address);

	return at < dump->live.count && dump->live.items[at].start <= address
		       ? &dump->live.items[at]
		       : NULL;
}

/* Takes out the rows [from, to). */
static void remove_rows(struct jit_dump *dump, size_t from, size_t to)
{
	memmove(dump->live.items + from, dump->live.items + to,
		(dump->live.count - to) * sizeof(*dump->live.items));
	dump->live.count -= to - from;
}

/* Code that comes takes the place of what was there. */
static void apply_code(struct jit_dump *dump, struct jit_code code)
{
	const struct jit_code *old = code.from ? find_live(dump, code.from) : NULL;
	size_t at, end;

	if (code.from && !old)
		return;
	if (old) {
		code.linked = old->linked;
		at = (size_t)(old - dump->live.items);
		remove_rows(dump, at, at + 1);
	}
	at = end = find_behind(dump, code.start);
	while (end < dump->live.count &&
	       dump->live.items[end].start < code.start + code.size)
		end++;
	if (end > at)
		remove_rows(dump, at, end);
	vector_push(&dump->live, code);
	memmove(dump->live.items + at + 1, dump->live.items + at,
		(dump->live.count - 1 - at) * sizeof(code));
	dump->live.items[at] = code;
}

bool jit_dump_find(struct jit_dump *dump, uint64_t time, uint64_t address,
		   uint64_t *ret_linked)
{
	const struct jit_code *code;

	for (; dump->next < dump->coming.count &&
	       dump->coming.items[dump->next].time <= time;
	     dump->next++)
		apply_code(dump, dump->coming.items[dump->next]);
	code = find_live(dump, address);
	if (code)
		*ret_linked = code->linked + (address - code->start);
	return code != NULL;
}
