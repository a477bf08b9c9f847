#include "runtime/libraries/wrap.h"
#include "runtime/store/lock.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TABLES_MAX = 16, KNOWN_MAX = 512, NEEDED_MAX = 256 };

static struct {
	struct runtime_lock lock;
	struct {
		const struct wrap *wraps;
		size_t count;
		const char *prefix;
	} tables[TABLES_MAX];
	size_t count;
} installed;

/* What a module's dynamic section says (ELF gABI, "Dynamic Section"). */
struct module {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * relocations[2]; /* of the table for calls, and others */
	size_t sizes[2];
	uintptr_t relro, relro_end;
};

/* The C library has made most addresses absolute; the vDSO's are not. */
static uintptr_t absolute_address(const struct module *module, uintptr_t address)
{
	return address < module->base ? address + module->base : address;
}

static void read_dynamic(struct module *module, const ElfW(Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		uintptr_t address = absolute_address(module, entry->d_un.d_ptr);

		switch (entry->d_tag) {
		case DT_SYMTAB:
			module->symbols = (const void *)address;
			break;
		case DT_STRTAB:
			module->names = (const void *)address;
			break;
		case DT_JMPREL:
			module->relocations[0] = (const void *)address;
			break;
		case DT_PLTRELSZ:
			module->sizes[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			module->relocations[1] = (const void *)address;
			break;
		case DT_RELASZ:
			module->sizes[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
			break;
		default:
			break;
		}
	}
}

/* The next wrapper of a function in the tables in front of `*table`, the last one first:
 * it passes calls on to those before. Moves `*table` to its table. */
static const struct wrap *wrap_before(const char *name, size_t *table)
{
	while (*table > 0) {
		const char *prefix = installed.tables[--*table].prefix;

		if (strncasecmp(prefix, name, strlen(prefix)) != 0)
			continue;
		for (size_t j = 0; j < installed.tables[*table].count; j++) {
			const struct wrap *wrap = &installed.tables[*table].wraps[j];

			/* Large programs have some hundred thousand entries. */
			if (*wrap->name == *name && !strcmp(wrap->name, name) &&
			    (!wrap->real || *wrap->real))
				return wrap;
		}
	}
	return NULL;
}

static const struct wrap *find_wrap(const char *name)
{
	size_t table = installed.count;

	return wrap_before(name, &table);
}

/* Whether a word in data is the function, or one of its wrappers, and not what the
 * program made of it. */
static bool leads_to(const void *word, const char *name)
{
	size_t table = installed.count;
	const struct wrap *wrap;

	while ((wrap = wrap_before(name, &table)))
		if (word == wrap->wrapper || (wrap->real && word == *wrap->real))
			return true;
	return false;
}

/* Entries behind RELRO are made writable for the moment of the change. */
static void set_entry(const struct module *module, void **entry, void *value)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)entry & ~(page - 1);
	bool hidden =
		(uintptr_t)entry >= module->relro && (uintptr_t)entry < module->relro_end;

	if (*entry == value)
		return;
	if (hidden && mprotect((void *)at, page, PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
	if (hidden)
		mprotect((void *)at, page, PROT_READ);
}

static void patch_word(const struct module *module, const ElfW(Rela) * relocation)
{
	const ElfW(Sym) *symbol = &module->symbols[ELF64_R_SYM(relocation->r_info)];
	unsigned type = (unsigned)ELF64_R_TYPE(relocation->r_info);
	bool is_data = type == R_X86_64_64 && !relocation->r_addend &&
		       relocation->r_offset % sizeof(void *) == 0;
	const char *name = module->names + symbol->st_name;
	void **entry = (void **)(module->base + relocation->r_offset);
	const struct wrap *wrap;

	if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && !is_data)
		return;
	wrap = find_wrap(name);
	if (wrap && (!is_data || leads_to(*entry, name)))
		set_entry(module, entry, wrap->wrapper);
}

/* Not our own: what the library takes for itself is not the program's. */
static bool is_ours(const struct dl_phdr_info *info)
{
	uintptr_t place = (uintptr_t)&wrap_install;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD &&
		    place >= info->dlpi_addr + header->p_vaddr &&
		    place < info->dlpi_addr + header->p_vaddr + header->p_memsz)
			return true;
	}
	return false;
}

/* Names and dynamic section of a module. False: it is none that is looked at. */
static bool read_module(const struct dl_phdr_info *info, struct module *ret_module,
			const ElfW(Dyn) * *ret_dynamic)
{
	*ret_module = (struct module){.base = info->dlpi_addr};
	*ret_dynamic = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_DYNAMIC)
			*ret_dynamic = (const void *)(info->dlpi_addr + header->p_vaddr);
		if (header->p_type != PT_GNU_RELRO)
			continue;
		ret_module->relro = info->dlpi_addr + header->p_vaddr;
		ret_module->relro_end = ret_module->relro + header->p_memsz;
	}
	if (!*ret_dynamic || is_ours(info) || strstr(info->dlpi_name, "linux-vdso") ||
	    strstr(info->dlpi_name, "/ld-linux") || strstr(info->dlpi_name, "libtrammel"))
		return false;
	read_dynamic(ret_module, *ret_dynamic);
	return ret_module->symbols && ret_module->names;
}

static void patch_all(const struct module *module)
{
	for (int table = 0; table < 2; table++)
		for (size_t i = 0; i < module->sizes[table]; i++)
			patch_word(module, &module->relocations[table][i]);
}

/* Modules that have wrappers, by their dynamic sections; those without room are looked at
 * again each time. */
static struct {
	const void *items[KNOWN_MAX];
	size_t count;
} known;

static bool is_known(const void *dynamic)
{
	for (size_t i = 0; i < known.count && i < KNOWN_MAX; i++)
		if (known.items[i] == dynamic)
			return true;
	return false;
}

static void note_module(const void *dynamic)
{
	size_t at = is_known(dynamic)
			    ? KNOWN_MAX
			    : __atomic_fetch_add(&known.count, 1, __ATOMIC_RELAXED);

	if (at < KNOWN_MAX)
		known.items[at] = dynamic;
}

static int patch_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Dyn) * dynamic;
	struct module module;

	(void)size;
	(void)unused;
	if (read_module(info, &module, &dynamic))
		patch_all(&module);
	note_module(dynamic);
	return 0;
}

/* What is new of a library and what it needs. Names lie in the modules. */
struct needed {
	const struct link_map *library;
	const char *names[NEEDED_MAX];
	size_t count;
	bool grown;
};

static bool is_needed(const struct needed *needed, const struct dl_phdr_info *info,
		      const void *dynamic)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	if (needed->library->l_ld == dynamic)
		return true;
	for (size_t i = 0; i < needed->count; i++)
		if (!strcmp(needed->names[i], name))
			return true;
	return false;
}

static int patch_needed(struct dl_phdr_info *info, size_t size, void *context)
{
	struct needed *needed = context;
	const ElfW(Dyn) * dynamic;
	struct module module;

	(void)size;
	if (!read_module(info, &module, &dynamic) || is_known(dynamic) ||
	    !is_needed(needed, info, dynamic))
		return 0;
	patch_all(&module);
	note_module(dynamic);
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_NEEDED && needed->count < NEEDED_MAX) {
			needed->names[needed->count++] =
				module.names + dynamic->d_un.d_val;
			needed->grown = true;
		}
	return 0;
}

void wrap_library(const void *handle)
{
	struct needed needed = {.library = handle, .grown = true};

	if (is_known(needed.library->l_ld))
		return;
	while (needed.grown) {
		needed.grown = false;
		dl_iterate_phdr(patch_needed, &needed);
	}
}

void wrap_forget(void)
{
	known.count = 0;
}

/* musl has none. */
#pragma weak dladdr1

/* Whether the address is of a function of this module. In a program that is not
 * position-independent and takes a function's address, that is the place of a jump
 * through the table that is changed here, and its symbol there is undefined. */
static bool defines_address(const struct link_map *map, void *address)
{
	const ElfW(Sym) * symbol;
	void *owner = NULL, *found = NULL;
	Dl_info info;

	if (!dladdr1 || !dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) ||
	    owner != map || !dladdr1(address, &info, &found, RTLD_DL_SYMENT))
		return false;
	symbol = found;
	return symbol && symbol->st_shndx != SHN_UNDEF;
}

void *wrap_find_function(const char *name)
{
	void *program = dlopen(NULL, RTLD_LAZY), *found = NULL;
	struct link_map *map = NULL;

	if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map))
		return NULL;
	for (bool first = true; map && !found; map = map->l_next, first = false) {
		void *handle =
			first ? program : dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);

		found = handle ? dlsym(handle, name) : NULL;
		if (found && !defines_address(map, found))
			found = NULL;
		if (handle && !first)
			dlclose(handle);
	}
	dlclose(program);
	return found;
}

/* Where a wrapper passes calls on to. */
static void set_real(const struct wrap *wrap)
{
	const struct wrap *before = find_wrap(wrap->name);

	if (wrap->real)
		*wrap->real = before ? before->wrapper : wrap_find_function(wrap->name);
}

void wrap_install(const struct wrap *wraps, size_t count)
{
	wrap_install_many(wraps, count, "");
}

void wrap_install_many(const struct wrap *wraps, size_t count, const char *prefix)
{
	bool is_there = false;

	runtime_lock(&installed.lock);
	for (size_t i = 0; i < installed.count; i++)
		is_there |= installed.tables[i].wraps == wraps;
	for (size_t i = 0; i < count && !is_there; i++)
		set_real(&wraps[i]);
	if (!is_there && installed.count < TABLES_MAX) {
		installed.tables[installed.count].wraps = wraps;
		installed.tables[installed.count].prefix = prefix;
		installed.tables[installed.count].count = count;
		__atomic_store_n(&installed.count, installed.count + 1, __ATOMIC_RELEASE);
	}
	runtime_unlock(&installed.lock);
	if (!is_there)
		dl_iterate_phdr(patch_module, NULL);
}

void *wrap_found(const char *name)
{
	for (size_t i = 0; i < __atomic_load_n(&installed.count, __ATOMIC_ACQUIRE); i++) {
		const char *prefix = installed.tables[i].prefix;

		if (!*prefix || strncasecmp(name, prefix, strlen(prefix)) != 0)
			continue;
		for (size_t j = 0; j < installed.tables[i].count; j++)
			if (!strcmp(installed.tables[i].wraps[j].name, name))
				return installed.tables[i].wraps[j].wrapper;
	}
	return NULL;
}
