import { exact, percent } from './format.js'
import { go } from './main.jsx'

function Side({ profile, title, rows, of, empty }) {
	const total = rows.reduce((sum, row) => sum + row.count, 0)
	const sorted = [...rows].sort((a, b) => b.count - a.count).slice(0, 100)
	return (
		<section>
			<h3>{title}</h3>
			{sorted.length ? (
				<table class="bars"><tbody>
					{sorted.map((row) => (
						<tr key={of(row)}>
							<th scope="row">{of(row) < 0 ? <i>unknown</i>
								: <button class="link" onClick={() => go(profile, 'code', of(row))}>{profile.name(of(row))}</button>}</th>
							<td class="number">{exact(row.count)}</td>
							<td class="number">{percent(row.count, total)}</td>
						</tr>
					))}
				</tbody></table>
			) : <p class="note">{empty}</p>}
		</section>
	)
}

// Who called a function, and whom it called: of profiles that have calls by call site.
export function Callers({ profile, index }) {
	if (!profile.raw.arcs.count.length)
		return <p class="note">Calls by caller were not measured: trammel run -m calls does.</p>
	return (
		<div class="columns">
			<Side profile={profile} title="Called by" rows={profile.callers(index)} of={(row) => row.caller} empty="No known caller." />
			<Side profile={profile} title="Calls" rows={profile.callees(index)} of={(row) => row.function} empty="It called nothing that was measured." />
		</div>
	)
}
