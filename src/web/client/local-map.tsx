import { effect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { colorsOf } from './colors.ts'
import { nearby } from './graph.ts'
import { MapView } from './map-view.ts'
import { colored, coloredBy, focused, graph, groupedBy, map, open, shown, titleOf } from './state.ts'
import { isDark } from './theme.ts'

/** A map for windows that are too narrow to show the map beside the note. */
export function LocalMap({ id }: { readonly id: string }) {
  const drawing = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (drawing.current === null) return undefined
    const view = new MapView(drawing.current, isDark.peek(), {
      onSelect(note) {
        const found = graph.value?.picture.ids[note ?? -1]
        if (found !== undefined) void open(found)
      },
      onHover() {},
    })
    return effect(() => {
      const [{ value }, { value: focus }] = [graph, focused]
      view.setTheme(isDark.value)
      if (value === undefined || focus === undefined) return
      view.show(value, {
        shown: shown.value,
        colored: colorsOf(value, coloredBy.value, colored.value),
        groupedBy: groupedBy.value,
        focus,
        lit: undefined,
        path: [],
      })
      view.goTo(nearby(value, focus), focus)
    })
  }, [])
  if (map.view === undefined || !matchMedia('(width < 700px)').matches) return null
  return <div ref={drawing} class="local" role="img" aria-label={`Map around ${titleOf(id)}`} />
}
