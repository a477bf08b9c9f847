#include "cli/browse/browser.h"

#include "cli/browse/lines.h"
#include "cli/browse/table.h"
#include "cli/browse/tree.h"

#include <stdlib.h>
#include <string.h>

/* The error becomes the last line. */
static void tell_error(struct browser *browser, struct trm_error *error)
{
	browser->message.length = 0;
	text_add(&browser->message, error->message);
	trm_error_destroy(error);
}

static void leave_view(struct browser *browser)
{
	struct browse_view *view = browser_view(browser);

	if (browser->depth == 1) {
		browser->done = true;
		return;
	}
	view->ops->destroy(view);
	browser->depth--;
}

/* Shows a view above the others; of a stack that is full the one shown goes. */
static void show_view(struct browser *browser, struct browse_view *view)
{
	if (browser->depth == BROWSE_DEPTH_MAX)
		leave_view(browser);
	browser->views[browser->depth++] = view;
}

/* Makes a view of the function at the cursor. */
typedef struct trm_error *make_view(const struct browser *browser, uint32_t function,
				    struct browse_view **ret_view);

static void show_function(struct browser *browser, make_view *make)
{
	struct browse_view *view = browser_view(browser), *made;
	const uint32_t function = view->ops->function && view->count
					  ? view->ops->function(view, view->at)
					  : REPORT_NONE;
	struct trm_error *error;

	if (function == REPORT_NONE) {
		text_add(&browser->message, "there is no function here");
		return;
	}
	error = make(browser, function, &made);
	if (error)
		tell_error(browser, error);
	else
		show_view(browser, made);
}

static void show_code(struct browser *browser)
{
	show_function(browser, browse_code_create);
}

static void show_calls(struct browser *browser)
{
	show_function(browser, browse_calls_create);
}

/* Replaces all views by one. */
static void begin_with(struct browser *browser, struct browse_view *view)
{
	while (browser->depth > 1)
		leave_view(browser);
	if (browser->depth)
		browser->views[0]->ops->destroy(browser->views[0]);
	browser->views[0] = view;
	browser->depth = 1;
}

static void show_functions(struct browser *browser)
{
	struct browse_view *table;
	struct trm_error *error = browse_table_create(browser, &table);

	if (error)
		tell_error(browser, error);
	else
		begin_with(browser, table);
}

enum { TREES = FLAME_BY_MODULE + 1 };

/* Shows the next tree that there is. */
static void show_next_tree(struct browser *browser)
{
	for (int i = 0; i < TREES; i++) {
		struct browse_view *view;
		struct trm_error *error = browse_tree_create(browser, browser->by, &view);

		browser->by = (enum flame_by)((browser->by + 1) % TREES);
		if (!error) {
			begin_with(browser, view);
			return;
		}
		trm_error_destroy(error);
	}
	text_add(&browser->message, "nothing was counted: there is no tree");
}

static void show_help(struct browser *browser)
{
	show_view(browser, browse_help_create(browser));
}

static void end_all(struct browser *browser)
{
	browser->done = true;
}

static void begin_typing(struct browser *browser)
{
	if (!browser_view(browser)->ops->filter)
		return;
	browser->typing = true;
	browser->typed.length = 0;
	text_add(&browser->typed, "");
}

static const struct action {
	int key;
	void (*act)(struct browser *browser);
} actions[] = {
	{'a', show_code},
	{BROWSE_ENTER, show_code},
	{'c', show_calls},
	{'f', show_functions},
	{'t', show_next_tree},
	{BROWSE_TAB, show_next_tree},
	{'h', show_help},
	{'?', show_help},
	{'q', leave_view},
	{BROWSE_ESCAPE, leave_view},
	{BROWSE_BACKSPACE, leave_view},
	{'Q', end_all},
	{'/', begin_typing},
	{0},
};

/* How far a key moves the cursor; false: it is no such key. */
static bool step_of(const struct browser *browser, int key, ptrdiff_t *ret_step)
{
	const ptrdiff_t page = browser->height > 1 ? (ptrdiff_t)browser->height - 1 : 1;
	const ptrdiff_t all = PTRDIFF_MAX / 2;
	const struct {
		int key, other;
		ptrdiff_t step;
	} steps[] = {{BROWSE_UP, 'k', -1},         {BROWSE_DOWN, 'j', 1},
		     {BROWSE_PAGE_UP, 'b', -page}, {BROWSE_PAGE_DOWN, ' ', page},
		     {BROWSE_HOME, 'g', -all},     {BROWSE_END, 'G', all}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (key != steps[i].key && key != steps[i].other)
			continue;
		*ret_step = steps[i].step;
		return true;
	}
	return false;
}

static void move_cursor(struct browse_view *view, ptrdiff_t step)
{
	ptrdiff_t at = (ptrdiff_t)view->at + step;

	if (at >= (ptrdiff_t)view->count)
		at = (ptrdiff_t)view->count - 1;
	view->at = at > 0 ? (size_t)at : 0;
}

/* The last character, which may be several bytes. */
static void drop_character(struct text *typed)
{
	while (typed->length &&
	       ((unsigned char)typed->data[--typed->length] & 0xc0) == 0x80)
		;
	typed->data[typed->length] = '\0';
}

static void type_key(struct browser *browser, int key)
{
	struct browse_view *view = browser_view(browser);

	if (key == BROWSE_ENTER) {
		browser->typing = false;
		return;
	}
	if (key == BROWSE_ESCAPE) {
		browser->typing = false;
		browser->typed.length = 0;
		text_add(&browser->typed, "");
	} else if (key == BROWSE_BACKSPACE) {
		drop_character(&browser->typed);
	} else if (key >= ' ' && key < BROWSE_UP) {
		text_add_bytes(&browser->typed, &(char){(char)key}, 1);
	}
	view->ops->filter(view, browser->typed.data);
}

void browser_scroll(struct browser *browser)
{
	struct browse_view *view = browser_view(browser);
	const size_t height = browser->height ? browser->height : 1;

	if (view->at < view->top)
		view->top = view->at;
	if (view->at >= view->top + height)
		view->top = view->at - height + 1;
	if (view->top + height > view->count)
		view->top = view->count > height ? view->count - height : 0;
}

void browser_key(struct browser *browser, int key)
{
	struct browse_view *view = browser_view(browser);
	ptrdiff_t step;

	browser->message.length = 0;
	text_add(&browser->message, "");
	if (browser->typing)
		type_key(browser, key);
	else if (step_of(browser, key, &step))
		move_cursor(view, step);
	else if (!view->count || !view->ops->key || !view->ops->key(view, key))
		for (const struct action *action = actions; action->key; action++)
			if (action->key == key)
				action->act(browser);
	browser_scroll(browser);
}

void browser_status(const struct browser *browser, struct text *out)
{
	if (browser->typing)
		text_format(out, "/%s", browser->typed.data);
	else if (browser->message.length)
		text_add(out, browser->message.data);
	else
		text_add(out, browser_view(browser)->ops->keys);
}

struct trm_error *browser_init(struct browser *browser,
			       const struct report_profile *profile,
			       const struct report_profile *other, const char *path,
			       bool unicode)
{
	struct trm_error *error;

	*browser = (struct browser){.profile = profile,
				    .other = other,
				    .path = path,
				    .unicode = unicode,
				    .by = flame_tree_usual(profile),
				    .height = 1};
	error = browse_table_create(browser, &browser->views[0]);
	if (error && profile->regions.nodes.count) {
		trm_error_destroy(error);
		error = browse_tree_create(browser, FLAME_BY_PHASE, &browser->views[0]);
	}
	browser->depth = !error;
	return error;
}

void browser_deinit(struct browser *browser)
{
	while (browser->depth--)
		browser->views[browser->depth]->ops->destroy(
			browser->views[browser->depth]);
	text_deinit(&browser->message);
	text_deinit(&browser->typed);
	if (browser->with_sources)
		function_sources_deinit(&browser->sources);
	if (browser->with_other_sources)
		function_sources_deinit(&browser->other_sources);
}
