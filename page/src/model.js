// The data of the page (docs/page.md), with what is computed from it once.

export let data = null
export let profiles = []

// Bytes of an element: compressed (zlib), and in base64.
async function bytesOf(element) {
	const text = element.textContent
	element.remove()
	const packed = Uint8Array.fromBase64
		? new Blob([Uint8Array.fromBase64(text)])
		: await (await fetch(`data:application/octet-stream;base64,${text}`)).blob()
	return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer()
}

const LISTS = { u32: Uint32Array, i32: Int32Array, f64: Float64Array }

// Whole numbers are differences from the one before.
function summed(list) {
	for (let i = 1; i < list.length; i++)
		list[i] += list[i - 1]
	return list
}

// A list, or the element that a long one is in: {part, type}.
async function unpack(value) {
	if (value?.part === undefined)
		return value
	const bytes = await bytesOf(document.getElementById(`part-${value.part}`))
	if (LISTS[value.type]) {
		const list = new LISTS[value.type](bytes)
		return value.type === 'f64' ? list : summed(list)
	}
	const text = new TextDecoder().decode(bytes)
	return value.type === 'lines' ? text.split('\n') : text
}

// Elements behind the script are there when all of the page is.
const whole = new Promise((done) => {
	if (document.readyState === 'loading')
		addEventListener('DOMContentLoaded', done)
	else
		done()
})

// Values of instructions have 64 bits, of which numbers keep 53; browsers of 2025 tell what was written.
function exactly(key, value, context) {
	const written = context?.source
	return key === 'value' && typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(written ?? '') ? BigInt(written) : value
}

function parse(text) {
	return /"value": *-?\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

// `trammel page --json` writes the same data plain: docs/page.md.
export async function load(element) {
	data = parse(new TextDecoder().decode(await bytesOf(element)))
	profiles = await Promise.all(data.profiles.map((raw, index) => Profile.make(raw, index)))
}

// What functions are weighed by when nobody has chosen: time first.
const WEIGHTS = ['time', 'samples', 'instructions', 'calls']

function sum(values) {
	let total = 0
	for (const value of values)
		total += value
	return total
}

// Where the lines of a text begin, and where the last one would end.
function startsOf(text) {
	const starts = [0]
	for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
		starts.push(at + 1)
	starts.push(text.length + 1)
	return Uint32Array.from(starts)
}

// A million lines of text, of which few are looked at.
class Lines {
	constructor(text) {
		this.text = text
		this.starts = startsOf(text)
		this.lower = null
	}

	at(index) {
		return index + 1 < this.starts.length ? this.text.slice(this.starts[index], this.starts[index + 1] - 1) : undefined
	}

	// Of each line: 1 if it has the text, in any case.
	having(text) {
		const found = new Uint8Array(this.starts.length)
		const wanted = text.toLowerCase()
		if (!this.lower) {
			this.lower = this.text.toLowerCase()
			this.lowerStarts = this.lower.length === this.text.length ? this.starts : startsOf(this.lower)
		}
		let line = 0
		for (let at = this.lower.indexOf(wanted); at >= 0; at = this.lower.indexOf(wanted, this.lowerStarts[line + 1])) {
			line = lineAt(this.lowerStarts, at)
			found[line] = 1
		}
		return found
	}
}

function lineAt(starts, at) {
	let low = 0
	let high = starts.length - 1
	while (high - low > 1) {
		const middle = (low + high) >> 1
		if (starts[middle] <= at)
			low = middle
		else
			high = middle
	}
	return low
}

class Profile {
	static async make(raw, index) {
		const { functions } = raw
		functions.module = await unpack(functions.module)
		await Promise.all(functions.columns.map(async (column) => {
			column.values = await unpack(column.values)
		}))
		return new Profile(raw, index)
	}

	constructor(raw, index) {
		this.raw = raw
		this.index = index
		this.file = raw.file
		this.about = raw.report.profile ?? {}
		this.modules = raw.report.rows ?? []
		this.functions = raw.functions
		this.count = raw.functions.count
		this.names = null
		this.columns = raw.functions.columns.map((column) => ({ ...column, total: sum(column.values) }))
		this.weight = WEIGHTS.map((name) => this.column(name)).find(Boolean) ?? this.columns[0]
		this.listings = new Map(raw.code.map((code) => [code.function, code.listing]))
		this.trees = raw.trees
		this.keys = null
		this.orders = new Map()
		this.reading = null
	}

	// Reads what only some views need: names, trees, calls. Once.
	ready() {
		this.reading ??= this.readRest()
		return this.reading
	}

	async readRest() {
		await whole
		const { functions, arcs, timeline } = this.raw
		const names = await unpack(functions.names)
		functions.names = null
		for (const member of ['file', 'line', 'by.name'])
			functions[member] = await unpack(functions[member])
		for (const member of ['caller', 'function', 'count'])
			arcs[member] = await unpack(arcs[member])
		for (const list of ['spans', 'parts', 'phases'])
			for (const [member, value] of Object.entries(timeline[list]))
				timeline[list][member] = await unpack(value)
		for (const tree of this.trees) {
			for (const member of ['parent', 'function', 'label'])
				tree[member] = await unpack(tree[member])
			for (const column of tree.columns)
				column.values = await unpack(column.values)
		}
		this.names = new Lines(names)
	}

	// Numbers of all functions that have any number.
	get rows() {
		if (!this.used) {
			const rows = new Uint32Array(this.count)
			let count = 0
			for (let i = 0; i < this.count; i++)
				if (this.columns.some((column) => column.values[i]))
					rows[count++] = i
			this.used = rows.subarray(0, count)
		}
		return this.used
	}

	// The same, by a column, the most first.
	orderBy(column) {
		if (!this.orders.has(column.name))
			this.orders.set(column.name, sortByValue(this.rows, column.values))
		return this.orders.get(column.name)
	}

	// Whether there is something to see of a function by itself.
	hasMore(index) {
		return this.listings.has(index) || this.raw.arcs.count.length !== 0
	}

	column(name) {
		return this.columns.find((column) => column.name === name)
	}

	name(index) {
		return this.names?.at(index) ?? this.functions.first[index] ?? '…'
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
		const { values } = column ?? { values: [] }
		const least = leastOf(values, limit)
		const chosen = []
		for (let i = 0; i < values.length; i++)
			if (values[i] > 0 && values[i] >= least)
				chosen.push(i)
		return chosen.sort((a, b) => values[b] - values[a]).slice(0, limit)
	}

	// Sums of a column by module: [name, sum], the most first.
	byModule(column = this.weight) {
		const sums = new Float64Array(this.functions.modules.length)
		const { module } = this.functions
		for (let i = 0; i < this.count; i++)
			sums[module[i]] += column.values[i]
		const names = new Map()
		this.functions.modules.forEach((name, i) => sums[i] && names.set(name, (names.get(name) ?? 0) + sums[i]))
		return [...names].sort((a, b) => b[1] - a[1])
	}
}

// Rows by their values, the most first, equal ones in their order: by digits of 16 bits.
function sortByValue(rows, values) {
	const DIGIT = 65536
	let from = Uint32Array.from(rows)
	let to = new Uint32Array(from.length)
	let most = 0
	for (const row of from)
		most = Math.max(most, values[row])
	for (let scale = 1; scale <= most; scale *= DIGIT) {
		const starts = new Uint32Array(DIGIT + 1)
		const digitOf = (row) => DIGIT - 1 - (Math.floor(values[row] / scale) % DIGIT)
		for (const row of from)
			starts[digitOf(row) + 1]++
		for (let i = 1; i <= DIGIT; i++)
			starts[i] += starts[i - 1]
		for (const row of from)
			to[starts[digitOf(row)]++] = row;
		[from, to] = [to, from]
	}
	return from
}

// The least of the `limit` largest values: a heap of those, the least in front.
function leastOf(values, limit) {
	if (values.length <= limit)
		return 0
	const heap = Float64Array.from(values.slice(0, limit)).sort()
	for (let i = limit; i < values.length; i++) {
		const value = values[i]
		if (value <= heap[0])
			continue
		let at = 0
		for (let child = 1; child < limit; child = 2 * at + 1) {
			if (child + 1 < limit && heap[child + 1] < heap[child])
				child++
			if (heap[child] >= value)
				break
			heap[at] = heap[child]
			at = child
		}
		heap[at] = value
	}
	return heap[0]
}

// More nodes than this are not drawn at once: the smallest are left out until one zooms.
const MOST_NODES = 20000

// The node numbers that are worth drawing inside of `top` (-1: all), and those around it.
function worthDrawing(parent, totals, top, whole) {
	const count = parent.length
	const inside = new Uint8Array(count)
	let least = whole / 4000
	if (count <= MOST_NODES)
		least = 0
	for (let i = 0; i < count; i++) {
		const within = top < 0 || i === top || (parent[i] >= 0 && inside[parent[i]] === 1)
		if (within && totals[i] >= least && totals[i] > 0)
			inside[i] = 1
	}
	for (let i = top < 0 ? -1 : parent[top]; i >= 0; i = parent[i])
		inside[i] = 2
	return inside
}

// Totals of the nodes of a tree, with those inside of them.
function totalsOf(tree, column) {
	const { parent } = tree
	const totals = Float64Array.from(tree.columns[column].values)
	for (let i = totals.length - 1; i >= 0; i--)
		if (parent[i] >= 0)
			totals[parent[i]] += totals[i]
	return totals
}

// A tree for flame graphs: {name, module, value, children}, with values that hold those of
// what is inside. `column`: of the tree's; `top`: the node to draw alone, -1: all.
export function nested(tree, column, profile, top = -1) {
	const { parent } = tree
	const { values } = tree.columns[column]
	const totals = totalsOf(tree, column)
	let whole = 0
	for (let i = 0; i < parent.length; i++)
		if (parent[i] < 0)
			whole += totals[i]
	const shown = top < 0 ? whole : totals[top]
	const inside = worthDrawing(parent, totals, top, shown)
	const root = { name: profile.about['run.command'] ?? profile.file, index: -1, node: -1, value: shown, whole, children: [] }
	const nodes = new Map()
	for (let i = 0; i < parent.length; i++) {
		if (!inside[i])
			continue
		const index = tree.function[i]
		const node = {
			name: tree.label[i] || (index >= 0 ? profile.name(index) : '?'),
			module: index >= 0 ? profile.module(index) : '',
			index,
			node: i,
			value: inside[i] === 2 ? shown : totals[i],
			self: inside[i] === 2 ? undefined : values[i],
			children: [],
		}
		nodes.set(i, node);
		(parent[i] < 0 ? root : nodes.get(parent[i])).children.push(node)
	}
	root.cut = nodes.size < parent.length
	return root
}

// Folders, source files, and the functions in them.
export function bySource(profile, column) {
	const root = { name: 'sources', index: -1, value: 0, children: [] }
	const { file, files } = profile.functions
	const folders = new Map()
	const inFolder = (outer, name, key) => {
		if (!folders.has(key)) {
			folders.set(key, { name, module: '', index: -1, value: 0, children: [] })
			outer.children.push(folders.get(key))
		}
		return folders.get(key)
	}
	for (const index of profile.heaviest(20000, column)) {
		const path = file[index] >= 0 ? files[file[index]] : `(source not known)/${profile.module(index)}`
		const words = path.split('/')
		const value = column.values[index]
		let node = root
		node.value += value
		words.forEach((word, at) => {
			if (!word)
				return
			node = inFolder(node, at === 1 && !words[0] ? `/${word}` : word, words.slice(0, at + 1).join('/'))
			node.value += value
		})
		node.children.push({ name: profile.name(index), module: profile.module(index), index, value, self: value, children: [] })
	}
	return folded(root)
}

// Folders with nothing but one folder in them are one with it.
function folded(node) {
	while (node.children.length === 1 && node.index < 0 && node.children[0].index < 0 && node.name !== 'sources')
		node = { ...node.children[0], name: `${node.name}/${node.children[0].name}` }
	node.children = node.children.map(folded)
	return node
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
