/*
 * The reader of JSON specifications on any text: it is refused with a place in the text,
 * or becomes a tree; each string of it is then read as clauses of a query.
 */
#include "runtime/channel/settings.h"
#include "runtime/config/clauses.h"
#include "runtime/config/document.h"
#include "runtime/store/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the reader keeps, each apart, so that a sanitizer sees where it ends; and its
 * pools of nodes, the newest of which it goes on with. */
static struct kept {
	struct kept *next;
	char *bytes;
} * texts, *pools;

/* Ends the program where something did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static char *keep(struct kept **list, size_t size)
{
	struct kept *kept = malloc(sizeof(*kept));

	must(kept != NULL);
	*kept = (struct kept){*list, calloc(1, size)};
	must(kept->bytes != NULL);
	*list = kept;
	return kept->bytes;
}

static void forget(struct kept **list)
{
	while (*list) {
		struct kept *kept = *list;

		*list = kept->next;
		free(kept->bytes);
		free(kept);
	}
}

char *settings_keep(const char *text, size_t length)
{
	char *copy = keep(&texts, length + 1);

	memcpy(copy, text, length);
	return copy;
}

void *runtime_map(size_t size)
{
	return keep(&pools, size);
}

/* No file is read here. */
void runtime_unmap(void *memory, size_t size)
{
	(void)memory;
	(void)size;
	abort();
}

static void read_clauses(const char *text)
{
	struct clauses clauses = {.full = false};
	const char *wrong = clauses_add(&clauses, text);

	must(!wrong || (wrong >= text && wrong <= text + strlen(text)));
	must(clauses.full || strlen(text) >= strlen(clauses.lets) / 2);
}

static void look_at(const char *text, const struct document *document)
{
	size_t line, column;

	for (; document; document = document->next) {
		must(document->at >= text && document->at < text + strlen(text));
		document_place(text, document->at, &line, &column);
		must(line && column);
		must(!document->first || document->kind == DOCUMENT_OBJECT ||
		     document->kind == DOCUMENT_ARRAY);
		if (document->text)
			read_clauses(document->text);
		look_at(text, document->first);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *wrong = NULL;
	const struct document *document;
	char *text;

	text = malloc(size + 1);
	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	document = document_read(text, &wrong);
	must(document || (wrong >= text && wrong <= text + strlen(text)));
	look_at(text, document);
	document_member(document, "name");
	free(text);
	forget(&texts);
	if (pools)
		forget(&pools->next);
	return 0;
}
