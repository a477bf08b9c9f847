/*
 * Values of the moment: those of attributes that are no part of the tree, which a program
 * may ask for again. Each thread has its own; the process's are under a lock.
 */
#include "runtime/store/values.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <string.h>

enum { FIRST_ROOM = 4096 / sizeof(struct moment) };

struct values {
	uint32_t room;
	struct moment *items; /* by attribute */
};

static runtime_local struct values own;

static struct {
	struct runtime_lock lock;
	struct values values;
	struct context_block *globals; /* the last one written to; each links to the one
					  before */
} process;

static bool make_room(struct values *values, uint32_t attribute)
{
	uint32_t room = values->room ? values->room : FIRST_ROOM;
	struct moment *items;

	if (likely(attribute < values->room))
		return true;
	while (room <= attribute)
		room *= 2;
	items = runtime_map(room * sizeof(*items));
	if (!items)
		return false;
	if (values->items) {
		memcpy(items, values->items, values->room * sizeof(*items));
		runtime_unmap(values->items, values->room * sizeof(*items));
	}
	*values = (struct values){room, items};
	return true;
}

void values_keep(uint32_t attribute, uint64_t bits, uint64_t now)
{
	if (make_room(&own, attribute))
		own.items[attribute] = (struct moment){bits, now, true};
}

void values_drop(uint32_t attribute)
{
	if (attribute < own.room)
		own.items[attribute].set = false;
}

const struct moment *values_get(uint32_t attribute)
{
	return attribute < own.room && own.items[attribute].set ? &own.items[attribute]
								: NULL;
}

uint32_t values_room(void)
{
	return own.room;
}

void values_forget(void)
{
	runtime_unmap(own.items, own.room * sizeof(*own.items));
	own = (struct values){0};
}

struct trm_value values_from_bits(const struct context_attribute *attribute,
				  uint64_t bits)
{
	struct trm_value value = {attribute->type, 0, {0}};

	value.as.u = bits;
	if (attribute->type == TRM_TYPE_STRING || attribute->type == TRM_TYPE_BLOB) {
		const struct context_string *string = strings_at(bits);

		value.size = string->size;
		value.as.bytes = string->bytes;
	}
	return value;
}

static struct context_global *find_global(uint32_t attribute)
{
	for (struct context_block *block = process.globals; block;
	     block = (void *)(uintptr_t)block->link) {
		struct context_global *items = (void *)(block + 1);

		for (size_t i = 0; i < block->used / sizeof(*items); i++)
			if (items[i].attribute == attribute)
				return &items[i];
	}
	return NULL;
}

/* An item counts once `used` covers it. */
static void add_global(uint32_t attribute, uint64_t bits)
{
	struct context_block *block = process.globals;
	struct context_global *item;

	if (!block || sizeof(*block) + block->used + sizeof(*item) > CONTEXT_BLOCK) {
		block = spool_block(CONTEXT_GLOBALS, 0, 1);
		if (!block)
			return;
		block->link = (uintptr_t)process.globals;
		process.globals = block;
	}
	item = (void *)((char *)(block + 1) + block->used);
	*item = (struct context_global){attribute, 1, bits};
	__atomic_store_n(&block->used, block->used + (uint32_t)sizeof(*item),
			 __ATOMIC_RELEASE);
}

/* What holds of the run is in the spool, too, where it stays if the process is killed. */
static void write_global(uint32_t attribute, bool set, uint64_t bits)
{
	struct context_global *known;

	if (!(attributes_get(attribute)->properties & TRM_GLOBAL))
		return;
	known = find_global(attribute);
	if (!known && set)
		add_global(attribute, bits);
	if (!known)
		return;
	known->bits = bits;
	known->set = set;
}

void values_keep_process(uint32_t attribute, uint64_t bits)
{
	runtime_lock(&process.lock);
	if (make_room(&process.values, attribute))
		process.values.items[attribute] = (struct moment){bits, 0, true};
	write_global(attribute, true, bits);
	runtime_unlock(&process.lock);
}

void values_drop_process(uint32_t attribute)
{
	runtime_lock(&process.lock);
	if (attribute < process.values.room)
		process.values.items[attribute].set = false;
	write_global(attribute, false, 0);
	runtime_unlock(&process.lock);
}

bool values_get_process(uint32_t attribute, uint64_t *ret_bits)
{
	bool set;

	runtime_lock(&process.lock);
	set = attribute < process.values.room && process.values.items[attribute].set;
	if (set)
		*ret_bits = process.values.items[attribute].bits;
	runtime_unlock(&process.lock);
	return set;
}

void values_each_process(void (*visit)(void *context, uint32_t attribute, uint64_t bits),
			 void *context)
{
	uint64_t bits;

	for (uint32_t i = 0; i < process.values.room; i++)
		if (values_get_process(i, &bits))
			visit(context, i, bits);
}

void values_resume(bool own_spool)
{
	process.lock.taken = 0;
	if (own_spool)
		process.globals = NULL;
}

void values_rewrite(void)
{
	runtime_lock(&process.lock);
	for (uint32_t i = 0; i < process.values.room; i++)
		if (process.values.items[i].set)
			write_global(i, true, process.values.items[i].bits);
	runtime_unlock(&process.lock);
}
