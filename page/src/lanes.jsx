import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { short } from './format.js'

const ROW = 18
const AXIS = 22
const GUTTER = 190
const HEIGHT_MOST = 520

// A row of a lane: spans that do not overlap, in order; {starts, ends, fill(i), label(i), describe(i)}.
// A lane: {title, rows}.

// The first span of a row that ends behind a time.
function firstBehind(row, time) {
	let low = 0
	let high = row.ends.length
	while (low < high) {
		const middle = (low + high) >> 1
		if (row.ends[middle] > time)
			high = middle
		else
			low = middle + 1
	}
	return low
}

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name)

function inks() {
	const probe = document.createElement('span')
	document.body.append(probe)
	const of = (name) => {
		probe.style.color = `var(${name})`
		return getComputedStyle(probe).color
	}
	const found = { ink: of('--ink'), soft: of('--soft'), line: of('--line'), link: of('--link'), raised: of('--raised'), ground: of('--ground'), heat: style('--heat').trim() }
	probe.remove()
	return found
}

// Steps of a scale of time: 1, 2 or 5 times a power of ten, at most ten of them.
function ticks(from, to) {
	const least = (to - from) / 8
	const power = 10 ** Math.floor(Math.log10(least))
	const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= least)
	const list = []
	for (let at = Math.ceil(from / step) * step; at <= to; at += step)
		list.push(at)
	return list
}

function drawAxis(context, scale, colours) {
	context.fillStyle = colours.ground
	context.fillRect(0, 0, scale.width, AXIS)
	context.fillStyle = colours.soft
	for (const at of ticks(scale.from, scale.to)) {
		const x = scale.x(at)
		context.fillRect(x, AXIS - 6, 1, 6)
		const text = short(at, 'ns')
		context.textAlign = x > scale.width - 60 ? 'right' : 'left'
		context.fillText(text, x + (context.textAlign === 'right' ? -4 : 4), AXIS - 8)
	}
	context.textAlign = 'left'
}

// What is narrower than a pixel is drawn once for each of them, however much there is.
function drawRow(context, row, y, scale, colours, chosen) {
	let at = firstBehind(row, scale.from)
	while (at < row.starts.length && row.starts[at] < scale.to) {
		const left = Math.max(GUTTER, scale.x(row.starts[at]))
		const right = Math.min(scale.width, scale.x(row.ends[at]))
		const width = Math.max(1, right - left - (right - left > 3 ? 1 : 0))
		context.fillStyle = row.fill(at, colours)
		context.fillRect(left, y + 1, width, ROW - 2)
		// A number that is cut is another number; a name is not.
		if (width > (row.light ? 40 : context.measureText(row.label(at)).width + 8)) {
			context.fillStyle = row.light && !isDark() ? '#111' : colours.ink
			context.save()
			context.beginPath()
			context.rect(left, y, width - 4, ROW)
			context.clip()
			context.fillText(row.label(at), left + 4, y + 13)
			context.restore()
		}
		at = right - left >= 1 ? at + 1 : Math.max(at + 1, firstBehind(row, scale.time(Math.floor(left) + 1)))
	}
	if (chosen >= 0 && row.ends[chosen] > scale.from && row.starts[chosen] < scale.to) {
		context.strokeStyle = colours.link
		context.lineWidth = 2
		const left = Math.max(GUTTER, scale.x(row.starts[chosen]))
		context.strokeRect(left - 1, y, Math.max(3, Math.min(scale.width, scale.x(row.ends[chosen])) - left + 1), ROW)
	}
}

function drawTitle(context, lane, y, colours) {
	context.fillStyle = colours.line
	context.fillRect(0, y, GUTTER - 8, 1)
	context.fillStyle = colours.ink
	context.save()
	context.beginPath()
	context.rect(0, y, GUTTER - 12, ROW)
	context.clip()
	context.fillText(lane.title, 4, y + 13)
	context.restore()
}

function draw(canvas, flat, range, top, chosen) {
	const width = canvas.clientWidth || 960
	const height = canvas.clientHeight
	const ratio = devicePixelRatio || 1
	const context = canvas.getContext('2d')
	const colours = inks()
	const scale = scaleOf(width, range)
	canvas.width = width * ratio
	canvas.height = height * ratio
	context.scale(ratio, ratio)
	context.font = `12px ${style('--mono')}`
	const last = Math.min(flat.length, Math.ceil((top + height) / ROW))
	for (let i = Math.floor(top / ROW); i < last; i++) {
		const y = AXIS + i * ROW - top
		if (flat[i].first)
			drawTitle(context, flat[i].lane, y, colours)
		drawRow(context, flat[i].row, y, scale, colours, chosen.row === i ? chosen.span : -1)
	}
	drawAxis(context, scale, colours)
}

function scaleOf(width, { from, to }) {
	const room = Math.max(1, width - GUTTER)
	return {
		from, to, width,
		x: (time) => GUTTER + (room * (time - from)) / (to - from),
		time: (x) => from + ((x - GUTTER) * (to - from)) / room,
	}
}

// Where one gets by a key from a span: {row, span}.
function moved(flat, { row, span }, key) {
	if (row < 0)
		return { row: 0, span: 0 }
	const spans = flat[row].row
	const count = spans.starts.length
	const next = { ArrowRight: span + 1, ArrowLeft: span - 1, Home: 0, End: count - 1 }[key]
	if (next !== undefined)
		return { row, span: Math.max(0, Math.min(count - 1, next)) }
	const to = Math.max(0, Math.min(flat.length - 1, row + (key === 'ArrowDown' ? 1 : -1)))
	const middle = (spans.starts[span] + spans.ends[span]) / 2
	return { row: to, span: Math.min(flat[to].row.starts.length - 1, firstBehind(flat[to].row, middle)) }
}

const MOVES = new Set(['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End'])

// The same range, made narrower or wider around a time.
export function zoomed({ from, to }, end, factor, around = (from + to) / 2) {
	const length = Math.min(end, Math.max(10, (to - from) * factor))
	const start = Math.max(0, Math.min(end - length, around - (length * (around - from)) / (to - from)))
	return { from: start, to: start + length }
}

function rangeOf(row, span, end) {
	const margin = Math.max(1, (row.ends[span] - row.starts[span]) * 0.1)
	return { from: Math.max(0, row.starts[span] - margin), to: Math.min(end, row.ends[span] + margin) }
}

// The range, moved so that a span is in it.
function seen(range, row, span) {
	const length = range.to - range.from
	if (row.ends[span] > range.from && row.starts[span] < range.to)
		return range
	const from = Math.max(0, (row.starts[span] + row.ends[span] - length) / 2)
	return { from, to: from + length }
}

// Spans in lanes over time. Keys: arrows go from span to span, Enter zooms to it, + and - zoom, Escape shows all.
export function Lanes({ lanes, label, range, setRange, end }) {
	const flat = useMemo(() => lanes.flatMap((lane) => lane.rows.map((row, at) => ({ lane, row, first: at === 0 }))), [lanes])
	const place = useRef()
	const canvas = useRef()
	const drag = useRef(null)
	const [chosen, choose] = useState({ row: -1, span: -1 })
	const height = Math.min(HEIGHT_MOST, AXIS + flat.length * ROW + 2)
	const redraw = () => draw(canvas.current, flat, range, place.current.scrollTop, chosen)
	useEffect(() => {
		const theme = matchMedia('(prefers-color-scheme: dark)')
		redraw()
		addEventListener('resize', redraw)
		theme.addEventListener('change', redraw)
		return () => {
			removeEventListener('resize', redraw)
			theme.removeEventListener('change', redraw)
		}
	}, [flat, range, chosen])
	const go = (next) => {
		choose(next)
		setRange(seen(range, flat[next.row].row, next.span))
		const top = next.row * ROW
		if (top < place.current.scrollTop || top + ROW + AXIS > place.current.scrollTop + height)
			place.current.scrollTop = top - height / 2
	}
	const key = (event) => {
		if (MOVES.has(event.key))
			go(moved(flat, chosen, event.key))
		else if (event.key === 'Enter' && chosen.row >= 0)
			setRange(rangeOf(flat[chosen.row].row, chosen.span, end))
		else if (event.key === '+' || event.key === '-')
			setRange(zoomed(range, end, event.key === '+' ? 0.5 : 2))
		else if (event.key === 'Escape')
			setRange({ from: 0, to: end })
		else
			return
		event.preventDefault()
	}
	const placeOf = (event) => {
		const box = canvas.current.getBoundingClientRect()
		const time = scaleOf(box.width, range).time(event.clientX - box.left)
		return { time, row: Math.floor((event.clientY - box.top - AXIS + place.current.scrollTop) / ROW) }
	}
	// What is a press on one place chooses, what moves zooms to what is between.
	const up = (event) => {
		const from = drag.current
		const to = placeOf(event)
		drag.current = null
		if (!from)
			return
		const moves = Math.abs(event.clientX - from.x) > 4
		if (moves)
			setRange({ from: Math.max(0, Math.min(from.time, to.time)), to: Math.min(end, Math.max(from.time, to.time)) })
		const row = flat[to.row]?.row
		const span = row ? firstBehind(row, to.time) : -1
		if (!moves && row && span < row.starts.length && row.starts[span] <= to.time)
			choose({ row: to.row, span })
	}
	const told = chosen.row >= 0 && flat[chosen.row] ? `${flat[chosen.row].lane.title}: ${flat[chosen.row].row.describe(chosen.span)}` : ''
	return (
		<>
			<div class="lanes" ref={place} style={{ height: `${height}px` }} onScroll={redraw} tabIndex={0} role="application"
				aria-roledescription="timeline" aria-label={`${label}: ${lanes.length} rows; arrow keys go from one to the next, Enter zooms, Escape shows all`} onKeyDown={key}
				onPointerDown={(event) => { drag.current = { ...placeOf(event), x: event.clientX } }} onPointerUp={up} onDblClick={() => setRange({ from: 0, to: end })}>
				<div style={{ height: `${AXIS + flat.length * ROW}px` }}>
					<canvas ref={canvas} style={{ height: `${height - 2}px` }} />
				</div>
			</div>
			<p class="status" aria-live="polite">{told}</p>
		</>
	)
}
