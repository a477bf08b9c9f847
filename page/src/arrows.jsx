import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { exact } from './format.js'

const LANE = 8
const MOST_LANES = 6
const MOST_ARROWS = 150

export const ARROWS_WIDTH = LANE * (MOST_LANES + 1) + 6

// Branches to other places of the listing: {from, to, count}, numbers of rows; the most executed ones.
function branchesOf(rows) {
	const rowAt = new Map(rows.map((row, index) => [row.address, index]))
	const list = []
	rows.forEach((row, from) => {
		for (const edge of row.edges ?? []) {
			const to = rowAt.get(edge['edge.to'])
			if (to !== undefined && to !== from + 1 && edge.count)
				list.push({ from, to, count: edge.count })
		}
	})
	return list.sort((a, b) => b.count - a.count).slice(0, MOST_ARROWS)
}

// The lane of each: short ones near the code, no two that overlap in one lane, as far as there are lanes.
function withLanes(branches) {
	const lanes = []
	const spans = branches.map((each) => ({ ...each, low: Math.min(each.from, each.to), high: Math.max(each.from, each.to) }))
	for (const span of spans.sort((a, b) => a.high - a.low - (b.high - b.low))) {
		span.lane = lanes.findIndex((lane) => lane.every((other) => other.high < span.low || other.low > span.high))
		if (span.lane < 0)
			span.lane = lanes.length < MOST_LANES ? lanes.push([]) - 1 : MOST_LANES - 1
		lanes[span.lane].push(span)
	}
	return spans
}

// Arrows at the left of a listing, from each branch to where it leads, as wide as it is often taken.
// `body`: the element with a row for each of `rows`.
export function Arrows({ body, rows }) {
	const [places, setPlaces] = useState(null)
	const branches = useRef(null)
	branches.current ??= withLanes(branchesOf(rows))
	useLayoutEffect(() => {
		const measure = () => setPlaces(Array.from(body.current.children, (row) => row.offsetTop + row.offsetHeight / 2))
		measure()
		addEventListener('resize', measure)
		return () => removeEventListener('resize', measure)
	}, [rows])
	if (!places || !branches.current.length)
		return null
	const most = branches.current.reduce((sum, each) => Math.max(sum, each.count), 1)
	return (
		<svg class="arrows" width={ARROWS_WIDTH} height={places[places.length - 1] + 20} aria-hidden="true">
			<defs>
				<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse" orient="auto">
					<path d="M0,0L8,4L0,8z" />
				</marker>
			</defs>
			{branches.current.map(({ from, to, count, lane }) => {
				const x = ARROWS_WIDTH - LANE * (lane + 1)
				return (
					<path key={`${from} ${to}`} d={`M${ARROWS_WIDTH},${places[from]}H${x}V${places[to]}H${ARROWS_WIDTH - 1}`} marker-end="url(#tip)"
						style={{ strokeWidth: 0.7 + 1.6 * Math.sqrt(count / most) }}>
						<title>{`${rows[from].address} to ${rows[to].address}: ${exact(count)}`}</title>
					</path>
				)
			})}
		</svg>
	)
}
