/* Programs that follow stacks in ways of their own. */
#include "image/image.h"

#include <elf.h>
#include <string.h>

/* What the dynamic string tables of run-time systems begin with, or of what is linked
 * with them: names of functions that they define, or of their libraries. */
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

struct file {
	const uint8_t *bytes;
	size_t size;
	Elf64_Ehdr header;
};

static bool read_segment(const struct file *file, unsigned index, Elf64_Phdr *ret_segment)
{
	uint64_t at = file->header.e_phoff + (uint64_t)index * sizeof(*ret_segment);

	if (index >= file->header.e_phnum || at < file->header.e_phoff ||
	    at > file->size || file->size - at < sizeof(*ret_segment))
		return false;
	memcpy(ret_segment, file->bytes + at, sizeof(*ret_segment));
	return true;
}

static bool find_segment(const struct file *file, uint32_t type, Elf64_Phdr *ret_segment)
{
	for (unsigned i = 0; read_segment(file, i, ret_segment); i++)
		if (ret_segment->p_type == type)
			return true;
	return false;
}

/* The bytes that lie at an address, up to the end of their segment. */
static size_t bytes_from(const struct file *file, uint64_t address,
			 const uint8_t **ret_bytes)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; read_segment(file, i, &segment); i++) {
		uint64_t in = address - segment.p_vaddr, at = segment.p_offset + in;

		if (segment.p_type != PT_LOAD || in >= segment.p_filesz ||
		    at >= file->size)
			continue;
		*ret_bytes = file->bytes + at;
		return segment.p_filesz - in < file->size - at ? segment.p_filesz - in
							       : file->size - at;
	}
	return 0;
}

static size_t find_strings(const struct file *file, const uint8_t **ret_bytes)
{
	uint64_t strings = 0, size = 0;
	const uint8_t *dynamic = NULL;
	Elf64_Phdr segment;
	Elf64_Dyn entry;
	size_t left;

	if (!find_segment(file, PT_DYNAMIC, &segment))
		return 0;
	left = bytes_from(file, segment.p_vaddr, &dynamic);
	for (; left >= sizeof(entry); left -= sizeof(entry), dynamic += sizeof(entry)) {
		memcpy(&entry, dynamic, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			strings = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRSZ)
			size = entry.d_un.d_val;
	}
	left = bytes_from(file, strings, ret_bytes);
	return left < size ? left : size;
}

static bool is_marked(const uint8_t *strings, size_t size)
{
	const char *at = (const char *)strings, *end = at + size;

	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));

		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
			if (length >= strlen(marks[i]) &&
			    !memcmp(at, marks[i], strlen(marks[i])))
				return true;
		at += length + 1;
	}
	return false;
}

static bool has_string(const uint8_t *strings, size_t size, const char *string)
{
	size_t length = strlen(string) + 1;
	const uint8_t *end = strings + size, *at = strings;

	while (at && (size_t)(end - at) >= length) {
		if (!memcmp(at, string, length))
			return true;
		at = memchr(at, 0, (size_t)(end - at));
		at += at != NULL;
	}
	return false;
}

/* Debuggers call ptrace. When a child is to be traced, its whole address space is let go,
 * and if vfork made it, that is the debugger's own, in the middle of vfork. The C library
 * has the function, and is known by one that nobody else has. */
static bool may_trace(const uint8_t *strings, size_t size)
{
	return has_string(strings, size, "ptrace") &&
	       !has_string(strings, size, "__libc_early_init");
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
static bool is_go(const struct file *file)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; read_segment(file, i, &segment); i++)
		if (segment.p_type == PT_NOTE && segment.p_offset <= file->size &&
		    segment.p_filesz <= file->size - segment.p_offset &&
		    has_note(file->bytes + segment.p_offset, segment.p_filesz, "Go"))
			return true;
	return false;
}

bool image_walks_stacks(const void *bytes, size_t size, bool program)
{
	struct file file = {.bytes = bytes, .size = size};
	const uint8_t *strings = NULL;
	Elf64_Phdr segment;
	size_t length;

	if (size < sizeof(file.header))
		return true;
	memcpy(&file.header, bytes, sizeof(file.header));
	if (file.header.e_phentsize != sizeof(Elf64_Phdr))
		return true;
	/* What is in a static program is not known. */
	if (!find_segment(&file, program ? PT_INTERP : PT_DYNAMIC, &segment))
		return true;
	length = find_strings(&file, &strings);
	return !length || is_go(&file) || is_marked(strings, length) ||
	       may_trace(strings, length);
}
