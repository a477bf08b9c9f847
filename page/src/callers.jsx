import { change, exact, fileName, percent } from './format.js'
import { go } from './main.jsx'

// Counts of the same in another profile, by name.
function countsBefore(other, same, method, of) {
	if (!other || same === undefined)
		return new Map()
	return new Map(other[method](same).map((row) => [of(row) < 0 ? '' : other.name(of(row)), row.count]))
}

function Side({ profile, title, rows, of, empty, before, other }) {
	const total = rows.reduce((sum, row) => sum + row.count, 0)
	const sorted = [...rows].sort((a, b) => b.count - a.count).slice(0, 100)
	return (
		<section>
			<h3>{title}</h3>
			{sorted.length ? (
				<table class="bars">
					{other ? <thead><tr><th scope="col">function</th><th scope="col" class="number">calls</th><th scope="col" class="number">share</th><th scope="col" class="number">against {fileName(other.file)}</th></tr></thead> : null}
					<tbody>
					{sorted.map((row) => (
						<tr key={of(row)}>
							<th scope="row">{of(row) < 0 ? <i>unknown</i>
								: <button class="link" onClick={() => go(profile, 'code', of(row))}>{profile.name(of(row))}</button>}</th>
							<td class="number">{exact(row.count)}</td>
							<td class="number">{percent(row.count, total)}</td>
							{other ? <td class="number">{change(row.count, before.get(of(row) < 0 ? '' : profile.name(of(row)))) || 'same'}</td> : null}
						</tr>
					))}
				</tbody></table>
			) : <p class="note">{empty}</p>}
		</section>
	)
}

// Who called a function, and whom it called: of profiles that have calls by call site.
export function Callers({ profile, index, other }) {
	if (!profile.raw.arcs.count.length)
		return <p class="note">Calls by caller were not measured: trammel run -m calls does.</p>
	const same = other?.raw.arcs.count.length ? other.find(profile.module(index), profile.name(index)) : undefined
	const compared = same === undefined ? null : other
	const caller = (row) => row.caller
	const callee = (row) => row.function
	return (
		<div class="columns">
			<Side profile={profile} title="Called by" rows={profile.callers(index)} of={caller} other={compared} before={countsBefore(other, same, 'callers', caller)} empty="No known caller." />
			<Side profile={profile} title="Calls" rows={profile.callees(index)} of={callee} other={compared} before={countsBefore(other, same, 'callees', callee)} empty="It called nothing that was measured." />
		</div>
	)
}
