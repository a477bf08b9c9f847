#include "cli/probes.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/program.h"
#include "image/kind.h"
#include "image/open.h"
#include "probe/module.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A point that names the program alone, and a function that it does not have. */
static struct trm_error *check_point(struct probe_program *program,
				     const struct probe *probe,
				     const struct probe_point *point,
				     const struct image *image, bool is_static,
				     struct text *ret_place)
{
	/* Code of a header may be in any module, that of other files is in one. */
	bool of_program = is_static || strcmp(point->module, "*") != 0 ||
			  (point->next && !strstr(point->name, ".h"));
	struct text lack = {0};

	if (point->matched || point->place == PROBE_CALL || !of_program ||
	    !probe_point_concerns(point, image->path))
		return NULL;
	scoped_free char *nearest = point->place < PROBE_ADDRESS
					    ? probe_nearest_function(image, point->name)
					    : NULL;

	text_add_place(program->texts.items[probe->source], point->at, ret_place);
	probe_point_describe_lack(point, &lack);
	struct trm_error *error = trm_error_create(
		TRM_ERROR_USAGE, "the probe \"%s\": in %s %s%s%s%s", probe->name,
		path_name(image->path), lack.data, nearest ? ": did you mean \"" : "",
		nearest ? nearest : "", nearest ? "\"?" : "");

	text_deinit(&lack);
	return error;
}

static struct trm_error *check_points(struct probe_program *program,
				      const struct image *image, bool is_static,
				      struct text *ret_place)
{
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->points, point)
			TRM_TRY(check_point(program, probe, point, image, is_static,
					    ret_place));
	return NULL;
}

static struct trm_error *check_image(struct probe_program *program,
				     const struct image *image, bool is_static,
				     struct text *ret_place)
{
	struct trm_error *error = NULL;
	struct probe_module module;

	probe_module_init(&module, program, image, image->path, 0, 0);
	if (module.trouble.length) {
		module.trouble.data[strcspn(module.trouble.data, "\n")] = '\0';
		text_add_place(program->texts.items[module.source], module.place,
			       ret_place);
		error = trm_error_create(TRM_ERROR_USAGE, "%s", module.trouble.data);
	}
	if (!error)
		error = check_points(program, image, is_static, ret_place);
	probe_module_deinit(&module);
	return error;
}

struct trm_error *probes_check(struct probe_program *program, const char *path,
			       struct text *ret_place)
{
	scoped_free char *file = program_find(path);
	scoped_fd int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	struct image *image;

	/* Of what cannot be run, or is a script, others speak. */
	if (fd < 0 || image_probe(fd) != IMAGE_KIND_NATIVE)
		return NULL;
	struct trm_error *error = image_open(file, NULL, &image);

	if (error) {
		trm_error_destroy(error);
		return NULL;
	}
	error = check_image(program, image, image_is_static(fd), ret_place);
	image_close(image);
	return error;
}
