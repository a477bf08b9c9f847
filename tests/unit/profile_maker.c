#include "image/find.h"
#include "image/open.h"
#include "profile_maker.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct self self;

struct maker begin_profile(const char *path, bool append)
{
	struct maker maker = {.model = record_model_create()};

	maker.fd = open(path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0644);
	assert_true(maker.fd >= 0);
	maker.writer = trm_writer_create(maker.fd, maker.model);
	return maker;
}

void end_profile(struct maker *maker)
{
	assert_null(trm_writer_finish(maker->writer));
	record_model_destroy(maker->model);
	close(maker->fd);
}

record_attribute attribute(struct maker *maker, const char *name, enum record_type type)
{
	record_attribute id = 0;

	assert_null(record_attribute_intern(maker->model, name, type, 0, &id));
	return id;
}

struct record_pair pair(struct maker *maker, const char *name, struct record_value value)
{
	return (struct record_pair){attribute(maker, name, value.type), value};
}

void add_global(struct maker *maker, const char *name, struct record_value value)
{
	trm_writer_global(maker->writer, attribute(maker, name, value.type), value);
}

void add_image(struct maker *maker, uint64_t process, const char *program,
	       uint64_t threads, const char *state, const char *reason)
{
	struct record_pair pairs[] = {
		pair(maker, "process", record_uint(process)),
		pair(maker, "image", record_uint(++maker->image)),
		pair(maker, "process.parent", record_uint(1)),
		pair(maker, "program", record_string(program)),
		pair(maker, "threads", record_uint(threads)),
		pair(maker, "process.state", record_string(state)),
		pair(maker, "process.reason", record_string(reason ? reason : "")),
	};

	trm_writer_record(maker->writer, 0, pairs, reason ? 7 : 6);
}

record_node module_node(struct maker *maker, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	record_node node = record_node_child(maker->model, 0,
					     attribute(maker, "module", RECORD_STRING),
					     record_string(name));

	return record_node_child(maker->model, node,
				 attribute(maker, "module.path", RECORD_STRING),
				 record_string(path));
}

static void add_build(struct maker *maker, const char *path, uint64_t known,
		      const char *build_id)
{
	struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "functions.known", record_uint(known)),
		pair(maker, "functions.instrumented", record_uint(known - 1)),
		pair(maker, "buildid", record_string(build_id)),
	};

	trm_writer_record(maker->writer, module_node(maker, path), pairs, 4);
}

void add_unmeasured(struct maker *maker, const char *path, const char *reason)
{
	struct record_pair pairs[] = {
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "functions.known", record_uint(0)),
		pair(maker, "functions.instrumented", record_uint(0)),
		pair(maker, "skip.reason", record_string(reason)),
	};

	trm_writer_record(maker->writer, module_node(maker, path), pairs, 4);
}

void add_module(struct maker *maker, const char *path, uint64_t known)
{
	add_build(maker, path, known, "00ff");
}

/* Fills in `self`; ends the test if that cannot be. */
static void open_self(void)
{
	ssize_t length = readlink("/proc/self/exe", self.path, sizeof(self.path) - 1);
	struct trm_error *error = NULL;

	if (length > 0)
		error = image_open(self.path, NULL, &self.image);
	if (!self.image) {
		if (error)
			trm_error_print(error);
		exit(1);
	}
}

uint64_t address_of(const char *name)
{
	uint64_t address;

	assert_true(image_find_function(self.image, name, &address));
	return address;
}

void add_self(struct maker *maker, const char *path, uint64_t known, bool same_build)
{
	const struct image *image = self.image;
	char build_id[2 * sizeof(image->build_id) + 1] = "";

	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(build_id + 2 * i, 3, "%02x", image->build_id[i]);
	if (!same_build)
		build_id[0] = build_id[0] == '0' ? '1' : '0';
	add_build(maker, path, known, build_id);
}

record_node function_node(struct maker *maker, const char *path, const char *name)
{
	return record_node_child(maker->model, module_node(maker, path),
				 attribute(maker, "function", RECORD_STRING),
				 record_string(name));
}

void add_calls(struct maker *maker, const char *path, const char *name, uint64_t offset,
	       uint64_t calls)
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(offset)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "calls", record_uint(calls)),
	};

	trm_writer_record(maker->writer, function_node(maker, path, name), pairs, 3);
}

void add_block(struct maker *maker, const char *path, const char *name, uint64_t offset,
	       const uint64_t block[4])
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(offset)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "block", record_address(block[0])),
		pair(maker, "block.size", record_uint(block[1])),
		pair(maker, "block.instructions", record_uint(block[2])),
		pair(maker, "count", record_uint(block[3])),
	};

	trm_writer_record(maker->writer, function_node(maker, path, name), pairs, 6);
}

void add_own_block(struct maker *maker, const char *name, const uint64_t block[4])
{
	uint64_t start = address_of(name);

	add_block(maker, self.path, name, start,
		  BLOCK(start + block[0], block[1], block[2], block[3]));
}

void add_own_loops(struct maker *maker)
{
	static const uint64_t loop[][4] = {{0, 2, 1, 3},
					   {2, 6, 2, 50},
					   {8, 2, 1, 20},
					   {10, 4, 2, 50},
					   {14, 1, 1, 3}};
	static const uint64_t nested[][4] = {
		{0, 2, 1, 2}, {2, 2, 1, 10}, {4, 4, 2, 70}, {8, 9, 3, 10}, {17, 1, 1, 2}};

	add_calls(maker, self.path, "annotated_loop", address_of("annotated_loop"), 3);
	for (size_t i = 0; i < sizeof(loop) / sizeof(loop[0]); i++)
		add_own_block(maker, "annotated_loop", loop[i]);
	add_calls(maker, self.path, "nested", address_of("nested"), 2);
	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++)
		add_own_block(maker, "nested", nested[i]);
}

void add_arc(struct maker *maker, const char *path, const char *name, uint64_t offset,
	     const char *const caller[3], const uint64_t numbers[3])
{
	record_node node = function_node(maker, path, name);
	struct record_pair pairs[6] = {
		pair(maker, "offset", record_address(offset)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "arc.count", record_uint(numbers[2])),
		pair(maker, "arc.kind", record_string(caller[2])),
	};
	size_t count = 4;

	if (caller[0])
		node = record_node_child(maker->model, node,
					 attribute(maker, "caller.path", RECORD_STRING),
					 record_string(caller[0]));
	if (caller[1]) {
		node = record_node_child(maker->model, node,
					 attribute(maker, "caller", RECORD_STRING),
					 record_string(caller[1]));
		pairs[count++] = pair(maker, "caller.offset", record_address(numbers[0]));
	}
	if (numbers[1])
		pairs[count++] = pair(maker, "arc.site", record_address(numbers[1]));
	trm_writer_record(maker->writer, node, pairs, count);
}

void add_edge(struct maker *maker, const char *path, const char *name, uint64_t offset,
	      const char *kind, const uint64_t way[4])
{
	struct record_pair pairs[7] = {
		pair(maker, "offset", record_address(offset)),
		pair(maker, "image", record_uint(maker->image)),
		pair(maker, "edge", record_address(way[0])),
		pair(maker, "edge.from", record_address(way[1])),
		pair(maker, "edge.kind", record_string(kind)),
		pair(maker, "count", record_uint(way[3])),
	};

	if (way[2])
		pairs[6] = pair(maker, "edge.to", record_address(way[2]));
	trm_writer_record(maker->writer, function_node(maker, path, name), pairs,
			  way[2] ? 7 : 6);
}

void add_skip(struct maker *maker, const char *path, const char *name, uint64_t offset,
	      const char *reason)
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(offset)),
		pair(maker, "skip.reason", record_string(reason)),
	};

	trm_writer_record(maker->writer, function_node(maker, path, name), pairs, 2);
}

void add_cold_part(struct maker *maker, const char *path, const char *name,
		   const uint64_t offsets[2], const char *reason)
{
	struct record_pair pairs[] = {
		pair(maker, "offset", record_address(offsets[0])),
		pair(maker, "part.offset", record_address(offsets[1])),
		pair(maker, "part.reason", record_string(reason)),
	};

	trm_writer_record(maker->writer, function_node(maker, path, name), pairs, 3);
}

char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat info;

	assert_true(fd >= 0 && !fstat(fd, &info));
	char *text = calloc(1, (size_t)info.st_size + 1);

	assert_non_null(text);
	assert_int_equal(read(fd, text, (size_t)info.st_size), info.st_size);
	close(fd);
	return text;
}

static char folder[] = "/tmp/trammel-test.XXXXXX";
static bool entered;

int enter_folder(void **state)
{
	(void)state;
	entered = mkdtemp(folder) && !chdir(folder);
	if (entered)
		return 0;
	perror(folder);
	return -1;
}

int enter_folder_with_self(void **state)
{
	open_self();
	return enter_folder(state);
}

int leave_folder(void **state)
{
	const struct dirent *file;

	(void)state;
	/* Else what is here is not the test's. */
	if (!entered)
		return -1;
	DIR *files = opendir(".");

	while (files && (file = readdir(files)))
		if (file->d_name[0] != '.')
			unlink(file->d_name);
	if (files)
		closedir(files);
	image_close(self.image);
	return rmdir(folder);
}
