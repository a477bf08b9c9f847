import { useMemo } from 'preact/hooks'
import { fileName, percent } from './format.js'
import { Grid } from './grid.jsx'

export function hasValues(profile) {
	return profile.raw.values.rows?.length > 0
}

const key = (row) => [row['module.path'], row.function, row.address, row.kind, row.what].join('\0')
const hex = (address) => (typeof address === 'number' ? `0x${address.toString(16)}` : address)
const share = (value) => (value === null || value === undefined ? '' : percent(value, 1))

function Top({ row }) {
	const values = row.values ?? []
	return (
		<span title={values.map((each) => `${each.value}: ${each.times}×`).join(', ')}>
			{values.slice(0, 4).map((each) => `${each.value} (${percent(each.times, row.looked || row.seen)})`).join(' · ')}
		</span>
	)
}

function columnsOf(other) {
	const list = [
		{ name: 'function', title: 'function', width: 'minmax(10em, 2fr)', value: (row) => row.function },
		{ name: 'seen', title: 'executed', number: true, value: (row) => row.seen },
		{ name: 'most', title: 'top value', number: true, width: '8em', value: (row) => row.invariance ?? -1, cell: (row) => share(row.invariance) },
		{ name: 'values', title: 'values', width: 'minmax(16em, 3fr)', value: (row) => row.values?.[0]?.value ?? 0, cell: (row) => <Top row={row} /> },
		{ name: 'zero', title: 'zero', number: true, width: '6em', value: (row) => row.zero ?? -1, cell: (row) => share(row.zero) },
		{ name: 'last', title: 'as before', number: true, width: '6em', value: (row) => row.last ?? -1, cell: (row) => share(row.last) },
		{ name: 'kind', title: 'of', width: '9em', value: (row) => `${row.kind} ${row.what ?? ''}` },
		{ name: 'address', title: 'address', width: '8em', value: (row) => row.address, cell: (row) => hex(row.address) },
				{ name: 'place', title: 'source', width: 'minmax(8em, 1fr)', value: (row) => (row['source.file'] ? `${fileName(row['source.file'])}:${row['source.line']}` : '') },
	]
	if (other) {
		const before = new Map((other.raw.values.rows ?? []).map((row) => [key(row), row]))
		list.splice(3, 0, {
			name: 'before', title: `in ${fileName(other.file)}`, number: true, width: '8em',
			value: (row) => before.get(key(row))?.invariance ?? -1, cell: (row) => share(before.get(key(row))?.invariance),
		})
	}
	return list
}

// Which values instructions read and left.
export function Values({ profile, other }) {
	const columns = useMemo(() => columnsOf(other), [other])
	return <Grid rows={profile.raw.values.rows} columns={columns} label="Values of instructions" what="rows" start={{ name: 'seen', down: true }} />
}
