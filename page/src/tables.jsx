import { useMemo, useState } from 'preact/hooks'
import { exact, fileName, short } from './format.js'
import { Grid } from './grid.jsx'

export function hasTables(profile) {
	return profile.raw.tables.length > 0
}

const TITLES = { waits: 'What threads waited for', probes: 'Probes', 'probe hits': 'Hits of probes' }

// Numbers that are names.
const NAMES = new Set(['process', 'thread', 'image', 'line', 'source.line', 'number'])

const PATHS = new Set(['module.path', 'file', 'source.file'])

function pathOf(path) {
	return path === null ? '' : <span title={path}>{fileName(path)}</span>
}

function cellOf(name, value) {
	if (value === null || value === undefined)
		return ''
	return name.endsWith('.ns') ? <span title={exact(value, 'ns')}>{short(value, 'ns')}</span> : Number.isInteger(value) ? exact(value) : short(value)
}

// Numbers that are others in each run: the first of one run is the first of the other.
const OF_RUN = new Set(['process', 'thread', 'image'])

// What tells the rows of a table apart in any run: their texts.
function keysOf(table, isNumber) {
	const ranks = new Map()
	const rank = (at, value) => {
		const key = `${at} ${value}`
		if (!ranks.has(key))
			ranks.set(key, ranks.size)
		return ranks.get(key)
	}
	const keys = new Map()
	for (const row of table.rows)
		keys.set(row, row.map((value, at) => (isNumber(at) ? '' : OF_RUN.has(table.columns[at]) ? rank(at, value) : value)).join('\0'))
	return keys
}

// Numbers can be compared.
function columnsOf(table, other) {
	const isThere = table.columns.map((_, at) => table.rows.some((row) => row[at] !== null))
	const isNumber = table.columns.map((name, at) => !NAMES.has(name) && table.rows.some((row) => typeof row[at] === 'number'))
	const keys = other && keysOf(table, (at) => isNumber[at])
	const before = new Map()
	if (other)
		for (const [row, key] of keysOf(other, (at) => isNumber[table.columns.indexOf(other.columns[at])]))
			before.set(key, row)
	const list = []
	table.columns.forEach((name, at) => {
		if (!isThere[at])
			return
		const title = name.replace(/\.ns$/, '')
		list.push({
			name, title, number: isNumber[at], width: isNumber[at] ? '8em' : NAMES.has(name) ? '5em' : 'minmax(8em, 2fr)',
			value: (row) => row[at], cell: isNumber[at] ? (row) => cellOf(name, row[at]) : PATHS.has(name) ? (row) => pathOf(row[at]) : undefined,
		})
		const old = (row) => before.get(keys.get(row))?.[other.columns.indexOf(name)] ?? null
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
