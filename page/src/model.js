// The data of the page (docs/page.md), with what is computed from it once.

export let data = null
export let profiles = []

// The data is JSON, compressed (zlib) and in base64; `trammel page --json` writes it plain.
export async function load(element) {
	const bytes = await (await fetch(`data:application/octet-stream;base64,${element.textContent.trim()}`)).blob()
	data = await new Response(bytes.stream().pipeThrough(new DecompressionStream('deflate'))).json()
	element.remove()
	profiles = data.profiles.map((raw, index) => new Profile(raw, index))
}

// What functions are weighed by when nobody has chosen: time first.
const WEIGHTS = ['time', 'samples', 'instructions', 'calls']

function sum(values) {
	let total = 0
	for (const value of values)
		total += value
	return total
}

class Profile {
	constructor(raw, index) {
		this.raw = raw
		this.index = index
		this.file = raw.file
		this.about = raw.report.profile ?? {}
		this.modules = raw.report.rows ?? []
		this.functions = raw.functions
		this.names = raw.functions.names ? raw.functions.names.split('\n') : []
		this.count = this.names.length
		this.columns = raw.functions.columns.map((column) => ({ ...column, total: sum(column.values) }))
		this.weight = WEIGHTS.map((name) => this.column(name)).find(Boolean) ?? this.columns[0]
		this.listings = new Map(raw.code.map((code) => [code.function, code.listing]))
		this.trees = raw.trees
		this.keys = null
		this.rows = []
		for (let i = 0; i < this.count; i++)
			if (this.columns.some((column) => column.values[i]))
				this.rows.push(i)
	}

	// Whether there is something to see of a function by itself.
	hasMore(index) {
		return this.listings.has(index) || this.raw.arcs.count.length > 0
	}

	column(name) {
		return this.columns.find((column) => column.name === name)
	}

	name(index) {
		return this.names[index]
	}

	module(index) {
		return this.functions.modules[this.functions.module[index]] ?? ''
	}

	// Another profile's function that is this one: by module and name.
	find(module, name) {
		if (!this.keys) {
			this.keys = new Map()
			for (let i = 0; i < this.count; i++)
				this.keys.set(`${this.module(i)}\0${this.name(i)}`, i)
		}
		return this.keys.get(`${module}\0${name}`)
	}

	// Rows of [caller, callee, count] that a function has part in.
	callers(index) {
		return this.arcsWhere((arcs, at) => arcs.function[at] === index)
	}

	callees(index) {
		return this.arcsWhere((arcs, at) => arcs.caller[at] === index)
	}

	arcsWhere(test) {
		const arcs = this.raw.arcs
		const rows = []
		for (let at = 0; at < arcs.count.length; at++)
			if (test(arcs, at))
				rows.push({ caller: arcs.caller[at], function: arcs.function[at], count: arcs.count[at] })
		return rows
	}

	// The numbers of the functions that have most, at most so many, in order.
	heaviest(limit, column = this.weight) {
		const values = column?.values ?? []
		const least = leastOf(values, limit)
		const chosen = []
		for (let i = 0; i < values.length; i++)
			if (values[i] > 0 && values[i] >= least)
				chosen.push(i)
		return chosen.sort((a, b) => values[b] - values[a]).slice(0, limit)
	}
}

// The least of the `limit` largest values.
function leastOf(values, limit) {
	if (values.length <= limit)
		return 0
	return Float64Array.from(values).sort()[values.length - limit]
}

// A tree for flame graphs: {name, module, value, children}, with values that hold those of
// what is inside. `column`: of the tree's.
export function nested(tree, column, profile) {
	const count = tree.parent.length
	const values = tree.columns[column].values
	const root = { name: profile.about['run.command'] ?? profile.file, value: 0, children: [] }
	const nodes = new Array(count)
	for (let i = 0; i < count; i++) {
		const index = tree.function[i]
		nodes[i] = {
			name: tree.label[i] || (index >= 0 ? profile.name(index) : '?'),
			module: index >= 0 ? profile.module(index) : '',
			index,
			value: values[i],
			self: values[i],
			children: [],
		}
	}
	for (let i = count - 1; i >= 0; i--) {
		const outer = tree.parent[i] < 0 ? root : nodes[tree.parent[i]]
		outer.value += nodes[i].value
		outer.children.push(nodes[i])
	}
	return root
}

// Without trees: modules, and the functions of each.
export function byModule(profile, column) {
	const root = { name: profile.about['run.command'] ?? profile.file, value: 0, children: [] }
	const modules = new Map()
	for (const index of profile.heaviest(20000, column)) {
		const module = profile.module(index)
		if (!modules.has(module)) {
			const node = { name: module, module, index: -1, value: 0, children: [] }
			modules.set(module, node)
			root.children.push(node)
		}
		const value = column.values[index]
		modules.get(module).children.push({ name: profile.name(index), module, index, value, self: value, children: [] })
		modules.get(module).value += value
		root.value += value
	}
	return root
}
