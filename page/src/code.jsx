import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ARROWS_WIDTH, Arrows } from './arrows.jsx'
import { Callers } from './callers.jsx'
import { ControlFlow } from './cfg.jsx'
import { exact, fileName, percent, short } from './format.js'
import { go } from './main.jsx'
import { data } from './model.js'

// Of each instruction: its block's count, or its samples.
function instructionsOf(listing) {
	const sampled = (listing.blocks ?? []).some((block) => block.count === undefined)
	const rows = []
	for (const block of listing.blocks ?? [])
		block.code.forEach((each, index) => rows.push({
			...each,
			first: index === 0,
			count: sampled ? each.samples ?? 0 : block.count ?? 0,
			edges: index === block.code.length - 1 ? block.edges : null,
		}))
	return { rows, word: sampled ? 'samples' : 'times executed' }
}

// Sums by line of each source file: instructions executed, or samples.
function linesOf(rows) {
	const files = new Map()
	for (const row of rows) {
		if (!row.file || !row.line)
			continue
		if (!files.has(row.file))
			files.set(row.file, new Map())
		const lines = files.get(row.file)
		lines.set(row.line, (lines.get(row.line) ?? 0) + row.count)
	}
	return files
}

function heatOf(count, most) {
	return { background: count ? `rgb(var(--heat) / ${(0.07 + 0.63 * (count / (most || 1)) ** 0.5).toFixed(3)})` : 'none' }
}

function Assembly({ profile, rows, word, chosen, choose, before, beforeName }) {
	const most = rows.reduce((sum, row) => Math.max(sum, row.count), 1)
	const body = useRef()
	const jumps = rows.some((row) => row.edges?.length > 1)
	return (
		<div class={`listing${jumps ? ' jumps' : ''}`} style={{ '--arrows': `${ARROWS_WIDTH}px` }} role="region" aria-label="Instructions" tabIndex={0}>
			{jumps ? <Arrows body={body} rows={rows} /> : null}
			<table>
				<thead><tr><th class="number">{word}</th>{before ? <th class="number">{beforeName}</th> : null}<th>address</th><th>instruction</th></tr></thead>
				<tbody ref={body}>
					{rows.map((row) => (
						<tr key={row.address} class={`${row.first ? 'first' : ''}${chosen && row.file === chosen.file && row.line === chosen.line ? ' chosen' : ''}`}
							style={heatOf(row.count, most)} onClick={() => row.line && choose({ file: row.file, line: row.line })}>
							<td class="number">{row.count ? exact(row.count) : ''}</td>
							{before ? <td class="number before">{before.instructions.get(`${row.address} ${row.text}`) ? exact(before.instructions.get(`${row.address} ${row.text}`)) : ''}</td> : null}
							<td class="address">{row.address}</td>
							<td class="text">{row.text}{row.target ? <Target profile={profile} name={row.target} /> : null}<Edges edges={row.edges} /></td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	)
}

function Target({ profile, name }) {
	const index = useMemo(() => [...profile.listings.keys()].find((each) => profile.name(each) === name), [profile, name])
	if (index === undefined)
		return <span class="note">  {name}</span>
	return <>  <button class="link" onClick={() => go(profile, 'code', index)}>{name}</button></>
}

function Edges({ edges }) {
	const told = (edges ?? []).filter((edge) => edge.count !== undefined && edge['edge.to'])
	if (told.length < 2)
		return null
	const total = told.reduce((sum, edge) => sum + edge.count, 0)
	return <span class="note">  {told.map((edge) => `${edge['edge.kind']} ${edge['edge.to']} ${percent(edge.count, total)}`).join(', ')}</span>
}

// Counts of the same function in another profile: by instruction, where the code is the same, and by line.
function beforeOf(profile, index, other) {
	const same = other?.find(profile.module(index), profile.name(index))
	const listing = same === undefined ? undefined : other.listings.get(same)
	if (!listing)
		return null
	const { rows } = instructionsOf(listing)
	return { listing, instructions: new Map(rows.map((row) => [`${row.address} ${row.text}`, row.count])), lines: linesOf(rows) }
}

function Source({ lines, file, chosen, choose, before, beforeName }) {
	const text = data.sources[file]
	const place = useRef()
	const counts = lines.get(file)
	const numbers = [...counts.keys()]
	const from = Math.max(1, Math.min(...numbers) - 8)
	const to = Math.max(...numbers) + 8
	const most = Math.max(1, ...counts.values())
	useEffect(() => {
		if (chosen?.file === file)
			place.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' })
	}, [chosen, file])
	return (
		<div class="listing" ref={place} role="region" aria-label="Source" tabIndex={0}>
			<table>
				<thead><tr><th class="number">count</th>{before ? <th class="number">{beforeName}</th> : null}<th>line</th><th>{file}</th></tr></thead>
				<tbody>
					{text.split('\n').slice(from - 1, to).map((line, index) => {
						const number = from + index
						const count = counts.get(number) ?? 0
						return (
							<tr key={number} class={chosen && chosen.file === file && chosen.line === number ? 'chosen' : ''}
								style={heatOf(count, most)} onClick={() => choose({ file, line: number })}>
								<td class="number">{count ? short(count) : ''}</td>
								{before ? <td class="number before">{before.lines.get(file)?.get(number) ? short(before.lines.get(file).get(number)) : ''}</td> : null}
								<td class="number address">{number}</td>
								<td class="text">{line}</td>
							</tr>
						)
					})}
				</tbody>
			</table>
		</div>
	)
}

const VIEWS = [['code', 'Source and instructions'], ['flow', 'Control flow'], ['callers', 'Callers and callees']]

function Listing({ profile, index, view, other }) {
	const listing = profile.listings.get(index)
	const { rows, word } = useMemo(() => instructionsOf(listing), [listing])
	const lines = useMemo(() => linesOf(rows), [rows])
	const before = useMemo(() => beforeOf(profile, index, other), [profile, index, other])
	const beforeName = other ? `in ${fileName(other.file)}` : ''
	const files = [...lines.keys()]
	const [file, setFile] = useState(files.find((each) => data.sources[each] !== undefined) ?? files[0])
	const [chosen, choose] = useState(null)
	const pick = (place) => {
		choose(place)
		if (lines.has(place.file))
			setFile(place.file)
	}
	return (
		<>
			<h2>{profile.name(index)} <span class="note">{profile.module(index)}</span></h2>
			<p class="note">{profile.columns.filter((column) => column.values[index]).map((column) =>
				`${exact(column.values[index], column.unit)}${column.unit ? ` ${column.name}` : ` ${column.name}`} (${percent(column.values[index], column.total)})`).join(', ')}</p>
			<div class="controls">
				{VIEWS.map(([id, title]) => (
					<button key={id} aria-pressed={view === id} onClick={() => go(profile, 'code', `${index}/${id}`)}>{title}</button>
				))}
				{view === 'code' && files.length > 1 ? (
					<label>File <select value={file} onChange={(event) => setFile(event.target.value)}>
						{files.map((each) => <option key={each} value={each}>{fileName(each)}</option>)}
					</select></label>
				) : null}
			</div>
			{view === 'flow' ? <ControlFlow listing={listing} before={before?.listing} /> : null}
			{view === 'callers' ? <Callers profile={profile} index={index} other={other} /> : null}
			{view === 'code' ? (
				<>
					{data.sources[file] === undefined
						? <p class="note">{file ? `The source ${file} was not there when this page was made.` : 'The module has no debug information: its source is not known.'}</p> : null}
					<div class="sides">
						{data.sources[file] === undefined ? null : <Source lines={lines} file={file} chosen={chosen} choose={pick} before={before} beforeName={beforeName} />}
						<Assembly profile={profile} rows={rows} word={word} chosen={chosen} choose={pick} before={before} beforeName={beforeName} />
					</div>
				</>
			) : null}
		</>
	)
}

export function Code({ profile, rest, other }) {
	const { values } = profile.weight ?? { values: [] }
	const shown = [...profile.listings.keys()].sort((a, b) => values[b] - values[a])
	const [number, named] = rest.split('/')
	const index = number === '' ? shown[0] : Number(number)
	const view = VIEWS.some(([id]) => id === named) ? named : 'code'
	if (!shown.length && number === '')
		return <p>No code is in this page: it is there for profiles of blocks, edges or samples whose modules are on the machine that made the page.</p>
	return (
		<>
			<div class="controls" hidden={!shown.length}>
				<label>Function <select value={index} onChange={(event) => go(profile, 'code', event.target.value)}>
					{shown.map((each) => <option key={each} value={each}>{profile.name(each)}</option>)}
				</select></label>
			</div>
			{profile.listings.has(index) ? <Listing key={index} profile={profile} index={index} view={view} other={other} />
				: <><h2>{profile.name(index) ?? 'No such function'}</h2><p class="note">Its code is not in this page{shown.length ? ': --limit of trammel page says of how many functions it is' : ''}.</p><Callers profile={profile} index={index} other={other} /></>}
		</>
	)
}
