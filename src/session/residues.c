#include "session/residues.h"

static void add(struct thread *thread, uint32_t file, struct edges_residue residue)
{
	if (thread->process)
		vector_push(&thread->process->image->residues,
			    ((struct image_residue){file, residue}));
}

void residues_came(struct thread *thread, const struct module *module, uint64_t address,
		   bool counts)
{
	add(thread, module->file->index,
	    (struct edges_residue){.address = address, .by = -1, .counts = counts});
}

void residues_left(struct thread *thread, const struct shown *shown)
{
	if (!shown->inherited)
		add(thread, shown->file,
		    (struct edges_residue){.address = shown->address, .by = 1});
}

void residues_back(struct thread *thread, const struct shown *shown)
{
	if (shown->inherited)
		add(thread, shown->file,
		    (struct edges_residue){.address = shown->address, .by = -1});
}

void residues_end(struct thread *thread)
{
	vector_for_each (&thread->shown, shown)
		residues_left(thread, shown);
	thread->shown.count = 0;
}

struct edges_residues residues_of(const struct image_run *image, uint32_t file)
{
	struct edges_residues residues = {0};

	vector_for_each (&image->residues, residue)
		if (residue->file == file)
			vector_push(&residues, residue->residue);
	return residues;
}
