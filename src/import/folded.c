/*
 * Folded stacks: "OUTER;INNER COUNT" a line; see export/folded.c. A frame may have its
 * module in front, with a backquote between them.
 */
#include "import/readers.h"

#include "base/vector.h"

#include <string.h>

bool import_is_folded(const struct import_input *input)
{
	const char *blank = memchr(input->bytes, ' ', input->size);

	return blank && !memchr(input->bytes, '\0', input->size);
}

/* A frame, in place. */
static struct import_frame read_frame(char *text)
{
	struct import_frame frame = {.module = "", .function = text, .file = ""};
	char *quote = strchr(text, '`');

	if (quote && quote > text && quote[1]) {
		*quote = '\0';
		import_unescape(text);
		frame.module = text;
		frame.function = text = quote + 1;
	}
	import_unescape(text);
	return frame;
}

struct frames VECTOR(struct import_frame);

/* The frames of a stack, the innermost first. */
static struct trm_error *read_stack(const struct import_input *input, char *stack,
				    struct frames *frames)
{
	frames->count = 0;
	while (*stack) {
		char *end = strrchr(stack, ';');
		char *frame = end ? end + 1 : stack;

		if (!*frame)
			return import_fault(input, "a frame without a name");
		vector_push(frames, read_frame(frame));
		if (!end)
			break;
		*end = '\0';
	}
	return NULL;
}

static struct trm_error *read_line(struct import_input *input, char *line,
				   struct import_sink *sink, uint32_t type,
				   struct frames *frames)
{
	char *blank = strrchr(line, ' '), *at = blank ? blank + 1 : line;
	struct import_place place = {0};
	uint64_t value;

	if (!*line || *line == '#')
		return NULL;
	if (!blank || blank == line || !import_number(&at, &value) || *at)
		return import_fault(input, "a stack, a blank, and a number of at most 64 "
					   "bits are expected");
	*blank = '\0';
	TRM_TRY(read_stack(input, line, frames));
	place.frames = frames->items;
	place.count = frames->count;
	import_values(sink, &place, type, &value, 1);
	return NULL;
}

struct trm_error *import_folded(struct import_input *input,
				const struct import_options *options,
				struct import_sink *sink)
{
	const char *name = options->type ? options->type : "samples";
	uint32_t type = import_type(sink, name, import_unit_of(name));
	struct frames frames = {0};
	struct trm_error *error = NULL;

	for (char *line; !error && (line = import_line(input));)
		error = read_line(input, line, sink, type, &frames);
	vector_deinit(&frames);
	return error ?: import_input_end(input);
}
