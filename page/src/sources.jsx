import { useMemo, useState } from 'preact/hooks'
import { change, exact, fileName, percent } from './format.js'

export function hasSources(profile) {
	return profile.raw.coverage.length > 0
}

const SUMS = ['functions.known', 'functions.executed', 'lines.known', 'lines.executed', 'branches.known', 'branches.taken']

function folder(name) {
	return { name, children: new Map(), sums: Object.fromEntries(SUMS.map((each) => [each, 0])) }
}

// Folders and files, with sums; folders with nothing but one folder in them are one with it.
function treeOf(coverage) {
	const root = folder('')
	for (const file of coverage) {
		let node = root
		const words = file.file.split('/')
		const nodes = [root]
		words.forEach((word, at) => {
			if (!word)
				return
			const name = at === 1 && !words[0] ? `/${word}` : word
			if (!node.children.has(name))
				node.children.set(name, folder(name))
			node = node.children.get(name)
			nodes.push(node)
		})
		for (const each of nodes)
			for (const sum of SUMS)
				each.sums[sum] += file[sum] ?? 0
	}
	const tree = fold(root)
	// What is looked for is rarely in a library of which little was executed.
	const part = ({ sums }) => sums['functions.executed'] / sums['functions.known']
	tree.children.sort((a, b) => part(b) - part(a) || (a.name < b.name ? -1 : 1))
	return tree
}

// Executed functions by the path of a file, and of all folders around it.
function executedBy(coverage) {
	const sums = new Map()
	for (const file of coverage) {
		const words = file.file.split('/')
		for (let count = 1; count <= words.length; count++) {
			const path = words.slice(0, count).join('/')
			sums.set(path, (sums.get(path) ?? 0) + file['functions.executed'])
		}
	}
	return sums
}

function fold(node) {
	while (node.name && node.children.size === 1) {
		const [inner] = node.children.values()
		if (!inner.children.size)
			break
		node = { ...inner, name: `${node.name}/${inner.name}` }
	}
	return { ...node, children: [...node.children.values()].map(fold).sort((a, b) => b.children.length - a.children.length || (a.name < b.name ? -1 : 1)) }
}

// What is in sight: rows of {node, depth, path}.
function rowsOf(node, open, path, depth, missed, rows) {
	for (const child of node.children) {
		if (missed && child.sums['functions.executed'] === child.sums['functions.known'] && child.sums['lines.executed'] === child.sums['lines.known'])
			continue
		const place = `${path}/${child.name}`
		rows.push({ node: child, depth, path: place })
		if (open.has(place))
			rowsOf(child, open, place, depth + 1, missed, rows)
	}
	return rows
}

function allPaths(node, path, found) {
	for (const child of node.children)
		if (child.children.length) {
			found.add(`${path}/${child.name}`)
			allPaths(child, `${path}/${child.name}`, found)
		}
	return found
}

function Part({ done, all }) {
	if (!all)
		return <><td class="number" /><td class="bar" /></>
	return (
		<>
			<td class="number" title={`${exact(done)} of ${exact(all)}`}>{percent(done, all)}</td>
			<td class="bar"><div class="whole"><div style={{ width: `${(100 * done) / all}%` }} /></div></td>
		</>
	)
}

// What of the source tree was executed.
export function Sources({ profile, other }) {
	const tree = useMemo(() => treeOf(profile.raw.coverage), [profile])
	const before = useMemo(() => executedBy(other?.raw.coverage ?? []), [other])
	const [open, setOpen] = useState(() => new Set(tree.children.length === 1 ? [`/${tree.children[0].name}`] : []))
	const [missed, setMissed] = useState(false)
	const rows = rowsOf(tree, open, '', 0, missed, [])
	const toggle = (path) => {
		const next = new Set(open)
		if (!next.delete(path))
			next.add(path)
		setOpen(next)
	}
	const withLines = tree.sums['lines.known'] > 0
	const withBranches = tree.sums['branches.known'] > 0
	return (
		<>
			<div class="controls">
				<button onClick={() => setOpen(allPaths(tree, '', new Set()))}>Open all</button>
				<button onClick={() => setOpen(new Set())}>Close all</button>
				<label><input type="checkbox" checked={missed} onChange={(event) => setMissed(event.target.checked)} /> only what has code that was not executed</label>
				<span class="note">{exact(tree.sums['functions.executed'])} of {exact(tree.sums['functions.known'])} functions executed ({percent(tree.sums['functions.executed'], tree.sums['functions.known'])})</span>
			</div>
			<div class="listing" role="region" aria-label="Source tree" tabIndex={0}>
				<table class="sources">
					<thead><tr>
						<th scope="col">folder or file</th>
						<th scope="col" class="number" colSpan={2}>functions</th>
						{withLines ? <th scope="col" class="number" colSpan={2}>lines</th> : null}
						{withBranches ? <th scope="col" class="number" colSpan={2}>branches</th> : null}
						{other ? <th scope="col" class="number">functions in {fileName(other.file)}</th> : null}
					</tr></thead>
					<tbody>
						{rows.map(({ node, depth, path }) => (
							<tr key={path}>
								<th scope="row" style={{ paddingLeft: `${0.6 + depth * 1.2}rem` }}>
									{node.children.length
										? <button class="link" aria-expanded={open.has(path)} onClick={() => toggle(path)}>{open.has(path) ? '▾' : '▸'} {node.name}</button>
										: <span class="leaf">{node.name}</span>}
								</th>
								<Part done={node.sums['functions.executed']} all={node.sums['functions.known']} />
								{withLines ? <Part done={node.sums['lines.executed']} all={node.sums['lines.known']} /> : null}
								{withBranches ? <Part done={node.sums['branches.taken']} all={node.sums['branches.known']} /> : null}
								{other ? <Before node={node} count={before.get(path.slice(1))} /> : null}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</>
	)
}

function Before({ node, count = 0 }) {
	return <td class="number">{exact(count)} <span class="note">{change(node.sums['functions.executed'], count)}</span></td>
}
