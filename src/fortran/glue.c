/*
 * What the Fortran module `trammel` (trammel.f90) calls. Part of libtrammel-fortran.a: an
 * annotated program has all of it in itself, and needs no library.
 *
 * Names are bytes and their number; blanks at their end do not count.
 */
#include "fortran/glue.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255, SITES_MAX = 1024 };

/* A region or a loop has a site, as in a C program, made when it is first begun. They are
 * found by name, and stay. */
struct place {
	uint32_t state; /* enum place_state; the last that is written */
	struct trm_site site;
	char name[NAME_MAX_BYTES + 1];
};

/* No number of a string. */
enum { NO_STRING = 1 };

enum place_state { PLACE_FREE, PLACE_FILLING, PLACE_READY };

static struct place places[SITES_MAX];

static size_t trimmed_length(const char *text, int64_t length)
{
	size_t left = length > 0 ? (size_t)length : 0;

	while (left && text[left - 1] == ' ')
		left--;
	return left;
}

/* The name with a 0 behind it; what is longer is cut. */
static const char *copy_name(char *copy, const char *name, int64_t length)
{
	size_t size = trimmed_length(name, length);

	if (size > NAME_MAX_BYTES)
		size = NAME_MAX_BYTES;
	memcpy(copy, name, size);
	copy[size] = '\0';
	return copy;
}

int32_t trmf_active(void)
{
	return (int32_t)TRM_ACTIVE_;
}

int32_t trmf_attribute(const char *name, int64_t length, int32_t type, int32_t properties)
{
	char copy[NAME_MAX_BYTES + 1];

	return (int32_t)trm_attribute_create(copy_name(copy, name, length),
					     (enum trm_type)type, (unsigned)properties);
}

void trmf_begin(int32_t attribute, const struct trm_value *value)
{
	trm_begin_value((trm_attribute)attribute, *value);
}

void trmf_set(int32_t attribute, const struct trm_value *value)
{
	trm_set_value((trm_attribute)attribute, *value);
}

void trmf_end(int32_t attribute)
{
	trm_end_attribute((trm_attribute)attribute);
}

void trmf_begin_named(const char *name, int64_t length, const struct trm_value *value)
{
	char copy[NAME_MAX_BYTES + 1];

	if (TRM_ACTIVE_)
		trm_begin_named(copy_name(copy, name, length), *value);
}

void trmf_set_named(const char *name, int64_t length, const struct trm_value *value)
{
	char copy[NAME_MAX_BYTES + 1];

	if (TRM_ACTIVE_)
		trm_set_named(copy_name(copy, name, length), *value);
}

void trmf_end_named(const char *name, int64_t length)
{
	char copy[NAME_MAX_BYTES + 1];

	if (TRM_ACTIVE_)
		trm_end_named(copy_name(copy, name, length));
}

static uint32_t hash_of(const char *attribute, const char *name)
{
	uint32_t hash = (unsigned char)attribute[0]; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

/* Whether the place is that of the name, or has become so: it was free. */
static bool take_place(struct place *place, const char *attribute, const char *name)
{
	uint32_t state = PLACE_FREE;

	if (__atomic_compare_exchange_n(&place->state, &state, PLACE_FILLING, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		strcpy(place->name, name);
		place->site.attribute_name = attribute;
		place->site.value = place->name;
		__atomic_store_n(&place->state, PLACE_READY, __ATOMIC_RELEASE);
		return true;
	}
	while (state == PLACE_FILLING)
		state = __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
	return place->site.attribute_name == attribute && !strcmp(place->name, name);
}

/* NULL: there are too many. */
static struct trm_site *find_site(const char *attribute, const char *name, int64_t length)
{
	char copy[NAME_MAX_BYTES + 1];
	uint32_t first = hash_of(attribute, copy_name(copy, name, length));

	for (uint32_t i = 0; i < 16; i++) {
		struct place *place = &places[(first + i) % SITES_MAX];

		if (take_place(place, attribute, copy))
			return &place->site;
	}
	return NULL;
}

static const char region[] = "region", loop[] = "loop";

static struct trm_value text_value(const char *text, int64_t length)
{
	struct trm_value value = {
		TRM_TYPE_STRING, (uint32_t)trimmed_length(text, length), {0}};

	value.as.bytes = text;
	return value;
}

/* Of one for which there is no site, the innermost is ended. */
static void leave_place(const char *attribute, const char *name, int64_t length)
{
	struct trm_site *site = find_site(attribute, name, length);

	if (!site)
		trm_end_named(attribute);
	else if (__atomic_load_n(&site->ready, __ATOMIC_ACQUIRE))
		trm_link_.api->leave(site);
	else /* it never began: the library says so */
		trm_link_.api->leave(&(struct trm_site){
			attribute, site->value,
			trm_attribute_create(attribute, TRM_TYPE_STRING, TRM_NESTED), 0,
			NO_STRING, 0});
}

void trmf_region_begin(const char *name, int64_t length)
{
	struct trm_site *site = TRM_ACTIVE_ ? find_site(region, name, length) : NULL;

	if (site)
		trm_link_.api->enter(site);
	else if (TRM_ACTIVE_)
		trm_begin_named(region, text_value(name, length));
}

void trmf_region_end(const char *name, int64_t length)
{
	if (TRM_ACTIVE_)
		leave_place(region, name, length);
}

void trmf_loop_begin(const char *name, int64_t length, int64_t iteration)
{
	struct trm_site *site = TRM_ACTIVE_ ? find_site(loop, name, length) : NULL;

	if (site)
		trm_link_.api->iterate(site, iteration);
	else if (TRM_ACTIVE_)
		trm_begin_named(loop, text_value(name, length));
}

void trmf_loop_end(const char *name, int64_t length)
{
	if (TRM_ACTIVE_)
		leave_place(loop, name, length);
}
