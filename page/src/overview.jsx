import { change, exact, fileName, percent, short } from './format.js'
import { go } from './main.jsx'
import { data } from './model.js'

const FACTS = [
	['run.start', 'Started', (text) => text],
	['host', 'Host', (text) => text],
	['run.measure', 'Measured', (text) => text],
	['run.wall.ns', 'Wall time', (ns) => short(ns, 'ns')],
	['run.exit', 'Exit status', (text) => text],
	['trm.version', 'trammel', (text) => text],
]

function Facts({ profile, other }) {
	return (
		<dl class="facts">
			{FACTS.map(([name, title, show]) => profile.about[name] === undefined ? null : (
				<div key={name}><dt>{title}</dt><dd>{show(profile.about[name])}</dd></div>
			))}
			{profile.columns.map((column) => (
				<div key={column.name}><dt>{column.name}</dt><dd title={exact(column.total, column.unit)}>{short(column.total, column.unit)}{other?.column(column.name)
					? <span class="note" title={`in ${other.file}: ${exact(other.column(column.name).total, column.unit)}`}> {change(column.total, other.column(column.name).total) || 'same'}</span> : null}</dd></div>
			))}
		</dl>
	)
}

// A name with a bar for its share of the whole.
function Bars({ rows, whole, unit }) {
	const most = Math.max(1, ...rows.map((row) => row.value))
	return (
		<table class="bars">
			<tbody>
				{rows.map((row) => (
					<tr key={row.key}>
						<th scope="row">
							{row.open ? <button class="link" onClick={row.open}>{row.name}</button> : row.name}
							{row.note ? <span class="note"> {row.note}</span> : null}
						</th>
						<td class="number" title={exact(row.value, unit)}>{short(row.value, unit)}</td>
						<td class="number">{percent(row.value, whole)}</td>
						{row.before === undefined ? null : <td class="number">{change(row.value, row.before) || 'same'}</td>}
						<td class="bar"><div style={{ width: `${(100 * row.value) / most}%` }} /></td>
					</tr>
				))}
			</tbody>
		</table>
	)
}

function moduleRows(profile, old, other) {
	const before = old && new Map(other.byModule(old))
	return profile.byModule().slice(0, 12).map(([name, value]) => ({ key: name, name, value, before: before && (before.get(name) ?? 0) }))
}

// What is striking: sentences, each with its numbers.
function findings(profile) {
	const found = []
	const { weight } = profile
	const top = profile.heaviest(10)
	const part = top.reduce((sum, index) => sum + weight.values[index], 0)
	if (top.length)
		found.push(`${profile.name(top[0])} has ${percent(weight.values[top[0]], weight.total)} of all ${weight.name}; ` +
			`the first ${top.length} functions have ${percent(part, weight.total)}.`)
	const calls = profile.column('calls')
	const instructions = profile.column('instructions')
	if (calls && instructions) {
		const small = profile.heaviest(200, calls).find((index) => instructions.values[index] > 0 &&
			instructions.values[index] / calls.values[index] < 12 && calls.values[index] > 0.05 * calls.total)
		if (small !== undefined)
			found.push(`${profile.name(small)} is called ${short(calls.values[small])} times and executes only ` +
				`${(instructions.values[small] / calls.values[small]).toFixed(1)} instructions a call: it may be worth inlining.`)
	}
	const skipped = profile.raw.report.skipped?.length ?? 0
	if (skipped)
		found.push(`${exact(skipped)} function${skipped === 1 ? '' : 's'} could not be measured; trammel report --verbose has the names.`)
	for (const trouble of profile.raw.troubles)
		found.push(`No code of ${trouble.module}: ${trouble.reason}.`)
	return found
}

export function Overview({ profile, other }) {
	const { weight } = profile
	if (!weight)
		return <p>Nothing was counted in this profile.</p>
	const old = other?.names ? other.column(weight.name) : undefined
	const before = (module, name) => (old ? old.values[other.find(module, name)] ?? 0 : undefined)
	const functions = profile.heaviest(15).map((index) => ({
		key: index,
		name: profile.name(index),
		note: profile.module(index),
		value: weight.values[index],
		before: before(profile.module(index), profile.name(index)),
		open: profile.hasMore(index) ? () => go(profile, 'code', index) : null,
	}))
	return (
		<>
			<Facts profile={profile} other={other} />
			{other ? <p class="note">Changes are against {fileName(other.file)}; every view has them.</p> : null}
			<h2>What stands out</h2>
			<ul>{findings(profile).map((text) => <li key={text}>{text}</li>)}</ul>
			<div class="columns">
				<section>
					<h2>Functions by {weight.name}</h2>
					<Bars rows={functions} whole={weight.total} unit={weight.unit} />
				</section>
				<section>
					<h2>Modules by {weight.name}</h2>
					<Bars rows={moduleRows(profile, old, other)} whole={weight.total} unit={weight.unit} />
				</section>
			</div>
			<p class="note">{exact(profile.rows.length)} functions, {exact(profile.listings.size)} with their code. Made by trammel {data['trm.version']}.</p>
		</>
	)
}
