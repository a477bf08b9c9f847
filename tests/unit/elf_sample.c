#include "elf_sample.h"

#include "elf_go.h"

#include <lzma.h>
#include <string.h>

static const unsigned char code_section = 1; /* index of .plt; .text is behind it */

/* Symbols of .symtab. */
static const struct {
	const char *name;
	unsigned char binding, type;
	uint16_t place, size;
} symbols[] = {
	{"helper", STB_LOCAL, STT_FUNC, SAMPLE_HELPER, 0},
	{"inner", STB_LOCAL, STT_FUNC, SAMPLE_INNER, 8},
	{"bare", STB_LOCAL, STT_FUNC, SAMPLE_BARE, 0},
	{"label", STB_LOCAL, STT_NOTYPE, SAMPLE_LABEL, 0},
	{"aliased_local", STB_LOCAL, STT_FUNC, SAMPLE_ALIASED, 0x10},
	{"main.cold", STB_LOCAL, STT_FUNC, SAMPLE_COLD, 0x10},
	{"__restore", STB_LOCAL, STT_FUNC, SAMPLE_RESTORE, 0},
	{"main", STB_GLOBAL, STT_FUNC, SAMPLE_MAIN, 0x40},
	{"weak", STB_WEAK, STT_FUNC, SAMPLE_ALIASED, 0x10},
	{"__global", STB_GLOBAL, STT_FUNC, SAMPLE_ALIASED, 0x10},
	{"_global", STB_GLOBAL, STT_FUNC, SAMPLE_ALIASED, 0x10},
	{"resolver", STB_GLOBAL, STT_GNU_IFUNC, SAMPLE_RESOLVER, 0x10},
	{"versioned@OLD", STB_GLOBAL, STT_FUNC, SAMPLE_VERSIONED, 8},
	{"__versioned@@NEW", STB_GLOBAL, STT_FUNC, SAMPLE_VERSIONED, 8},
};

static const char lower_stack[] = {0x0e, 0x40, (char)0x83, 2}; /* CFA rsp+64, rbx saved */
static const char no_caller[] = {0x07, 16};                    /* rip is lost */
static const char lower_later[] = {0x44, 0x0e, 0x10};          /* behind 4 bytes */

/* Frames; those with exception data are made by hand. */
static const struct {
	uint16_t place, size;
	const char *program;
	size_t program_size;
} frames[] = {
	{SAMPLE_ALIASED, 0x10, lower_later, sizeof(lower_later)},
	{SAMPLE_NAMELESS, 0x10, NULL, 0},
	{SAMPLE_COLD, 0x10, lower_stack, sizeof(lower_stack)},
	{SAMPLE_DISPLACED, 0x10, lower_stack, sizeof(lower_stack)},
	{SAMPLE_THREAD, 0x08, no_caller, sizeof(no_caller)},
};

enum {
	SYMBOL_COUNT = sizeof(symbols) / sizeof(*symbols),
	FRAME_COUNT = sizeof(frames) / sizeof(*frames),
};

static bool wants(const struct sample *sample, unsigned int part)
{
	return (sample->parts & part) != 0;
}

static void add_code(struct sample *sample)
{
	const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
	struct elf_builder *builder = &sample->builder;
	struct blob code = {0};

	elf_start_segment(builder, PF_R | PF_X);
	blob_fill(&code, 0xcc, SAMPLE_STUBS_SIZE);
	sample->stubs = elf_add_section(builder, ".plt", SHT_PROGBITS, flags, &code, 0);
	code.count = 0;
	blob_fill(&code, 0x90, SAMPLE_TEXT_SIZE);
	sample->text = elf_add_section(builder, ".text", SHT_PROGBITS, flags, &code, 0);
	builder->entry = sample->text + SAMPLE_MAIN;
	vector_deinit(&code);
}

static void add_build_id(struct sample *sample)
{
	struct blob note = {0};
	uint64_t address;

	blob_number(&note, 4, 4);
	blob_number(&note, 20, 4);
	blob_number(&note, NT_GNU_BUILD_ID, 4);
	blob_bytes(&note, "GNU", 4);
	for (unsigned int i = 0; i < 20; i++)
		blob_number(&note, 0xa0 + i, 1);
	address = elf_add_section(&sample->builder, ".note.gnu.build-id", SHT_NOTE,
				  SHF_ALLOC, &note, 0);
	elf_add_header(&sample->builder, PT_NOTE, address, note.count);
	vector_deinit(&note);
}

/* One call site with numbers of a fixed size, or LEB128 (size 0). */
static void add_site(struct blob *blob, size_t size, uint64_t start, uint64_t pad)
{
	const uint64_t numbers[] = {start, 4, pad};

	for (size_t i = 0; i < 3; i++) {
		if (size)
			blob_number(blob, numbers[i], size);
		else
			blob_uleb(blob, numbers[i]);
	}
	blob_uleb(blob, pad ? 1 : 0);
}

/* Exception data of main (at 0) and of helper; returns where that starts. */
static size_t make_pads(const struct sample *sample, struct blob *pads, uint64_t address)
{
	size_t second;

	blob_number(pads, 0xffff, 2); /* landing pads from the function on; no types */
	blob_number(pads, 0x01, 1);
	blob_uleb(pads, 12);
	add_site(pads, 0, 0, SAMPLE_PAD_ONE);
	add_site(pads, 0, 4, 0);
	add_site(pads, 0, 8, SAMPLE_PAD_TWO);
	blob_align(pads, 4);
	second = pads->count;
	blob_number(pads, 0x1b, 1); /* landing pads from .text on */
	blob_number(pads, sample->text - (address + pads->count), 4);
	blob_number(pads, 0x9b, 1); /* types, 40 bytes on */
	blob_uleb(pads, 40);
	blob_number(pads, 0x03, 1);
	blob_uleb(pads, 26);
	add_site(pads, 4, 0, SAMPLE_PAD_THREE);
	add_site(pads, 4, 4, 0);
	return second;
}

static void add_index(struct sample *sample, uint64_t frames_address,
		      const struct blob *blob)
{
	uint64_t address = elf_next_address(&sample->builder);
	struct blob index = {0};
	uint32_t count = 0;

	blob_number(&index, 0x3b031b01, 4);
	blob_number(&index, frames_address - (address + 4), 4);
	blob_number(&index, 0, 4);
	for (size_t at = 0; at + 8 <= blob->count;) {
		uint32_t size, common;
		int32_t distance;

		memcpy(&size, blob->items + at, 4);
		memcpy(&common, blob->items + at + 4, 4);
		memcpy(&distance, blob->items + at + 8, 4);
		if (size && common) {
			blob_number(&index, frames_address + at + 8 + distance - address,
				    4);
			blob_number(&index, frames_address + at - address, 4);
			count++;
		}
		at += size + 4;
	}
	blob_patch(&index, 8, count, 4);
	elf_add_section(&sample->builder, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC,
			&index, 0);
	elf_add_header(&sample->builder, PT_GNU_EH_FRAME, address, index.count);
	vector_deinit(&index);
}

/* Fills in .eh_frame; `pads`: where the exception data of main and helper is. */
static void make_frames(const struct sample *sample, struct blob *blob, uint64_t address,
			const uint64_t pads[2])
{
	size_t common = frames_common(blob, "zPLR");
	struct frame_spec spec = {
		sample->text + SAMPLE_MAIN, 0x40, true, pads[0], NULL, 0};

	frames_entry(blob, address, common, &spec);
	spec = (struct frame_spec){
		sample->text + SAMPLE_HELPER, 0x20, true, pads[1], NULL, 0};
	frames_entry(blob, address, common, &spec);
	common = frames_common(blob, "zR");
	for (size_t i = 0; i < FRAME_COUNT; i++) {
		spec = (struct frame_spec){.address = sample->text + frames[i].place,
					   .size = frames[i].size,
					   .program = frames[i].program,
					   .program_size = frames[i].program_size};
		frames_entry(blob, address, common, &spec);
	}
	common = frames_common(blob, "zRS");
	spec = (struct frame_spec){
		sample->text + SAMPLE_RESTORE - 1, 0x11, false, 0, NULL, 0};
	frames_entry(blob, address, common, &spec);
	blob_number(blob, 0, 4);
}

static void add_frames(struct sample *sample)
{
	struct blob pads = {0}, blob = {0};
	uint64_t address = elf_next_address(&sample->builder),
		 places[2] = {address, address};

	places[1] += make_pads(sample, &pads, address);
	elf_add_section(&sample->builder, ".gcc_except_table", SHT_PROGBITS, SHF_ALLOC,
			&pads, 0);
	address = elf_next_address(&sample->builder);
	make_frames(sample, &blob, address, places);
	elf_add_section(&sample->builder, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, &blob, 0);
	if (wants(sample, SAMPLE_INDEX))
		add_index(sample, address, &blob);
	vector_deinit(&pads);
	vector_deinit(&blob);
}

static void add_rela(struct blob *blob, uint64_t place, uint32_t type, uint64_t addend)
{
	blob_number(blob, place, 8);
	blob_number(blob, type, 8);
	blob_number(blob, addend, 8);
}

/* A hash table that says only how many symbols there are. */
static uint64_t add_hash(struct sample *sample, uint32_t count)
{
	struct blob hash = {0};
	uint64_t address;
	bool gnu = wants(sample, SAMPLE_GNU_HASH);

	if (gnu) {
		const uint32_t words[] = {1, 1, 1, 0, 0, 0, 1};

		blob_bytes(&hash, words, sizeof(words));
		for (uint32_t i = 1; i < count; i++)
			blob_number(&hash, i + 1 == count, 4);
	} else {
		const uint32_t words[] = {0, count};

		blob_bytes(&hash, words, sizeof(words));
		blob_fill(&hash, 0, 4 * (size_t)count);
	}
	address = elf_add_section(&sample->builder, gnu ? ".gnu.hash" : ".hash",
				  gnu ? SHT_GNU_HASH : SHT_HASH, SHF_ALLOC, &hash, 0);
	vector_deinit(&hash);
	return address;
}

static void add_pair(struct blob *blob, int64_t tag, uint64_t value)
{
	blob_number(blob, (uint64_t)tag, 8);
	blob_number(blob, value, 8);
}

/* Adds the symbols of the dynamic table, and what finds them, to the dynamic section. */
static void add_dynamic_symbols(struct sample *sample, struct blob *dynamic)
{
	struct symbol_blobs *blobs = &sample->dynsym;
	const uint16_t versions[] = {0, 2, 0x8002};
	struct blob version = {0};

	symbols_start(blobs);
	symbols_add(blobs, "exported", STB_GLOBAL, STT_FUNC,
		    sample->text + SAMPLE_POINTED, 0x10, 2);
	symbols_add(blobs, "an_old_one", STB_GLOBAL, STT_FUNC,
		    sample->text + SAMPLE_POINTED, 0x10, 2);
	add_pair(dynamic, DT_SYMTAB,
		 elf_add_section(&sample->builder, ".dynsym", SHT_DYNSYM, SHF_ALLOC,
				 &blobs->symbols, 0));
	add_pair(dynamic, DT_STRTAB,
		 elf_add_section(&sample->builder, ".dynstr", SHT_STRTAB, SHF_ALLOC,
				 &blobs->strings, 0));
	add_pair(dynamic, DT_STRSZ, blobs->strings.count);
	add_pair(dynamic, wants(sample, SAMPLE_GNU_HASH) ? DT_GNU_HASH : DT_HASH,
		 add_hash(sample, 3));
	blob_bytes(&version, versions, sizeof(versions));
	add_pair(dynamic, DT_VERDEF, elf_next_address(&sample->builder));
	add_pair(dynamic, DT_VERSYM,
		 elf_add_section(&sample->builder, ".gnu.version", SHT_GNU_versym,
				 SHF_ALLOC, &version, 0));
	vector_deinit(&version);
}

/* Words for the loader to fill in: an initialiser, two pointers and one that RELR
 * relocates. */
static void add_relocations(struct sample *sample, struct blob *dynamic)
{
	struct blob words = {0}, relocations = {0}, packed = {0};
	uint64_t place, table;

	blob_fill(&words, 0, 24);
	blob_number(&words, sample->text + SAMPLE_PACKED, 8);
	place = elf_add_section(&sample->builder, ".init_array", SHT_INIT_ARRAY,
				SHF_ALLOC | SHF_WRITE, &words, 0);
	add_pair(dynamic, DT_INIT_ARRAY, place);
	add_pair(dynamic, DT_INIT_ARRAYSZ, 8);
	add_rela(&relocations, place, R_X86_64_RELATIVE, sample->text + SAMPLE_INIT);
	add_rela(&relocations, place + 8, R_X86_64_RELATIVE,
		 sample->text + SAMPLE_POINTED);
	table = elf_add_section(&sample->builder, ".rela.dyn", SHT_RELA, SHF_ALLOC,
				&relocations, 0);
	add_pair(dynamic, DT_RELA, table);
	add_pair(dynamic, DT_RELASZ, relocations.count);
	relocations.count = 0;
	add_rela(&relocations, place + 16, R_X86_64_IRELATIVE,
		 sample->text + SAMPLE_RESOLVER);
	table = elf_add_section(&sample->builder, ".rela.plt", SHT_RELA, SHF_ALLOC,
				&relocations, 0);
	add_pair(dynamic, DT_JMPREL, table);
	add_pair(dynamic, DT_PLTRELSZ, relocations.count);
	add_pair(dynamic, DT_PLTREL, DT_RELA);
	/* A place that no symbol needs, then a bitmap: the second word behind it. */
	blob_number(&packed, place + 8, 8);
	blob_number(&packed, 1 | 1 << 2, 8);
	add_pair(dynamic, 36,
		 elf_add_section(&sample->builder, ".relr.dyn", 19, SHF_ALLOC, &packed,
				 0));
	add_pair(dynamic, 35, packed.count);
	vector_deinit(&words);
	vector_deinit(&relocations);
	vector_deinit(&packed);
}

static void add_dynamic(struct sample *sample)
{
	struct blob dynamic = {0};
	uint64_t address;

	add_dynamic_symbols(sample, &dynamic);
	add_relocations(sample, &dynamic);
	add_pair(&dynamic, DT_NULL, 0);
	address = elf_add_section(&sample->builder, ".dynamic", SHT_DYNAMIC,
				  SHF_ALLOC | SHF_WRITE, &dynamic, 0);
	elf_add_header(&sample->builder, PT_DYNAMIC, address, dynamic.count);
	vector_deinit(&dynamic);
}

static void add_sequences(struct sample *sample)
{
	struct blob blob = {0};

	blob_number(&blob, 0, 8);
	blob_number(&blob, sample->text + SAMPLE_SEQUENCE, 8);
	blob_number(&blob, 0x10, 8);
	blob_number(&blob, sample->text + SAMPLE_ABORT, 8);
	elf_add_section(&sample->builder, "__rseq_cs", SHT_PROGBITS,
			SHF_ALLOC | SHF_WRITE, &blob, 0);
	vector_deinit(&blob);
}

static void add_go_table(struct sample *sample)
{
	static const struct go_entry functions[] = {
		{SAMPLE_MAIN, 0x31, 0x20, "main.main"},
		{SAMPLE_HELPER, 7, 0, "runtime.goexit"},
		{SAMPLE_BARE, 9, 0, "runtime.sigreturn"},
		{SAMPLE_ALIASED, 0, 0, "main.helper"},
	};
	struct go_spec spec = {.magic = wants(sample, SAMPLE_GO) ? GO_1_20 : GO_1_2,
			       .text = sample->text,
			       .text_field = sample->text,
			       .functions = functions,
			       .count = sizeof(functions) / sizeof(*functions),
			       .end = SAMPLE_NAMELESS};
	struct blob table = {0};

	go_table_make(&table, &spec);
	elf_add_section(&sample->builder, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, &table,
			0);
	vector_deinit(&table);
}

static void add_symtab(struct elf_builder *builder, struct symbol_blobs *blobs,
		       uint64_t text)
{
	symbols_start(blobs);
	for (size_t i = 0; i < SYMBOL_COUNT; i++)
		symbols_add(blobs, symbols[i].name, symbols[i].binding, symbols[i].type,
			    text + symbols[i].place, symbols[i].size, code_section + 1);
	elf_add_section(builder, ".symtab", SHT_SYMTAB, 0, &blobs->symbols,
			(uint32_t)builder->sections.count + 1);
	elf_add_section(builder, ".strtab", SHT_STRTAB, 0, &blobs->strings, 0);
}

/* An ELF file with nothing but a .symtab, packed. */
static void add_debug_data(struct sample *sample)
{
	struct elf_builder inner;
	struct symbol_blobs blobs = {0};
	struct blob packed = {0};
	size_t size = 0;

	elf_builder_init(&inner, ET_DYN);
	add_symtab(&inner, &blobs, sample->text);
	elf_finish(&inner, true);
	vector_reserve(&packed, lzma_stream_buffer_bound(inner.file.count));
	if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, inner.file.items,
				    inner.file.count, packed.items, &size,
				    packed.capacity) != LZMA_OK)
		abort();
	packed.count = size;
	elf_add_section(&sample->builder, ".gnu_debugdata", SHT_PROGBITS, 0, &packed, 0);
	vector_deinit(&packed);
	symbols_deinit(&blobs);
	elf_builder_deinit(&inner);
}

void sample_init(struct sample *sample, unsigned int parts)
{
	*sample = (struct sample){.parts = parts};
	elf_builder_init(&sample->builder, ET_DYN);
	add_code(sample);
	elf_start_segment(&sample->builder, PF_R | PF_W);
	if (wants(sample, SAMPLE_BUILD_ID))
		add_build_id(sample);
	if (wants(sample, SAMPLE_FRAMES))
		add_frames(sample);
	if (wants(sample, SAMPLE_DYNAMIC))
		add_dynamic(sample);
	if (wants(sample, SAMPLE_SEQUENCES))
		add_sequences(sample);
	if (wants(sample, SAMPLE_GO | SAMPLE_GO_OLD))
		add_go_table(sample);
	if (wants(sample, SAMPLE_SYMTAB))
		add_symtab(&sample->builder, &sample->symtab, sample->text);
	if (wants(sample, SAMPLE_DEBUG_DATA))
		add_debug_data(sample);
	elf_finish(&sample->builder, wants(sample, SAMPLE_SECTIONS));
}

void sample_deinit(struct sample *sample)
{
	elf_builder_deinit(&sample->builder);
	symbols_deinit(&sample->symtab);
	symbols_deinit(&sample->dynsym);
}
