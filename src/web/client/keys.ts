import { leavePath, map, path, showAround, showPath, showView, steps, view } from './state.ts'

/** Handles the page's keys, except in input fields. */
export function onPageKey(event: KeyboardEvent, switchHelp: () => void): void {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (target.closest('input, select, textarea') !== null) {
    if (event.key === 'Escape') target.blur()
    return
  }
  // Another handler has already used this key to close something.
  if (event.defaultPrevented) return
  const act = KEYS[event.key]
  if (event.key === '?') switchHelp()
  else if (act !== undefined) act()
  else return
  event.preventDefault()
}

const KEYS: Readonly<Record<string, () => void>> = {
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('#search')
    search?.focus()
    search?.select()
  },
  n: () => showAround(),
  p: showPath,
  t: () => showView(view.value === 'table' ? 'map' : 'table'),
  '+': () => map.view?.zoom(1.4),
  '-': () => map.view?.zoom(1 / 1.4),
  '0': () => map.view?.fit(),
  Escape: () => {
    steps.value = 0
    path.value = []
    leavePath()
    showView('map')
  },
}
