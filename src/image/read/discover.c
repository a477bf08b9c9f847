#include "image/read/discover.h"

#include "base/search.h"
#include "image/open.h"
#include "image/ranges.h"
#include "image/read/give_back.h"
#include "image/read/sort.h"
#include "image/read/warn.h"

/* What sort_item.value says of a start: its kind in the lowest bits, its index above. */
enum start_kind { START_SYMBOL, START_FRAME, START_ENTRY, START_KIND_BITS = 2 };

/* All that is known of one address at which something starts. */
struct start {
	uint64_t address;
	uint64_t next;             /* where the next thing starts, or the code ends */
	const struct symbol *best; /* the one whose name it gets; NULL: none */
	uint64_t symbol_size;      /* the largest that a symbol says; 0: none does */
	uint64_t frame_size;       /* likewise of frames */
	uint32_t flags;            /* of its symbols and frames */
	bool function; /* a symbol that names no cold part, or the loader calls it */
	bool cold;     /* a symbol names a cold part */
	bool whole; /* the loader calls it, or a symbol without a suffix names it, such as
		       compilers and BOLT give to parts: what begins there is an entry,
		       whatever its frame says */
	bool displaced; /* its frame is not that of an entry */
	bool signal;
};

/* Where the walk over the starts is. */
struct discovery {
	struct reader *reader;
	uint64_t named_end;  /* end of the ranges of the named functions so far */
	uint64_t signal_end; /* likewise of signal frames */
	uint64_t name_bytes_left;
	bool names_dropped;
};

static size_t count_underscores(const struct symbol *symbol)
{
	return strspn(symbol->name, "_");
}

/* C libraries give their own name of a function the strong symbol, and a weak one to that
 * which people know. */
static enum symbol_rank class_of(const struct symbol *symbol)
{
	return symbol->rank == RANK_WEAK ? RANK_GLOBAL : (enum symbol_rank)symbol->rank;
}

/* Whether a symbol is the better name. Total: the order of tables does not matter. */
static bool better_symbol(const struct symbol *a, const struct symbol *b)
{
	size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
	int order;

	if (a->cold != b->cold)
		return b->cold;
	if (class_of(a) != class_of(b))
		return class_of(a) < class_of(b);
	if (a->source != b->source)
		return a->source < b->source;
	if (count_underscores(a) != count_underscores(b))
		return count_underscores(a) < count_underscores(b);
	if (a->rank != b->rank)
		return a->rank < b->rank;
	order = memcmp(a->name, b->name, common);
	return order ? order < 0 : a->name_size < b->name_size;
}

static void add_symbol(struct start *start, const struct symbol *symbol)
{
	start->cold |= symbol->cold;
	start->function |= !symbol->cold;
	start->whole |= !memchr(symbol->name, '.', symbol->name_size);
	start->flags |= symbol->flags;
	if (symbol->size > start->symbol_size)
		start->symbol_size = symbol->size;
	if (!start->best || better_symbol(symbol, start->best))
		start->best = symbol;
}

static void add_frame(struct start *start, const struct frame *frame)
{
	start->flags |= IMAGE_FUNCTION_FDE;
	start->displaced |= frame->displaced;
	start->signal |= frame->signal;
	if (frame->size > start->frame_size)
		start->frame_size = frame->size;
}

static void add_item(const struct reader *reader, struct start *start, uint64_t item)
{
	size_t index = (size_t)(item >> START_KIND_BITS);

	switch (item & ((1u << START_KIND_BITS) - 1)) {
	case START_SYMBOL:
		add_symbol(start, &reader->symbols.items[index]);
		break;
	case START_FRAME:
		add_frame(start, &reader->frames.items[index]);
		break;
	default:
		start->function = start->whole = true;
		break;
	}
}

/* Copies the name into image.names. Returns its offset, 0 for no name. */
static uint32_t add_name(struct discovery *discovery, const struct symbol *symbol)
{
	struct image *image = discovery->reader->image;
	uint32_t offset = (uint32_t)image->names.count;
	uint64_t size;

	if (!symbol || !symbol->name_size)
		return 0;
	size = (uint64_t)symbol->name_size + 1;
	if (size > discovery->name_bytes_left) {
		discovery->names_dropped = true;
		return 0;
	}
	discovery->name_bytes_left -= size;
	vector_reserve(&image->names, image->names.count + size);
	memcpy(image->names.items + offset, symbol->name, size - 1);
	image->names.items[offset + size - 1] = 0;
	image->names.count += size;
	return offset;
}

static void add_signal_frame(struct discovery *discovery, const struct start *start)
{
	/* The byte before belongs to it: unwinders look a return address up minus one. */
	struct image_range range = {start->address - (start->address > 0),
				    start->address + start->frame_size};

	vector_push(&discovery->reader->image->untouchable, range);
	if (range.end > discovery->signal_end)
		discovery->signal_end = range.end;
}

/* The bytes from a start on that belong to it. */
static uint64_t size_of(const struct start *start, uint64_t code_end, uint32_t *flags)
{
	uint64_t size = start->symbol_size, left = code_end - start->address;

	if (start->frame_size > size)
		size = start->frame_size;
	if (!size) {
		size = start->next - start->address;
		*flags |= IMAGE_FUNCTION_SIZE_GUESS;
	}
	return size < left ? size : left;
}

/* Whether something from `start` on up to `end` is wanted. */
static bool is_wanted(const struct discovery *discovery, uint64_t start, uint64_t end)
{
	const struct image_wanted *wanted = discovery->reader->wanted;
	size_t at;

	if (!wanted)
		return true;
	at = search_first(wanted->count, i, wanted->addresses[i] < start);
	return at < wanted->count && wanted->addresses[at] < end;
}

/* The last function is around all addresses up to the next one, at `end`. If none of
 * these is wanted it goes, with its name. */
static void drop_unwanted(const struct discovery *discovery, uint64_t end)
{
	struct image *image = discovery->reader->image;
	const struct image_function *last;

	if (!image->functions.count)
		return;
	last = &image->functions.items[image->functions.count - 1];
	if (is_wanted(discovery, last->address, end))
		return;
	if (last->name && last->name + strlen(image->names.items + last->name) + 1 ==
				  image->names.count)
		image->names.count = last->name;
	image->functions.count--;
	image->left_out++;
}

static void add_function(struct discovery *discovery, const struct start *start,
			 uint64_t code_end)
{
	struct image *image = discovery->reader->image;
	struct image_function function = {.address = start->address,
					  .flags = start->flags};

	drop_unwanted(discovery, start->address);
	function.size = size_of(start, code_end, &function.flags);
	function.name = add_name(discovery, start->best);
	if (start->symbol_size && start->address + function.size > discovery->named_end)
		discovery->named_end = start->address + function.size;
	vector_push(&image->functions, function);
}

static void add_cold_part(struct discovery *discovery, const struct start *start,
			  uint64_t code_end)
{
	struct image *image = discovery->reader->image;
	struct image_function part = {.address = start->address, .flags = start->flags};

	part.size = size_of(start, code_end, &part.flags);
	if (!is_wanted(discovery, part.address, part.address + part.size))
		return;
	part.name = add_name(discovery, start->best);
	vector_push(&image->parts, part);
	vector_push(&image->cold_parts,
		    ((struct image_range){part.address, part.address + part.size}));
}

/* Decides what a start is. */
static void settle_start(struct discovery *discovery, const struct start *start,
			 uint64_t code_end)
{
	struct image *image = discovery->reader->image;

	if (start->signal) {
		add_signal_frame(discovery, start);
		return;
	}
	if (start->address < discovery->signal_end ||
	    image_range_at(&image->plt, start->address))
		return;
	if (start->function && (start->whole || !start->displaced))
		add_function(discovery, start, code_end);
	else if (start->cold || start->function)
		add_cold_part(discovery, start, code_end);
	else if (start->address < discovery->named_end)
		return; /* a function may have several frames, as glibc's clone has */
	else if (start->displaced)
		add_cold_part(discovery, start, code_end);
	else
		add_function(discovery, start, code_end);
}

static void push_start(struct sort_item *items, size_t *count, uint64_t address,
		       size_t index, enum start_kind kind)
{
	items[(*count)++] = (struct sort_item){
		address, (uint64_t)index << START_KIND_BITS | (uint64_t)kind};
}

/* All starts, sorted by address. */
static struct sort_item *collect_starts(const struct reader *reader, size_t *ret_count)
{
	size_t count = 0, total = reader->symbols.count + reader->frames.count +
				  reader->entries.count;
	struct sort_item *items = memory_allocate(total * sizeof(*items));

	for (size_t i = 0; i < reader->symbols.count; i++)
		push_start(items, &count, reader->symbols.items[i].address, i,
			   START_SYMBOL);
	for (size_t i = 0; i < reader->frames.count; i++)
		push_start(items, &count, reader->frames.items[i].address, i,
			   START_FRAME);
	for (size_t i = 0; i < reader->entries.count; i++)
		push_start(items, &count, reader->entries.items[i], i, START_ENTRY);
	image_sort(items, count);
	*ret_count = count;
	return items;
}

/* Goes over the sorted starts, those of one address together. */
static void settle_all(struct discovery *discovery, const struct sort_item *items,
		       size_t count)
{
	const struct reader *reader = discovery->reader;

	for (size_t i = 0; i < count;) {
		struct start start = {.address = items[i].key};
		const struct image_range *code =
			image_range_at(&reader->code, start.address);

		for (; i < count && items[i].key == start.address; i++)
			add_item(reader, &start, items[i].value);
		if (!code)
			continue;
		if (!(i % GIVE_BACK_EVERY))
			image_give_back(reader);
		start.next =
			i < count && items[i].key < code->end ? items[i].key : code->end;
		settle_start(discovery, &start, code->end);
	}
}

/* Gives a flag to the functions at these addresses, which are sorted here. */
static void mark_functions(struct image *image, struct image_addresses *addresses,
			   uint32_t flag)
{
	size_t at = 0;

	addresses->count = image_sort_unique(addresses->items, addresses->count);
	vector_for_each (addresses, address) {
		while (at < image->functions.count &&
		       image->functions.items[at].address < *address)
			at++;
		if (at < image->functions.count &&
		    image->functions.items[at].address == *address)
			image->functions.items[at].flags |= flag;
	}
}

void image_discover_functions(struct reader *reader)
{
	struct image *image = reader->image;
	struct discovery discovery = {.reader = reader};
	struct sort_item *items;
	size_t count;

	/* Names may share bytes in the file, but sound ones seldom do. */
	discovery.name_bytes_left = reader->name_bytes;
	if (discovery.name_bytes_left > UINT32_MAX / 2)
		discovery.name_bytes_left = UINT32_MAX / 2;
	vector_push(&image->names, 0);
	items = collect_starts(reader, &count);
	settle_all(&discovery, items, count);
	drop_unwanted(&discovery, UINT64_MAX);
	free(items);
	if (discovery.names_dropped)
		image_warn(reader,
			   "the names are larger than their tables; some are left out");
	mark_functions(image, &reader->resolvers, IMAGE_FUNCTION_IFUNC);
	mark_functions(image, &reader->references, IMAGE_FUNCTION_REFERENCED);
	image_ranges_sort(&image->untouchable);
	image->targets.count =
		image_sort_unique(image->targets.items, image->targets.count);
}
