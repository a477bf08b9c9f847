/*
 * A client of DynamoRIO that counts each basic block's executions, in 64 bits of its own,
 * and writes them to the file that its argument names: ADDRESS COUNT. What DynamoRIO does
 * as `trammel run -m blocks` does. Built by tools.py where drrun is installed.
 */
#include "dr_api.h"
#include "drmgr.h"
#include "drreg.h"
#include "drx.h"

struct block {
	app_pc address;
	uint64 count;
	struct block *next;
};

static struct block *blocks;
static void *lock;
static const char *path;

static struct block *add_block(app_pc address)
{
	struct block *block = dr_global_alloc(sizeof(*block));

	*block = (struct block){.address = address};
	dr_mutex_lock(lock);
	block->next = blocks;
	blocks = block;
	dr_mutex_unlock(lock);
	return block;
}

static dr_emit_flags_t analyze(void *context, void *tag, instrlist_t *code,
			       bool for_trace, bool translating, void **ret_block)
{
	(void)context;
	(void)code;
	(void)for_trace;
	*ret_block = translating ? NULL : add_block(dr_fragment_app_pc(tag));
	return DR_EMIT_DEFAULT;
}

static dr_emit_flags_t insert(void *context, void *tag, instrlist_t *code, instr_t *at,
			      bool for_trace, bool translating, void *block)
{
	(void)tag;
	(void)for_trace;
	(void)translating;
	/* With stored translations no block is made twice. */
	if (block && drmgr_is_first_instr(context, at))
		drx_insert_counter_update(context, code, at, SPILL_SLOT_MAX + 1,
					  &((struct block *)block)->count, 1,
					  DRX_COUNTER_64BIT);
	return DR_EMIT_STORE_TRANSLATIONS;
}

static void end(void)
{
	file_t file = path ? dr_open_file(path, DR_FILE_WRITE_OVERWRITE) : INVALID_FILE;

	for (struct block *block = blocks, *next; block; block = next) {
		next = block->next;
		if (file != INVALID_FILE)
			dr_fprintf(file, PFX " " UINT64_FORMAT_STRING "\n",
				   block->address, block->count);
		dr_global_free(block, sizeof(*block));
	}
	if (file != INVALID_FILE)
		dr_close_file(file);
	dr_mutex_destroy(lock);
	drx_exit();
	drreg_exit();
	drmgr_exit();
}

DR_EXPORT void dr_client_main(client_id_t id, int count, const char *arguments[])
{
	drreg_options_t options = {sizeof(options), 1, false};

	(void)id;
	path = count > 1 ? arguments[1] : NULL;
	if (!drmgr_init() || drreg_init(&options) != DRREG_SUCCESS || !drx_init())
		dr_abort();
	lock = dr_mutex_create();
	dr_register_exit_event(end);
	drmgr_register_bb_instrumentation_event(analyze, insert, NULL);
}
