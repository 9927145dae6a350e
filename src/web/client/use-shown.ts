import type { Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** Keeps items in a signal while the component is shown. */
export function useShown<T>(target: Signal<readonly T[]>, items: readonly T[]): void {
  // Runs before paint, so later clicks are drawn on top.
  useLayoutEffect(() => {
    target.value = items
  }, [JSON.stringify(items)])
  useLayoutEffect(
    () => () => {
      target.value = []
    },
    [],
  )
}
