// Bundles the page into one HTML file: node build.js OUTPUT.html
import { build } from 'esbuild'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const result = await build({
	entryPoints: [join(here, 'src/main.jsx')],
	bundle: true,
	minify: true,
	format: 'iife',
	target: 'es2022',
	jsx: 'automatic',
	jsxImportSource: 'preact',
	legalComments: 'none',
	metafile: true,
	write: false,
	outdir: 'out',
	logLevel: 'warning',
})

// The packages that are in the bundle, with the texts of their licences.
function packagesOf(metafile) {
	const names = new Set()
	for (const input of Object.keys(metafile.inputs)) {
		const part = input.split('node_modules/').pop()
		if (part !== input) {
			const words = part.split('/')
			names.add(part.startsWith('@') ? `${words[0]}/${words[1]}` : words[0])
		}
	}
	return [...names].sort()
}

function licenceOf(name) {
	const folder = join(here, 'node_modules', name)
	const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
	const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each))
	const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
	return `${name} ${about.version} (${about.license})\n\n${text}\n`
}

const output = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text
const parts = {
	STYLE: output('.css'),
	SCRIPT: output('.js').replaceAll('</script', '<\\/script'),
	LICENCES: packagesOf(result.metafile).map(licenceOf).join('\n----\n\n')
		.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
}
const page = readFileSync(join(here, 'index.html'), 'utf8')
	.replace(/@@(STYLE|SCRIPT|LICENCES)@@/g, (_, name) => parts[name])
writeFileSync(process.argv[2] ?? 'page.html', page)
