#include "store/rest.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PART_BYTES = 4 << 20 };

struct trm_error *rest_begin(struct record_model *model, struct rest *ret_rest)
{
	int fd = memfd_create("trammel-rest", MFD_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "memory for a profile");
	*ret_rest = (struct rest){fd, trm_writer_create(fd, model)};
	return NULL;
}

static struct trm_error *keep_part(struct sql *sql, int64_t profile, int64_t part,
				   const void *bytes, size_t size)
{
	return sql_run(sql, "INSERT INTO rests VALUES(?, ?, ?)", "iib", profile, part,
		       bytes, size);
}

static struct trm_error *keep_parts(const struct rest *rest, struct sql *sql,
				    int64_t profile)
{
	scoped_free char *bytes = memory_allocate(PART_BYTES);
	struct trm_error *error = NULL;
	off_t at = 0;
	int64_t part;

	TRM_TRY(sql_number(sql, 0, &part, "SELECT max(part)+1 FROM rests WHERE profile=?",
			   "i", profile));
	for (; !error; part++) {
		ssize_t size = pread(rest->fd, bytes, PART_BYTES, at);

		if (size <= 0)
			break;
		error = keep_part(sql, profile, part, bytes, (size_t)size);
		at += size;
	}
	return error;
}

struct trm_error *rest_end(struct rest *rest, struct sql *sql, int64_t profile,
			   struct trm_error *error)
{
	struct trm_error *written = trm_writer_finish(rest->writer);

	if (!error)
		error = take_pointer(written);
	trm_error_destroy(written);
	if (!error)
		error = keep_parts(rest, sql, profile);
	close(rest->fd);
	return error;
}

struct trm_error *rest_drop(struct rest *rest, struct trm_error *error)
{
	trm_error_destroy(trm_writer_finish(rest->writer));
	close(rest->fd);
	return error;
}

struct trm_error *rest_read(struct sql *sql, int64_t profile, struct record_model *model,
			    const struct trm_visitor *visitor)
{
	struct text all = {0}, name = {0};
	scoped_free char *warning = NULL;
	struct trm_error *error;
	struct sql_rows rows;
	bool more = true;

	error = sql_ask(sql, &rows,
			"SELECT bytes FROM rests WHERE profile=? ORDER BY part", "i",
			profile);
	while (!error) {
		size_t size;

		error = sql_next(&rows, &more);
		if (error || !more)
			break;
		const void *bytes = sql_bytes(&rows, 0, &size);

		text_add_bytes(&all, bytes ? bytes : "", size);
	}
	text_format(&name, "profile %ld in %s", (long)profile, sql_path(sql));
	if (!error && all.length)
		error = trm_read_memory(all.data, all.length, name.data, model, visitor,
					&warning);
	if (!error && warning)
		error = trm_error_create(TRM_ERROR_FORMAT,
					 "'%s' is damaged: %s: " STORE_SALVAGE,
					 sql_path(sql), warning);
	text_deinit(&all);
	text_deinit(&name);
	return error;
}
