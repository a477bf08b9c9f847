import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import './style.css'
import { Code } from './code.jsx'
import { Flame } from './flame.jsx'
import { fileName } from './format.js'
import { Functions } from './functions.jsx'
import { load, profiles } from './model.js'
import { Overview } from './overview.jsx'
import { Sources, hasSources } from './sources.jsx'
import { Tables, hasTables } from './tables.jsx'
import { Timeline, hasTimeline } from './timeline.jsx'
import { Values, hasValues } from './values.jsx'

const VIEWS = [
	{ id: 'overview', title: 'Overview', view: Overview, shown: () => true },
	{ id: 'flame', title: 'Flame graph', view: Flame, shown: () => true },
	{ id: 'functions', title: 'Functions', view: Functions, shown: () => true },
	{ id: 'code', title: 'Code', view: Code, shown: () => true },
	{ id: 'sources', title: 'Sources', view: Sources, shown: hasSources },
	{ id: 'values', title: 'Values', view: Values, shown: hasValues },
	{ id: 'tables', title: 'Tables', view: Tables, shown: hasTables },
	{ id: 'timeline', title: 'Timeline', view: Timeline, shown: hasTimeline },
]

// The address of a view: #PROFILE/VIEW/REST.
function read() {
	const [profile, view, ...rest] = decodeURIComponent(location.hash.slice(1)).split('/')
	return {
		profile: profiles[Number(profile)] ?? profiles[0],
		view: VIEWS.find((each) => each.id === view) ?? VIEWS[0],
		rest: rest.join('/'),
	}
}

export function go(profile, view, rest = '') {
	location.hash = `${profile.index}/${view}${rest === '' ? '' : `/${rest}`}`
}

function useAddress() {
	const [address, set] = useState(read)
	useEffect(() => {
		const changed = () => set(read())
		addEventListener('hashchange', changed)
		return () => removeEventListener('hashchange', changed)
	}, [])
	return address
}

function Tabs({ profile, view }) {
	const shown = VIEWS.filter((each) => each.shown(profile))
	const move = (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
		if (!step)
			return
		const at = shown.indexOf(view) + step
		const next = shown[(at + shown.length) % shown.length]
		go(profile, next.id)
		document.getElementById(`tab-${next.id}`)?.focus()
	}
	return (
		<div role="tablist" aria-label="Views" class="tabs" onKeyDown={move}>
			{shown.map((each) => (
				<button key={each.id} id={`tab-${each.id}`} role="tab" aria-selected={each === view}
					aria-controls="view" tabIndex={each === view ? 0 : -1} onClick={() => go(profile, each.id)}>
					{each.title}
				</button>
			))}
		</div>
	)
}

function ChooseProfile({ profile, view }) {
	if (profiles.length < 2)
		return null
	return (
		<label class="choice">
			Profile{' '}
			<select value={profile.index} onChange={(event) => go(profiles[event.target.value], view.id)}>
				{profiles.map((each) => <option key={each.index} value={each.index}>{fileName(each.file)}</option>)}
			</select>
		</label>
	)
}

// Whether all of a profile has been read; the overview can be shown before.
function useReady(profile) {
	const [, draw] = useState(0)
	useEffect(() => {
		// First what is there already is drawn.
		const timer = setTimeout(() => profile.ready().then(() => draw((number) => number + 1)), 0)
		return () => clearTimeout(timer)
	}, [profile])
	return profile.names !== null
}

function Page() {
	const { profile, view, rest } = useAddress()
	const ready = useReady(profile)
	const otherReady = useReady(profiles.find((each) => each !== profile) ?? profile)
	const other = profiles.find((each) => each !== profile)
	useEffect(() => {
		document.title = `${fileName(profile.file)} – ${view.title} – trammel`
	}, [profile, view])
	const View = view.view
	return (
		<>
			<header>
				<h1>{profile.about['run.command'] ?? fileName(profile.file)}</h1>
				<ChooseProfile profile={profile} view={view} />
				<Tabs profile={profile} view={view} />
			</header>
			<main id="view" role="tabpanel" aria-labelledby={`tab-${view.id}`}>
				{(ready && otherReady) || view.id === 'overview'
					? <View key={profile.index} profile={profile} other={other} rest={rest} />
					: <p class="status" role="status">Reading the functions …</p>}
			</main>
		</>
	)
}

const place = document.getElementById('page')

load(document.getElementById('data')).then(
	() => {
		place.replaceChildren()
		render(<Page />, place)
		performance.mark('trammel-shown')
	},
	(error) => {
		place.textContent = `The data of this page cannot be read: ${error.message}. It is cut short, or the browser is older than 2023.`
	},
)
