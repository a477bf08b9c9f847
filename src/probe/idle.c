#include "probe/idle.h"

#include "base/array.h"
#include "base/path.h"
#include "image/find.h"

#include <inttypes.h>
#include <string.h>

void probe_idle_name(const struct probe_module *module, struct probe_match *match)
{
	const struct image *image = module->image;
	const size_t index = image_function_at(image, match->function);

	if (!match->name && index < image->functions.count)
		match->name = probe_function_name(image, &image->functions.items[index]);
}

void probe_idle_note(struct probe_module *module, size_t number, bool found)
{
	struct probe_match *match = &module->matches.items[number];

	pthread_mutex_lock(&module->lock);
	match->seen = true;
	match->found |= found;
	if (!match->found)
		probe_idle_name(module, match);
	pthread_mutex_unlock(&module->lock);
}

/* What a function has not, in the order of enum probe_place. */
static const char *const lacks[] = {
	[PROBE_RETURN] = "no return: it is left by calls that do not come back, or ends "
			 "the program",
	[PROBE_LOAD] = "no instruction that reads memory, but by the stack pointer",
	[PROBE_STORE] = "no instruction that writes memory, but by the stack pointer",
	[PROBE_LOOP] = "no loop, or none that is seen as a whole",
};

static const struct probe_point *point_of(const struct probe_module *module,
					  const struct probe_match *match)
{
	return &module->program->probes.items[match->probe].points.items[match->point];
}

static void begin_line(const struct probe_module *module, const struct probe_match *match,
		       struct text *text)
{
	text_format(text, "%sthe probe \"%s\": ", text->length ? "\n" : "",
		    module->program->probes.items[match->probe].name);
}

static void add_function(const struct probe_module *module,
			 const struct probe_match *match, struct text *text)
{
	text_format(text, "%s of %s", match->name ? match->name : "a function",
		    path_name(module->path));
}

/* Whether a function that the same point names has one. */
static bool is_found_elsewhere(const struct probe_module *module,
			       const struct probe_match *match)
{
	vector_for_each (&module->matches, other)
		if (other->probe == match->probe && other->point == match->point &&
		    (other->found || (other->seen && other < match)))
			return true;
	return false;
}

static void describe_match(const struct probe_module *module,
			   const struct probe_match *match, struct text *text)
{
	const struct probe_point *point = point_of(module, match);

	if (point->place < array_count(lacks) && lacks[point->place] && match->seen &&
	    !is_found_elsewhere(module, match)) {
		begin_line(module, match, text);
		add_function(module, match, text);
		text_format(text, " has %s", lacks[point->place]);
	} else if (point->place == PROBE_ADDRESS && match->function && !match->seen) {
		begin_line(module, match, text);
		add_function(module, match, text);
		text_format(text, ", in which 0x%" PRIx64 " is, was not called",
			    match->address);
	}
}

void probe_idle_describe(const struct probe_module *module, struct text *text)
{
	vector_for_each (&module->matches, match)
		if (!match->found)
			describe_match(module, match, text);
}
