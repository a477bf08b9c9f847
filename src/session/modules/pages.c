#include "session/modules/pages.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "control/remote.h"
#include "session/cache/lazy_file.h"
#include "session/cache/module_text.h"
#include "session/state/debugging.h"
#include "session/state/module.h"

#include <string.h>

enum { PIECE = 256 << 10 };

/* Neighbours go in one write. */
struct trm_error *pages_write(const struct space *space, const struct module *module,
			      uint64_t text_address, bool restore)
{
	const struct module_text *text = module_text_of(module);
	const struct module_file *file = module->file;
	const uint8_t *patched = file->patched[text - file->texts];
	const uint8_t *original = file->bytes + text->file_offset + text->part_offset;
	const uint64_t size = module_text_part_available(file, text),
		       start = text_address + text->part_offset;

	for (uint64_t at = 0; at < size;) {
		uint64_t end = at;

		while (end < size && end - at < PIECE) {
			uint64_t piece = size - end < PAGE ? size - end : PAGE;

			if (!memcmp(patched + end, original + end, piece))
				break;
			end += piece;
		}
		if (end > at)
			TRM_TRY(remote_write(space->memory_fd, start + at,
					     (restore ? original : patched) + at,
					     end - at));
		else
			end = at + PAGE;
		at = end;
	}
	return NULL;
}

static bool has_patches_of(const struct module *module, const struct module_file *file,
			   uint64_t address)
{
	return module->file == file && !module->broken && module->code_size &&
	       !module->restored && module_holds_text(module, module->bias + address);
}

/* With processes that share memory it is written more than once, always the same. */
void pages_write_news(void *context, const struct module_file *file, uint64_t address,
		      uint64_t size)
{
	struct session *session = context;
	const uint8_t *bytes = lazy_file_text(file, address, size);

	vector_for_each (&session->all_processes, process) {
		struct space *space = (*process)->space;

		if (!bytes || !space)
			continue;
		debugging_code_changed(session, space, file);
		vector_for_each (&space->modules, module)
			if (has_patches_of(module, file, address))
				trm_error_destroy(remote_write(space->memory_fd,
							       module->bias + address,
							       bytes, size));
		debugging_code_changed(session, space, NULL);
	}
}

/* Whether the program has the bytes there; else they are written. */
static bool has_news(const struct space *space, const struct module *module,
		     const struct lazy_text *news)
{
	const uint8_t *bytes = lazy_file_text(module->file, news->address, news->size);
	const uint64_t at = module->bias + news->address;
	scoped_free uint8_t *there = memory_allocate(news->size);

	if (!bytes ||
	    remote_failed(remote_read(space->memory_fd, at, there, news->size)) ||
	    !memcmp(there, bytes, news->size))
		return true;
	trm_error_destroy(remote_write(space->memory_fd, at, bytes, news->size));
	return false;
}

/* They were written in their order: those before one that is there are there, too. */
void pages_catch_up(const struct space *space)
{
	vector_for_each (&space->modules, module) {
		const struct lazy_file *lazy = module->file->lazy;

		for (size_t i = lazy ? lazy->news.count : 0; i-- > 0;)
			if (has_patches_of(module, module->file,
					   lazy->news.items[i].address) &&
			    has_news(space, module, &lazy->news.items[i]))
				break;
	}
}
