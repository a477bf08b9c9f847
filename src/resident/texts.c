#include "resident/texts.h"

#include "resident/inside.h"
#include "resident/syscalls.h"

/* The kernel's (asm/stat.h). */
struct file_status {
	uint64_t device, inode, links, rights[3], size, blocks[2];
	uint64_t accessed[2], modified[2], changed[2], unused[5];
};

static int seal_holds(const struct wire_seal *seal)
{
	const uint8_t *there = (const uint8_t *)(uintptr_t)seal->address;

	if (!there || !is_readable(seal->address))
		return 0;
	for (size_t i = 0; i < sizeof(seal->bytes); i++)
		if (there[i] != seal->bytes[i])
			return 0;
	return 1;
}

int is_patched(const struct wire_undo *undo)
{
	return seal_holds(&undo->seals[0]) || seal_holds(&undo->seals[1]);
}

static int is_file(const struct wire_undo *undo, const struct file_status *status)
{
	return status->device == undo->device && status->inode == undo->inode &&
	       status->size == undo->size &&
	       status->modified[0] * 1000000000 + status->modified[1] ==
		       undo->modified_ns;
}

static void map_original(const struct wire_text *text, const struct wire_undo *undo)
{
	struct file_status status;
	uint64_t name[6] = {(uint64_t)(uintptr_t)undo->path, O_CLOEXEC, 0, 0, 0, 0};
	int64_t fd = system_call(SYS_open, name);

	if (fd < 0)
		return;
	uint64_t look[6] = {(uint64_t)fd, (uint64_t)(uintptr_t)&status, 0, 0, 0, 0};
	uint64_t map[6] = {text->start,           text->end - text->start,
			   PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			   (uint64_t)fd,          undo->file_offset};

	if (!system_call(SYS_fstat, look) && is_file(undo, &status))
		system_call(SYS_mmap, map);
	system_call(SYS_close, look);
}

/* Moves the mapping away with its pages, which have the patches; an unpatched mapping of
 * the file stays. */
static void move_pages(const struct wire_text *text)
{
	const uint64_t size = text->end - text->start;
	uint64_t move[6] = {text->start, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
			    0,           0};
	int64_t moved = system_call(SYS_mremap, move);
	uint64_t drop[6] = {(uint64_t)moved, size, 0, 0, 0, 0};

	if (moved > 0)
		system_call(SYS_munmap, drop);
}

void restore_texts(const struct wire_control *control)
{
	static const uint64_t advice[] = {MADV_DONTNEED, MADV_DONTNEED_LOCKED};

	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_undo *undo = &control->undos[i];

		if (!text->end)
			continue;
		if (is_patched(undo))
			move_pages(text);
		if (is_patched(undo))
			map_original(text, undo);
		for (size_t k = 0; k < 2 && is_patched(undo); k++) {
			uint64_t drop[6] = {
				text->start, text->end - text->start, advice[k], 0, 0, 0};

			system_call(SYS_madvise, drop);
		}
	}
}
