#include "code/entry/entry_patch.h"

#include "code/entry/trampoline.h"
#include "code/plan/request.h"
#include "code/scan/entry_call.h"
#include "x86/decode.h"

#include <string.h>

enum { JUMP = 5, SHORT_JUMP = 2, TWO_JUMPS = 10, CALL = 5 };

/* Instructions of a callee that are looked at for flags. */
enum { CALLEE_INSTRUCTIONS = 8 };

struct place {
	const struct scan *scan;
	const struct image *image;
	const struct plan_request *request;
	struct padding *padding;
};

/* The function at hand. */
struct entry {
	const struct image_function *function;
	uint32_t index;
	const uint8_t *bytes; /* from its address on */
	uint64_t patch;       /* where its entry jump lies */
};

/* Consequences of a patch of some size. */
struct fit {
	unsigned displaced; /* from the function's address on */
	unsigned extension; /* bytes of padding it needs */
	bool calls;         /* the last displaced instruction is a call */
	bool led;  /* its displacement can lead it elsewhere (code/scan/entry_call.h), and
		      what  comes before it always leads to it */
	bool word; /* it is a call through a word */
	unsigned call; /* bytes of it */
	bool reads_flags;
};

/* Looks at the instructions under a patch of `size` bytes. */
static enum plan_reason fit_instructions(const struct entry *entry, unsigned size,
					 struct fit *fit)
{
	unsigned at = (unsigned)(entry->patch - entry->function->address),
		 end = at + size;
	uint32_t live = INSTRUCTION_STATUS_FLAGS;
	struct instruction instruction = {0};
	bool straight = true;

	while (at < end) {
		if (at >= entry->function->size)
			return PLAN_NO_ROOM;
		if (!decode_instruction(entry->bytes + at, entry->function->size - at,
					entry->function->address + at, &instruction))
			return PLAN_UNDECODABLE;
		if (instruction.fixed)
			return PLAN_NOT_MOVABLE;
		fit->reads_flags |= (instruction.flags_read & live) != 0;
		live &= ~instruction.flags_written;
		at += instruction.length;
		if (instruction_calls(&instruction)) {
			/* It returns behind its own end. */
			if (at < end)
				return PLAN_NOT_MOVABLE;
			fit->calls = true;
			fit->word =
				entry_call_is_word(instruction.bytes, instruction.length);
			fit->call = instruction.length;
			fit->led = straight &&
				   (fit->word || (instruction.kind == INSTRUCTION_CALL &&
						  instruction.length == CALL));
		}
		straight &= instruction.kind == INSTRUCTION_PLAIN;
		if (instruction_leaves(&instruction))
			break;
	}
	fit->displaced = at;
	return PLAN_INSTRUMENTED;
}

/* Whether `size` bytes at the entry can be a patch; nothing is taken yet. */
static enum plan_reason fit_patch(const struct place *place, const struct entry *entry,
				  unsigned size, struct fit *ret_fit)
{
	uint64_t end = entry->function->address + entry->function->size;
	enum plan_reason reason;

	*ret_fit = (struct fit){0};
	if (entry->patch >= end)
		return PLAN_NO_ROOM;
	reason = fit_instructions(entry, size, ret_fit);
	if (reason)
		return reason;
	if (entry->patch + size > end)
		ret_fit->extension = (unsigned)(entry->patch + size - end);
	if (!code_map_find(&place->scan->map, entry->patch, size))
		return PLAN_NO_ROOM;
	if (code_map_is_reached(&place->scan->map, entry->patch + 1, size - 1))
		return PLAN_BRANCH_INTO_ENTRY;
	return PLAN_INSTRUMENTED;
}

static const struct scan_branch *inner_begin(const struct place *place,
					     const struct entry *entry)
{
	return scan_inner_of(place->scan, entry->index);
}

static bool inner_more(const struct place *place, const struct entry *entry,
		       const struct scan_branch *branch)
{
	return branch < place->scan->inner.items + place->scan->inner.count &&
	       branch->function == entry->index;
}

/* Finds where all rel8 branches back to the entry can lead. False if there is no such
 * place. */
static bool inner_window(const struct place *place, const struct entry *entry,
			 const struct entry_patch *choice, uint64_t *low, uint64_t *high)
{
	bool any = false;

	*low = 0;
	*high = UINT64_MAX;
	if (!(place->scan->traits[entry->index] & SCAN_INNER))
		return false;
	for (const struct scan_branch *branch = inner_begin(place, entry);
	     inner_more(place, entry, branch); branch++) {
		uint64_t end = branch->address + branch->length;

		if (branch->width != 1 ||
		    !entry_patch_rewrites(branch, entry->function->address, choice))
			continue;
		any = true;
		if (end >= 128 && end - 128 > *low)
			*low = end - 128;
		if (end + 127 < *high)
			*high = end + 127;
	}
	return any;
}

static void give_back(const struct place *place, const struct entry *entry,
		      const struct scan_branch *until, const struct entry_patch *choice)
{
	for (const struct scan_branch *branch = inner_begin(place, entry);
	     inner_more(place, entry, branch); branch++) {
		if (branch == until)
			return;
		if (entry_patch_rewrites(branch, entry->function->address, choice))
			code_map_release(&place->scan->map,
					 branch->address + branch->length - branch->width,
					 branch->width);
	}
}

/* Takes the displacements of all branches that will be rewritten. */
static bool take_inner(const struct place *place, const struct entry *entry,
		       const struct entry_patch *choice)
{
	if (!(place->scan->traits[entry->index] & SCAN_INNER))
		return true;
	for (const struct scan_branch *branch = inner_begin(place, entry);
	     inner_more(place, entry, branch); branch++) {
		if (!entry_patch_rewrites(branch, entry->function->address, choice) ||
		    code_map_take(&place->scan->map,
				  branch->address + branch->length - branch->width,
				  branch->width))
			continue;
		give_back(place, entry, branch, choice);
		return false;
	}
	return true;
}

/* Whether code at `address` reads flags that it has not written, as far as can be seen.
 * Code elsewhere (PLT stubs lead out of the module) does not. */
static bool reads_flags(const struct place *place, uint64_t address)
{
	const struct code_segment *segment = code_map_find(&place->scan->map, address, 1);
	uint32_t live = INSTRUCTION_STATUS_FLAGS;
	struct instruction instruction;
	size_t at;

	if (!segment)
		return false;
	at = address - segment->address;
	for (int i = 0; i < CALLEE_INSTRUCTIONS && live; i++) {
		if (!decode_instruction(segment->bytes + at, segment->size - at,
					segment->address + at, &instruction))
			return true;
		if (instruction.flags_read & live)
			return true;
		if (instruction.kind != INSTRUCTION_PLAIN)
			return false;
		live &= ~instruction.flags_written;
		at += instruction.length;
	}
	return false;
}

/* Whether the flags that a function is entered with are lost before it is left. */
static bool overwrites_flags(const struct entry *entry)
{
	uint32_t live = INSTRUCTION_STATUS_FLAGS;
	struct instruction instruction;

	for (uint64_t at = 0; at < entry->function->size; at += instruction.length) {
		if (!decode_instruction(entry->bytes + at, entry->function->size - at,
					entry->function->address + at, &instruction) ||
		    (instruction.flags_read & live) ||
		    instruction.kind != INSTRUCTION_PLAIN)
			return false;
		live &= ~instruction.flags_written;
		if (!live)
			return true;
	}
	return false;
}

/* Makes the choice; the last thing that can fail. */
static enum plan_reason commit_patch(struct place *place, const struct entry *entry,
				     unsigned size, const struct fit *fit,
				     struct entry_patch *choice)
{
	const uint8_t traits = place->scan->traits[entry->index];
	bool go = (entry->function->flags & IMAGE_FUNCTION_GO) != 0;
	/* In call graphs flags that are alive at entries are found by the code of
	 * functions (flag_calls.h): to keep them takes the gate 10 ns. */
	bool known = place->request->graph && !go && (traits & SCAN_WHOLE);

	choice->size = (uint8_t)size;
	choice->displaced = (uint8_t)fit->displaced;
	choice->keep_flags =
		fit->reads_flags || (!known && (traits & SCAN_CONDITIONAL_TAIL));
	/* A function that is never called from elsewhere may not follow the ABI. */
	if (!known && (entry->function->flags & IMAGE_FUNCTION_FOUND))
		choice->keep_flags |= !overwrites_flags(entry);
	/* Behind a short jump not much has been looked at. */
	if (size < JUMP || go)
		choice->keep_flags |= reads_flags(place, entry->function->address);
	if (go && choice->keep_flags && place->request->probe == PLAN_PROBE_COUNT)
		return PLAN_NO_STACK;
	/*
	 * Go makes panics of faults, and finds the function by the return address at rsp
	 * where it does not know the code. With the tracer dead it does not.
	 */
	if (go && decode_faults_deep(entry->bytes, fit->displaced))
		return PLAN_NOT_MOVABLE;
	if (fit->extension &&
	    !padding_extend(place->padding, entry->index, fit->extension))
		return PLAN_NO_ROOM;
	if (!code_map_take(&place->scan->map, entry->patch, size))
		return PLAN_BRANCH_INTO_ENTRY;
	if (!take_inner(place, entry, choice)) {
		code_map_release(&place->scan->map, entry->patch, size);
		return PLAN_BRANCH_INTO_ENTRY;
	}
	return PLAN_INSTRUMENTED;
}

/*
 * Whether it is known where the return address is at a call that lies `size` bytes behind
 * the entry's patch: there are no more than a few bytes in front of it, so a few forms of
 * instructions are all. `ret_depth`: bytes that rsp is lower there.
 */
static bool find_depth(const uint8_t *bytes, size_t size, uint8_t *ret_depth)
{
	size_t at = 0, depth = 0;

	while (at < size) {
		const uint8_t *code = bytes + at;
		size_t left = size - at, rex = left > 1 && (*code & 0xf0) == 0x40;
		uint8_t opcode = code[rex], modrm = left > rex + 1 ? code[rex + 1] : 0;
		bool moves = opcode == 0x89 || opcode == 0x31 || opcode == 0x33;

		if ((opcode & 0xf8) == 0x50) { /* push */
			depth += 8;
			at += rex + 1;
		} else if (left == 4 && !memcmp(code, "\x48\x83\xec", 3) &&
			   code[3] < 0x80) { /* sub $code[3], %rsp */
			depth += code[3];
			at += 4;
		} else if (moves && modrm >= 0xc0 && (modrm & 7) != 4 &&
			   (modrm >> 3 & 7) != (opcode == 0x33 ? 4 : 8)) {
			at += rex + 2; /* to another register */
		} else {
			return false;
		}
	}
	*ret_depth = (uint8_t)depth;
	return at == size && depth <= ENTRY_PATCH_DEPTH_MAX;
}

/* The call among the first instructions leads to a stub; the entry is left as it is. */
static bool place_call(const struct place *place, const struct entry *entry,
		       const struct fit *fit, struct entry_patch *choice)
{
	const struct image_function *function = entry->function;
	unsigned size = (unsigned)(function->address + fit->displaced - entry->patch);
	unsigned before = (unsigned)(entry->patch - function->address);
	int32_t distance;

	if (gates_wanted(place->request) &&
	    (!fit->led ||
	     !find_depth(entry->bytes + before, fit->displaced - before - fit->call,
			 &choice->call_depth)))
		return false;
	/* Each time that the entry is passed must be a call, and reach the call once. */
	if (!fit->led || choice->hook || !choice->wanted ||
	    (place->scan->traits[entry->index] & SCAN_INNER) ||
	    code_map_is_reached(&place->scan->map, entry->patch + 1, size - 1))
		return false;
	memcpy(&distance, entry->bytes + fit->displaced - sizeof(distance),
	       sizeof(distance));
	if ((!fit->word && reads_flags(place, function->address + fit->displaced +
						      (uint64_t)(int64_t)distance)) ||
	    !code_map_take(&place->scan->map, entry->patch, size))
		return false;
	choice->call_end = (uint8_t)fit->displaced;
	choice->displaced = 0;
	choice->size = ENTRY_PATCH_DISPLACEMENT;
	return true;
}

/* Two jumps behind each other, if the branches back reach the second. */
static enum plan_reason place_two_jumps(struct place *place, const struct entry *entry,
					struct entry_patch *choice)
{
	uint64_t low, high, loop = entry->patch + JUMP;
	enum plan_reason reason;
	struct fit fit;

	reason = fit_patch(place, entry, TWO_JUMPS, &fit);
	if (reason)
		return reason;
	choice->displaced = (uint8_t)fit.displaced;
	if (inner_window(place, entry, choice, &low, &high) &&
	    (loop < low || loop > high))
		return PLAN_BRANCH_INTO_ENTRY;
	choice->loop = loop;
	return commit_patch(place, entry, TWO_JUMPS, &fit, choice);
}

/*
 * The forms that need nothing from others but padding of its own: done first for all
 * functions. PLAN_NO_ROOM and such then stand for "not without an island".
 */
static enum plan_reason place_plainly(struct place *place, const struct entry *entry,
				      struct entry_patch *choice)
{
	enum plan_reason reason;
	uint64_t low, high;
	struct fit fit;

	reason = fit_patch(place, entry, JUMP, &fit);
	if (reason)
		return reason;
	if (fit.calls && place_call(place, entry, &fit, choice))
		return PLAN_INSTRUMENTED;
	if (fit.calls)
		return PLAN_NOT_MOVABLE; /* better left where it is, if there is an island
					  */
	choice->displaced = (uint8_t)fit.displaced;
	if (inner_window(place, entry, choice, &low, &high))
		return place_two_jumps(place, entry, choice);
	return commit_patch(place, entry, JUMP, &fit, choice);
}

static enum plan_reason commit_with_islands(struct place *place,
					    const struct entry *entry, unsigned size,
					    const struct fit *fit,
					    struct entry_patch *choice)
{
	uint64_t low, high, end = entry->patch + SHORT_JUMP;

	choice->displaced = (uint8_t)fit->displaced;
	if (size == SHORT_JUMP &&
	    (!padding_take_island(place->padding, entry->index, end - 128, end + 127,
				  &choice->island) ||
	     !code_map_take(&place->scan->map, choice->island, JUMP)))
		return PLAN_NO_ROOM;
	if (inner_window(place, entry, choice, &low, &high)) {
		if (low > high ||
		    !padding_take_island(place->padding, entry->index, low, high,
					 &choice->loop) ||
		    !code_map_take(&place->scan->map, choice->loop, JUMP))
			return PLAN_BRANCH_INTO_ENTRY;
		choice->loop_island = true;
	}
	return commit_patch(place, entry, size, fit, choice);
}

/* The remaining ways: a short jump, or an island for branches back, or an emulated call.
 */
static enum plan_reason place_with_islands(struct place *place, const struct entry *entry,
					   struct entry_patch *choice)
{
	const struct entry_patch clean = *choice;
	enum plan_reason near_reason, short_reason;
	struct fit near_fit, short_fit;

	near_reason = fit_patch(place, entry, JUMP, &near_fit);
	short_reason = fit_patch(place, entry, SHORT_JUMP, &short_fit);
	if (!near_reason && !near_fit.calls) {
		if (!commit_with_islands(place, entry, JUMP, &near_fit, choice))
			return PLAN_INSTRUMENTED;
		*choice = clean;
	}
	if (!short_reason) {
		short_reason =
			commit_with_islands(place, entry, SHORT_JUMP, &short_fit, choice);
		if (!short_reason)
			return PLAN_INSTRUMENTED;
		*choice = clean;
	}
	if (!near_reason)
		return commit_with_islands(place, entry, JUMP, &near_fit, choice);
	return near_reason == PLAN_UNDECODABLE ? near_reason : short_reason;
}

/*
 * Code that its program copies or maps a second time elsewhere, where our jumps would
 * lead astray: V8 puts its embedded builtins near the code that it generates.
 */
static bool is_copied(const struct image *image, const struct image_function *function)
{
	return !strncmp(image->names.items + function->name, "Builtins_", 9);
}

/* Fills in `entry`; a reason if the function cannot be touched at all. */
static enum plan_reason open_entry(const struct place *place, uint32_t index,
				   struct entry *entry)
{
	const struct image *image = place->image;
	const struct image_function *function = &image->functions.items[index];
	uint64_t end = function->address + function->size;
	const struct code_segment *segment;

	segment = code_map_find(&place->scan->map, function->address, function->size);
	if (ranges_meet(image->checked.items, image->checked.count, function->address,
			end))
		return PLAN_CHECKED;
	if (!segment || !function->size || is_copied(image, function) ||
	    ranges_meet(image->untouchable.items, image->untouchable.count,
			function->address, end) ||
	    ranges_meet(image->plt.items, image->plt.count, function->address, end))
		return PLAN_UNTOUCHABLE;
	if (place->scan->traits[index] & SCAN_DOUBTFUL)
		return PLAN_DOUBTFUL;
	if (place->scan->traits[index] & SCAN_HIDDEN_LOOP)
		return PLAN_BRANCH_INTO_ENTRY;
	entry->function = function;
	entry->index = index;
	entry->bytes = segment->bytes + (function->address - segment->address);
	entry->patch =
		function->address + trampoline_patch_offset(entry->bytes, function->size);
	return PLAN_INSTRUMENTED;
}

void entry_patches_choose(const struct scan *scan, const struct image *image,
			  const struct plan_request *request, struct padding *padding,
			  struct entry_patch *choices)
{
	struct place place = {
		.scan = scan, .image = image, .request = request, .padding = padding};
	struct VECTOR(uint32_t) deferred = {0};
	struct entry entry;

	for (uint32_t i = 0; i < image->functions.count; i++) {
		struct entry_patch *choice = &choices[i], clean = *choice;

		if (i + ENTRY_PATCH_AHEAD < image->functions.count)
			code_map_prefetch(
				&scan->map,
				image->functions.items[i + ENTRY_PATCH_AHEAD].address);
		if ((!choice->wanted && !choice->hook) ||
		    image->functions.items[i].flags & IMAGE_FUNCTION_COLD_PART)
			continue;
		choice->reason = (uint8_t)open_entry(&place, i, &entry);
		if (choice->reason || !place_plainly(&place, &entry, choice))
			continue;
		*choice = clean;
		vector_push(&deferred, i);
	}
	vector_for_each (&deferred, index) {
		open_entry(&place, *index, &entry);
		choices[*index].reason =
			(uint8_t)place_with_islands(&place, &entry, &choices[*index]);
	}
	vector_deinit(&deferred);
}
