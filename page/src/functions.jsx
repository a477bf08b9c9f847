import { useMemo, useState } from 'preact/hooks'
import { change, exact, percent } from './format.js'
import { go } from './main.jsx'
import { Table } from './table.jsx'

function numberColumns(profile, other) {
	const list = []
	for (const column of profile.columns) {
		const share = column === profile.weight
		list.push({
			name: column.name,
			title: column.name + (column.unit ? ` (${column.unit})` : ''),
			number: true,
			of: column,
			value: (row) => column.values[row],
			cell: (row) => exact(column.values[row]),
		})
		if (share)
			list.push({
				name: 'share',
				title: '%',
				width: '5em',
				number: true,
				of: column,
				value: (row) => column.values[row],
				cell: (row) => percent(column.values[row], column.total),
			})
		const before = share && other?.column(column.name)
		if (before)
			list.push(changeColumn(profile, other, column, before))
	}
	return list
}

function changeColumn(profile, other, column, before) {
	const old = (row) => before.values[other.find(profile.module(row), profile.name(row))] ?? 0
	return {
		name: 'change',
		title: `against ${other.file}`,
		number: true,
		value: (row) => column.values[row] - old(row),
		cell: (row) => change(column.values[row], old(row)),
	}
}

function allColumns(profile, other) {
	return [
		{
			name: 'function', title: 'function', width: 'minmax(16em, 3fr)', value: (row) => profile.name(row),
			cell: (row) => (profile.hasMore(row)
				? <button class="link" onClick={() => go(profile, 'code', row)} title={profile.name(row)}>{profile.name(row)}</button>
				: <span title={profile.name(row)}>{profile.name(row)}</span>),
		},
		...numberColumns(profile, other),
		{ name: 'module', title: 'module', width: 'minmax(8em, 1fr)', value: (row) => profile.module(row), cell: (row) => profile.module(row) },
	]
}

// All functions by a column, the most first, or by name.
function inOrder(profile, column) {
	if (column.of)
		return profile.orderBy(column.of)
	const { value } = column
	const rows = Uint32Array.from(profile.rows)
	if (column.number) {
		const values = new Map(Array.from(rows, (row) => [row, value(row)]))
		return rows.sort((a, b) => values.get(b) - values.get(a) || a - b)
	}
	const used = new Uint8Array(profile.count)
	for (const row of rows)
		used[row] = 1
	const named = Uint32Array.from(profile.functions['by.name']).filter((row) => used[row])
	const { module } = profile.functions
	return column.name === 'function' ? named : named.sort((a, b) => module[a] - module[b])
}

// Of these the ones whose name or module has the text.
function choose(profile, order, text, turned) {
	let rows = Uint32Array.from(order)
	if (text) {
		const named = profile.names.having(text)
		const modules = profile.functions.modules.map((name) => name.toLowerCase().includes(text.toLowerCase()))
		rows = rows.filter((i) => named[i] || modules[profile.functions.module[i]])
	}
	return turned ? rows.reverse() : rows
}

export function Functions({ profile, other }) {
	const columns = useMemo(() => allColumns(profile, other), [profile, other])
	const [text, setText] = useState('')
	const [sort, setSort] = useState({ name: profile.weight?.name ?? 'function', down: !!profile.weight })
	const column = columns.find((each) => each.name === sort.name) ?? columns[0]
	const order = useMemo(() => inOrder(profile, column), [profile, column])
	const rows = useMemo(() => choose(profile, order, text, sort.down !== !!column.number), [profile, order, text, sort])
	const onSort = (chosen) => setSort({ name: chosen.name, down: chosen.name === sort.name ? !sort.down : !!chosen.number })
	return (
		<>
			<div class="controls">
				<label>Filter <input type="search" value={text} onInput={(event) => setText(event.target.value)} placeholder="function or module" /></label>
				<span class="note" aria-live="polite">{exact(rows.length)} of {exact(profile.rows.length)} functions</span>
			</div>
			<Table columns={columns} rows={rows} sort={sort} onSort={onSort} label="Functions"
				onOpen={(row) => profile.hasMore(row) && go(profile, 'code', row)} />
		</>
	)
}
