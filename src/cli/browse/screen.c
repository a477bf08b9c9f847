#include "cli/browse/screen.h"

#include "base/array.h"
#include "base/path.h"
#include "report/text/cells.h"
#include "report/text/grid.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

/* Pairs of colours have the numbers that ECMA-48 gives to the colour of the text. */
enum { SGR_RED = 31, SGR_BLUE = 36 };

static int attribute_of(int code)
{
	if (code == 1)
		return (int)A_BOLD;
	return code >= SGR_RED && code <= SGR_BLUE && has_colors()
		       ? (int)COLOR_PAIR(code - SGR_RED + 1)
		       : 0;
}

/* Writes text with ECMA-48 sequences for colours at a row, to its end. */
static void put_row(int row, const char *text, int attributes)
{
	int column, line;

	move(row, 0);
	attrset((attr_t)attributes);
	while (*text) {
		const size_t length = strcspn(text, "\033");

		addnstr(text, (int)length);
		text += length;
		if (!*text)
			break;
		const int code = atoi(text + 2);

		attrset((attr_t)attributes | (attr_t)attribute_of(code));
		text += strcspn(text, "m") + 1;
	}
	attrset((attr_t)attributes);
	getyx(stdscr, line, column);
	if (line != row)
		return;
	for (; column < COLS; column++)
		addch(' ');
}

/* Writes a name or message, cut to the width. */
static void put_text(int row, const char *string, int attributes)
{
	struct text line = {0};

	cells_add(&line, string, (size_t)COLS);
	put_row(row, line.data, attributes);
	text_deinit(&line);
}

static void put_title(const struct browser *browser)
{
	const struct browse_view *view = browser_view(browser);
	struct text title = {0}, place = {0};
	size_t used;

	text_format(&title, "%s: %s", path_name(browser->path), view->title.data);
	text_format(&place, " %zu/%zu", view->count ? view->at + 1 : 0, view->count);
	used = place.length < (size_t)COLS ? (size_t)COLS - place.length : 0;
	struct text line = {0};

	cells_add(&line, title.data, used);
	text_add(&line, used ? place.data : "");
	put_row(0, line.data, (int)A_BOLD);
	text_deinit(&line);
	text_deinit(&title);
	text_deinit(&place);
}

static void put_rows(const struct browser *browser, int first)
{
	const struct browse_view *view = browser_view(browser);

	for (size_t i = 0; i < browser->height; i++) {
		const size_t row = view->top + i;
		struct text line = {0};

		text_add(&line, "");
		if (row < view->count)
			view->ops->row(view, row, (size_t)COLS, &line);
		put_row(first + (int)i, line.data,
			row < view->count && row == view->at ? (int)A_REVERSE : 0);
		text_deinit(&line);
	}
}

/* From top to bottom: a title, the titles of columns, rows, a line about keys; where
 * there is little room, rows come first. */
static void draw_screen(struct browser *browser)
{
	const struct browse_view *view = browser_view(browser);
	const bool title = LINES >= 3, head = LINES >= 5 && view->ops->head;
	struct text line = {0};

	erase();
	browser->height =
		(size_t)(LINES - 1 - title - head > 0 ? LINES - 1 - title - head : 1);
	/* Of another size, the cursor may be out of sight. */
	browser_scroll(browser);
	if (title)
		put_title(browser);
	if (head) {
		view->ops->head(view, (size_t)COLS, &line);
		put_row(1, line.data, (int)A_UNDERLINE);
		line.length = 0;
	}
	put_rows(browser, title + head);
	browser_status(browser, &line);
	if (LINES > 1)
		put_text(LINES - 1, line.data, (int)A_DIM);
	text_deinit(&line);
	refresh();
}

static int browse_key_of(int key)
{
	static const struct {
		int curses, browse;
	} keys[] = {
		{KEY_UP, BROWSE_UP},
		{KEY_DOWN, BROWSE_DOWN},
		{KEY_LEFT, BROWSE_LEFT},
		{KEY_RIGHT, BROWSE_RIGHT},
		{KEY_PPAGE, BROWSE_PAGE_UP},
		{KEY_NPAGE, BROWSE_PAGE_DOWN},
		{KEY_HOME, BROWSE_HOME},
		{KEY_END, BROWSE_END},
		{KEY_BACKSPACE, BROWSE_BACKSPACE},
		{127, BROWSE_BACKSPACE},
		{'\b', BROWSE_BACKSPACE},
		{KEY_ENTER, BROWSE_ENTER},
		{'\r', BROWSE_ENTER},
		{'\t', BROWSE_TAB},
		{KEY_F(1), 'h'},
	};

	for (size_t i = 0; i < array_count(keys); i++)
		if (key == keys[i].curses)
			return keys[i].browse;
	return key < KEY_MIN ? key : 0;
}

/* Characters outside ASCII are shown as the user's terminal has them. */
static void choose_characters(void)
{
	if (!setlocale(LC_CTYPE, "") || (cells_are_unicode() && MB_CUR_MAX == 1))
		setlocale(LC_CTYPE, "C.UTF-8");
}

static void choose_colours(void)
{
	if (getenv("NO_COLOR") || start_color() == ERR)
		return;
	use_default_colors();
	for (short i = 0; i <= SGR_BLUE - SGR_RED; i++)
		init_pair((short)(i + 1), (short)(COLOR_RED + i), -1);
}

static struct trm_error *open_screen(SCREEN **ret_screen)
{
	const char *terminal = getenv("TERM");
	SCREEN *screen;

	choose_characters();
	screen = newterm(NULL, stdout, stdin);
	if (screen && cursor_address) {
		*ret_screen = screen;
		return NULL;
	}
	if (screen) {
		endwin();
		delscreen(screen);
	}
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"the terminal '%s' cannot be written on anywhere but at "
				"its end: trammel report and trammel flame print",
				terminal ? terminal : "");
}

struct trm_error *browse_screen_run(struct browser *browser)
{
	enum { ESCAPE_WAIT_MS = 25, REPAINT = 'L' & 0x1f };
	SCREEN *screen = NULL;

	TRM_TRY(open_screen(&screen));
	choose_colours();
	set_escdelay(ESCAPE_WAIT_MS);
	cbreak();
	noecho();
	keypad(stdscr, true);
	curs_set(0);
	while (!browser->done) {
		int key;

		draw_screen(browser);
		key = getch();
		if (key == ERR) /* the terminal is gone */
			break;
		if (key == REPAINT)
			clearok(curscr, true);
		else if (key != KEY_RESIZE)
			browser_key(browser, browse_key_of(key));
	}
	endwin();
	delscreen(screen);
	return NULL;
}
