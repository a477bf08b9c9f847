#include "debug/gdb/registers.h"

#include "control/remote.h"
#include "debug/gdb/packet.h"
#include "session/debug/access.h"

#include <cpuid.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a register is. */
enum kind { GENERAL, LEGACY, HIGH };

struct row {
	const char *name, *type;
	uint8_t bits;        /* as GDB has it: 128 for xmm */
	uint8_t kind;        /* enum kind */
	uint16_t at;         /* offset in user_regs_struct, or in the state of XSAVE */
	uint8_t bytes;       /* there; the rest is 0 */
	const char *feature; /* of which it is the first; NULL: of the one before */
};

#define GENERAL_ROW(name, bits, type)                                                    \
	{                                                                                \
#name, type, bits, GENERAL, offsetof(struct user_regs_struct, name), 8,  \
			NULL                                                             \
	}
#define FLAGS_ROW(number)                                                                \
	{                                                                                \
		"st" #number, "i387_ext", 80, LEGACY, 32 + 16 * (number), 10, NULL       \
	}
#define CONTROL_ROW(name, at, bytes)                                                     \
	{                                                                                \
		name, "int", 32, LEGACY, at, bytes, NULL                                 \
	}
#define XMM_ROW(number)                                                                  \
	{                                                                                \
		"xmm" #number, "vec128", 128, LEGACY, 160 + 16 * (number), 16, NULL      \
	}
#define YMM_ROW(number)                                                                  \
	{                                                                                \
		"ymm" #number "h", "uint128", 128, HIGH, 16 * (number), 16, NULL         \
	}

/* In the order in which the description has them. Offsets of the legacy state: Intel SDM
 * vol. 1, 10.5.1 (FXSAVE). */
static const struct row rows[] = {
	{"rax", "int64", 64, GENERAL, offsetof(struct user_regs_struct, rax), 8,
	 "org.gnu.gdb.i386.core"},
	GENERAL_ROW(rbx, 64, "int64"),
	GENERAL_ROW(rcx, 64, "int64"),
	GENERAL_ROW(rdx, 64, "int64"),
	GENERAL_ROW(rsi, 64, "int64"),
	GENERAL_ROW(rdi, 64, "int64"),
	GENERAL_ROW(rbp, 64, "data_ptr"),
	GENERAL_ROW(rsp, 64, "data_ptr"),
	GENERAL_ROW(r8, 64, "int64"),
	GENERAL_ROW(r9, 64, "int64"),
	GENERAL_ROW(r10, 64, "int64"),
	GENERAL_ROW(r11, 64, "int64"),
	GENERAL_ROW(r12, 64, "int64"),
	GENERAL_ROW(r13, 64, "int64"),
	GENERAL_ROW(r14, 64, "int64"),
	GENERAL_ROW(r15, 64, "int64"),
	GENERAL_ROW(rip, 64, "code_ptr"),
	GENERAL_ROW(eflags, 32, "int"),
	GENERAL_ROW(cs, 32, "int"),
	GENERAL_ROW(ss, 32, "int"),
	GENERAL_ROW(ds, 32, "int"),
	GENERAL_ROW(es, 32, "int"),
	GENERAL_ROW(fs, 32, "int"),
	GENERAL_ROW(gs, 32, "int"),
	FLAGS_ROW(0),
	FLAGS_ROW(1),
	FLAGS_ROW(2),
	FLAGS_ROW(3),
	FLAGS_ROW(4),
	FLAGS_ROW(5),
	FLAGS_ROW(6),
	FLAGS_ROW(7),
	CONTROL_ROW("fctrl", 0, 2),
	CONTROL_ROW("fstat", 2, 2),
	CONTROL_ROW("ftag", 4, 1),
	CONTROL_ROW("fiseg", 12, 2),
	CONTROL_ROW("fioff", 8, 4),
	CONTROL_ROW("foseg", 20, 2),
	CONTROL_ROW("fooff", 16, 4),
	CONTROL_ROW("fop", 6, 2),
	{"xmm0", "vec128", 128, LEGACY, 160, 16, "org.gnu.gdb.i386.sse"},
	XMM_ROW(1),
	XMM_ROW(2),
	XMM_ROW(3),
	XMM_ROW(4),
	XMM_ROW(5),
	XMM_ROW(6),
	XMM_ROW(7),
	XMM_ROW(8),
	XMM_ROW(9),
	XMM_ROW(10),
	XMM_ROW(11),
	XMM_ROW(12),
	XMM_ROW(13),
	XMM_ROW(14),
	XMM_ROW(15),
	CONTROL_ROW("mxcsr", 24, 4),
	{"orig_rax", "int64", 64, GENERAL, offsetof(struct user_regs_struct, orig_rax), 8,
	 "org.gnu.gdb.i386.linux"},
	{"fs_base", "int64", 64, GENERAL, offsetof(struct user_regs_struct, fs_base), 8,
	 "org.gnu.gdb.i386.segments"},
	GENERAL_ROW(gs_base, 64, "int64"),
	{"ymm0h", "uint128", 128, HIGH, 0, 16, "org.gnu.gdb.i386.avx"},
	YMM_ROW(1),
	YMM_ROW(2),
	YMM_ROW(3),
	YMM_ROW(4),
	YMM_ROW(5),
	YMM_ROW(6),
	YMM_ROW(7),
	YMM_ROW(8),
	YMM_ROW(9),
	YMM_ROW(10),
	YMM_ROW(11),
	YMM_ROW(12),
	YMM_ROW(13),
	YMM_ROW(14),
	YMM_ROW(15),
};
enum { ROWS = sizeof(rows) / sizeof(*rows), HIGH_ROWS = 16, YMM_STATE = 2 };

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx") != 0;
}

static size_t row_count(void)
{
	return has_avx() ? ROWS : ROWS - HIGH_ROWS;
}

/* Offset of the upper halves in the state: Intel SDM vol. 1, 13.4.3. */
static size_t high_offset(void)
{
	unsigned int size = 0, offset = 0, c, d;

	return __get_cpuid_count(0xd, YMM_STATE, &size, &offset, &c, &d) && offset
		       ? offset
		       : 576;
}

/* Types that the features name. */
static const char types[] =
	"<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
	"<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
	"<vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
	"<vector id=\"v8i16\" type=\"int16\" count=\"8\"/>"
	"<vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
	"<vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
	"<union id=\"vec128\"><field name=\"v4_float\" type=\"v4f\"/>"
	"<field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" "
	"type=\"v16i8\"/>"
	"<field name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" "
	"type=\"v4i32\"/>"
	"<field name=\"v2_int64\" type=\"v2i64\"/><field name=\"uint128\" "
	"type=\"uint128\"/></union>";

const char *gdb_target(void)
{
	static struct text text;

	if (text.data)
		return text.data;
	text_add(&text, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM "
			"\"gdb-target.dtd\"><target><architecture>i386:x86-64"
			"</architecture><osabi>GNU/Linux</osabi>");
	for (size_t i = 0; i < row_count(); i++) {
		if (rows[i].feature)
			text_format(&text, "%s<feature name=\"%s\">%s",
				    i ? "</feature>" : "", rows[i].feature,
				    strcmp(rows[i].type, "vec128") ? "" : types);
		text_format(&text, "<reg name=\"%s\" bitsize=\"%d\" type=\"%s\"/>",
			    rows[i].name, rows[i].bits, rows[i].type);
	}
	text_add(&text, "</feature></target>");
	return text.data;
}

struct state {
	struct user_regs_struct general;
	uint8_t vectors[REMOTE_VECTORS_MAX];
	size_t size; /* of the vectors */
};

static struct trm_error *read_state(struct gdb *gdb, struct state *state)
{
	TRM_TRY(debug_get_registers(gdb->session, gdb->general, &state->general));
	return remote_get_vectors(gdb->general, state->vectors, &state->size);
}

/* NULL: the processor does not have it. */
static uint8_t *place_of(struct state *state, const struct row *row)
{
	size_t at = row->at;

	if (row->kind == GENERAL)
		return (uint8_t *)&state->general + row->at;
	if (row->kind == HIGH)
		at += high_offset();
	return at + row->bytes <= state->size ? state->vectors + at : NULL;
}

/* FXSAVE has a bit for each register; GDB wants two, as FSAVE has them: 3 is empty. */
static uint16_t full_tag(uint8_t brief)
{
	uint16_t tag = 0;

	for (int i = 0; i < 8; i++)
		tag |= (uint16_t)((brief >> i & 1 ? 0 : 3) << 2 * i);
	return tag;
}

static void add_register(struct text *text, struct state *state, const struct row *row)
{
	uint8_t bytes[16] = {0};
	const uint8_t *place = place_of(state, row);
	const size_t size = row->bits / 8;

	if (place)
		memcpy(bytes, place, row->bytes < size ? row->bytes : size);
	if (!strcmp(row->name, "ftag")) {
		const uint16_t tag = full_tag(bytes[0]);

		memcpy(bytes, &tag, sizeof(tag));
	}
	gdb_add_hex(text, bytes, size);
}

static void take_register(struct state *state, const struct row *row, const char *digits)
{
	uint8_t bytes[16] = {0};
	uint8_t *place = place_of(state, row);
	const size_t size = row->bits / 8;

	if (!place || !strcmp(row->name, "ftag") ||
	    gdb_read_hex(digits, bytes, size) != size)
		return;
	if (row->kind == GENERAL) {
		memset(place, 0, row->bytes);
		memcpy(place, bytes, size);
		return;
	}
	memcpy(place, bytes, row->bytes < size ? row->bytes : size);
	/* What was in its first form has a value of its own now. */
	if (state->size >= 520)
		state->vectors[512] |= row->kind == HIGH ? 4 : row->at < 160 ? 1 : 2;
}

static struct trm_error *write_state(struct gdb *gdb, const struct state *state,
				     bool vectors)
{
	TRM_TRY(debug_set_registers(gdb->session, gdb->general, &state->general));
	return vectors ? remote_set_vectors(gdb->general, state->vectors, state->size)
		       : NULL;
}

/* Takes all of them, from `digits`. */
static void take_all(struct state *state, const char *digits)
{
	const size_t length = strlen(digits);
	size_t at = 0;

	for (size_t i = 0; i < row_count(); i++) {
		if (at + rows[i].bits / 4 > length)
			return;
		take_register(state, &rows[i], digits + at);
		at += rows[i].bits / 4;
	}
}

void gdb_answer_registers(struct gdb *gdb, const char *packet)
{
	struct state state = {0};
	struct text text = {0};
	const char *rest = packet + 1;
	struct trm_error *error = read_state(gdb, &state);
	uint64_t number = 0;

	if (*packet == 'p' || *packet == 'P') {
		number = gdb_read_number(&rest);
		if (!error && number >= row_count())
			error = trm_error_create(TRM_ERROR_USAGE, "no register");
	}
	if (error) {
		gdb_send_result(gdb, error);
		return;
	}
	if (*packet == 'p')
		add_register(&text, &state, &rows[number]);
	for (size_t i = 0; *packet == 'g' && i < row_count(); i++)
		add_register(&text, &state, &rows[i]);
	if (*packet == 'P' && *rest == '=')
		take_register(&state, &rows[number], rest + 1);
	if (*packet == 'G')
		take_all(&state, rest);
	if (text.data)
		gdb_send(gdb, text.data);
	else
		gdb_send_result(
			gdb, write_state(gdb, &state,
					 *packet == 'G' || rows[number].kind != GENERAL));
	text_deinit(&text);
}
