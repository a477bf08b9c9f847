#include "session/cache/cache_file.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "base/table.h"
#include "base/text.h"
#include "session/cache/cache_seal.h"
#include "session/cache/module_text.h"
#include "session/cache/text_runs.h"
#include "wire/layout.h"
#include "wire/ways.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#define HUGE  (2ull << 20)        /* bytes of a large page */
#define MAGIC 0x6e616c706c6d7274u /* "trmlplan" */

enum part {
	FUNCTIONS,
	PATCHES,
	FIXUPS,
	BLOCKS,
	TERMS,
	EDGES,
	CROSSINGS,
	STUBS,
	ARCS,
	LINKS,
	LEFT,
	NAMES,
	CODE, /* see cache_file.h: the order of the rest matters */
	WAYS,
	STEPS,
	TEXTS,
	PARTS
};

struct header {
	Elf64_Ehdr elf;
	Elf64_Phdr load;
	uint64_t magic;
	uint32_t wire_version, header_size;
	struct file_identity identity;
	char build_id[65];
	uint8_t has_interpreter, dynamic, uses_gs;
	uint8_t leak_checked, walks_stacks, audited, tells_loaded;
	uint32_t slot_count, slot_size, cold_slot, part_count, counters_at;
	uint32_t instrumented;
	uint32_t gates_size, cells_slot, arc_code, arc_slot, link_code;
	uint32_t inline_slot, inline_count;
	bool counts_entries, graph, sites, spans;
	struct module_own_words own_words;
	uint64_t code_address;
	uint64_t text_count;
	struct module_text texts[MODULE_TEXTS];
	uint64_t part_size[PARTS]; /* bytes, without padding to the page */
	uint64_t checksum[PARTS];  /* of each part, without padding */
	uint64_t own_checksum;     /* of the header up to here */
};

/* Where a part begins that comes behind `offset`. What is executed, and large, has the
 * same place in a large page in the file as in memory. Where the file system keeps files
 * in large pages (ext4 from Linux 6.16 on, XFS, Btrfs), they are mapped as such then: one
 * fault and one entry of the TLB for 512 pages. */
static uint64_t part_start(const struct header *header, int part, uint64_t offset)
{
	uint64_t address = 0;

	if (header->part_size[part] < HUGE)
		return offset;
	if (part == CODE)
		address = header->code_address;
	else if (part == TEXTS)
		address = header->texts[0].address + header->texts[0].part_offset;
	else
		return offset;
	return offset + (address - offset) % HUGE;
}

static uint64_t part_offset(const struct header *header, int part)
{
	uint64_t offset = PAGE;

	for (int i = 0; i < part; i++) {
		offset = part_start(header, i, offset);
		offset += page_round_up(header->part_size[i]);
	}
	return part < PARTS ? part_start(header, part, offset) : offset;
}

static uint64_t own_checksum(const struct header *header)
{
	return hash_bytes(header, offsetof(struct header, own_checksum));
}

static bool is_sound(const struct header *header, size_t size,
		     const struct module_file *file)
{
	if (header->magic != MAGIC || header->wire_version != WIRE_VERSION ||
	    header->header_size != sizeof(*header) ||
	    header->own_checksum != own_checksum(header) ||
	    memcmp(&header->identity, &file->identity, sizeof(file->identity)) != 0 ||
	    header->text_count > MODULE_TEXTS)
		return false;
	for (int i = 0; i < PARTS; i++) {
		if (header->part_size[i] > size)
			return false;
	}
	return part_offset(header, PARTS) == size;
}

static bool are_parts_sound(const struct header *header)
{
	for (int i = 0; i < PARTS; i++)
		if (header->checksum[i] !=
		    hash_bytes((const char *)header + part_offset(header, i),
			       header->part_size[i]))
			return false;
	return true;
}

#define SET_ARRAY(vector, bytes, size)                                                   \
	do {                                                                             \
		(vector).items = (void *)(bytes);                                        \
		(vector).count = (size) / sizeof(*(vector).items);                       \
	} while (0)

static struct plan *plan_of(const struct header *header, char *bytes)
{
	struct plan *plan = memory_allocate_zeroed(1, sizeof(*plan));
	const uint64_t *size = header->part_size;

	plan->code_address = header->code_address;
	plan->slot_count = header->slot_count;
	plan->slot_size = header->slot_size;
	plan->cold_slot = header->cold_slot;
	plan->part_count = header->part_count;
	plan->counters_at = header->counters_at;
	plan->uses_gs = header->uses_gs;
	plan->gates_size = header->gates_size;
	plan->cells_slot = header->cells_slot;
	plan->counts_entries = header->counts_entries;
	plan->graph = header->graph;
	plan->sites = header->sites;
	plan->spans = header->spans;
	plan->arc_code = header->arc_code;
	plan->arc_slot = header->arc_slot;
	plan->link_code = header->link_code;
	plan->inline_slot = header->inline_slot;
	plan->inline_count = header->inline_count;
	SET_ARRAY(plan->functions, bytes + part_offset(header, FUNCTIONS),
		  size[FUNCTIONS]);
	SET_ARRAY(plan->patches, bytes + part_offset(header, PATCHES), size[PATCHES]);
	SET_ARRAY(plan->fixups, bytes + part_offset(header, FIXUPS), size[FIXUPS]);
	SET_ARRAY(plan->blocks, bytes + part_offset(header, BLOCKS), size[BLOCKS]);
	SET_ARRAY(plan->terms, bytes + part_offset(header, TERMS), size[TERMS]);
	SET_ARRAY(plan->edges, bytes + part_offset(header, EDGES), size[EDGES]);
	SET_ARRAY(plan->crossings, bytes + part_offset(header, CROSSINGS),
		  size[CROSSINGS]);
	SET_ARRAY(plan->map_rows, bytes + part_offset(header, STEPS), size[STEPS]);
	SET_ARRAY(plan->stubs, bytes + part_offset(header, STUBS), size[STUBS]);
	SET_ARRAY(plan->arcs, bytes + part_offset(header, ARCS), size[ARCS]);
	SET_ARRAY(plan->links, bytes + part_offset(header, LINKS), size[LINKS]);
	SET_ARRAY(plan->left, bytes + part_offset(header, LEFT), size[LEFT]);
	SET_ARRAY(plan->code, bytes + part_offset(header, CODE), size[CODE]);
	SET_ARRAY(plan->names, bytes + part_offset(header, NAMES), size[NAMES]);
	return plan;
}

static void adopt_plan(struct module_file *file, const struct header *header, char *bytes,
		       const char *path)
{
	uint64_t offset = part_offset(header, TEXTS);

	memcpy(file->build_id, header->build_id, sizeof(file->build_id));
	file->has_interpreter = header->has_interpreter;
	file->dynamic = header->dynamic;
	file->leak_checked = header->leak_checked;
	file->audited = header->audited;
	file->tells_loaded = header->tells_loaded;
	file->walks_stacks = header->walks_stacks;
	file->instrumented = header->instrumented;
	file->own_words = header->own_words;
	file->text_count = (uint32_t)header->text_count;
	memcpy(file->texts, header->texts, sizeof(file->texts));
	for (uint32_t i = 0; i < file->text_count; i++) {
		file->cached_offset[i] = offset;
		file->patched[i] = (uint8_t *)bytes + offset;
		offset += file->texts[i].part_size;
	}
	file->plan = plan_of(header, bytes);
	SET_ARRAY(file->address_maps, bytes + part_offset(header, WAYS),
		  header->part_size[WAYS]);
	file->code_offset = part_offset(header, CODE);
	file->cached_path = memory_copy_string(path);
}

/* By its checksums, unless they were right before and nothing changed since. */
static bool is_whole(const char *path, const struct stat *status,
		     const struct header *header)
{
	if (seal_is_good(path, status))
		return true;
	if (!are_parts_sound(header))
		return false;
	seal_write(path, status);
	return true;
}

static bool load_file(const char *path, bool saved, struct module_file *file)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !seal_is_trusted(&status) ||
	    status.st_size < (off_t)PAGE)
		return false;
	size_t size = (size_t)status.st_size;
	char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return false;
	const struct header *header = (const struct header *)(const void *)bytes;

	if (!is_sound(header, size, file) ||
	    (!saved && !is_whole(path, &status, header))) {
		munmap(bytes, size);
		return false;
	}
	adopt_plan(file, header, bytes, path);
	file->cached_bytes = bytes;
	file->cached_size = size;
	return true;
}

bool cache_file_load(const char *path, struct module_file *file)
{
	return load_file(path, false, file);
}

bool cache_file_load_saved(const char *path, struct module_file *file)
{
	return load_file(path, true, file);
}

/* Programs that look at their own mappings, to name addresses, open the file of each one
 * that is executable, and complain if it is no ELF file. */
static Elf64_Ehdr elf_header(void)
{
	return (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct header, load),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
}

static struct header make_header(const struct module_file *file)
{
	const struct plan *plan = file->plan;
	struct header header;

	memset(&header, 0, sizeof(header)); /* padding too: it is part of the checksum */
	header.magic = MAGIC;
	header.wire_version = WIRE_VERSION;
	header.header_size = sizeof(header);
	header.identity = file->identity;
	memcpy(header.build_id, file->build_id, sizeof(header.build_id));
	header.has_interpreter = file->has_interpreter;
	header.dynamic = file->dynamic;
	header.leak_checked = file->leak_checked;
	header.audited = file->audited;
	header.tells_loaded = file->tells_loaded;
	header.walks_stacks = file->walks_stacks;
	header.instrumented = file->instrumented;
	header.own_words = file->own_words;
	header.uses_gs = plan->uses_gs;
	header.slot_count = plan->slot_count;
	header.slot_size = plan->slot_size;
	header.cold_slot = plan->cold_slot;
	header.part_count = plan->part_count;
	header.gates_size = plan->gates_size;
	header.cells_slot = plan->cells_slot;
	header.counts_entries = plan->counts_entries;
	header.graph = plan->graph;
	header.sites = plan->sites;
	header.spans = plan->spans;
	header.arc_code = plan->arc_code;
	header.arc_slot = plan->arc_slot;
	header.link_code = plan->link_code;
	header.inline_slot = plan->inline_slot;
	header.inline_count = plan->inline_count;
	header.counters_at = plan->counters_at;
	header.code_address = plan->code_address;
	header.text_count = file->text_count;
	memcpy(header.texts, file->texts, sizeof(header.texts));
	header.part_size[FUNCTIONS] =
		plan->functions.count * sizeof(*plan->functions.items);
	header.part_size[PATCHES] = plan->patches.count * sizeof(*plan->patches.items);
	header.part_size[FIXUPS] = plan->fixups.count * sizeof(*plan->fixups.items);
	header.part_size[BLOCKS] = plan->blocks.count * sizeof(*plan->blocks.items);
	header.part_size[TERMS] = plan->terms.count * sizeof(*plan->terms.items);
	header.part_size[EDGES] = plan->edges.count * sizeof(*plan->edges.items);
	header.part_size[CROSSINGS] =
		plan->crossings.count * sizeof(*plan->crossings.items);
	header.part_size[STEPS] = plan->map_rows.count * sizeof(*plan->map_rows.items);
	header.part_size[STUBS] = plan->stubs.count * sizeof(*plan->stubs.items);
	header.part_size[ARCS] = plan->arcs.count * sizeof(*plan->arcs.items);
	header.part_size[LINKS] = plan->links.count * sizeof(*plan->links.items);
	header.part_size[LEFT] = plan->left.count * sizeof(*plan->left.items);
	header.part_size[CODE] = plan->code.count;
	header.part_size[WAYS] =
		file->address_maps.count * sizeof(*file->address_maps.items);
	header.part_size[NAMES] = plan->names.count;
	for (uint32_t i = 0; i < file->text_count; i++)
		header.part_size[TEXTS] += file->texts[i].part_size;
	header.elf = elf_header();
	header.load = (Elf64_Phdr){.p_type = PT_LOAD,
				   .p_flags = PF_R | PF_X,
				   .p_offset = part_offset(&header, CODE),
				   .p_vaddr = part_offset(&header, CODE),
				   .p_filesz = header.part_size[CODE],
				   .p_memsz = header.part_size[CODE],
				   .p_align = PAGE};
	return header;
}

/* One piece of a part in memory. */
struct piece {
	const void *bytes;
	uint64_t size;
};

bool cache_file_write(int fd, const void *bytes, uint64_t size, uint64_t offset)
{
	for (uint64_t done = 0; done < size;) {
		uint64_t left = size - done, piece = HUGE - (offset + done) % HUGE;
		ssize_t n = pwrite(fd, (const char *)bytes + done,
				   left < piece ? left : piece, (off_t)(offset + done));

		if (n <= 0)
			return false;
		done += (uint64_t)n;
	}
	return true;
}

static bool write_piece(int fd, const struct piece *piece, uint64_t offset)
{
	return cache_file_write(fd, piece->bytes, piece->size, offset);
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The texts, composed a large page at a time: all at once they would take memory, and the
 * time to get it. */
static bool write_texts(int fd, struct header *header, const struct module_file *file)
{
	uint64_t at = part_offset(header, TEXTS);
	scoped_free uint8_t *block = memory_allocate(HUGE);
	XXH3_state_t *state = XXH3_createState();
	bool good = state != NULL && XXH3_64bits_reset(state) == XXH_OK;

	for (uint32_t i = 0; i < file->text_count; i++) {
		const struct module_text *text = &file->texts[i];
		const uint8_t *original =
			file->bytes + text->file_offset + text->part_offset;
		const uint64_t available = module_text_part_available(file, text);
		struct text_runs runs = {0};

		for (uint64_t done = 0; good && done < text->part_size;) {
			uint64_t left = text->part_size - done, size = HUGE - at % HUGE;
			struct piece piece = {block, left < size ? left : size};

			module_text_compose(file, text, text->part_offset + done,
					    piece.size, block);
			if (done < available)
				text_runs_note(&runs, block, original + done, done,
					       smaller_of(piece.size, available - done));
			good = XXH3_64bits_update(state, block, piece.size) == XXH_OK &&
			       write_piece(fd, &piece, at);
			at += piece.size;
			done += piece.size;
		}
		text_runs_take(&runs, &header->texts[i]);
	}
	if (good)
		header->checksum[TEXTS] = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return good;
}

static bool write_parts(int fd, struct header *header, const struct module_file *file)
{
	const struct plan *plan = file->plan;
	const void *arrays[] = {
		plan->functions.items, plan->patches.items,      plan->fixups.items,
		plan->blocks.items,    plan->terms.items,        plan->edges.items,
		plan->crossings.items, plan->stubs.items,        plan->arcs.items,
		plan->links.items,     plan->left.items,         plan->names.items,
		plan->code.items,      file->address_maps.items, plan->map_rows.items};

	for (int i = FUNCTIONS; i < TEXTS; i++) {
		const struct piece piece = {arrays[i], header->part_size[i]};

		header->checksum[i] = hash_bytes(piece.bytes, piece.size);
		if (!write_piece(fd, &piece, part_offset(header, i)))
			return false;
	}
	if (!write_texts(fd, header, file))
		return false;
	header->own_checksum = own_checksum(header);
	return write_piece(fd, &(const struct piece){header, sizeof(*header)}, 0);
}

bool cache_file_save(const char *path, const struct module_file *file)
{
	struct header header = make_header(file);
	struct text temporary = {0};
	bool good = false;

	text_format(&temporary, "%s.%d", path, getpid());
	scoped_fd int fd =
		open(temporary.data,
		     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0) {
		good = !ftruncate(fd, (off_t)part_offset(&header, PARTS)) &&
		       write_parts(fd, &header, file) && !rename(temporary.data, path);
		if (!good)
			unlink(temporary.data);
	}
	text_deinit(&temporary);
	return good;
}
