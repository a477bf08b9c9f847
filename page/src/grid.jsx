import { useMemo, useState } from 'preact/hooks'
import { exact } from './format.js'
import { Table } from './table.jsx'

function compare(a, b) {
	if (a === b)
		return 0
	if (a === null || a === undefined || b === null || b === undefined)
		return a === null || a === undefined ? 1 : -1
	return a < b ? -1 : 1
}

// A table of any rows that sorts and filters: columns are {name, title, number, width, value, cell};
// `value(row)` sorts, and its text is searched; `cell(row)` draws.
export function Grid({ rows, columns, label, what, start, onOpen }) {
	const [text, setText] = useState('')
	const [sort, setSort] = useState(start ?? { name: columns[0].name, down: !!columns[0].number })
	const column = columns.find((each) => each.name === sort.name) ?? columns[0]
	const shown = useMemo(() => {
		const wanted = text.toLowerCase()
		const chosen = wanted
			? rows.filter((row) => columns.some((each) => String(each.value(row) ?? '').toLowerCase().includes(wanted)))
			: [...rows]
		const sign = sort.down ? -1 : 1
		return chosen.sort((a, b) => sign * compare(column.value(a), column.value(b)))
	}, [rows, columns, text, column, sort])
	const drawn = useMemo(() => columns.map((each) => ({
		...each, cell: each.cell ?? ((row) => {
			const value = each.value(row)
			return value === null || value === undefined ? '' : each.number ? exact(value) : <span title={String(value)}>{String(value)}</span>
		}),
	})), [columns])
	const onSort = (chosen) => setSort({ name: chosen.name, down: chosen.name === sort.name ? !sort.down : !!chosen.number })
	return (
		<>
			<div class="controls">
				<label>Filter <input type="search" value={text} onInput={(event) => setText(event.target.value)} /></label>
				<span class="note" aria-live="polite">{exact(shown.length)} of {exact(rows.length)} {what}</span>
			</div>
			<Table columns={drawn} rows={shown} sort={sort} onSort={onSort} label={label} onOpen={onOpen} />
		</>
	)
}
