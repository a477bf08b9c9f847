import { exact, fileName, short } from './format.js'

export function hasTimeline(profile) {
	return profile.raw.intervals.length > 1
}

const WIDTH = 1000
const HEIGHT = 220

function Steps({ intervals, column, end }) {
	const most = Math.max(1, ...intervals.map((each) => each[column]))
	const rate = (each) => each[column] / Math.max(1, each['end.ns'] - each['start.ns'])
	const top = Math.max(...intervals.map(rate)) || 1
	return (
		<svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 24}`} role="img" aria-label={`${column} over time`} class="steps">
			{intervals.map((each) => {
				const x = (WIDTH * each['start.ns']) / end
				const width = Math.max(1, (WIDTH * (each['end.ns'] - each['start.ns'])) / end)
				const height = (HEIGHT * rate(each)) / top
				return (
					<rect key={each.number} x={x} width={Math.max(0.5, width - 0.5)} y={HEIGHT - height} height={height}>
						<title>{`interval ${each.number}: ${exact(each[column])} ${column}, ${short(each['start.ns'], 'ns')} to ${short(each['end.ns'], 'ns')}`}</title>
					</rect>
				)
			})}
			<text x="0" y={HEIGHT + 18}>0</text>
			<text x={WIDTH} y={HEIGHT + 18} text-anchor="end">{short(end, 'ns')}</text>
			<text x="0" y="14">{short(most)} in an interval at most</text>
		</svg>
	)
}

// One below the other, on one scale of time where there are two.
export function Timeline({ profile, other }) {
	const shown = [profile, other].filter((each) => each && hasTimeline(each))
	const end = Math.max(1, ...shown.flatMap((each) => each.raw.intervals.map((interval) => interval['end.ns'])))
	return ['instructions', 'calls'].map((column) => shown.filter((each) => each.raw.intervals.some((interval) => interval[column])).map((each) => (
		<section key={`${column} ${each.index}`}>
			<h2>{column[0].toUpperCase() + column.slice(1)} over time{shown.length > 1 ? ` in ${fileName(each.file)}` : ''}</h2>
			<Steps intervals={each.raw.intervals} column={column} end={end} />
		</section>
	)))
}
