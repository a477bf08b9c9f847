/*
 * Strings of the process, each kept once in the spool. Looking one up takes no lock:
 * slots are written once, and a larger table replaces the old one, which stays mapped for
 * those that are still in it.
 */
#include "runtime/store/strings.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"

#include <string.h>

struct slots {
	uint64_t mask;
	/* Of strings in the spool, with upper bits of their hashes above them, so that
	 * other strings need not be looked at; 0: empty. */
	uint64_t offsets[];
};

static struct {
	struct runtime_lock lock;
	struct slots *slots;
	uint64_t count;
	struct context_block *block; /* being filled */
	uint32_t used; /* of it; the one in the block is the parent's, too */
} strings;

enum {
	FIRST_SLOTS = 1024,
	STRING_MAX = 1000000,
};

static uint32_t hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 0x9e3779b97f4a7c15u + size, word;

	for (; size >= 8; size -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, bytes, size);
	hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(hash ^ hash >> 32);
}

enum { OFFSET_BITS = 40 };

static uint64_t tag_of(uint32_t hash)
{
	return (uint64_t)(hash >> 8) << OFFSET_BITS;
}

static uint64_t offset_of(uint64_t slot)
{
	return slot & ((1ull << OFFSET_BITS) - 1);
}

static struct slots *make_slots(uint64_t count)
{
	struct slots *slots = runtime_map(sizeof(*slots) + count * sizeof(uint64_t));

	if (slots)
		slots->mask = count - 1;
	return slots;
}

/* The slot of the string, or the empty one where it belongs. */
static uint64_t *find_slot(struct slots *slots, uint32_t hash, const char *bytes,
			   size_t size)
{
	const uint64_t tag = tag_of(hash);

	for (uint64_t i = hash;; i++) {
		uint64_t *slot = &slots->offsets[i & slots->mask];
		uint64_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!value)
			return slot;
		if ((value ^ tag) >> OFFSET_BITS)
			continue;
		const struct context_string *string = strings_at(offset_of(value));

		if (string->hash == hash && string->size == size &&
		    !memcmp(string->bytes, bytes, size))
			return slot;
	}
}

static bool grow_slots(void)
{
	struct slots *old = strings.slots;
	struct slots *slots = make_slots(old ? 2 * (old->mask + 1) : FIRST_SLOTS);

	if (!slots)
		return false;
	for (uint64_t i = 0; old && i <= old->mask; i++) {
		if (!old->offsets[i])
			continue;
		const struct context_string *string =
			strings_at(offset_of(old->offsets[i]));

		*find_slot(slots, string->hash, string->bytes, string->size) =
			old->offsets[i];
	}
	__atomic_store_n(&strings.slots, slots, __ATOMIC_RELEASE);
	return true;
}

/* Room for a string behind those that the block has. */
static struct context_block *block_for(size_t needed)
{
	struct context_block *block = strings.block;
	uint32_t run;

	if (block && sizeof(*block) + strings.used + needed <= CONTEXT_BLOCK)
		return block;
	run = (uint32_t)((sizeof(*block) + needed + CONTEXT_BLOCK - 1) / CONTEXT_BLOCK);
	block = spool_block(CONTEXT_STRINGS, 0, run);
	if (block && run == 1) {
		strings.used = 0;
		strings.block = block;
	}
	return block;
}

static uint64_t add_string(uint32_t hash, const char *bytes, size_t size)
{
	size_t needed = (sizeof(struct context_string) + size + 1 + 7) & ~(size_t)7;
	struct context_block *block = block_for(needed);
	struct context_string *string;

	if (!block)
		return 0;
	string = (void *)((char *)(block + 1) + block->used);
	string->size = (uint32_t)size;
	string->hash = hash;
	memcpy(string->bytes, bytes, size);
	string->bytes[size] = '\0';
	uint64_t offset = block->number * CONTEXT_BLOCK + sizeof(*block) + block->used;

	if (block == strings.block)
		strings.used += (uint32_t)needed;
	__atomic_store_n(&block->used, block->used + (uint32_t)needed, __ATOMIC_RELEASE);
	return offset;
}

static uint64_t insert_string(uint32_t hash, const char *bytes, size_t size)
{
	if ((!strings.slots || 2 * strings.count > strings.slots->mask) && !grow_slots())
		return 0;
	uint64_t *slot = find_slot(strings.slots, hash, bytes, size);

	if (!*slot) {
		uint64_t offset = add_string(hash, bytes, size);

		strings.count += offset != 0;
		if (offset)
			__atomic_store_n(slot, offset | tag_of(hash), __ATOMIC_RELEASE);
	}
	return offset_of(*slot);
}

static size_t size_of(size_t size)
{
	return size < STRING_MAX ? size : STRING_MAX;
}

static uint64_t look_up(uint32_t hash, const char *bytes, size_t size)
{
	struct slots *slots = __atomic_load_n(&strings.slots, __ATOMIC_ACQUIRE);

	return slots ? offset_of(__atomic_load_n(find_slot(slots, hash, bytes, size),
						 __ATOMIC_ACQUIRE))
		     : 0;
}

uint64_t strings_find(const char *bytes, size_t size)
{
	size = size_of(size);
	return look_up(hash_of(bytes, size), bytes, size);
}

uint64_t strings_intern(const char *bytes, size_t size)
{
	size = size_of(size);
	uint32_t hash = hash_of(bytes, size);
	uint64_t offset = look_up(hash, bytes, size);

	if (offset)
		return offset;
	runtime_lock(&strings.lock);
	offset = insert_string(hash, bytes, size);
	runtime_unlock(&strings.lock);
	return offset;
}

void strings_hold(bool held)
{
	if (held)
		runtime_lock(&strings.lock);
	else
		runtime_unlock(&strings.lock);
}

void strings_resume(bool copied)
{
	strings.lock.taken = 0;
	if (copied && strings.block)
		strings.block->used = strings.used;
}
