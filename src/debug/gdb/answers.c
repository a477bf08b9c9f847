#include "debug/gdb/answers.h"

#include "base/array.h"
#include "debug/gdb/files.h"
#include "debug/gdb/going.h"
#include "debug/gdb/packet.h"
#include "debug/gdb/queries.h"
#include "debug/gdb/registers.h"
#include "session/debug/access.h"
#include "session/debug/halt.h"
#include "session/debug/places.h"
#include "session/debug/watch.h"
#include "session/state/tables.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The thread that a packet names: 0 and -1 are any. */
static pid_t read_thread(struct gdb *gdb, const char *text)
{
	const pid_t tid = gdb_read_thread(&text);

	return tid > 0 ? tid : gdb->stop.tid;
}

static void answer_stop(struct gdb *gdb, char *packet, size_t size)
{
	(void)packet;
	(void)size;
	gdb->runs = true;
	if (gdb->ended || debug_is_halted(gdb->session))
		gdb_tell_stop(gdb);
}

static void answer_thread(struct gdb *gdb, char *packet, size_t size)
{
	(void)size;
	if (packet[1] == 'g')
		gdb->general = read_thread(gdb, packet + 2);
	gdb_send(gdb, "OK");
}

static void answer_alive(struct gdb *gdb, char *packet, size_t size)
{
	const char *rest = packet + 1;

	(void)size;
	gdb_send(gdb, session_find_thread(gdb->session, gdb_read_thread(&rest)) ? "OK"
										: "E01");
}

static void answer_read(struct gdb *gdb, char *packet, size_t size)
{
	const char *rest = packet + 1;
	const uint64_t address = gdb_read_number(&rest);
	struct text text = {0};
	struct trm_error *error = NULL;
	uint64_t length;

	(void)size;
	rest += *rest == ',';
	length = gdb_read_number(&rest);
	length = length > GDB_PACKET / 2 ? GDB_PACKET / 2 : length;
	uint8_t *bytes = memory_allocate(length + 1);

	/* What is readable in front of what is not is an answer, too. */
	while (length &&
	       (error = debug_read(gdb->session, gdb->pid, address, bytes, length))) {
		const uint64_t less = -(address + length) & 4095 ?: 4096;
		const uint64_t cut = 4096 - less ?: 4096;

		length = length > cut ? length - cut : 0;
		if (length)
			trm_error_destroy(error);
	}
	if (!error) {
		gdb_add_hex(&text, bytes, length);
		gdb_send(gdb, text.data ? text.data : "");
	} else {
		gdb_send_result(gdb, error);
	}
	text_deinit(&text);
	free(bytes);
}

static void answer_write(struct gdb *gdb, char *packet, size_t size)
{
	const char *rest = packet + 1;
	const uint64_t address = gdb_read_number(&rest);
	uint8_t bytes[GDB_PACKET / 2];
	uint64_t length;

	rest += *rest == ',';
	length = gdb_read_number(&rest);
	if (*rest++ != ':' || length > sizeof(bytes)) {
		gdb_send(gdb, "E01");
		return;
	}
	if (*packet == 'X') {
		const size_t there = size - (size_t)(rest - packet);

		length = length < there ? length : there;
		memcpy(bytes, rest, length);
	} else {
		length = gdb_read_hex(rest, bytes, length);
	}
	gdb_send_result(
		gdb, length ? debug_write(gdb->session, gdb->pid, address, bytes, length)
			    : NULL);
}

/* As many as are aligned at the address. */
static unsigned int part_of(uint64_t address, uint64_t size)
{
	unsigned int part = 8;

	while (part > 1 && (address % part || part > size))
		part /= 2;
	return part;
}

static void unset_watches(struct gdb *gdb, const struct gdb_breakpoint *like)
{
	for (size_t i = gdb->breakpoints.count; i-- > 0;) {
		const struct gdb_breakpoint *row = &gdb->breakpoints.items[i];

		if (row->kind != like->kind || row->address - like->address >= like->size)
			continue;
		debug_watch_unset(gdb->session, row->number);
		vector_remove_swap(&gdb->breakpoints, i);
	}
}

/* "Z2,ADDRESS,SIZE": 2 for writes, 4 for accesses. GDB makes 4 of what it cannot have as
 * 3, reads alone. */
static void answer_watch(struct gdb *gdb, const char *packet)
{
	const char *rest = packet + 2;
	struct gdb_breakpoint row = {.kind = packet[1]};
	struct debug_watch watch = {.pid = gdb->pid, .reads = packet[1] == '4'};
	struct trm_error *error = NULL;

	if (packet[1] == '3') {
		gdb_send(gdb, "");
		return;
	}
	rest += *rest == ',';
	row.address = watch.address = gdb_read_number(&rest);
	rest += *rest == ',';
	row.size = (unsigned int)gdb_read_number(&rest);
	unset_watches(gdb, &row);
	const struct gdb_breakpoint all = row;

	for (uint64_t end = row.address + row.size;
	     *packet == 'Z' && !error && watch.address < end;
	     watch.address += watch.size) {
		watch.size = part_of(watch.address, end - watch.address);
		row.address = watch.address;
		error = debug_watch_set(gdb->session, &watch, &row.number);
		if (!error)
			vector_push(&gdb->breakpoints, row);
	}
	if (error)
		unset_watches(gdb, &all);
	gdb_send_result(gdb, error);
}

/* All of one address have one number: GDB sets what it has set already. */
static void answer_break(struct gdb *gdb, char *packet, size_t size)
{
	const char *rest = packet + 2;
	struct gdb_breakpoint row = {0};
	struct debug_place places[1];
	size_t found = 0;

	(void)size;
	if (packet[1] > '1') {
		answer_watch(gdb, packet);
		return;
	}
	rest += *rest == ',';
	row.address = gdb_read_number(&rest);
	while (found < gdb->breakpoints.count &&
	       (gdb->breakpoints.items[found].address != row.address ||
		gdb->breakpoints.items[found].kind))
		found++;
	const bool there = found < gdb->breakpoints.count;

	if (*packet == 'z' && there) {
		debug_unbreak(gdb->session, gdb->breakpoints.items[found].number);
		vector_remove_swap(&gdb->breakpoints, found);
	} else if (*packet == 'Z' && !there) {
		if (!debug_places(gdb->session, gdb->pid, row.address, places, 1)) {
			gdb_send(gdb, "E01");
			return;
		}
		const struct debug_breakpoint breakpoint = {.pid = gdb->pid,
							    .address = row.address};

		debug_break(gdb->session, &breakpoint, &row.number);
		vector_push(&gdb->breakpoints, row);
	}
	gdb_send(gdb, "OK");
}

static void answer_registers(struct gdb *gdb, char *packet, size_t size)
{
	(void)size;
	gdb_answer_registers(gdb, packet);
}

static void answer_going(struct gdb *gdb, char *packet, size_t size)
{
	(void)size;
	gdb_answer_going(gdb, packet);
}

static void answer_query(struct gdb *gdb, char *packet, size_t size)
{
	(void)size;
	gdb_answer_query(gdb, packet);
}

void gdb_clear_breakpoints(struct gdb *gdb)
{
	vector_for_each (&gdb->breakpoints, row)
		if (row->kind)
			debug_watch_unset(gdb->session, row->number);
		else
			debug_unbreak(gdb->session, row->number);
	gdb->breakpoints.count = 0;
}

static void leave_program(struct gdb *gdb)
{
	gdb_clear_breakpoints(gdb);
	gdb->runs = false;
	debug_go(gdb->session);
}

static void answer_detach(struct gdb *gdb, char *packet, size_t size)
{
	(void)packet;
	(void)size;
	gdb_send(gdb, "OK");
	leave_program(gdb);
}

static void answer_kill(struct gdb *gdb, char *packet, size_t size)
{
	(void)size;
	if (gdb->pid > 0)
		kill(gdb->pid, SIGKILL);
	if (*packet == 'v')
		gdb_send(gdb, "OK");
	leave_program(gdb);
}

static const struct {
	const char *begin;
	void (*answer)(struct gdb *gdb, char *packet, size_t size);
} answers[] = {
	{"?", answer_stop},      {"H", answer_thread},        {"T", answer_alive},
	{"m", answer_read},      {"M", answer_write},         {"X", answer_write},
	{"Z", answer_break},     {"z", answer_break},         {"g", answer_registers},
	{"G", answer_registers}, {"p", answer_registers},     {"P", answer_registers},
	{"vCont", answer_going}, {"c", answer_going},         {"s", answer_going},
	{"C", answer_going},     {"S", answer_going},         {"q", answer_query},
	{"Q", answer_query},     {"D", answer_detach},        {"k", answer_kill},
	{"vKill", answer_kill},  {"vFile:", gdb_answer_file},
};

void gdb_answer(struct gdb *gdb, char *packet, size_t size)
{
	if (!gdb->general)
		gdb->general = gdb->stop.tid;
	for (size_t i = 0; i < array_count(answers); i++) {
		if (strncmp(packet, answers[i].begin, strlen(answers[i].begin)))
			continue;
		answers[i].answer(gdb, packet, size);
		return;
	}
	gdb_send(gdb, "");
}
