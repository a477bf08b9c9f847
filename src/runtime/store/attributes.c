/* Attributes of the process: created once, found by name without a lock. */
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <string.h>

struct said {
	uint32_t attribute, key;
	uint64_t bits;
};

enum { SAID_MAX = 4096 };
enum {
	NAME_SLOTS = 2 * ATTRIBUTES_MAX,
	/* Profiles hold 4096 bytes, with what they put in front of a name. */
	NAME_MAX_BYTES = 4000,
};

static struct {
	struct runtime_lock lock;
	uint32_t count;
	struct context_block *block; /* being filled */
	/* By number; and by name: numbers, 0 for an empty slot. */
	const struct context_attribute **by_number;
	uint32_t *by_name;
	struct said *said;
	uint32_t said_count;
	bool have_tasks; /* one has the scope of a task */
} attributes;

static uint32_t *slot_of(uint64_t name)
{
	for (uint64_t i = (name >> 3) * 0x9e3779b97f4a7c15u >> 40;; i++) {
		uint32_t *slot = &attributes.by_name[i % NAME_SLOTS];
		uint32_t number = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!number || attributes.by_number[number]->name == name)
			return slot;
	}
}

static struct context_attribute *add_attribute(void)
{
	struct context_block *block = attributes.block;
	struct context_attribute *attribute;

	if (!block || sizeof(*block) + block->used + sizeof(*attribute) > CONTEXT_BLOCK) {
		block = spool_block(CONTEXT_ATTRIBUTES, 0, 1);
		if (!block)
			return NULL;
		block->order = attributes.count;
		attributes.block = block;
	}
	attribute = (void *)((char *)(block + 1) + block->used);
	return attribute;
}

static bool has_tables(void)
{
	if (!attributes.by_number)
		attributes.by_number =
			runtime_map((ATTRIBUTES_MAX + 1) * sizeof(*attributes.by_number));
	if (attributes.by_number && !attributes.by_name)
		__atomic_store_n(&attributes.by_name,
				 runtime_map(NAME_SLOTS * sizeof(*attributes.by_name)),
				 __ATOMIC_RELEASE);
	return attributes.by_name != NULL;
}

/* With what these imply: what holds of the run is a value of the process and no context,
 * and only of numbers there are sums. */
static uint32_t complete_properties(uint32_t type, uint32_t properties)
{
	const uint32_t places = TRM_NESTED | TRM_SCOPE_THREAD | TRM_SCOPE_TASK;

	if (type == TRM_TYPE_STRING || type == TRM_TYPE_BLOB || type == TRM_TYPE_TYPE)
		properties &= ~(uint32_t)TRM_AGGREGATABLE;
	if (properties & TRM_GLOBAL && !(properties & TRM_AGGREGATABLE))
		properties = (properties & ~places) | TRM_AS_VALUE | TRM_SCOPE_PROCESS;
	return properties;
}

static uint32_t insert_attribute(uint64_t name, uint32_t type, uint32_t properties)
{
	if (!has_tables())
		return 0;
	uint32_t *slot = slot_of(name);

	if (*slot || attributes.count == ATTRIBUTES_MAX)
		return *slot;
	struct context_attribute *attribute = add_attribute();

	if (!attribute)
		return 0;
	properties = complete_properties(type, properties);
	*attribute = (struct context_attribute){type, properties, name};
	attributes.have_tasks |= (properties & TRM_SCOPE_TASK) != 0;
	__atomic_store_n(&attributes.block->used,
			 attributes.block->used + (uint32_t)sizeof(*attribute),
			 __ATOMIC_RELEASE);
	attributes.by_number[++attributes.count] = attribute;
	__atomic_store_n(slot, attributes.count, __ATOMIC_RELEASE);
	return attributes.count;
}

static uint32_t look_up(uint64_t name)
{
	return name && __atomic_load_n(&attributes.by_name, __ATOMIC_ACQUIRE)
		       ? __atomic_load_n(slot_of(name), __ATOMIC_ACQUIRE)
		       : 0;
}

uint32_t attributes_find(const char *name)
{
	return look_up(strings_find(name, strlen(name)));
}

bool attributes_can_be(const char *name)
{
	return *name && strnlen(name, NAME_MAX_BYTES + 1) <= NAME_MAX_BYTES;
}

uint32_t attributes_create(const char *text, uint32_t type, uint32_t properties)
{
	uint64_t name = attributes_can_be(text) ? strings_intern(text, strlen(text)) : 0;
	uint32_t number = look_up(name);

	if (number || !name)
		return number;
	runtime_lock(&attributes.lock);
	number = insert_attribute(name, type, properties);
	runtime_unlock(&attributes.lock);
	return number;
}

static bool told;

uint32_t attributes_tell(const char *text, uint32_t type, uint32_t properties)
{
	__atomic_store_n(&told, true, __ATOMIC_RELAXED);
	return attributes_create(text, type, properties);
}

bool attributes_told(void)
{
	return __atomic_load_n(&told, __ATOMIC_RELAXED);
}

const struct context_attribute *attributes_get(uint32_t attribute)
{
	return attribute && attribute <= attributes.count
		       ? attributes.by_number[attribute]
		       : NULL;
}

bool attributes_is_loop(uint32_t attribute)
{
	static uint32_t known; /* 0: there is none yet */
	uint32_t loop = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (unlikely(!loop)) {
		loop = attributes_find("loop");
		__atomic_store_n(&known, loop, __ATOMIC_RELAXED);
	}
	return loop && attribute == loop;
}

bool attributes_is_iteration(uint32_t attribute)
{
	static const char prefix[] = "iteration#";
	const struct context_attribute *known = attributes_get(attribute);

	return known &&
	       !strncmp(strings_at(known->name)->bytes, prefix, sizeof(prefix) - 1);
}

/* Whether a value of a key was said of an attribute. No lock is needed: entries are only
 * added, and counted when they are whole. */
static bool is_said(uint32_t attribute, uint32_t key)
{
	const uint32_t count = __atomic_load_n(&attributes.said_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (attributes.said[i].attribute == attribute &&
		    attributes.said[i].key == key)
			return true;
	return false;
}

static void add_said(const struct said *said)
{
	if (!attributes.said)
		attributes.said = runtime_map(SAID_MAX * sizeof(*said));
	if (!attributes.said || attributes.said_count == SAID_MAX ||
	    is_said(said->attribute, said->key))
		return;
	attributes.said[attributes.said_count] = *said;
	__atomic_store_n(&attributes.said_count, attributes.said_count + 1,
			 __ATOMIC_RELEASE);
}

void attributes_say(uint32_t attribute, uint32_t key, uint64_t bits)
{
	/* Programs that look a loop's attribute up each time say the same again and
	 * again: that must make no system call. */
	if (is_said(attribute, key))
		return;
	runtime_lock(&attributes.lock);
	add_said(&(struct said){attribute, key, bits});
	runtime_unlock(&attributes.lock);
}

void attributes_each_said(void (*visit)(void *context, uint32_t attribute, uint32_t key,
					uint64_t bits),
			  void *context)
{
	uint32_t count = __atomic_load_n(&attributes.said_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		visit(context, attributes.said[i].attribute, attributes.said[i].key,
		      attributes.said[i].bits);
}

bool attributes_have_tasks(void)
{
	return attributes.have_tasks;
}

void attributes_hold(bool held)
{
	if (held)
		runtime_lock(&attributes.lock);
	else
		runtime_unlock(&attributes.lock);
}

void attributes_resume(bool copied)
{
	struct context_block *block = attributes.block;

	attributes.lock.taken = 0;
	if (copied && block)
		block->used = (uint32_t)((attributes.count - block->order) *
					 sizeof(struct context_attribute));
}
