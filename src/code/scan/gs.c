#include "code/scan/gs.h"

#include "base/array.h"
#include "base/search.h"
#include "code/scan/gs_calls.h"

/*
 * Data between code may look like an instruction that writes GS: tables in front of code,
 * as GHC has them, numbers behind jumps, as in the stubs of Mono's compiler. So what a
 * range executes from its first instruction on is followed; what that does not reach is
 * code only if something else leads there.
 */
struct reading {
	const struct gs_suspect *suspect;
	const struct code_segment *segment;
	const uint8_t *bytes; /* of the range */
	size_t size, stop;    /* bytes of it; up to where it decodes from its start on */
	bool fixed;           /* of an executable at a fixed address */
	uint64_t *seen;       /* by offset: an instruction that is executed begins */
	uint64_t *known;      /* something leads there */
	struct VECTOR(uint32_t) work;
	bool computed; /* it jumps to an address that is not known */
	bool written;
};

static void lead_to(struct reading *reading, uint64_t target)
{
	uint64_t offset = target - reading->suspect->start;

	if (offset >= reading->size)
		return;
	bit_set(reading->known, offset);
	if (!bit_test(reading->seen, offset))
		vector_push(&reading->work, (uint32_t)offset);
}

/* Notes the targets of an executed instruction: of a branch, an address, or a constant
 * that is an address in a program with fixed addresses. Only branches must lead to code.
 */
static void note_targets(struct reading *reading, size_t at, const struct brief *brief)
{
	const uint8_t *end = reading->bytes + at + brief->length;
	uint64_t behind = reading->suspect->start + at + brief->length, named = 0;

	if (brief->relative)
		named = behind +
			length_displacement(reading->bytes + at + brief->relative, 4);
	if (brief->kind == BRIEF_PLAIN || brief->kind == BRIEF_CONSTANT) {
		if (brief->immediate == 4 && reading->fixed)
			named = (uint32_t)length_displacement(end - 4, 4);
	} else if (brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_CONDITION8 ||
		   brief->kind == BRIEF_JUMP32 || brief->kind == BRIEF_CONDITION32 ||
		   brief->kind == BRIEF_CALL32) {
		lead_to(reading, behind + length_distance(end, brief));
	}
	if (named - reading->suspect->start < reading->size)
		bit_set(reading->known, named - reading->suspect->start);
}

static bool is_leaving(const struct brief *brief)
{
	return brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_JUMP32 ||
	       brief->kind == BRIEF_JUMP_INDIRECT || brief->kind == BRIEF_STOP;
}

/* Whether an instruction may jump through a table: to a register, or through an indexed
 * word. A jump through a word of an object, or of the linker's, leads to another
 * function. */
static bool is_computed(const uint8_t *bytes, const struct brief *brief)
{
	enum { SIB = 4, NO_INDEX = 0x20, INDEX = 0x38 };
	const uint8_t *behind = bytes + brief->length;

	if (brief->kind != BRIEF_JUMP_INDIRECT)
		return false;
	if (brief->modrm >= 0xc0)
		return true;
	if ((brief->modrm & 7) != SIB)
		return false;
	behind -= brief->modrm >> 6 == 1 ? 2 : brief->modrm >> 6 == 2 ? 5 : 1;
	return brief->modrm == 0x24 || (*behind & INDEX) != NO_INDEX;
}

/* Follows the code from all that is in reading->work. */
static void follow_code(struct reading *reading)
{
	struct brief brief;

	while (reading->work.count && !reading->written) {
		size_t at = reading->work.items[--reading->work.count];

		while (at < reading->size && !bit_test(reading->seen, at) &&
		       length_decode(reading->bytes + at, reading->size - at, &brief)) {
			bit_set(reading->seen, at);
			note_targets(reading, at, &brief);
			reading->written |= brief.kind == BRIEF_SEGMENT;
			reading->computed |= is_computed(reading->bytes + at, &brief);
			if (is_leaving(&brief))
				break;
			at += brief.length;
		}
	}
}

/* Notes references into the range from the rest of the file; and possible ones from
 * tables, if the range jumps through one. */
static void lead_from_outside(struct reading *reading)
{
	const struct code_segment *segment = reading->segment;
	const uint64_t *bits = reading->computed && reading->stop == reading->size
				       ? segment->reached
				       : segment->exposed;
	size_t base = reading->suspect->start - segment->address;
	size_t end = base + reading->size;

	for (size_t at = bits_next(bits, base, end); at < end;
	     at = bits_next(bits, at + 1, end))
		lead_to(reading, segment->address + at);
}

/* wrgsbase */
static bool is_base(const struct brief *brief)
{
	return brief->kind == BRIEF_SEGMENT && brief->opcode == 0xae;
}

/*
 * With jumps to unknown addresses, code behind a jump or return may be executed, too;
 * unless one of its instructions overlaps a known instruction: then everything behind the
 * jump is data. Only an instruction that writes the base is trusted there, since it has
 * too many bytes to be data by chance.
 */
static bool is_base_written_behind(const struct reading *reading)
{
	bool found = false, certain = true;
	struct brief brief;

	for (size_t at = 0; at < reading->stop;) {
		if (!length_decode(reading->bytes + at, reading->size - at, &brief))
			break;
		if (bit_test(reading->known, at))
			certain = true;
		size_t cut = bits_next(reading->known, at + 1, at + brief.length);

		if (!certain && cut < at + brief.length) {
			found = false;
			at = cut;
			continue;
		}
		found |= is_base(&brief);
		if (is_leaving(&brief)) {
			if (found)
				return true;
			certain = false;
		}
		at += brief.length;
	}
	return found;
}

/* Whether an instruction of the range writes the GS base or selector. */
static enum gs_verdict written_in(const struct walk *walk,
				  const struct gs_suspect *suspect)
{
	struct reading reading = {
		.suspect = suspect,
		.segment = code_map_find(&walk->scan->map, suspect->start, 1),
		.size = suspect->end - suspect->start,
		.stop = suspect->stop - suspect->start,
		.fixed = walk->image->type == IMAGE_EXECUTABLE,
	};
	enum gs_verdict verdict = GS_NEVER;
	if (!reading.segment)
		return GS_NEVER;
	reading.bytes =
		reading.segment->bytes + (suspect->start - reading.segment->address);
	reading.seen =
		memory_allocate_zeroed(2 * bit_words(reading.size), sizeof(uint64_t));
	reading.known = reading.seen + bit_words(reading.size);
	lead_to(&reading, suspect->start);
	follow_code(&reading);
	if (reading.written)
		verdict = GS_SET;
	if (!reading.written) {
		lead_from_outside(&reading);
		follow_code(&reading);
	}
	if (!verdict &&
	    (reading.written || (reading.computed && is_base_written_behind(&reading))))
		verdict = GS_PERHAPS;
	free(reading.seen);
	vector_deinit(&reading.work);
	return verdict;
}

static void note_doubt(const struct walk *walk, uint64_t address, enum gs_verdict verdict)
{
	vector_push(&walk->scan->doubts,
		    ((struct scan_doubt){address, (uint8_t)verdict}));
}

/* Attributes the verdict of a cold part to all functions that branch there. */
static void doubt_owners(const struct walk *walk, const struct gs_suspect *suspect,
			 enum gs_verdict verdict)
{
	bool owned = false;

	/* Its arguments are not those of the function. */
	if (verdict < GS_UNKNOWN)
		verdict = GS_UNKNOWN;
	vector_for_each (&walk->scan->owners, owner) {
		if (*owner >> 32 != suspect->cold)
			continue;
		note_doubt(walk, walk->image->functions.items[(uint32_t)*owner].address,
			   verdict);
		owned = true;
	}
	if (!owned && verdict > GS_UNKNOWN)
		walk->scan->uses_gs = true;
}

COMPARE_BY(by_address, struct scan_doubt, address);

bool gs_judge(const struct walk *walk, bool exposed)
{
	bool sure = true;

	vector_for_each (&walk->suspects, suspect) {
		enum gs_verdict verdict = GS_NEVER, calls = GS_NEVER;

		if (suspect->writes)
			verdict = written_in(walk, suspect);
		sure &= exposed || verdict != GS_PERHAPS;
		if (suspect->calls && verdict != GS_SET)
			calls = gs_of_calls(walk->scan, walk->image, suspect);
		verdict = calls > verdict ? calls : verdict;
		/* It has other entries than the known one, about which nothing is known.
		 */
		if (suspect->guessed && verdict < GS_PERHAPS)
			continue;
		if (verdict == GS_SET || (verdict == GS_PERHAPS && suspect->guessed))
			walk->scan->uses_gs = true;
		else if (verdict && suspect->is_cold)
			doubt_owners(walk, suspect, verdict);
		else if (verdict)
			note_doubt(walk, suspect->start, verdict);
	}
	if (walk->scan->doubts.count)
		qsort(walk->scan->doubts.items, walk->scan->doubts.count,
		      sizeof(*walk->scan->doubts.items), by_address);
	return sure;
}

static enum gs_verdict doubt_at(const struct scan *scan, uint64_t address)
{
	enum gs_verdict verdict = GS_NEVER;
	size_t low = search_first(scan->doubts.count, middle,
				  scan->doubts.items[middle].address < address);

	for (; low < scan->doubts.count && scan->doubts.items[low].address == address;
	     low++)
		if (scan->doubts.items[low].verdict > verdict)
			verdict = scan->doubts.items[low].verdict;
	return verdict;
}

uint8_t gs_hook(const struct scan *scan, const struct plan_request *request,
		const struct image_function *function)
{
	if (!scan->doubts.count || function->flags & IMAGE_FUNCTION_GO)
		return 0;
	switch (doubt_at(scan, function->address)) {
	case GS_NEVER:
		return 0;
	case GS_BY_ARGUMENTS:
		return request->hook_gs_call;
	case GS_BY_CODE:
		return request->hook_gs_code;
	default:
		return request->hook_gs;
	}
}
