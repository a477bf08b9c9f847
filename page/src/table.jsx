import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from '@tanstack/virtual-core'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

const ROW = 24

// Draws only the rows that are in sight.
function useRows(count) {
	const place = useRef()
	const [, draw] = useState(0)
	const virtual = useMemo(() => new Virtualizer({
		count,
		getScrollElement: () => place.current,
		estimateSize: () => ROW,
		overscan: 12,
		scrollToFn: elementScroll,
		observeElementRect,
		observeElementOffset,
		onChange: () => draw((number) => number + 1),
	}), [])
	virtual.setOptions({ ...virtual.options, count })
	useEffect(() => {
		const done = virtual._didMount()
		virtual._willUpdate()
		draw((number) => number + 1)
		return done
	}, [])
	useEffect(() => virtual._willUpdate())
	return { place, rows: virtual.getVirtualItems(), height: virtual.getTotalSize() }
}

// columns: [{name, title, text, number, compare}], rows: a list of numbers; `cell(column, row)` draws.
export function Table({ columns, rows, sort, onSort, onOpen, label }) {
	const { place, rows: seen, height } = useRows(rows.length)
	const [at, setAt] = useState(0)
	const least = columns.reduce((sum, column) => sum + Number.parseFloat(/[\d.]+/.exec(column.width ?? '6em')[0]), 0)
	const minWidth = `calc(${least}em + ${columns.length * 0.6 + 1.2}rem)`
	const style = { gridTemplateColumns: columns.map((column) => column.width ?? 'minmax(6em, 9em)').join(' ') }
	const move = (event) => {
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key]
		if (step) {
			const next = Math.max(0, Math.min(rows.length - 1, at + step))
			setAt(next)
			const top = next * ROW
			if (top < place.current.scrollTop || top > place.current.scrollTop + place.current.clientHeight - 2 * ROW)
				place.current.scrollTop = top - place.current.clientHeight / 2
			event.preventDefault()
		} else if (event.key === 'Enter') {
			onOpen?.(rows[at])
		}
	}
	return (
		<div role="table" aria-label={label} aria-rowcount={rows.length + 1} class="table">
			<div role="row" class="head" style={{ ...style, minWidth }}>
				{columns.map((column) => (
					<div key={column.name} role="columnheader" class={column.number ? 'number' : ''}
						aria-sort={sort.name !== column.name ? 'none' : sort.down ? 'descending' : 'ascending'}>
						<button onClick={() => onSort(column)}>{column.title}{sort.name === column.name ? (sort.down ? ' ▼' : ' ▲') : ''}</button>
					</div>
				))}
			</div>
			<div class="body" style={{ minWidth, height: `min(70vh, 60rem, ${rows.length * ROW + 20}px)` }} ref={place} tabIndex={0} onKeyDown={move}>
				<div style={{ height: `${height}px`, position: 'relative' }}>
					{seen.map((item) => (
						<div key={item.key} role="row" aria-rowindex={item.index + 2} class={`row${item.index === at ? ' at' : ''}`}
							style={{ ...style, transform: `translateY(${item.start}px)` }}
							onClick={() => setAt(item.index)} onDblClick={() => onOpen?.(rows[item.index])}>
							{columns.map((column) => (
								<div key={column.name} role="cell" class={column.number ? 'number' : ''}>{column.cell(rows[item.index])}</div>
							))}
						</div>
					))}
				</div>
			</div>
		</div>
	)
}
