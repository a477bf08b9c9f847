#include "session/cache/cache_key.h"

#include "base/table.h"
#include "base/text.h"
#include "session/options/options.h"
#include "session/options/window_calls.h"
#include "wire/layout.h"

struct file_identity file_identity_of(const struct stat *status)
{
	return (struct file_identity){
		.device = status->st_dev,
		.inode = status->st_ino,
		.size = (uint64_t)status->st_size,
		.modified_ns =
			status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec,
		.changed_ns =
			status->st_ctim.tv_sec * 1000000000 + status->st_ctim.tv_nsec,
	};
}

/* Plans are made by this very program: another build may make them otherwise. */
static struct file_identity own_identity(void)
{
	struct stat status = {0};

	if (stat("/proc/self/exe", &status))
		return (struct file_identity){0};
	return file_identity_of(&status);
}

uint32_t cache_kind(const struct session_options *options)
{
	struct file_identity own = own_identity();
	struct text kind = {0};

	text_format(&kind, "%s %d %s", TRAMMEL_VERSION, WIRE_VERSION,
		    options->collector->name);
	text_add_bytes(&kind, (const char *)&own, sizeof(own));
	uint64_t hash = hash_bytes(kind.data, kind.length);

	text_deinit(&kind);
	return (uint32_t)hash;
}

struct cache_key cache_key(const struct module_file *file,
			   const struct session_options *options)
{
	struct text key = {0};

	text_format(&key, "%s %d %d %u", file->name, file->mandatory, file->copies_calls,
		    file->variant);
	if (options->live && collector_relocates(options->collector))
		text_add(&key, " live");
	if (options_have_parts(options))
		text_add(&key, " parts");
	if (options->hooks_alone)
		text_add(&key, " nothing");
	if (options->by_region.on && options->points.count)
		text_add(&key, " views");
	vector_for_each (&options->only, pattern)
		text_format(&key, "\nonly %s", pattern->text);
	vector_for_each (&options->skip, pattern)
		text_format(&key, "\nskip %s", pattern->text);
	vector_for_each (&options->regions, pattern)
		text_format(&key, "\nregions %s", pattern->text);
	if (!file->bare && window_concerns(&options->window, file->path))
		window_describe_calls(&options->window, &key);
	text_add_bytes(&key, (const char *)&file->identity, sizeof(file->identity));
	uint64_t hash = hash_bytes(key.data, key.length);

	text_deinit(&key);
	return (struct cache_key){hash, cache_kind(options)};
}

static uint64_t key_of(struct file_identity file)
{
	const struct {
		struct file_identity file, own;
	} key = {file, own_identity()};

	return hash_bytes(&key, sizeof(key));
}

uint64_t cache_frequencies_key(const struct module_file *file)
{
	return key_of(file->identity);
}

uint64_t cache_program_key(const struct stat *status)
{
	return key_of(file_identity_of(status));
}
