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
			value: (row) => column.values[row],
			cell: (row) => exact(column.values[row]),
		})
		if (share)
			list.push({
				name: 'share',
				title: '%',
				width: '5em',
				number: true,
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

// Numbers of the functions whose name or module has the text, in order.
function choose(profile, text, column, down) {
	const wanted = text.toLowerCase()
	const rows = []
	for (const i of profile.rows)
		if (!wanted || profile.name(i).toLowerCase().includes(wanted) || profile.module(i).toLowerCase().includes(wanted))
			rows.push(i)
	const sign = down ? -1 : 1
	const { value } = column
	if (column.number)
		rows.sort((a, b) => sign * (value(a) - value(b)) || a - b)
	else
		rows.sort((a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) || a - b)
	return rows
}

export function Functions({ profile, other }) {
	const columns = useMemo(() => allColumns(profile, other), [profile, other])
	const [text, setText] = useState('')
	const [sort, setSort] = useState({ name: profile.weight?.name ?? 'function', down: true })
	const column = columns.find((each) => each.name === sort.name) ?? columns[0]
	const rows = useMemo(() => choose(profile, text, column, sort.down), [profile, text, column, sort])
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
