#include "publish/gather.h"

#include "context/gather.h"

static void add_own(struct context_gather *gather, const char *spool, uint32_t rank)
{
	struct trm_error *error = NULL;

	if (spool)
		error = context_gather_spool(gather, spool, rank);
	if (error)
		trm_error_print(error);
}

static void add_bytes(struct context_gather *gather, const void *bytes, uint64_t size)
{
	struct trm_error *error = context_gather_add(gather, bytes, size);

	if (error)
		trm_error_print(error);
}

static void *pack_sums(struct context_gather *gather, uint64_t *ret_size)
{
	void *bytes = NULL;
	size_t size = 0;
	struct trm_error *error = context_gather_pack(gather, &bytes, &size);

	if (error)
		trm_error_print(error);
	*ret_size = size;
	return bytes;
}

static void write_all(struct context_gather *gather, const char *path,
		      const char *command)
{
	struct trm_error *error = context_gather_write(gather, path, command);

	if (error)
		trm_error_print(error);
}

__attribute__((visibility("default"))) extern const struct publish_gather trammel_gather;
const struct publish_gather trammel_gather = {
	PUBLISH_GATHER_ABI,
	context_gather_create,
	context_gather_destroy,
	add_own,
	add_bytes,
	pack_sums,
	write_all,
};
