/* Addresses of databases, statements in the words of each kind, names of any bytes. */
#include "base/array.h"
#include "store/sql/address.h"
#include "store/sql/backend.h"
#include "store/sql/pg_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void hides_passwords(void **state)
{
	static const struct {
		const char *address, *shown, *hidden;
	} rows[] = {
		{"postgresql://me:word@host:5432/db", "postgresql://me:***@host:5432/db",
		 "postgresql://me:xxxx@host:5432/db"},
		{"postgres://me@host/db", "postgres://me@host/db",
		 "postgres://me@host/db"},
		{"postgresql://host:5432/db", "postgresql://host:5432/db",
		 "postgresql://host:5432/db"},
		{"postgresql://me:a/b@c@host/db", "postgresql://me:***@host/db",
		 "postgresql://me:xxxxx@host/db"},
		{"postgresql:///db?user=me&password=pw&host=/run",
		 "postgresql:///db?user=me&password=***&host=/run",
		 "postgresql:///db?user=me&password=xx&host=/run"},
		{"postgresql://me:pw@h/db?sslpassword=p2",
		 "postgresql://me:***@h/db?sslpassword=***",
		 "postgresql://me:xx@h/db?sslpassword=xx"},
		{"postgresql://h/db?options=a:b@c", "postgresql://h/db?options=a:b@c",
		 "postgresql://h/db?options=a:b@c"},
		{"/a:b@c/p.db", "/a:b@c/p.db", "/a:b@c/p.db"},
	};

	(void)state;
	for (size_t i = 0; i < array_count(rows); i++) {
		char *shown = address_show(rows[i].address);
		char *hidden = memory_copy_string(rows[i].address);

		address_hide(hidden);
		assert_string_equal(shown, rows[i].shown);
		assert_string_equal(hidden, rows[i].hidden);
		assert_int_equal(address_is_server(rows[i].address),
				 rows[i].address[0] != '/');
		free(shown);
		free(hidden);
	}
}

static void translates(void **state)
{
	static const struct sql_word words[] = {{"INTEGER", "BIGINT", false},
						{"temp.", "pg_temp.", false},
						{"DIGEST(", "md5(", false},
						{"REFERENCES", "", true},
						{NULL, NULL, false}};
	const struct sql_backend numbered = {.words = words, .numbered = true},
				 plain = {.words = words};
	static const char text[] =
		"a INTEGER REFERENCES b, 'INTEGER ?''?' x.temp. MYINTEGER INTEGERS"
		" ? ?1 ? DIGEST(?2)";
	struct text to = {0};

	(void)state;
	sql_translate(&numbered, text, &to);
	assert_string_equal(to.data, "a BIGINT , 'INTEGER ?''?' x.pg_temp. MYINTEGER"
				     " INTEGERS $1 $1 $2 md5($2)");
	to.length = 0;
	sql_translate(&plain, "? ?1", &to);
	assert_string_equal(to.data, "? ?1");
	text_deinit(&to);
}

static void expect_encoded(const char *bytes, size_t size, const char *text)
{
	struct text there = {0}, back = {0};

	text_add(&there, "");
	pg_text_encode(bytes, size, &there);
	if (text)
		assert_string_equal(there.data, text);
	for (size_t i = 0; i < there.length; i++)
		assert_true(there.data[i] != (char)0xc0 && there.data[i] != (char)0xff);
	text_add(&back, "");
	pg_text_decode(there.data, &back);
	assert_int_equal(back.length, size);
	assert_memory_equal(back.data, bytes, size);
	assert_int_equal(pg_text_is_encoded(there.data),
			 there.length != size || memcmp(there.data, bytes, size) != 0);
	text_deinit(&there);
	text_deinit(&back);
}

static void keeps_bytes(void **state)
{
	(void)state;
	expect_encoded("abc", 3, "abc");
	expect_encoded("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_encoded("\xff", 1, "\xf4\x8f\xbf\xbf");
	expect_encoded("a\x80z", 3, "a\xf4\x8f\xbe\x80z");
	/* Too long, a surrogate, too large, cut off. */
	expect_encoded("\xc0\x80", 2, NULL);
	expect_encoded("\xed\xa0\x80", 3, NULL);
	expect_encoded("\xf5\x80\x80\x80", 4, NULL);
	expect_encoded("\xe2\x82", 2, NULL);
	/* The characters that stand for bytes, and the ones before them. */
	expect_encoded("\xf4\x8f\xbe\x80", 4, NULL);
	expect_encoded("\xf4\x8f\xbc\x80", 4, NULL);
	expect_encoded("\xf4\x8f\xbb\xbf", 4, "\xf4\x8f\xbb\xbf");
}

/* All pairs of bytes, and some longer ones. */
static void keeps_all_bytes(void **state)
{
	(void)state;
	for (int first = 1; first < 256; first++)
		for (int second = 1; second < 256; second++) {
			const char bytes[] = {(char)first,  (char)second, (char)0x8f,
					      (char)second, (char)first,  (char)0xf4};

			expect_encoded(bytes, 2, NULL);
			expect_encoded(bytes, sizeof(bytes), NULL);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hides_passwords),
		cmocka_unit_test(translates),
		cmocka_unit_test(keeps_bytes),
		cmocka_unit_test(keeps_all_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
