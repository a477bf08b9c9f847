/*
 * Any text as one-line probes: it is refused with one line and a place in the text, or
 * its probes are matched with the functions and types of probed.c, and their code is
 * written.
 */
#include "code/plan/plan_rows.h"
#include "code/planner/plan_create.h"
#include "image/open.h"
#include "probe/emit.h"
#include "probe/list.h"
#include "probe/module.h"
#include "probe/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the program where something did not keep its word. */
static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool wants_function(void *context, const struct image *image, const char *name,
			   uint64_t address)
{
	return probe_source_wants(context, image, name, address);
}

/* Twice: the same points each time. */
static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	struct points again = {0};

	probe_source_list(context, function, ret_points);
	probe_source_list(context, function, &again);
	require(ret_points->items.count == again.items.count);
	for (size_t i = 0; i < again.items.count; i++) {
		const struct point *a = &ret_points->items.items[i],
				   *b = &again.items.items[i];

		require(a->at == b->at && a->where == b->where && a->order == b->order &&
			a->recipe == b->recipe);
	}
	vector_deinit(&again.items);
}

static void write_code(struct probe_module *module, struct image *image,
		       uint32_t module_slots)
{
	const struct point_source source = {
		.wants = wants_function,
		.list = list_points,
		.emit = probe_source_emit,
		.context = module,
		.module_slots = module_slots,
	};
	const struct point_sources sources = {.count = 1, .items = {&source}};
	const struct plan_request request = {
		.image = image,
		.probe = PLAN_PROBE_COUNT,
		.depth = PLAN_POINTS,
		.code_address = (image->end + 0x200000) & ~0xfffull,
		.points = &sources,
		.module = module->path,
		.hook_layout.points = {.self = 0x10, .thread = 0x18, .untimed = 0x1c},
	};
	struct plan *plan = NULL;
	struct trm_error *error = plan_create(&request, &plan);

	if (error) {
		require(error->message && *error->message);
		trm_error_destroy(error);
		return;
	}
	vector_for_each (&plan->points.troubles, trouble)
		require(*point_trouble_text((enum point_trouble)trouble->trouble));
	plan_destroy(plan);
}

static void put_on(struct probe_program *program, struct image *image)
{
	struct probe_module module;

	probe_module_init(&module, program, image, PROBED, 0x10000, 1);
	if (module.trouble.length) {
		require(module.source < program->texts.count);
		require(module.place <= strlen(program->texts.items[module.source]));
	}
	write_code(&module, image, program->cell_count);
	probe_module_deinit(&module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_program program = {0};
	static struct image *image;
	char *text = malloc(size + 1);
	size_t place = 0;

	if (!image)
		require(!image_open(PROBED, NULL, &image));
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	struct trm_error *error = probe_program_add(&program, text, &place);

	if (error) {
		require(error->message && *error->message);
		require(!strchr(error->message, '\n') || strchr(text, '\n'));
		require(place <= strlen(text));
		trm_error_destroy(error);
	} else {
		put_on(&program, image);
	}
	probe_program_deinit(&program);
	free(text);
	return 0;
}
