/* Programs that follow stacks in ways of their own. */
#include "image/walkers.h"

#include "base/array.h"
#include "image/headers.h"

#include <string.h>

/* What strings in the dynamic string tables of run-time systems begin with, or of what is
 * linked with them: names of functions that they define, or of their libraries. At least
 * 4 letters. */
static const char *const marks[] = {
	"caml_",
	"camlStdlib",
	"libasmrun", /* OCaml: frame tables */
	"_ZN2v8",
	"libnode.so", /* V8: code in the text */
	"JNI_",
	"JVM_",
	"libjvm.so",
	"libjli", /* Java */
	"mono_jit_",
	"libmono",
	"coreclr_", /* .NET */
	"graal_",
	"Dart_",
	"libdart", /* compiled Java, Dart */
	"lua_newstate_jit",
	"luaJIT_",
	"libluajit", /* their own unwinders */
	"pypy_",
	"libpypy",
	"jl_init",
	"libjulia",
	"__asan_",
	"__tsan_",
	"__msan_",
	"__hwasan_",
	"libasan.so",
	"libtsan.so",
	"liblsan.so",
	"libubsan.so",
	"__sanitizer_", /* fast unwinders */
	"libtcmalloc",
	"libprofiler",
	"MallocExtension_",
	"_ZN8tcmalloc",
};

/* Functions that look at the return addresses of those that call them, which are all of a
 * program that is built so (-pg, -mfentry, -finstrument-functions). */
static const char *const profilers[] = {
	"mcount",
	"_mcount",
	"__fentry__",
	"__cyg_profile_func_enter",
};

/* Whether a string of the table, at an offset, is the name of such a function. */
static bool is_profiler(const uint8_t *strings, size_t size, size_t at)
{
	for (size_t i = 0; i < array_count(profilers); i++) {
		size_t length = strlen(profilers[i]) + 1;

		if (at < size && length <= size - at &&
		    !memcmp(strings + at, profilers[i], length))
			return true;
	}
	return false;
}

/* Whether the loader fills in a word with such a function, of those that a table of
 * relocations names. */
static bool table_has_profiler(const struct headers *file,
			       const struct headers_dynamic *dynamic, unsigned table,
			       unsigned table_size)
{
	const uint8_t *bytes = NULL, *strings = NULL, *symbols = NULL;
	const size_t size = headers_table(file, dynamic, DT_STRTAB, DT_STRSZ, &strings);
	const size_t symbols_size =
		headers_bytes(file, dynamic->values[DT_SYMTAB], &symbols);
	size_t left = headers_table(file, dynamic, table, table_size, &bytes);
	Elf64_Rela row;
	Elf64_Sym symbol;

	for (; left >= sizeof(row); left -= sizeof(row), bytes += sizeof(row)) {
		memcpy(&row, bytes, sizeof(row));
		uint64_t at = ELF64_R_SYM(row.r_info) * sizeof(symbol);

		if ((ELF64_R_TYPE(row.r_info) != R_X86_64_JUMP_SLOT &&
		     ELF64_R_TYPE(row.r_info) != R_X86_64_GLOB_DAT) ||
		    symbols_size < sizeof(symbol) || at > symbols_size - sizeof(symbol))
			continue;
		memcpy(&symbol, symbols + at, sizeof(symbol));
		if (is_profiler(strings, size, symbol.st_name))
			return true;
	}
	return false;
}

static bool calls_profiler(const struct headers *file,
			   const struct headers_dynamic *dynamic)
{
	const uint8_t *strings = NULL;
	const size_t size = headers_table(file, dynamic, DT_STRTAB, DT_STRSZ, &strings);

	/* Hardly any program names one at all. */
	for (size_t i = 0; i < array_count(profilers); i++)
		if (memmem(strings, size, profilers[i], strlen(profilers[i]) + 1))
			return table_has_profiler(file, dynamic, DT_JMPREL,
						  DT_PLTRELSZ) ||
			       table_has_profiler(file, dynamic, DT_RELA, DT_RELASZ);
	return false;
}

#define MARKS array_count(marks)

/* How each mark begins: large programs have tens of thousands of strings. */
struct heads {
	uint32_t of[MARKS];
};

static struct heads read_heads(void)
{
	struct heads heads;

	for (size_t i = 0; i < MARKS; i++)
		memcpy(&heads.of[i], marks[i], sizeof(heads.of[i]));
	return heads;
}

static bool begins_marked(const struct heads *heads, const char *string, size_t length)
{
	uint32_t head;

	if (length < sizeof(head))
		return false;
	memcpy(&head, string, sizeof(head));
	for (size_t i = 0; i < MARKS; i++)
		if (heads->of[i] == head && length >= strlen(marks[i]) &&
		    !memcmp(string, marks[i], strlen(marks[i])))
			return true;
	return false;
}

static bool is_marked(const uint8_t *strings, size_t size)
{
	const char *at = (const char *)strings, *end = at + size;
	const struct heads heads = read_heads();

	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));

		if (begins_marked(&heads, at, length))
			return true;
		at += length + 1;
	}
	return false;
}

/* Whether one of the notes is by this name. */
static bool has_note(const uint8_t *notes, size_t size, const char *name)
{
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		uint64_t whole = sizeof(note) + ((note.n_namesz + 3ull) & ~3ull) +
				 ((note.n_descsz + 3ull) & ~3ull);

		if (whole > size)
			return false;
		/* Go counts what fills the name up, too. */
		if (note.n_namesz > strlen(name) &&
		    !memcmp(notes + sizeof(note), name, strlen(name) + 1))
			return true;
		notes += whole;
		size -= whole;
	}
	return false;
}

/* Go's linker leaves a note. */
static bool is_go(const struct headers *file)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; headers_read(file, i, &segment); i++)
		if (segment.p_type == PT_NOTE && segment.p_offset <= file->size &&
		    segment.p_filesz <= file->size - segment.p_offset &&
		    has_note(file->bytes + segment.p_offset, segment.p_filesz, "Go"))
			return true;
	return false;
}

bool image_walks_stacks(const void *bytes, size_t size, bool program)
{
	struct headers file;
	struct headers_dynamic dynamic;
	const uint8_t *strings = NULL;
	Elf64_Phdr segment;
	size_t length;

	if (!headers_open(bytes, size, &file))
		return true;
	/* What is in a static program is not known. */
	if (!headers_find(&file, program ? PT_INTERP : PT_DYNAMIC, &segment))
		return true;
	dynamic = headers_read_dynamic(&file);
	length = headers_table(&file, &dynamic, DT_STRTAB, DT_STRSZ, &strings);
	return !length || is_go(&file) || is_marked(strings, length) ||
	       (program && calls_profiler(&file, &dynamic));
}
