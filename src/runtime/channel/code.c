/* Which modules the addresses of call paths are in: in the spool, for who reads it when
 * the process is gone. No lock of the loader is taken, and nothing is done in handlers.
 */
#include "runtime/channel/code.h"
#include "runtime/channel/stack.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	MODULES_BLOCKS = 4,
	MODULES_MAX = (MODULES_BLOCKS * CONTEXT_BLOCK - sizeof(struct context_block)) /
		      sizeof(struct context_module)
};

static struct {
	struct runtime_lock lock;
	struct context_block *block;
	uint32_t count;
} modules;

/* Of the last address. */
static runtime_local struct {
	uint64_t start, size;
} known;

void code_resume(void)
{
	modules.lock.taken = 0;
	modules.block = NULL;
	modules.count = 0;
	known.size = 0;
}

/* A library may have been opened by a path that begins elsewhere. */
static uint64_t keep_path(const char *name)
{
	char path[8192];
	size_t length;

	if (*name == '/' || !strchr(name, '/') || runtime_sealed ||
	    !getcwd(path, sizeof(path) / 2))
		return strings_intern(name, strlen(name));
	length = strlen(path);
	snprintf(path + length, sizeof(path) - length, "/%s", name);
	return strings_intern(path, strlen(path));
}

static bool is_noted(const struct context_module *items, uint64_t start)
{
	for (uint32_t i = 0; i < modules.count; i++)
		if (items[i].start == start)
			return true;
	return false;
}

/* The program's own file has no name there. */
static void note_object(const struct dl_find_object *found)
{
	const struct link_map *map = found->dlfo_link_map;
	struct context_module *items;

	if (!modules.block)
		modules.block = spool_block(CONTEXT_MODULES, 0, MODULES_BLOCKS);
	if (!modules.block)
		return;
	items = (struct context_module *)(void *)(modules.block + 1);
	if (modules.count == MODULES_MAX ||
	    is_noted(items, (uintptr_t)found->dlfo_map_start))
		return;
	items[modules.count++] = (struct context_module){
		(uintptr_t)found->dlfo_map_start,
		(uintptr_t)found->dlfo_map_end,
		map->l_addr,
		*map->l_name ? keep_path(map->l_name) : 0,
	};
	__atomic_store_n(&modules.block->used, modules.count * (uint32_t)sizeof(*items),
			 __ATOMIC_RELEASE);
}

void code_note(uint64_t address)
{
	struct dl_find_object found;
	int saved = errno;

	if (address - known.start < known.size || !stack_find_code(address, &found))
		return;
	runtime_lock(&modules.lock);
	note_object(&found);
	runtime_unlock(&modules.lock);
	known.start = (uintptr_t)found.dlfo_map_start;
	known.size = (uintptr_t)found.dlfo_map_end - known.start;
	errno = saved;
}
