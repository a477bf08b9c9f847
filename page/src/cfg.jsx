import dagre from '@dagrejs/dagre'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { exact } from './format.js'

const LINE = 15
const MOST_BLOCKS = 300
const MOST_LINES = 8

function textOf(block) {
	const lines = block.code.map((each) => each.text)
	return lines.length > MOST_LINES
		? [...lines.slice(0, MOST_LINES - 2), `… ${lines.length - MOST_LINES + 1} more`, lines[lines.length - 1]]
		: lines
}

function layOut(blocks, before) {
	const graph = new dagre.graphlib.Graph()
	graph.setGraph({ nodesep: 24, ranksep: 32, marginx: 8, marginy: 8 })
	graph.setDefaultEdgeLabel(() => ({}))
	for (const block of blocks) {
		const lines = textOf(block)
		const longest = Math.max(before ? 34 : 18, ...lines.map((line) => line.length))
		graph.setNode(block.block, { block, lines, width: longest * 7 + 16, height: (lines.length + 1) * LINE + 10 })
	}
	for (const block of blocks)
		for (const edge of block.edges ?? [])
			if (edge['edge.to'] && graph.hasNode(edge['edge.to'])) {
				const label = edge.count === undefined ? '' : exact(edge.count)
				graph.setEdge(block.block, edge['edge.to'], { edge, label, width: label.length * 6.5 + 6, height: 12, labelpos: 'r' })
			}
	dagre.layout(graph)
	return graph
}

function heat(count, most) {
	return count ? 0.08 + (0.6 * Math.log1p(count)) / Math.log1p(most || 1) : 0
}

function Node({ node, most, was }) {
	const { block, lines, x, y, width, height } = node
	return (
		<g transform={`translate(${x - width / 2}, ${y - height / 2})`}>
			<rect width={width} height={height} class="block" style={{ fill: `rgb(var(--heat) / ${heat(block.count, most)})` }} />
			<text x="8" y={LINE} class="title">{block.block}  {exact(block.count ?? 0)}×{was === undefined ? '' : `, was ${exact(was)}×`}</text>
			{lines.map((line, index) => <text key={index} x="8" y={LINE * (index + 2)}>{line}</text>)}
		</g>
	)
}

function Edge({ points, edge, most, label, x, y }) {
	const path = points.map((point, index) => `${index ? 'L' : 'M'}${point.x.toFixed(1)},${point.y.toFixed(1)}`).join('')
	return (
		<g class={edge.count ? 'edge' : 'edge never'}>
			<path d={path} marker-end="url(#arrow)" style={{ strokeWidth: 1 + 2.5 * heat(edge.count ?? 0, most) }} />
			{label ? <text x={x - label.length * 3.2} y={y + 4}>{label}</text> : null}
		</g>
	)
}

// Blocks that ran, and those next to them; of blocks that never ran the ways on are not known.
function near(blocks) {
	const reached = new Set(blocks.slice(0, 1).map((block) => block.block))
	for (const block of blocks)
		for (const edge of block.edges ?? [])
			reached.add(edge['edge.to'])
	return blocks.filter((block) => block.count || reached.has(block.block))
}

// The control flow of a function, with counts.
export function ControlFlow({ listing, before }) {
	const blocks = useMemo(() => near(listing.blocks ?? []), [listing])
	const graph = useMemo(() => (blocks.length <= MOST_BLOCKS ? layOut(blocks, before) : null), [blocks, before])
	const place = useRef()
	// The function's first block is in sight at first.
	useEffect(() => {
		const first = graph && blocks.length ? graph.node(blocks[0].block) : null
		if (first && place.current)
			place.current.scrollLeft = first.x - place.current.clientWidth / 2
	}, [graph])
	if (!graph)
		return <p class="note">{exact(blocks.length)} blocks are too many to draw: trammel graph writes them for Graphviz.</p>
	const { width, height } = graph.graph()
	const counts = new Map((before?.blocks ?? []).map((block) => [block.block, block.count ?? 0]))
	const most = Math.max(1, ...blocks.map((block) => block.count ?? 0))
	const hidden = (listing.blocks ?? []).length - blocks.length
	return (
		<>
		{hidden ? <p class="note">{exact(hidden)} blocks that never ran are not drawn.</p> : null}
		<div class="flow" ref={place} role="region" aria-label="Control flow" tabIndex={0}>
			<svg width={width} height={height} role="img" aria-label={`Control flow of ${listing.function}`}>
				<defs>
					<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
						<path d="M0,0L8,4L0,8z" class="tip" />
					</marker>
				</defs>
				{graph.edges().map((key) => <Edge key={`${key.v} ${key.w}`} most={most} {...graph.edge(key)} />)}
				{graph.nodes().map((key) => <Node key={key} node={graph.node(key)} most={most} was={counts.get(key)} />)}
			</svg>
		</div>
		</>
	)
}
