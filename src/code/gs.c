#include "code/walk.h"

/*
 * Data between code may look like an instruction that writes the GS selector: tables in
 * front of code, as GHC has them. Such a range is decoded once more. What runs from its
 * start on, or from where an instruction leads that does, is code. What lies behind a
 * jump or return is taken for code, too, since there are ways to it that nobody sees;
 * unless one of its instructions is cut in two by a place that is known to be code: then
 * all of it from the jump on was data.
 */
struct reading {
	const struct walk *walk;
	const uint8_t *bytes; /* of the range */
	size_t size;
	uint64_t *known;  /* a bit for each byte: something leads there */
	bool certain;     /* what is read now runs */
	bool found_after; /* a write was found behind the last jump */
};

static void know(struct reading *reading, uint64_t target)
{
	if (target - reading->walk->start < reading->size)
		bit_set(reading->known, target - reading->walk->start);
}

static int32_t word_at(const uint8_t *bytes)
{
	int32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Where an instruction that runs leads: a branch, an address, or a constant that is one
 * in a program whose addresses are fixed. */
static void note_targets(struct reading *reading, size_t at, const struct brief *brief)
{
	const uint8_t *end = reading->bytes + at + brief->length;
	uint64_t behind = reading->walk->start + at + brief->length;

	if (brief->relative)
		know(reading,
		     behind + (uint64_t)word_at(reading->bytes + at + brief->relative));
	if (brief->kind == BRIEF_PLAIN || brief->kind == BRIEF_CONSTANT) {
		if (brief->immediate == 4 &&
		    reading->walk->image->type == IMAGE_EXECUTABLE)
			know(reading, (uint32_t)word_at(end - 4));
	} else if (brief->kind != BRIEF_SEGMENT && brief->immediate == 4) {
		know(reading, behind + (uint64_t)word_at(end - 4));
	} else if (brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_CONDITION8) {
		know(reading, behind + (uint64_t)(int8_t)end[-1]);
	}
}

static bool is_leaving(const struct brief *brief)
{
	return brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_JUMP32 ||
	       brief->kind == BRIEF_JUMP_INDIRECT || brief->kind == BRIEF_STOP;
}

/* Reads the instruction at an offset; returns where to go on. True in `ret_written`: GS
 * is written for certain. */
static size_t read_one(struct reading *reading, size_t at, const struct brief *brief,
		       bool *ret_written)
{
	size_t cut = bits_next(reading->known, at + 1, at + brief->length);

	if (!reading->certain && cut < at + brief->length) {
		reading->found_after = false;
		return cut;
	}
	if (brief->kind == BRIEF_SEGMENT)
		reading->found_after = true;
	if (reading->certain)
		note_targets(reading, at, brief);
	*ret_written = reading->found_after && (reading->certain || is_leaving(brief));
	if (is_leaving(brief))
		reading->certain = false;
	return at + brief->length;
}

bool gs_is_written(const struct walk *walk, uint64_t stop)
{
	struct reading reading = {
		.walk = walk,
		.bytes = walk->segment->bytes + (walk->start - walk->segment->address),
		.size = walk->end - walk->start,
		.certain = true,
	};
	size_t end = stop - walk->start, at = 0;
	bool written = false;
	struct brief brief;

	reading.known = memory_allocate_zeroed(bit_words(reading.size), sizeof(uint64_t));
	while (at < end && !written &&
	       length_decode(reading.bytes + at, reading.size - at, &brief)) {
		if (bit_test(reading.known, at))
			reading.certain = true;
		at = read_one(&reading, at, &brief, &written);
	}
	free(reading.known);
	return written || reading.found_after;
}
