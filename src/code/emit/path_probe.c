#include "code/emit/path_probe.h"

/* Operands %gs:displacement are ModRM rm 4 with SIB 25, and the prefix 65. */
#define BYTES(emitter, ...)                                                              \
	emit_bytes(emitter, (const uint8_t[]){__VA_ARGS__},                              \
		   sizeof((const uint8_t[]){__VA_ARGS__}))

enum { RED_ZONE = 128 };

/* Registers are saved on the stack, below the red zone: threads may share a bank. */
static void save_rax(struct emitter *emitter)
{
	BYTES(emitter, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	emit_byte(emitter, 0x50);                     /* push %rax */
}

static void restore_rax(struct emitter *emitter)
{
	emit_byte(emitter, 0x58);               /* pop %rax */
	BYTES(emitter, 0x48, 0x8d, 0xa4, 0x24); /* lea 128(%rsp), %rsp */
	emit_word32(emitter, RED_ZONE);
}

static void save_flags(struct emitter *emitter)
{
	save_rax(emitter);
	BYTES(emitter, 0x9f, 0x0f, 0x90, 0xc0); /* lahf; seto %al */
	emit_byte(emitter, 0x50);
}

static void restore_flags(struct emitter *emitter)
{
	emit_byte(emitter, 0x58);
	BYTES(emitter, 0x04, 0x7f, 0x9e); /* add $127, %al; sahf */
	restore_rax(emitter);
}

static void set_sum(struct emitter *emitter, const struct path_words *words, int64_t sum)
{
	BYTES(emitter, 0x65, 0xc7, 0x04, 0x25); /* movl $sum, %gs:word */
	emit_slot(emitter, words->first + PATH_WORD);
	emit_word32(emitter, (uint32_t)sum);
}

/* Writes an opcode with a register of 32 bits and the word as operands. */
static void use_word(struct emitter *emitter, uint8_t opcode, uint8_t number,
		     const struct path_words *words)
{
	emit_byte(emitter, 0x65);
	if (number >= 8)
		emit_byte(emitter, 0x44);
	BYTES(emitter, opcode, (uint8_t)(0x04 | (number & 7) << 3), 0x25);
	emit_slot(emitter, words->first + PATH_WORD);
}

/* Writes an addition (0xc0) or comparison (0xf8) of a constant to a register. */
static void use_constant(struct emitter *emitter, uint8_t kind, uint8_t number,
			 uint32_t constant)
{
	if (number >= 8)
		emit_byte(emitter, 0x41);
	BYTES(emitter, 0x81, (uint8_t)(kind | (number & 7)));
	emit_word32(emitter, constant);
}

/* By way of a register, without a change of flags. */
static void add_quietly(struct emitter *emitter, const struct path_words *words,
			uint32_t increment, uint8_t scratch)
{
	const uint8_t number = scratch == PATH_NO_SCRATCH ? 0 : scratch;

	if (scratch == PATH_NO_SCRATCH)
		save_rax(emitter);
	use_word(emitter, 0x8b, number, words); /* mov %gs:word, %scratch */
	if (number >= 8)
		emit_byte(emitter, 0x45);
	/* lea increment(%scratch), %scratch */
	BYTES(emitter, 0x8d, (uint8_t)(0x80 | (number & 7) << 3 | (number & 7)));
	if ((number & 7) == 4)
		emit_byte(emitter, 0x24);
	emit_word32(emitter, increment);
	use_word(emitter, 0x89, number, words);
	if (scratch == PATH_NO_SCRATCH)
		restore_rax(emitter);
}

void path_probe_add(struct emitter *emitter, const struct path_words *words,
		    int64_t increment, bool keep, uint8_t scratch)
{
	bool brief = increment == (int8_t)increment;

	if (keep) {
		add_quietly(emitter, words, (uint32_t)increment, scratch);
		return;
	}
	BYTES(emitter, 0x65, brief ? 0x83 : 0x81, 0x04, 0x25); /* addl $by, %gs:word */
	emit_slot(emitter, words->first + PATH_WORD);
	if (brief)
		emit_byte(emitter, (uint8_t)increment);
	else
		emit_word32(emitter, (uint32_t)increment);
}

/* Counts the only path that ends here. */
static void count_only(struct emitter *emitter, const struct path_words *words,
		       const struct path_end *end, bool keep)
{
	if (keep)
		save_flags(emitter);
	BYTES(emitter, 0x65, 0x48, 0xff, 0x04, 0x25); /* incq %gs:counter */
	emit_slot(emitter, words->first + PATH_COUNTERS + 8 * (uint32_t)end->only);
	if (end->goes_on)
		set_sum(emitter, words, end->then);
	if (keep)
		restore_flags(emitter);
}

/* Counts the path of the sum, by way of a register. */
static void count_sum(struct emitter *emitter, const struct path_words *words,
		      const struct path_end *end, uint8_t number)
{
	enum { COUNT = 9 }; /* bytes of the instruction that counts */

	use_word(emitter, 0x8b, number, words); /* mov %gs:word, %scratch */
	if (end->goes_on)
		set_sum(emitter, words, end->then);
	if (end->increment)
		use_constant(emitter, 0xc0, number, (uint32_t)end->increment);
	use_constant(emitter, 0xf8, number, (uint32_t)end->count);
	BYTES(emitter, 0x73, COUNT); /* jae */
	/* incq %gs:counters(,%scratch,8) */
	BYTES(emitter, 0x65, number >= 8 ? 0x4a : 0x48, 0xff, 0x04,
	      (uint8_t)(0xc5 | (number & 7) << 3));
	emit_slot(emitter, words->first + PATH_COUNTERS);
}

void path_probe_end(struct emitter *emitter, const struct path_words *words,
		    const struct path_end *end, bool keep, uint8_t scratch)
{
	if (end->only >= 0) {
		count_only(emitter, words, end, keep);
	} else if (keep) {
		save_flags(emitter);
		count_sum(emitter, words, end, 0);
		restore_flags(emitter);
	} else if (scratch != PATH_NO_SCRATCH) {
		count_sum(emitter, words, end, scratch);
	} else if (end->returns) {
		/* Nobody's red zone is there: what is below the return address was
		 * overwritten by the call. */
		emit_byte(emitter, 0x50);
		count_sum(emitter, words, end, 0);
		emit_byte(emitter, 0x58);
	} else {
		save_rax(emitter);
		count_sum(emitter, words, end, 0);
		restore_rax(emitter);
	}
}

/* jne to a tail; the offset of its displacement. */
static uint32_t branch_to_tail(struct emitter *emitter)
{
	BYTES(emitter, 0x0f, 0x85);
	emit_word32(emitter, 0);
	return (uint32_t)emitter->count - 4;
}

/* Goes to a tail if the function is away, without a change of flags. The offset of the
 * displacement. */
static uint32_t branch_if_away(struct emitter *emitter, const struct path_words *words)
{
	enum { SKIPPED = 14 }; /* bytes up to where the function is not away */
	uint32_t branch;

	BYTES(emitter, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	emit_byte(emitter, 0x51);                     /* push %rcx */
	BYTES(emitter, 0x65, 0x48, 0x8b, 0x0c, 0x25); /* mov %gs:away, %rcx */
	emit_slot(emitter, words->first + PATH_AWAY);
	BYTES(emitter, 0xe3, SKIPPED); /* jrcxz */
	emit_byte(emitter, 0x59);      /* pop %rcx */
	BYTES(emitter, 0x48, 0x8d, 0xa4, 0x24);
	emit_word32(emitter, RED_ZONE); /* lea 128(%rsp), %rsp */
	emit_byte(emitter, 0xe9);       /* jmp */
	emit_word32(emitter, 0);
	branch = (uint32_t)emitter->count - 4;
	emit_byte(emitter, 0x59);
	BYTES(emitter, 0x48, 0x8d, 0xa4, 0x24);
	emit_word32(emitter, RED_ZONE);
	return branch;
}

uint32_t path_probe_begin(struct emitter *emitter, const struct path_words *words,
			  int64_t sum, bool calls, bool keep)
{
	uint32_t branch = 0;

	if (calls && keep) {
		branch = branch_if_away(emitter, words);
	} else if (calls) {
		BYTES(emitter, 0x65, 0x48, 0x83, 0x3c, 0x25); /* cmpq $0, %gs:away */
		emit_slot(emitter, words->first + PATH_AWAY);
		emit_byte(emitter, 0);
		branch = branch_to_tail(emitter);
	}
	set_sum(emitter, words, sum);
	return branch;
}

void path_probe_go(struct emitter *emitter, const struct path_words *words, uint32_t site,
		   int32_t up)
{
	BYTES(emitter, 0x65, 0xc7, 0x04, 0x25); /* movl $site, %gs:word + 4 */
	emit_slot(emitter, words->first + PATH_SITE);
	emit_slot(emitter, words->first + site);
	if (!up) {
		BYTES(emitter, 0x65, 0x48, 0x89, 0x24, 0x25); /* mov %rsp, %gs:away */
		emit_slot(emitter, words->first + PATH_AWAY);
		return;
	}
	save_rax(emitter);
	BYTES(emitter, 0x48, 0x8d, 0x84, 0x24); /* lea up(%rsp), %rax */
	emit_word32(emitter, (uint32_t)(up + RED_ZONE + 8));
	BYTES(emitter, 0x65, 0x48, 0x89, 0x04, 0x25); /* mov %rax, %gs:away */
	emit_slot(emitter, words->first + PATH_AWAY);
	restore_rax(emitter);
}

uint32_t path_probe_back(struct emitter *emitter, const struct path_words *words)
{
	uint32_t branch;

	BYTES(emitter, 0x65, 0x48, 0x39, 0x24, 0x25); /* cmp %rsp, %gs:away */
	emit_slot(emitter, words->first + PATH_AWAY);
	branch = branch_to_tail(emitter);
	BYTES(emitter, 0x65, 0x48, 0xc7, 0x04, 0x25); /* movq $0, %gs:away */
	emit_slot(emitter, words->first + PATH_AWAY);
	emit_word32(emitter, 0);
	return branch;
}

void path_probe_tail(struct emitter *emitter, const struct path_words *words,
		     uint32_t start, uint32_t site, bool keep)
{
	if (keep)
		save_flags(emitter);
	else
		save_rax(emitter);
	BYTES(emitter, 0x51, 0xb8); /* push %rcx; mov $word, %eax */
	emit_slot(emitter, words->first);
	if (site) {
		emit_byte(emitter, 0xb9); /* mov $site, %ecx */
		emit_slot(emitter, words->first + site);
	}
	BYTES(emitter, 0x65, 0xff, 0x14, 0x25); /* call *%gs:routine */
	emit_word32(emitter, site ? words->bank->find : words->bank->put_by);
	emit_byte(emitter, 0x59); /* pop %rcx */
	if (keep)
		restore_flags(emitter);
	else
		restore_rax(emitter);
	emit_byte(emitter, 0xe9); /* jmp start */
	emit_word32(emitter, start - (uint32_t)(emitter->count + 4));
}
