import { useMemo, useState } from 'preact/hooks'
import { change, exact, fileName, percent, short } from './format.js'
import { Grid } from './grid.jsx'
import { Lanes, zoomed } from './lanes.jsx'

const length = (list) => list.length ?? 1

export function hasTimeline(profile) {
	const { intervals, timeline } = profile.raw
	return intervals.length > 1 || timeline.threads.length > 1 || length(timeline.spans.thread) > 0
}

const WIDTH = 1000
const HEIGHT = 160

function Steps({ intervals, column, range }) {
	const most = Math.max(1, ...intervals.map((each) => each[column]))
	const rate = (each) => each[column] / Math.max(1, each['end.ns'] - each['start.ns'])
	const top = Math.max(...intervals.map(rate)) || 1
	const x = (time) => Math.max(0, Math.min(WIDTH, (WIDTH * (time - range.from)) / (range.to - range.from)))
	return (
		<div class="steps">
			<p class="note">at most {short(most)} in an interval</p>
			<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${column} over time`}>
				{intervals.filter((each) => each['end.ns'] > range.from && each['start.ns'] < range.to).map((each) => {
					const left = x(each['start.ns'])
					const width = Math.max(1, x(each['end.ns']) - left)
					const height = (HEIGHT * rate(each)) / top
					return (
						<rect key={each.number} x={left} width={Math.max(0.5, width - 0.5)} y={HEIGHT - height} height={height}>
							<title>{`interval ${each.number}: ${exact(each[column])} ${column}, ${short(each['start.ns'], 'ns')} to ${short(each['end.ns'], 'ns')}`}</title>
						</rect>
					)
				})}
			</svg>
			<p class="note ends"><span>{short(range.from, 'ns')}</span><span>{short(range.to, 'ns')}</span></p>
		</div>
	)
}

// Hues of phases, the same in both profiles: those of the longest are far from each other.
function huesOf(profiles) {
	const hues = new Map()
	for (const profile of profiles)
		for (const { phase } of [...phasesOf(profile)].sort((a, b) => b.total - a.total))
			if (!hues.has(phase))
				hues.set(phase, (210 + hues.size * 137.5) % 360)
	return hues
}

const threadName = ({ process, thread }) => (process === thread ? `process ${process}` : `thread ${thread}`)

// Phases of each thread, the inner ones below the outer ones.
function tracedLanes(profile, hues) {
	const { lanes, names, spans } = profile.raw.timeline
	const made = lanes.map((lane) => ({ title: threadName(lane), rows: [] }))
	const count = spans.thread.length
	const lists = new Map()
	for (let i = 0; i < count; i++) {
		const key = spans.thread[i] * 65536 + spans.depth[i]
		if (!lists.has(key))
			lists.set(key, [])
		lists.get(key).push(i)
	}
	const dark = () => matchMedia('(prefers-color-scheme: dark)').matches
	for (const [key, list] of [...lists].sort((a, b) => a[0] - b[0])) {
		const name = (at) => names[spans.name[list[at]]]
		made[Math.floor(key / 65536)].rows.push({
			light: true,
			starts: Float64Array.from(list, (i) => spans['start.ns'][i]),
			ends: Float64Array.from(list, (i) => spans['start.ns'][i] + spans['length.ns'][i]),
			fill: (at) => `hsl(${hues.get(name(at)) ?? 0}, ${dark() ? '35%, 38%' : '55%, 78%'})`,
			label: name,
			describe: (at) => `${name(at)}, ${short(spans['length.ns'][list[at]], 'ns')}, from ${short(spans['start.ns'][list[at]], 'ns')} on`,
		})
	}
	return made.filter((lane) => lane.rows.length)
}

// Of each thread or phase a row of intervals, the darker the more it did in them.
function cellLanes(intervals, cells, title, rate, describe) {
	const rows = new Map()
	cells.interval.forEach((at, i) => {
		if (!rows.has(cells.of[i]))
			rows.set(cells.of[i], [])
		rows.get(cells.of[i]).push({ interval: intervals[at], i })
	})
	const most = Math.max(Number.MIN_VALUE, ...Array.from(cells.interval, (at, i) => rate(i, intervals[at])))
	return [...rows].sort((a, b) => a[0] - b[0]).map(([of, list]) => {
		list.sort((a, b) => a.interval['start.ns'] - b.interval['start.ns'])
		return {
			title: title(of),
			rows: [{
				starts: Float64Array.from(list, ({ interval }) => interval['start.ns']),
				ends: Float64Array.from(list, ({ interval }) => interval['end.ns']),
				fill: (at, colours) => `rgb(${colours.heat} / ${(0.04 + 0.7 * Math.sqrt(rate(list[at].i, list[at].interval) / most)).toFixed(3)})`,
				label: (at) => describe(list[at].i, list[at].interval, true),
				describe: (at) => `interval ${list[at].interval.number}, ${describe(list[at].i, list[at].interval, false)}`,
			}],
		}
	})
}

const lengthOf = (interval) => Math.max(1, interval['end.ns'] - interval['start.ns'])

function phaseLanes(profile) {
	const { intervals, timeline: { phases } } = profile.raw
	const tree = profile.trees.find((each) => each.name === 'regions')
	const depth = (node) => (tree.parent[node] < 0 ? 0 : 1 + depth(tree.parent[node]))
	const time = phases['time.ns']
	return cellLanes(intervals, { of: phases.node, interval: phases.interval },
		(node) => `${'  '.repeat(depth(node))}${tree.label[node]}`,
		(i, interval) => Math.max(0, time[i]) / lengthOf(interval),
		(i, interval, brief) => (brief ? short(time[i], 'ns') : `${short(time[i], 'ns')} in it and no phase inside, of ${short(lengthOf(interval), 'ns')}; begun ${exact(phases.count[i])}×`))
}

function threadLanes(profile) {
	const { intervals, timeline: { parts, threads } } = profile.raw
	const column = parts.instructions.some((number) => number) ? 'instructions' : 'calls'
	return cellLanes(intervals, { of: parts.thread, interval: parts.interval },
		(thread) => threadName(threads[thread]),
		(i, interval) => parts[column][i] / lengthOf(interval),
		(i, interval, brief) => (brief ? short(parts[column][i]) : `${exact(parts[column][i])} ${column}${column === 'calls' ? '' : `, ${exact(parts.calls[i])} calls`}`))
}

// Sums by phase of a trace: {phase, times, total, longest}.
function phasesOf(profile) {
	return profile.raw.timeline.sums.map((sum) => ({ phase: sum.name, times: sum.times, total: sum['time.ns'], longest: sum['longest.ns'] }))
}

const ns = (value) => (value === null || value === undefined ? '' : <span title={exact(value, 'ns')}>{short(value, 'ns')}</span>)

function Phases({ profile, other }) {
	const rows = useMemo(() => phasesOf(profile), [profile])
	const columns = useMemo(() => {
		const before = new Map((other ? phasesOf(other) : []).map((row) => [row.phase, row]))
		const list = [
			{ name: 'phase', title: 'phase', width: 'minmax(12em, 2fr)', value: (row) => row.phase },
			{ name: 'times', title: 'times', number: true, value: (row) => row.times },
			{ name: 'total', title: 'time', number: true, value: (row) => row.total, cell: (row) => ns(row.total) },
			{ name: 'mean', title: 'on average', number: true, value: (row) => row.total / row.times, cell: (row) => ns(row.total / row.times) },
			{ name: 'longest', title: 'longest', number: true, value: (row) => row.longest, cell: (row) => ns(row.longest) },
		]
		if (before.size)
			list.push(
				{ name: 'before', title: `time in ${fileName(other.file)}`, number: true, width: '10em', value: (row) => before.get(row.phase)?.total ?? null, cell: (row) => ns(before.get(row.phase)?.total) },
				{ name: 'change', title: 'change', number: true, value: (row) => row.total - (before.get(row.phase)?.total ?? 0), cell: (row) => change(row.total, before.get(row.phase)?.total ?? 0) || 'same' })
		return list
	}, [profile, other])
	return <Grid rows={rows} columns={columns} label="Phases" what="phases" start={{ name: 'total', down: true }} />
}

const COUNTS = ['instructions', 'calls', 'samples']

// Threads of two runs have other numbers: they are compared in their order.
function Threads({ profile, other }) {
	const rows = profile.raw.timeline.threads
	const columns = useMemo(() => {
		const old = other?.raw.timeline.threads ?? []
		const before = (row) => old[rows.indexOf(row)]
		const list = [{ name: 'process', title: 'process', width: '7em', value: (row) => String(row.process) }, { name: 'thread', title: 'thread', width: '7em', value: (row) => String(row.thread) }]
		for (const name of COUNTS) {
			if (!rows.some((row) => row[name]))
				continue
			const all = rows.reduce((sum, row) => sum + row[name], 0)
			list.push({ name, title: name, number: true, value: (row) => row[name] },
				{ name: `${name} share`, title: '%', number: true, width: '5em', value: (row) => row[name], cell: (row) => percent(row[name], all) })
			if (old.length)
				list.push({ name: `${name} before`, title: `in ${fileName(other.file)}`, number: true, width: '10em', value: (row) => before(row)?.[name] ?? null },
					{ name: `${name} change`, title: 'change', number: true, value: (row) => row[name] - (before(row)?.[name] ?? 0), cell: (row) => change(row[name], before(row)?.[name] ?? 0) || 'same' })
		}
		return list
	}, [profile, other])
	return <Grid rows={rows} columns={columns} label="Threads" what="threads" start={{ name: columns[2]?.name ?? 'thread', down: true }} />
}

// When the last thing of a profile was over.
function endOf(profile) {
	let end = 1
	for (const interval of profile.raw.intervals)
		end = Math.max(end, interval['end.ns'])
	for (const lane of profile.raw.timeline.lanes)
		end = Math.max(end, lane['last.ns'])
	return end
}

// Lanes of a profile: [title, lanes], those that there are.
function sectionsOf(profile, hues) {
	const { timeline } = profile.raw
	const list = []
	if (timeline.spans.thread.length)
		list.push(['Phases of threads', tracedLanes(profile, hues)])
	if (timeline.phases.interval.length)
		list.push(['Phases in each interval', phaseLanes(profile)])
	if (timeline.parts.interval.length)
		list.push(['Threads in each interval', threadLanes(profile)])
	return list
}

// Two profiles stand below each other, on one scale of time.
export function Timeline({ profile, other }) {
	const shown = useMemo(() => [profile, other].filter((each) => each && hasTimeline(each)), [profile, other])
	const end = useMemo(() => Math.max(...shown.map(endOf)), [shown])
	const sections = useMemo(() => {
		const hues = huesOf(shown)
		const all = shown.flatMap((each) => sectionsOf(each, hues).map(([title, lanes]) => ({ title, lanes, of: each })))
		return all.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
	}, [shown])
	const [range, setRange] = useState({ from: 0, to: end })
	const suffix = (each) => (shown.length > 1 ? ` in ${fileName(each.file)}` : '')
	const steps = ['instructions', 'calls'].flatMap((column) => shown.filter((each) => each.raw.intervals.some((interval) => interval[column])).map((of) => ({ column, of })))
	const leftOut = profile.raw.timeline.spans['left.out']
	return (
		<>
			{sections.length || steps.length ? (
				<div class="controls">
					<button onClick={() => setRange(zoomed(range, end, 0.5))}>Zoom in</button>
					<button onClick={() => setRange(zoomed(range, end, 2))}>Zoom out</button>
					<button onClick={() => setRange({ from: 0, to: end })}>Show all</button>
					<span class="note" aria-live="polite">{short(range.from, 'ns')} to {short(range.to, 'ns')} of {short(end, 'ns')}</span>
					{sections.length ? <span class="note">Drag to zoom in, double-click to zoom out; click a span, or go to it with the arrow keys, to read it.</span> : null}
				</div>
			) : null}
			{sections.map(({ title, lanes, of }) => (
				<section key={`${title} ${of.index}`}>
					<h2>{title}{suffix(of)}</h2>
					<Lanes lanes={lanes} label={`${title}${suffix(of)}`} range={range} setRange={setRange} end={end} />
				</section>
			))}
			{steps.map(({ column, of }) => (
				<section key={`${column} ${of.index}`}>
					<h2>{column[0].toUpperCase() + column.slice(1)} over time{suffix(of)}</h2>
					<Steps intervals={of.raw.intervals} column={column} range={range} />
				</section>
			))}
			{leftOut ? <p class="note">{exact(leftOut)} of the shortest phases are not drawn; the table has them.</p> : null}
			{profile.raw.timeline.spans.thread.length ? <section><h2>Phases</h2><Phases profile={profile} other={other} /></section> : null}
			{profile.raw.timeline.threads.length ? <section><h2>Threads</h2><Threads profile={profile} other={other} /></section> : null}
		</>
	)
}
