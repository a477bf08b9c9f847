// Numbers and names as people read them.

const grouped = new Intl.NumberFormat('en-US')

const STEPS = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]
const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']]

export function exact(number, unit = '') {
	return grouped.format(number) + (unit ? ` ${unit}` : '')
}

// Three digits and a unit: 12.3 M, 4.56 ms.
export function short(number, unit = '') {
	const steps = unit === 'ns' ? TIMES : STEPS
	const [size, letter] = steps.find(([at]) => Math.abs(number) >= at) ?? [1, unit === 'ns' ? 'ns' : '']
	const value = number / size
	const digits = size === 1 ? (Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2) : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
	return `${value.toFixed(digits)}${letter ? ` ${letter}` : ''}${unit && unit !== 'ns' ? ` ${unit}` : ''}`
}

export function percent(part, whole) {
	if (!whole)
		return ''
	const share = (100 * part) / whole
	return `${share >= 99.95 ? share.toFixed(0) : share.toFixed(1)} %`
}

export function change(now, before) {
	if (now === before)
		return ''
	if (!before)
		return now ? 'new' : ''
	const share = (100 * (now - before)) / before
	if (share >= 1000)
		return `×${short(now / before)}`
	return `${share > 0 ? '+' : ''}${share.toFixed(1)} %`
}

export function fileName(path) {
	return path.split('/').pop()
}
