import flamegraph from 'd3-flame-graph'
import { select } from 'd3-selection'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { change, exact, percent } from './format.js'
import { go } from './main.jsx'
import { byModule, bySource, nested } from './model.js'

// The trees that can be shown, one for each column of each.
function choices(profile) {
	const list = []
	for (const tree of profile.trees)
		for (let column = tree.columns.length - 1; column >= 0; column--)
			list.push({
				title: `${tree.title}: ${tree.columns[column].name}`,
				unit: tree.columns[column].unit,
				make: (of, top) => {
					const same = of.trees.find((each) => each.name === tree.name)
					return same?.columns[column] ? nested(same, column, of, of === profile ? top : -1) : null
				},
			})
	for (const column of profile.columns)
		list.push({
			title: `Modules and functions: ${column.name}`,
			unit: column.unit,
			make: (of) => (of.column(column.name) ? byModule(of, of.column(column.name)) : null),
		})
	for (const column of profile.columns)
		list.push({
			title: `Source tree: ${column.name}`,
			unit: column.unit,
			make: (of) => (of.column(column.name) ? bySource(of, of.column(column.name)) : null),
		})
	return list
}

// Hues of modules: those of the largest are far from each other.
function huesOf(profile) {
	const names = profile.weight ? profile.byModule().map(([name]) => name) : []
	return new Map(names.map((name, rank) => [name, (210 + rank * 137.5) % 360]))
}

function colourOf(hues, module) {
	const dark = matchMedia('(prefers-color-scheme: dark)').matches
	const hue = hues.get(module)
	return `hsl(${hue ?? 0}, ${hue === undefined ? '0%' : dark ? '35%' : '55%'}, ${dark ? '38%' : '78%'})`
}

const FOUND = () => (matchMedia('(prefers-color-scheme: dark)').matches ? '#b58900' : '#ffd75f')

function moduleColours(hues) {
	return (node) => {
		if (node.highlight)
			return FOUND()
		return colourOf(hues, node.data.module)
	}
}

function Legend({ hues }) {
	if (hues.size < 2)
		return null
	return (
		<ul class="legend" aria-label="Colours of modules">
			{[...hues.keys()].slice(0, 8).map((name) => <li key={name}><span style={{ background: colourOf(hues, name) }} />{name}</li>)}
		</ul>
	)
}

// Red where it grew, blue where it shrank.
function changeColour(node) {
	if (node.highlight)
		return FOUND()
	const { delta = 0, value, before = 0 } = node.data
	const most = Math.max(value, before, 1)
	const strength = Math.min(1, Math.abs(delta) / most)
	const dark = matchMedia('(prefers-color-scheme: dark)').matches
	return `hsl(${delta > 0 ? 8 : 215}, ${Math.round((dark ? 60 : 75) * strength)}%, ${Math.round(dark ? 28 + 12 * strength : 88 - 25 * strength)}%)`
}

// Notes in each node how much less the same path had in another profile.
function compare(node, other) {
	node.before = other?.value ?? 0
	node.delta = node.value - node.before
	const by = new Map((other?.children ?? []).map((child) => [`${child.module}\0${child.name}`, child]))
	for (const child of node.children)
		compare(child, by.get(`${child.module}\0${child.name}`))
}

function describe(node, { whole, value: shown }, unit) {
	const root = { value: whole ?? shown }
	const { name, module, value, self, before } = node.data
	const lines = [`${name}${module ? ` (${module})` : ''}`, `${exact(value, unit)}, ${percent(value, root.value)}`]
	if (self !== undefined && self !== value)
		lines.push(`itself ${exact(self, unit)}, ${percent(self, root.value)}`)
	if (before !== undefined)
		lines.push(`before ${exact(before, unit)} (${change(value, before) || 'no change'})`)
	return lines.join(' – ')
}

function Graph({ hues, root, unit, upside, compared, search, profile, onZoom }) {
	const place = useRef()
	const chart = useRef()
	const [label, setLabel] = useState('')
	useEffect(() => {
		const draw = () => {
			place.current.replaceChildren()
			chart.current = flamegraph().width(place.current.clientWidth || 960).cellHeight(19).minFrameSize(1)
				.transitionDuration(matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150).selfValue(false).inverted(upside).sort(true)
				.label((node) => describe(node, root, unit))
				.setColorMapper(compared ? changeColour : moduleColours(hues))
				.setLabelHandler((node) => setLabel(node ? describe(node, root, unit) : ''))
				.onClick((node) => root.cut && node.data.node !== undefined && onZoom(node.data.node))
				.onHover((node) => setLabel(describe(node, root, unit)))
			select(place.current).datum(root).call(chart.current)
		}
		const recolour = () => chart.current.update()
		const theme = matchMedia('(prefers-color-scheme: dark)')
		draw()
		addEventListener('resize', draw)
		theme.addEventListener('change', recolour)
		return () => {
			removeEventListener('resize', draw)
			theme.removeEventListener('change', recolour)
		}
	}, [root, unit, upside, compared])
	useEffect(() => {
		search ? chart.current?.search(search) : chart.current?.clear()
	}, [search, root])
	const open = (event) => {
		const node = select(event.target.closest('g.frame')).datum?.()
		if (node?.data.index >= 0 && profile.hasMore(node.data.index))
			go(profile, 'code', node.data.index)
	}
	return (
		<>
			<div class="flame" ref={place} onDblClick={open} role="img" aria-label="Flame graph; the table of functions has its numbers" />
			<p class="status" aria-live="polite">{label || 'Click to zoom, double-click for the code; the width is the share.'}</p>
		</>
	)
}

export function Flame({ profile, other }) {
	const list = useMemo(() => choices(profile), [profile])
	const hues = useMemo(() => huesOf(profile), [profile])
	const [chosen, choose] = useState(0)
	const [upside, setUpside] = useState(true)
	const [compared, setCompared] = useState(false)
	const [search, setSearch] = useState('')
	const [top, setTop] = useState(-1)
	const root = useMemo(() => {
		const made = list[chosen]?.make(profile, top)
		if (made && compared && other)
			compare(made, list[chosen].make(other))
		return made
	}, [list, chosen, profile, compared, other, top])
	if (!root?.value)
		return <p>There is nothing to draw: the profile has no calls, samples or counts.</p>
	return (
		<>
			<div class="controls">
				<label>Show <select value={chosen} onChange={(event) => { setTop(-1); choose(Number(event.target.value)) }}>
					{list.map((each, index) => <option key={each.title} value={index}>{each.title}</option>)}
				</select></label>
				<label>Search <input type="search" value={search} onInput={(event) => setSearch(event.target.value)} placeholder="name or /expression/" /></label>
				<label><input type="checkbox" checked={upside} onChange={(event) => setUpside(event.target.checked)} /> root on top</label>
				{other ? <label><input type="checkbox" checked={compared} onChange={(event) => setCompared(event.target.checked)} /> colour by change against {other.file}</label> : null}
			</div>
			{compared && other ? null : <Legend hues={hues} />}
			<Graph hues={hues} root={root} unit={list[chosen].unit} upside={upside} compared={compared && !!other} search={search} profile={profile} onZoom={setTop} />
		</>
	)
}
