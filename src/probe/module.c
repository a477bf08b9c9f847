#include "probe/module.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "image/aliases.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/lines.h"
#include "probe/aim.h"
#include "probe/idle.h"
#include "probe/node_make.h"

#include <inttypes.h>
#include <string.h>

/* As in patterns of functions: libz.so.1 is libz.so.1.2.13, too. */
static bool has_longer_version(const char *library, const char *name)
{
	size_t size = strlen(name);

	return strstr(name, ".so") && !strncmp(library, name, size) &&
	       library[size] == '.' &&
	       !library[size + strspn(library + size, ".0123456789")];
}

bool probe_point_concerns(const struct probe_point *point, const char *path)
{
	return text_glob(point->module, path_name(path)) ||
	       text_glob(point->module, path) ||
	       has_longer_version(path_name(path), point->module);
}

bool probe_program_concerns(const struct probe_program *program, const char *path)
{
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->points, point)
			if (probe_point_concerns(point, path))
				return true;
	return false;
}

/* Names of C++ may be given without the parameters. */
bool probe_point_names(const struct probe_point *point, const char *name)
{
	const char *parenthesis = strchr(name, '(');

	if (text_glob(point->name, name))
		return true;
	if (!parenthesis || parenthesis == name || strchr(point->name, '('))
		return false;
	scoped_free char *shorter = strndup(name, (size_t)(parenthesis - name));

	return text_glob(point->name, shorter);
}

char *probe_function_name(const struct image *image,
			  const struct image_function *function)
{
	char unnamed[32];

	if (function->name)
		return image_demangle(image->names.items + function->name);
	snprintf(unnamed, sizeof(unnamed), "sub_%lx", function->address);
	return memory_copy_string(unnamed);
}

bool probe_point_has(const struct probe_point *point, const struct image *image,
		     const struct image_function *function, const char *name)
{
	const struct image_alias *alias;
	size_t count = 0;

	if (probe_point_names(point, name))
		return true;
	/* A pattern that begins with what none has need not be looked for. */
	alias = image_aliases(image, function->address, &count);
	for (size_t i = 0; i < count; i++)
		if (probe_point_names(point, alias[i].name))
			return true;
	return false;
}

static bool is_by_name(const struct probe_point *point)
{
	return point->place < PROBE_ADDRESS && point->place != PROBE_CALL;
}

static void add_match(struct probe_module *module, uint64_t function, size_t probe,
		      size_t point, uint64_t address)
{
	vector_push(&module->matches, ((struct probe_match){.function = function,
							    .probe = (uint16_t)probe,
							    .point = (uint16_t)point,
							    .address = address}));
	module->program->probes.items[probe].points.items[point].matched = true;
}

/* Calls `see` for each point of the program that may be in the module. */
#define FOR_EACH_POINT(module, probe, point)                                             \
	for (size_t probe = 0; probe < (module)->program->probes.count; probe++)         \
		for (size_t point = 0;                                                   \
		     point < (module)->program->probes.items[probe].points.count;        \
		     point++)                                                            \
			if (probe_point_concerns(&(module)->program->probes.items[probe] \
							  .points.items[point],          \
						 (module)->path))

static const struct probe_point *point_at(const struct probe_module *module, size_t probe,
					  size_t point)
{
	return &module->program->probes.items[probe].points.items[point];
}

static void match_names(struct probe_module *module)
{
	const struct image *image = module->image;
	const struct probe_program *program = module->program;

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];
		scoped_free char *name = probe_function_name(image, function);

		FOR_EACH_POINT(module, probe, point)
		{
			const struct probe_point *to = point_at(module, probe, point);

			if (is_by_name(to) && probe_point_has(to, image, function, name))
				add_match(module, function->address, probe, point, 0);
			else
				continue;
			program->probes.items[probe].points.items[point].direct |=
				!(function->flags & IMAGE_FUNCTION_IFUNC);
		}
	}
}

/* The address of the function that has an address: the last one that begins at or before
 * it and reaches so far; 0: none. */
static uint64_t function_around(const struct image *image, uint64_t address)
{
	const struct image_function *function = image_function_around(image, address);

	return function && address - function->address < function->size
		       ? function->address
		       : 0;
}

static bool is_of_file(const struct image_rows *rows, const struct image_row *row,
		       const struct probe_point *point)
{
	const char *file = rows->files.strings[row->place.file];
	size_t length = strlen(file), wanted = strlen(point->name);

	return wanted <= length && !strcmp(file + length - wanted, point->name) &&
	       (wanted == length || file[length - wanted - 1] == '/');
}

/* Of a line that is in several pieces, each function's first piece counts: others are the
 * rest of it. Lines are put into several functions by inlining. */
static void match_line(struct probe_module *module, const struct image_rows *rows,
		       size_t probe, size_t point)
{
	struct probe_point *to =
		&module->program->probes.items[probe].points.items[point];
	uint64_t last = UINT64_MAX;

	vector_for_each (&rows->rows, row) {
		uint64_t function = function_around(module->image, row->start);

		if (!is_of_file(rows, row, to))
			continue;
		if (row->place.line > to->address &&
		    (!to->next || row->place.line < to->next))
			to->next = row->place.line;
		if (row->place.line != to->address || function == last)
			continue;
		last = function;
		add_match(module, function, probe, point, row->start);
	}
}

static bool is_code(const struct image *image, uint64_t address)
{
	vector_for_each (&image->segments, segment)
		if (segment->executable &&
		    address - segment->address < segment->file_size)
			return true;
	return false;
}

/* Begins a line of what is wrong with an address; the first one is shown in the probe. */
static struct text *begin_trouble(struct probe_module *module, size_t number,
				  const struct probe_point *point)
{
	const struct probe *probe = &module->program->probes.items[number];

	if (!module->trouble.length) {
		module->place = point->at;
		module->source = probe->source;
	}
	text_format(&module->trouble, "%sthe probe \"%s\": in %s ",
		    module->trouble.length ? "\n" : "", probe->name,
		    path_name(module->path));
	return &module->trouble;
}

/* What lies between functions, as padding does, is never executed, or not measured; nor
 * is what lies in the middle of an instruction. */
static void match_address(struct probe_module *module, size_t probe, size_t point,
			  uint64_t address)
{
	const struct image *image = module->image;
	const struct probe_point *to = point_at(module, probe, point);
	const uint64_t function = function_around(image, address);
	uint64_t before, behind;

	if (!is_code(image, address))
		return;
	if (!function) {
		text_format(begin_trouble(module, probe, to),
			    "no function is at 0x%" PRIx64, address);
		probe_aim_describe(image, address, &module->trouble);
	} else if (probe_aim_misses(image, image_function_around(image, address), address,
				    &before, &behind)) {
		text_format(begin_trouble(module, probe, to),
			    "no instruction begins at 0x%" PRIx64
			    ": the nearest are at 0x%" PRIx64 " and 0x%" PRIx64,
			    address, before, behind);
		module->program->probes.items[probe].points.items[point].matched = true;
		return;
	}
	add_match(module, function, probe, point, address);
	probe_idle_name(module, &module->matches.items[module->matches.count - 1]);
}

static void match_places(struct probe_module *module)
{
	struct image_rows rows = {0};
	bool read = false;

	FOR_EACH_POINT(module, probe, point)
	{
		const struct probe_point *to = point_at(module, probe, point);

		module->calls |= to->place == PROBE_CALL;
		if (to->place == PROBE_ADDRESS)
			match_address(module, probe, point, to->address);
		if (to->place != PROBE_LINE)
			continue;
		if (!read) {
			trm_error_destroy(image_rows_init(&rows, module->image));
			read = true;
		}
		match_line(module, &rows, probe, point);
	}
	image_rows_deinit(&rows);
}

static int by_function(const void *left, const void *right)
{
	const struct probe_match *a = left, *b = right;

	return compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->probe, b->probe)
		       ?: compare_numbers(a->point, b->point);
}

/* Reads the types that the probes need: none, if they name nothing. */
static void read_types(struct probe_module *module)
{
	struct VECTOR(uint64_t) functions = {0};
	struct VECTOR(const char *) names = {0};
	bool needed = false, members = false;

	vector_for_each (&module->program->terms, term) {
		needed |= term->kind == PROBE_VARIABLE || term->kind == PROBE_MEMBER ||
			  term->kind == PROBE_ARGUMENT || term->kind == PROBE_RESULT ||
			  term->kind == PROBE_FLOAT_ARGUMENT ||
			  term->kind == PROBE_FLOAT_RESULT ||
			  (term->kind == PROBE_CAST && term->type.name);
		members |= term->kind == PROBE_MEMBER;
		if (term->kind == PROBE_VARIABLE)
			vector_push(&names, term->name);
		if (term->kind == PROBE_CAST && term->type.name)
			vector_push(&names, term->type.name);
	}
	vector_for_each (&module->matches, match)
		vector_push(&functions, match->function);
	const struct image_types_wanted wanted = {functions.items, functions.count,
						  names.items, names.count, members};
	struct trm_error *error = NULL;

	if (needed && functions.count) {
		error = image_types_init(&module->types, module->image, &wanted);
		module->has_types = !error;
	}
	if (error)
		module->lack = memory_copy_string(error->message);
	trm_error_destroy(error);
	vector_deinit(&functions);
	vector_deinit(&names);
}

static bool is_same_kept(const struct probe_term *a, const struct probe_term *b)
{
	return a->kind == b->kind && a->number == b->number &&
	       (a->kind != PROBE_VARIABLE || !strcmp(a->name, b->name));
}

int probe_module_cell(const struct probe_module *module, uint64_t function,
		      const struct probe_term *term)
{
	vector_for_each (&module->kept, kept)
		if (kept->function == function && is_same_kept(kept->term, term))
			return (int)kept->cell;
	return -1;
}

int probe_module_keep(void *context, uint64_t function, const struct probe_term *term)
{
	return probe_module_cell(context, function, term);
}

/* Finds the cell of a value, or makes one. */
static int keep_value(void *context, uint64_t function, const struct probe_term *term)
{
	struct probe_module *module = context;
	uint32_t cell = (uint32_t)module->program->call_names.count;
	int known = probe_module_cell(module, function, term);

	if (known >= 0)
		return known;
	vector_for_each (&module->kept, kept)
		cell += kept->function == function;
	if (cell >= PROBE_CALL_CELLS)
		return -1;
	vector_push(&module->kept, ((struct probe_kept){function, term, cell}));
	return (int)cell;
}

/* Tries to make nodes of a term. */
static struct trm_error *try_term(struct probe_site *site, uint32_t term)
{
	struct probe_type type;
	uint32_t node;

	return term == PROBE_NO_TERM ? NULL : probe_make_node(site, term, &node, &type);
}

static struct trm_error *try_action(struct probe_site *site,
				    const struct probe_action *action)
{
	TRM_TRY(try_term(site, action->condition));
	for (uint32_t i = 0; i < action->operand_count; i++)
		TRM_TRY(try_term(site, action->operands[i]));
	for (uint32_t i = 0; i < action->key_count; i++)
		TRM_TRY(try_term(site, action->keys[i]));
	return NULL;
}

static struct trm_error *try_probe(struct probe_site *site, const struct probe *probe)
{
	TRM_TRY(try_term(site, probe->condition));
	vector_for_each (&probe->actions, action)
		TRM_TRY(try_action(site, action));
	return NULL;
}

static size_t column_of(const char *text, size_t place)
{
	size_t column = 1;

	for (size_t i = 0; i < place; i++)
		column = text[i] == '\n' ? 1 : column + 1;
	return column;
}

/* Whether a point's name is a pattern, which may match functions that it is not for. */
static bool is_pattern(const struct probe_point *point)
{
	return strpbrk(point->name, "*?[") != NULL;
}

static void note_trouble(struct probe_module *module, const struct probe_match *match,
			 size_t place, const struct trm_error *error)
{
	const struct probe *probe = &module->program->probes.items[match->probe];
	size_t index = image_function_at(module->image, match->function);
	scoped_free char *name =
		index < module->image->functions.count
			? probe_function_name(module->image,
					      &module->image->functions.items[index])
			: memory_copy_string("?");

	struct text line = {0};

	text_format(&line, "the probe \"%s\", column %zu: %s (in %s of %s)", probe->name,
		    column_of(module->program->texts.items[probe->source], place),
		    error->message, name, path_name(module->path));
	if (!module->trouble.length) {
		module->place = place;
		module->source = probe->source;
	}
	/* Functions may have several names alike. */
	if (!module->trouble.length || !strstr(module->trouble.data, line.data))
		text_format(&module->trouble, "%s%s", module->trouble.length ? "\n" : "",
			    line.data);
	text_deinit(&line);
}

/* Whether all values of a probe can be had where it matched. Of points inside of
 * functions that is known when their code is written. */
static bool fits_everywhere(struct probe_module *module, const struct probe_match *match)
{
	const struct probe *probe = &module->program->probes.items[match->probe];
	const struct probe_point *point = &probe->points.items[match->point];
	struct probe_site site = {
		.program = module->program,
		.probe = probe,
		.place = point->place,
		.image = module->image,
		.types = module->has_types ? &module->types : NULL,
		.lack = module->lack,
		.function = match->function,
		.address = match->address ?: match->function,
		.keep = keep_value,
		.context = module,
	};

	if (point->place >= PROBE_LOAD && point->place <= PROBE_LOOP)
		return true;
	struct trm_error *error = try_probe(&site, probe);

	vector_deinit(&site.nodes);
	if (error && !is_pattern(point))
		note_trouble(module, match, site.place_at, error);
	bool fine = !error;

	trm_error_destroy(error);
	return fine;
}

static void check_matches(struct probe_module *module)
{
	size_t kept = 0;

	for (size_t i = 0; i < module->matches.count; i++)
		if (fits_everywhere(module, &module->matches.items[i]))
			module->matches.items[kept++] = module->matches.items[i];
		else
			free(module->matches.items[i].name);
	module->matches.count = kept;
}

void probe_module_init(struct probe_module *ret_module, struct probe_program *program,
		       const struct image *image, const char *path, uint32_t area,
		       uint32_t word)
{
	*ret_module = (struct probe_module){
		.program = program,
		.image = image,
		.path = path,
		.area = area,
		.word = word,
	};
	if (!probe_program_concerns(program, path))
		return;
	pthread_mutex_init(&ret_module->lock, NULL);
	match_names(ret_module);
	match_places(ret_module);
	if (ret_module->matches.count)
		qsort(ret_module->matches.items, ret_module->matches.count,
		      sizeof(struct probe_match), by_function);
	read_types(ret_module);
	check_matches(ret_module);
}

void probe_module_describe_tails(struct probe_module *module, struct text *text)
{
	const struct probe_program *program = module->program;

	for (uint32_t i = 0; i < program->probes.count; i++) {
		const struct probe_tail *first = NULL;
		size_t count = 0;

		vector_for_each (&module->tails, tail) {
			if (tail->probe != i)
				continue;
			if (!count++ || tail->function < first->function)
				first = tail;
		}
		if (!count)
			continue;
		text_format(text, "%sthe probe \"%s\": ", text->length ? "\n" : "",
			    program->probes.items[i].name);
		if (count > 1)
			text_format(text, "%zu functions, as %s of %s, are", count,
				    first->name, path_name(module->path));
		else
			text_format(text, "%s of %s is", first->name,
				    path_name(module->path));
		text_format(text,
			    " also left by jumps to other functions, which return in "
			    "%s place: ret is not known there, and an error; ns ends "
			    "there",
			    count > 1 ? "their" : "its");
	}
}

void probe_module_deinit(struct probe_module *module)
{
	if (module->has_types)
		image_types_deinit(&module->types);
	free(module->lack);
	vector_for_each (&module->matches, match)
		free(match->name);
	vector_deinit(&module->matches);
	vector_deinit(&module->kept);
	vector_for_each (&module->tails, tail)
		free(tail->name);
	vector_deinit(&module->tails);
	table_deinit(&module->callees);
	text_deinit(&module->trouble);
}

char *probe_nearest_function(const struct image *image, const char *name)
{
	char *nearest = NULL;

	vector_for_each (&image->functions, function) {
		char *other = probe_function_name(image, function);

		if (text_is_near(name, other) &&
		    (!nearest ||
		     text_distance(name, other) < text_distance(name, nearest))) {
			free(nearest);
			nearest = other;
		} else {
			free(other);
		}
	}
	return nearest;
}
