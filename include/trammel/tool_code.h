/*
 * Code of modules, as tools see it: part of <trammel/tool.h>. All is read only, belongs
 * to trammel, and stays as long as the tool. Addresses are link-time addresses: those
 * that nm and objdump show.
 */
#ifndef TRAMMEL_TOOL_CODE_H
#define TRAMMEL_TOOL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Registers, of whatever width: al, ax and eax are rax, zmm3 and ymm3 are xmm3. In sets
 * of registers a bit each. */
enum trammel_register {
	TRAMMEL_RAX,
	TRAMMEL_RCX,
	TRAMMEL_RDX,
	TRAMMEL_RBX,
	TRAMMEL_RSP,
	TRAMMEL_RBP,
	TRAMMEL_RSI,
	TRAMMEL_RDI,
	TRAMMEL_R8, /* and so on to r15 */
	TRAMMEL_R15 = 15,
	TRAMMEL_RIP,
	TRAMMEL_FLAGS,
	TRAMMEL_FS, /* selector and base */
	TRAMMEL_GS,
	TRAMMEL_X87, /* all of it, and MMX */
	TRAMMEL_MXCSR,
	TRAMMEL_OTHER_REGISTER, /* segment, control and debug registers */
	TRAMMEL_K0 = 24,        /* to k7 */
	TRAMMEL_XMM0 = 32,      /* to xmm31 */
	TRAMMEL_NO_REGISTER = 0xff
};

enum trammel_operand_kind {
	TRAMMEL_OPERAND_REGISTER,
	TRAMMEL_OPERAND_MEMORY,   /* read or written */
	TRAMMEL_OPERAND_ADDRESS,  /* of lea, nop and prefetches: memory is not accessed */
	TRAMMEL_OPERAND_IMMEDIATE /* `value`; of a direct branch its target */
};

struct trammel_operand {
	uint8_t kind; /* enum trammel_operand_kind */
	bool reads, writes;
	bool implicit; /* assembly does not show it; these come last */
	uint16_t bits; /* width */
	uint8_t reg;   /* of a register: its number */
	/* Of memory: segment:base + index * scale + value. With base rip `value` is the
	 * whole address. TRAMMEL_NO_REGISTER: none. */
	uint8_t base, index, scale, segment;
	bool gathered;  /* index is a vector of them: there are many addresses */
	uint8_t memory; /* of memory: 0, 1, ... as trammel_address() and such take it */
	int64_t value;
};

enum trammel_instruction_kind {
	TRAMMEL_PLAIN,
	TRAMMEL_JUMP,          /* direct */
	TRAMMEL_BRANCH,        /* conditional: jcc, loop, jrcxz */
	TRAMMEL_SWITCH,        /* indirect, through a table that is known: `targets` */
	TRAMMEL_JUMP_INDIRECT, /* any other */
	TRAMMEL_RETURN,
	TRAMMEL_CALL,
	TRAMMEL_CALL_INDIRECT,
	TRAMMEL_SYSTEM, /* system call, trap */
	TRAMMEL_STOP    /* ud2, hlt */
};

/* What an instruction does; api->class_name tells it in words. */
enum trammel_class {
	TRAMMEL_CLASS_OTHER,
	TRAMMEL_CLASS_MOVE,
	TRAMMEL_CLASS_STACK,
	TRAMMEL_CLASS_LEA,
	TRAMMEL_CLASS_INTEGER,
	TRAMMEL_CLASS_MULTIPLY, /* and divide */
	TRAMMEL_CLASS_LOGIC,
	TRAMMEL_CLASS_ATOMIC,
	TRAMMEL_CLASS_BRANCH,
	TRAMMEL_CLASS_JUMP,
	TRAMMEL_CLASS_JUMP_INDIRECT,
	TRAMMEL_CLASS_CALL,
	TRAMMEL_CLASS_CALL_INDIRECT,
	TRAMMEL_CLASS_RETURN,
	TRAMMEL_CLASS_STRING,
	TRAMMEL_CLASS_VECTOR_MOVE,
	TRAMMEL_CLASS_FP_SCALAR,
	TRAMMEL_CLASS_FP_128, /* packed floating point */
	TRAMMEL_CLASS_FP_256,
	TRAMMEL_CLASS_FP_512,
	TRAMMEL_CLASS_VECTOR_64, /* packed integers */
	TRAMMEL_CLASS_VECTOR_128,
	TRAMMEL_CLASS_VECTOR_256,
	TRAMMEL_CLASS_VECTOR_512,
	TRAMMEL_CLASS_X87,
	TRAMMEL_CLASS_CRYPTO,
	TRAMMEL_CLASS_NOP,
	TRAMMEL_CLASS_SYSTEM,
	TRAMMEL_CLASSES
};

struct trammel_module;
struct trammel_function;
struct trammel_block;

struct trammel_instruction {
	const struct trammel_block *block;
	uint64_t address;
	const uint8_t *bytes;
	const char *mnemonic; /* "mov" */
	uint8_t length;       /* bytes */
	uint8_t kind;         /* enum trammel_instruction_kind */
	uint8_t op_class;     /* enum trammel_class */
	uint8_t condition;    /* of a jcc: the low 4 bits of its opcode (4: e, 5: ne) */
	uint8_t opcode_map;   /* 0: one byte, 1: 0f, 2: 0f38, 3: 0f3a */
	uint8_t opcode;
	bool repeated; /* rep, repe, repne: its number of accesses is not fixed */
	bool locked;
	bool pair; /* a branch over the lock prefix behind it, and what that is before:
		      the two are one row, told as the second one */
	uint64_t reads, writes; /* sets of registers, addresses' and parts included */
	uint32_t flags_read, flags_written; /* bits as in EFLAGS */
	const struct trammel_operand *operands;
	uint8_t operand_count, memory_count;
	uint64_t target; /* of a direct branch or call; else 0 */
	/* Of a switch: where it may go, each once, in the order of its table. */
	const uint64_t *targets;
	uint32_t target_count;
};

enum trammel_edge_kind {
	TRAMMEL_EDGE_FALL,   /* to the code behind the block */
	TRAMMEL_EDGE_TAKEN,  /* by a branch or jump */
	TRAMMEL_EDGE_SWITCH, /* by a jump through a table */
	TRAMMEL_EDGE_LEAVE   /* by a return, an indirect jump, a stop */
};

struct trammel_edge {
	uint32_t number; /* in the function */
	uint8_t kind;    /* enum trammel_edge_kind */
	const struct trammel_block *from;
	const struct trammel_block *to; /* NULL: out of the function */
};

/* A basic block: it ends in a branch, or in front of where one leads. Calls do not end
 * it. */
struct trammel_block {
	const struct trammel_function *function;
	uint32_t number; /* in the function, by address */
	uint32_t size;   /* bytes */
	uint64_t address;
	const struct trammel_instruction *instructions;
	uint32_t instruction_count;
	const struct trammel_edge *edges; /* that leave it */
	uint32_t edge_count;
	bool exposed; /* may be entered other than by the function's own branches */
};

/* The code of a function. */
struct trammel_code {
	const struct trammel_block *blocks; /* by address */
	uint32_t block_count;
	const struct trammel_edge *edges; /* by the blocks that they leave */
	uint32_t edge_count;
	const struct trammel_instruction *instructions; /* by address */
	uint32_t instruction_count;
};

/* A function, or the cold part of one, which the compiler put elsewhere. */
struct trammel_function {
	const struct trammel_module *module;
	uint32_t number; /* in the module, by address */
	bool exported;
	const struct trammel_function *part_of; /* of a cold part: its function */
	const char *name;                       /* as linked, or "sub_1234" */
	uint64_t address, size;
};

struct trammel_module {
	const char *path;     /* of its file */
	const char *name;     /* the last part of that */
	const char *build_id; /* hex digits; "": it has none */
	uint64_t start, end;  /* addresses */
	uint32_t function_count;
	bool is_program; /* it can be executed, and is no library */
};

/* Kinds of labelled points, as HALT has them: docs/halt.md. */
enum trammel_kind {
	TRAMMEL_KIND_STARTUP,
	TRAMMEL_KIND_CBR, /* conditional branch */
	TRAMMEL_KIND_MBR, /* jump through a table */
	TRAMMEL_KIND_ENTRY,
	TRAMMEL_KIND_EXIT,
	TRAMMEL_KIND_SETJMP,
	TRAMMEL_KIND_LONGJMP,
	TRAMMEL_KIND_LOAD,
	TRAMMEL_KIND_STORE,
	TRAMMEL_KIND_BLOCK,
	TRAMMEL_KIND_CYCLE,
	TRAMMEL_KINDS /* kinds of one's own are numbered from here on */
};

/* A place in the source. */
struct trammel_place {
	const char *file;
	uint32_t line;
};

#ifdef __cplusplus
}
#endif

#endif
