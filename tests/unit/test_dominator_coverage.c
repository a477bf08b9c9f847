/* Random graphs, and random walks through them: what follows from the flags that
 * dominator_coverage_choose leaves is what was walked over. */
#include "code/relocate/dominator_coverage.h"

#include "random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { GRAPHS = 6000, BLOCKS_MAX = 60, STEPS_MAX = 200 };

/* Block b is node b + 1. */
struct walked {
	bool executed[BLOCKS_MAX];
};

/* One instruction for each block, a call in some. */
static void make_cfg(struct random_graph *random, struct cfg *ret_cfg)
{
	const uint32_t count = random->graph.node_count - 1;

	*ret_cfg = (struct cfg){0};
	for (uint32_t b = 0; b < count; b++) {
		struct cfg_block *block = vector_add(&ret_cfg->blocks);

		vector_push(
			&ret_cfg->instructions,
			((struct cfg_instruction){
				.kind = one_in(&random->state, 4) ? CFG_CALL : CFG_PLAIN,
			}));
		*block = (struct cfg_block){.first = b,
					    .count = 1,
					    .first_edge = (uint32_t)ret_cfg->edges.count};
		for (uint32_t e = random->heads[b + 1]; e != UINT32_MAX;
		     e = random->next[e]) {
			uint32_t to = random->edges.items[e].to;

			vector_push(&ret_cfg->edges, ((struct cfg_edge){b, to - 1, 0}));
			block->edge_count++;
		}
	}
	for (uint32_t e = random->heads[0]; e != UINT32_MAX; e = random->next[e])
		if (random->edges.items[e].to > 1)
			ret_cfg->blocks.items[random->edges.items[e].to - 1].exposed =
				true;
}

static void deinit_cfg(struct cfg *cfg)
{
	vector_deinit(&cfg->blocks);
	vector_deinit(&cfg->edges);
	vector_deinit(&cfg->instructions);
}

/* From a block on, up to the function's end, or a call that never returns. `fork`:
 * another process begins in one that does. */
static void walk(struct random_graph *random, const struct cfg *cfg, uint32_t block,
		 struct walked *walked, struct walked *fork)
{
	bool stays = false;

	for (unsigned step = 0; block != CFG_OUT && !stays; step++) {
		uint32_t edge = random_graph_step(random, block + 1);
		uint32_t next =
			edge == UINT32_MAX ? CFG_OUT : random->edges.items[edge].to - 1;

		assert_in_range(block, 0, cfg->blocks.count - 1);
		walked->executed[block] = true;
		if (cfg_may_stay(cfg, block)) {
			stays = one_in(&random->state, 8) || step > STEPS_MAX;
			if (fork && one_in(&random->state, 4))
				walk(random, cfg, next, fork, NULL);
		}
		/* One that goes round for ever has the flag of its loop. */
		if (step > 100 * STEPS_MAX)
			return;
		block = next;
	}
}

static bool follows(const struct block_sums *sums, const struct walked *walked,
		    uint32_t block, unsigned depth)
{
	const struct block_sum *sum = &sums->blocks.items[block];

	assert_in_range(depth, 0, DOMINATOR_COVERAGE_DEPTH_MAX);
	if (!sum->count)
		return walked->executed[block];
	for (uint32_t i = 0; i < sum->count; i++)
		if (follows(sums, walked, sums->terms.items[sum->first + i], depth + 1))
			return true;
	return false;
}

static void assert_follows(const struct block_sums *sums, const struct cfg *cfg,
			   const struct walked *walked)
{
	for (uint32_t b = 0; b < cfg->blocks.count; b++)
		assert_int_equal(follows(sums, walked, b, 0), walked->executed[b]);
}

/* Each walk by itself, and all of them together, as runs of a function are. */
static void check(struct random_graph *random, const struct cfg *cfg,
		  const struct block_sums *sums)
{
	struct walked all = {{false}};

	for (unsigned i = 0; i < 6; i++) {
		struct walked one = {{false}}, fork = {{false}};

		walk(random, cfg, 0, &one, &fork);
		if (i % 2)
			for (uint32_t b = 1; b < cfg->blocks.count; b++)
				if (cfg->blocks.items[b].exposed)
					walk(random, cfg, b, &one, NULL);
		assert_follows(sums, cfg, &one);
		assert_follows(sums, cfg, &fork);
		for (uint32_t b = 0; b < cfg->blocks.count; b++)
			all.executed[b] |= one.executed[b];
	}
	assert_follows(sums, cfg, &all);
}

static void test_flags_tell_of_all_blocks(void **state)
{
	struct block_sums sums = {0};
	size_t blocks = 0, told = 0;

	(void)state;
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct random_graph random;
		struct cfg cfg;

		random_graph_init(&random, i, i % SHAPE_COUNT, 2 + i % (BLOCKS_MAX - 1));
		make_cfg(&random, &cfg);
		dominator_coverage_choose(&sums, &cfg, false);
		check(&random, &cfg, &sums);
		vector_for_each (&sums.blocks, sum)
			told += sum->count != 0;
		blocks += cfg.blocks.count;
		deinit_cfg(&cfg);
		random_graph_deinit(&random);
	}
	/* There was something to find. */
	assert_true(told > blocks / 20);
	block_sums_deinit(&sums);
}

/* Where counting begins in a loop, what is in front of it was not executed. */
static void test_loops_go_on_in_parts(void **state)
{
	struct block_sums sums = {0};

	(void)state;
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct random_graph random;
		struct cfg cfg;

		random_graph_init(&random, 31 * i, SHAPE_NESTED,
				  2 + i % (BLOCKS_MAX - 1));
		make_cfg(&random, &cfg);
		dominator_coverage_choose(&sums, &cfg, true);
		check(&random, &cfg, &sums);
		vector_for_each (&cfg.edges, edge) {
			struct walked walked = {{false}};

			if (edge->to > edge->from)
				continue;
			walk(&random, &cfg, edge->to, &walked, NULL);
			assert_follows(&sums, &cfg, &walked);
		}
		deinit_cfg(&cfg);
		random_graph_deinit(&random);
	}
	block_sums_deinit(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags_tell_of_all_blocks),
		cmocka_unit_test(test_loops_go_on_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
