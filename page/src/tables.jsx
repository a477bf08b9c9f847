import { useMemo, useState } from 'preact/hooks'
import { exact, fileName, short } from './format.js'
import { Grid } from './grid.jsx'

export function hasTables(profile) {
	return profile.raw.tables.length > 0
}

const TITLES = { waits: 'What threads waited for', probes: 'Probes', 'probe hits': 'Hits of probes' }

// Numbers that are names.
const NAMES = new Set(['process', 'thread', 'image', 'line', 'source.line', 'number'])

function cellOf(name, value) {
	if (value === null || value === undefined)
		return ''
	return name.endsWith('.ns') ? <span title={exact(value, 'ns')}>{short(value, 'ns')}</span> : Number.isInteger(value) ? exact(value) : short(value)
}

// Rows are told apart by their texts; numbers can be compared.
function columnsOf(table, other) {
	const isThere = table.columns.map((_, at) => table.rows.some((row) => row[at] !== null))
	const isNumber = table.columns.map((name, at) => !NAMES.has(name) && table.rows.some((row) => typeof row[at] === 'number'))
	const key = (row) => row.filter((_, at) => !isNumber[at]).join('\0')
	const before = new Map((other?.rows ?? []).map((row) => [key(row), row]))
	const list = []
	table.columns.forEach((name, at) => {
		if (!isThere[at])
			return
		const title = name.replace(/\.ns$/, '')
		list.push({
			name, title, number: isNumber[at], width: isNumber[at] ? '8em' : NAMES.has(name) ? '5em' : 'minmax(8em, 2fr)',
			value: (row) => row[at], cell: isNumber[at] ? (row) => cellOf(name, row[at]) : undefined,
		})
		const old = (row) => before.get(key(row))?.[other.columns.indexOf(name)] ?? null
		if (other && isNumber[at])
			list.push({ name: `${name} before`, title: 'before', number: true, width: '8em', value: old, cell: (row) => cellOf(name, old(row)) })
	})
	return list
}

// What tools and probes recorded, and what threads waited for.
export function Tables({ profile, other }) {
	const { tables } = profile.raw
	const [chosen, choose] = useState(0)
	const table = tables[chosen]
	const same = other?.raw.tables.find((each) => each.name === table.name)
	const columns = useMemo(() => columnsOf(table, same), [table, same])
	const number = columns.find((column) => column.name === 'time.ns') ?? columns.find((column) => column.number)
	return (
		<>
			<div class="controls">
				<label>Table <select value={chosen} onChange={(event) => choose(Number(event.target.value))}>
					{tables.map((each, index) => <option key={each.name} value={index}>{TITLES[each.name] ?? each.name}</option>)}
				</select></label>
				{same ? <span class="note">“before” is {fileName(other.file)}</span> : null}
			</div>
			<Grid key={table.name} rows={table.rows} columns={columns} label={TITLES[table.name] ?? table.name} what="rows"
				start={number ? { name: number.name, down: true } : undefined} />
		</>
	)
}
