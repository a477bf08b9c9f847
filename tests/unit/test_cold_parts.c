/* Cold parts: which of them are relocated with their functions, and how they run then. */
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "code/scan/cold_parts.h"
#include "image/find.h"

#include "base/cleanup.h"
#include "whole_area.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* A range of the code below. */
#define RANGE(name) extern const uint8_t name[], name##_end[]

RANGE(parts_code);
RANGE(first_cold);
RANGE(second_cold);
RANGE(third_cold);
RANGE(shared_cold);
RANGE(first);
RANGE(second);
RANGE(third);
RANGE(fourth);
RANGE(fifth);
RANGE(fifth_cold);
RANGE(sixth);
RANGE(sixth_cold);

#define PART "\n.p2align 4\n"

__asm__(".pushsection .rodata\n"
	"parts_code:\n"
	/* A loop of its own, and back into the middle. */
	"first_cold:\n"
	"	lea 2(%rax), %rax\n"
	"	sub $2, %rdi\n"
	"	ja first_cold\n"
	"	jmp first_back\n"
	"first_cold_end:" PART
	/* Entered at two places, with flags that are alive, and led out with some. */
	"second_cold:\n"
	"	lea 5(%rax), %rax\n"
	"	lea (%rax), %rax\n"
	"second_late:\n"
	"	jc 1f\n"
	"	lea 9(%rax), %rax\n"
	"	jmp second_back\n"
	"1:	stc\n"
	"	jmp second_back\n"
	"second_cold_end:" PART
	/* Calls, and returns by itself. */
	"third_cold:\n"
	"	mov %rbx, %rdi\n"
	"	call first\n"
	"	mov %rax, %rbx\n"
	"	call second\n"
	"	lea (%rax,%rbx), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"third_cold_end:" PART "shared_cold:\n"
	"	lea 100(%rdi), %rax\n"
	"	ret\n"
	"shared_cold_end:" PART
	/* No room for a jump at the second place, nor for an island: its call has a stub.
	 */
	"fifth_cold:\n"
	"	mov %rbx, %rdi\n"
	"	call first\n"
	"fifth_late:\n"
	"	mov %rbx, %rdi\n"
	"	call second\n"
	"	pop %rbx\n"
	"	ret\n"
	"fifth_cold_end:" PART
	/* Room for a short jump at its first place, to which a loop leads, too. */
	"sixth_cold:\n"
	"	lea 3(%rax), %rax\n"
	"sixth_late:\n"
	"	sub $2, %rdi\n"
	"	lea 7(%rax), %rax\n"
	"	ja sixth_cold\n"
	"	lea (%rax,%rsi), %rax\n"
	"	ret\n"
	"sixth_cold_end:" PART "first:\n"
	"	mov %rsi, %rax\n"
	"	cmp $3, %rdi\n"
	"	ja first_cold\n"
	"first_back:\n"
	"	lea (%rax,%rsi), %rax\n"
	"	ret\n"
	"first_end:" PART "second:\n"
	"	mov $0, %eax\n"
	"	cmp $4, %rdi\n"
	"	je second_cold\n"
	"	cmp %rsi, %rdi\n"
	"	jb second_late\n"
	"second_back:\n"
	"	adc $1, %rax\n"
	"	ret\n"
	"second_end:" PART "third:\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	test $1, %sil\n"
	"	jne third_cold\n"
	"	test $2, %sil\n"
	"	mov %rbx, %rax\n"
	"	pop %rbx\n"
	"	jne shared_cold\n"
	"	ret\n"
	"third_end:" PART "fourth:\n"
	"	mov %rdi, %rax\n"
	"	test %rdi, %rdi\n"
	"	jne shared_cold\n"
	"	ret\n"
	"fourth_end:" PART "fifth:\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	test $1, %sil\n"
	"	jne fifth_cold\n"
	"	test $2, %sil\n"
	"	jne fifth_late\n"
	"	mov %rbx, %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"fifth_end:" PART "sixth:\n"
	"	mov %rsi, %rax\n"
	"	test $1, %sil\n"
	"	jne sixth_cold\n"
	"	test $2, %sil\n"
	"	jne sixth_late\n"
	"	ret\n"
	"sixth_end:" PART "parts_code_end:\n"
	".popsection\n");

static uint64_t at(const uint8_t *place)
{
	return WHOLE_ADDRESS + (uint64_t)(place - parts_code);
}

#define ADD(add, image, name, named)                                                     \
	add(image, at(name), (uint64_t)(name##_end - name), named)

/* `shared`: the name of the part that two functions jump to. */
static void open_area(struct whole_area *area, const char *shared)
{
	size_t size = (size_t)(parts_code_end - parts_code);

	*area = (struct whole_area){.depth = PLAN_EDGES};
	whole_area_open(area, parts_code, size, size, IMAGE_DYNAMIC);
	area->depth = PLAN_EDGES;
	ADD(plan_image_add, &area->image, first, "first");
	ADD(plan_image_add, &area->image, second, "second");
	ADD(plan_image_add, &area->image, third, "third");
	ADD(plan_image_add, &area->image, fourth, "fourth");
	ADD(plan_image_add, &area->image, fifth, "fifth");
	ADD(plan_image_add, &area->image, sixth, "sixth");
	ADD(plan_image_add_part, &area->image, first_cold, "first.cold");
	ADD(plan_image_add_part, &area->image, second_cold, NULL);
	ADD(plan_image_add_part, &area->image, third_cold, "third.cold.0");
	ADD(plan_image_add_part, &area->image, shared_cold, shared);
	ADD(plan_image_add_part, &area->image, fifth_cold, "fifth.cold");
	ADD(plan_image_add_part, &area->image, sixth_cold, "sixth.cold");
}

/* The function that a part was taken for; NULL: it was left alone. */
static const char *owner_of(const struct whole_area *area, const uint8_t *part)
{
	const struct plan *plan = area->plan;

	vector_for_each (&plan->functions, function)
		if (function->address == at(part)) {
			assert_true(plan_is_cold_part(function));
			assert_int_equal(function->reason, PLAN_INSTRUMENTED);
			assert_int_not_equal(function->map_row_count, 0);
			return plan->names.items + plan_whole_of(plan, function)->name;
		}
	return NULL;
}

/* Why a part was left alone, and one of its functions; NULL: it has none. */
static const char *left_for(const struct whole_area *area, const uint8_t *part,
			    enum plan_reason reason)
{
	const struct plan *plan = area->plan;

	vector_for_each (&plan->left, left)
		if (left->address == at(part)) {
			assert_int_equal(left->reason, reason);
			return left->function == PLAN_NO_FUNCTION
				       ? NULL
				       : plan->names.items +
						 plan->functions.items[left->function]
							 .name;
		}
	fail();
	return NULL;
}

static void test_owners(void **state)
{
	struct whole_area area;

	(void)state;
	open_area(&area, NULL);
	whole_area_plan(&area);
	assert_string_equal(owner_of(&area, first_cold), "first");
	assert_string_equal(owner_of(&area, second_cold), "second");
	assert_string_equal(owner_of(&area, third_cold), "third");
	assert_string_equal(owner_of(&area, fifth_cold), "fifth");
	assert_string_equal(owner_of(&area, sixth_cold), "sixth");
	assert_null(owner_of(&area, shared_cold));
	assert_int_equal(area.plan->part_count, 5);
	assert_int_equal(area.plan->functions.count, 11);
	assert_int_equal(area.plan->left.count, 1);
	assert_string_equal(left_for(&area, shared_cold, PLAN_COLD_PART_SHARED), "third");
	/* The image is what it was. */
	assert_int_equal(area.image.functions.count, 6);
	whole_area_close(&area);

	open_area(&area, "fourth.cold");
	whole_area_plan(&area);
	assert_string_equal(owner_of(&area, shared_cold), "fourth");
	assert_int_equal(area.plan->left.count, 0);
	whole_area_close(&area);

	/* Neither begins with the other's name, nor is that enough. */
	open_area(&area, "thir.cold");
	whole_area_plan(&area);
	assert_null(owner_of(&area, shared_cold));
	whole_area_close(&area);
}

/* Where only entries count there are no parts. */
static void test_entries(void **state)
{
	struct whole_area area;

	(void)state;
	open_area(&area, NULL);
	area.depth = PLAN_ENTRIES;
	whole_area_plan(&area);
	assert_int_equal(area.plan->functions.count, 6);
	assert_int_equal(area.plan->part_count, 0);
	assert_int_equal(area.plan->left.count, 0);
	whole_area_close(&area);
}

/* One that reaches into other code is none. */
static void test_overlaps(void **state)
{
	struct whole_area area;

	(void)state;
	open_area(&area, NULL);
	area.image.parts.items[0].size =
		area.image.parts.items[1].address + 1 - area.image.parts.items[0].address;
	area.image.cold_parts.items[0].end = area.image.parts.items[1].address + 1;
	whole_area_plan(&area);
	assert_null(owner_of(&area, first_cold));
	assert_null(owner_of(&area, second_cold));
	assert_string_equal(left_for(&area, first_cold, PLAN_COLD_PART_UNREAD), "first");
	assert_string_equal(left_for(&area, second_cold, PLAN_COLD_PART_UNREAD),
			    "second");
	assert_string_equal(owner_of(&area, third_cold), "third");
	whole_area_close(&area);
}

static void run_all(struct whole_area *area)
{
	static const uint64_t inputs[] = {0, 1, 2, 3, 4, 5, 7, 8};
	static const uint8_t *const functions[] = {first,  second, third,
						   fourth, fifth,  sixth};
	const size_t count = sizeof(inputs) / sizeof(inputs[0]);
	uint64_t bare[6][8][8];

	whole_area_show(area, false);
	for (size_t f = 0; f < 6; f++)
		for (size_t i = 0; i < count * count; i++)
			bare[f][i / count][i % count] =
				whole_run_stepped(at(functions[f]), inputs[i / count],
						  inputs[i % count], 0, whole_note_step,
						  area)
					.rax;
	whole_area_show(area, true);
	for (size_t f = 0; f < 6; f++)
		for (size_t i = 0; i < count * count; i++)
			assert_int_equal(whole_run(at(functions[f]), inputs[i / count],
						   inputs[i % count], 0)
						 .rax,
					 bare[f][i / count][i % count]);
	whole_check_counts(area);
}

/* What parts leave to their functions is what these had from them. */
static void check_crossings(const struct whole_area *area)
{
	const struct plan *plan = area->plan;

	assert_true(plan->crossings.count >= 6);
	for (size_t i = 0; i < plan->crossings.count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[plan->crossings.items[i].edge];

		assert_int_equal(edge->to, PLAN_EDGE_OUT);
		assert_true(!i || plan->crossings.items[i - 1].edge <
					  plan->crossings.items[i].edge);
	}
}

static void test_runs(void **state)
{
	struct whole_area area;

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		open_area(&area, form & 1 ? "fourth.cold" : NULL);
		area.copies_calls = form & 2;
		whole_area_plan(&area);
		check_crossings(&area);
		run_all(&area);
		whole_area_close(&area);
		open_area(&area, "third.cold");
		area.depth = PLAN_BLOCKS;
		area.live = form & 2;
		whole_area_plan(&area);
		run_all(&area);
		whole_area_close(&area);
	}
}

/* The scan of a report has the same parts. */
static void test_scan(void **state)
{
	struct whole_area area;
	struct scan scan;
	size_t index;

	(void)state;
	open_area(&area, NULL);
	scan_init(&scan, &area.image, true);
	cold_parts_add(&scan, &area.image, NULL);
	assert_int_equal(area.image.functions.count, 11);
	index = image_function_at(&area.image, at(third_cold));
	assert_true(area.image.functions.items[index].flags & IMAGE_FUNCTION_COLD_PART);
	assert_int_equal(area.image.functions.items[index].part_of, at(third));
	assert_int_equal(cold_parts_owner(&area.image, (uint32_t)index),
			 image_function_at(&area.image, at(third)));
	/* It is nobody's callee. */
	assert_int_equal(code_map_function_at(&scan.map, at(third_cold)), -1);
	assert_int_equal(code_map_function_at(&scan.map, at(third)),
			 image_function_at(&area.image, at(third)));
	cold_parts_remove(&area.image);
	assert_int_equal(area.image.functions.count, 6);
	scan_deinit(&scan);
	whole_area_plan(&area);
	whole_area_close(&area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners),   cmocka_unit_test(test_entries),
		cmocka_unit_test(test_overlaps), cmocka_unit_test(test_runs),
		cmocka_unit_test(test_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
