#include "cli/db/opening.h"

#include "store/store.h"

#include <stdlib.h>

struct trm_error *db_path(const struct db_given *from, const char **ret_path)
{
	const char *variable = getenv("TRAMMEL_DB");

	*ret_path = from->db ? from->db : variable;
	if (*ret_path && **ret_path)
		return NULL;
	return trm_error_create(TRM_ERROR_USAGE,
				"no database: give --db FILE, or set TRAMMEL_DB");
}

struct trm_error *db_open(const struct db_given *from, enum sql_access access,
			  struct sql **ret_sql)
{
	const char *path;

	TRM_TRY(db_path(from, &path));
	return store_open(path, access, ret_sql);
}

static struct store_choice choice_of(const struct db_given *from)
{
	return (struct store_choice){.epoch = from->epoch,
				     .label = from->label,
				     .host = from->host,
				     .image = from->image,
				     .event = from->event,
				     .run = from->run,
				     .function = from->function};
}

struct trm_error *db_choose(struct sql *sql, const struct db_given *from)
{
	const struct store_choice choice = choice_of(from);

	TRM_TRY(store_choose(sql, &choice, "chosen"));
	return store_choose_functions(sql, &choice);
}

struct trm_error *db_show_answer(const struct db_given *given,
				 const struct answer *answer, const char *name)
{
	struct text_style style = {.width = showing_width()};
	struct text text = {0};
	size_t limit;

	TRM_TRY(showing_colour(&given->shown, &style.colour));
	TRM_TRY(showing_limit(&given->shown, &limit));
	if (given->shown.json)
		answer_json(answer, name, &text);
	else
		answer_print(answer, limit, &style, &text);
	return showing_print(&given->shown, &text, true);
}
