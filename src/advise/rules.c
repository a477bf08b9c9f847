/* The table of rules. */
#include "advise/call_rules.h"
#include "advise/code_rules.h"
#include "advise/record_rules.h"
#include "advise/value_rules.h"

const struct advice_rule advice_rules[] = {
	{
		.name = "inline",
		.title = "a small function that is called most from one place",
		.needs = "-m blocks,calls",
		.remedy = "let the compiler put it there: make it static in the same "
			  "file, or inline in a header; between files by -flto; or "
			  "__attribute__((always_inline))",
		.can = call_rules_can_sites,
		.look = rule_inline,
	},
	{
		.name = "one-trip",
		.title = "a loop that mostly runs once",
		.needs = "-m edges",
		.remedy = "write the case of one element in front of the loop (if (n == "
			  "1)), or have the loop not unrolled and vectorised for many: "
			  "#pragma GCC unroll 1, novector",
		.can = code_rules_can,
		.look_at = rule_one_trip,
	},
	{
		.name = "division",
		.title = "a division by a value that is nearly always the same",
		.needs = "-m values:exact, and -m blocks in another run",
		.remedy = "test for that value first, and divide by the constant there: "
			  "if (d == 10) q = n / 10; else q = n / d",
		.can = value_rules_can,
		.look = rule_division,
	},
	{
		.name = "strlen",
		.title = "the length of the same string is found in each round of a loop",
		.needs = "-m edges",
		.remedy = "call it once in front of the loop, and keep the length in a "
			  "variable; or test for the end of the string",
		.can = code_rules_can,
		.look_at = rule_strlen,
	},
	{
		.name = "copies",
		.title = "copies that are nearly all of one size",
		.needs = "--probe 'APP:memcpy@call { top(8) by arg2, srcline }', or -m "
			 "values:exact",
		.remedy = "test for that size first, and copy with the constant there: "
			  "if (n == 16) memcpy(to, from, 16), which is inlined",
		.can = value_rules_can_copies,
		.look = rule_copies,
	},
	{
		.name = "lock",
		.title = "a lock that is held long and waited for",
		.needs = "-m waits",
		.remedy = "do less while it is held: compute before and behind, and only "
			  "exchange within; or have several locks, each for a part of "
			  "the data",
		.can = record_rules_can_waits,
		.look = rule_locks,
	},
	{
		.name = "sharing",
		.title = "a cache line that threads take from each other (false sharing)",
		.needs = "--tool falseshare",
		.remedy = "give what each thread writes a line of its own: "
			  "_Alignas(64), or a local variable that is added at the end",
		.can = record_rules_can_sharing,
		.look = rule_sharing,
	},
	{
		.name = "exceptions",
		.title = "exceptions that are no exceptions",
		.needs = "-m blocks,calls",
		.remedy = "return what is usual as a value (std::optional, an error "
			  "code), and throw only what is rare: a throw takes some "
			  "thousand instructions",
		.can = call_rules_can_calls,
		.look = rule_exceptions,
	},
	{
		.name = "branch",
		.title = "a branch that goes either way",
		.needs = "-m edges --tool branch",
		.remedy = "compute without it (a table, a mask, max and min, which "
			  "become cmov), or sort the data first, so that it goes one "
			  "way for long",
		.can = code_rules_can_edges,
		.look_at = rule_branch,
	},
	{
		.name = "cold",
		.title = "code that is never executed in the midst of a hot function",
		.needs = "-m blocks",
		.remedy = "move it to a function of its own, __attribute__((cold, "
			  "noinline)), or tell the compiler by __builtin_expect; or "
			  "have it moved: trammel pbo, -fprofile-use",
		.can = code_rules_can,
		.look_at = rule_cold,
	},
	{
		.name = "heap",
		.title = "blocks of the heap that live for a moment only",
		.needs = "--tool malloc, and -m blocks in another run",
		.remedy = "keep the block and use it again, or have it on the stack; "
			  "reserve the space of what grows at once",
		.can = record_rules_can_heap,
		.look = rule_heap,
	},
	{
		.name = "unused",
		.title = "functions that nobody calls",
		.needs = "any measurement of code, as -m coverage",
		.remedy = "remove them; or build with -ffunction-sections and link with "
			  "-Wl,--gc-sections",
		.can = call_rules_can_functions,
		.look = rule_unused,
	},
	{
		.name = "repeated",
		.title = "a function that does the same work in several phases",
		.needs = "-m blocks --by-region",
		.remedy = "if its data are the same each time, too, do it once, and keep "
			  "the result",
		.can = record_rules_can_phases,
		.look = rule_phases,
	},
	{0},
};
