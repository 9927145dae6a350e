import { useLayoutEffect } from 'preact/hooks'
import { type Drawing, drawing, NO_DRAWING } from './state.ts'

/** Draws a list's comments on the map while the list is shown. */
export function useDrawing({ marks = [], ties = [] }: Partial<Drawing>): void {
  // Runs before paint, so later clicks are drawn on top.
  useLayoutEffect(() => {
    drawing.value = { marks, ties }
  }, [JSON.stringify([marks, ties])])
  useLayoutEffect(
    () => () => {
      drawing.value = NO_DRAWING
    },
    [],
  )
}
