import { isHelping, leavePath, map, path, showAround, showPath, showView, steps, view } from './state.ts'

/** Handles the page's keys, except in input fields. */
export function onPageKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape' && closeOverlay()) {
    event.preventDefault()
    return
  }
  if (target.closest('input, select, textarea') !== null) {
    if (event.key === 'Escape') target.blur()
    return
  }
  // Another handler has already used this key to close something.
  if (event.defaultPrevented) return
  const action = KEYS[event.key]
  if (action === undefined) return
  action()
  event.preventDefault()
}

/** Closes what lies over the page. Returns true if there was anything. */
function closeOverlay(): boolean {
  const { value: wasHelping } = isHelping
  isHelping.value = false
  return closeFilters() || wasHelping
}

/** Closes the filters, which cover the map, if they are open. */
export function closeFilters(): boolean {
  const panel = document.querySelector('.filters[open]')
  panel?.removeAttribute('open')
  return panel !== null
}

const KEYS: Readonly<Record<string, () => unknown>> = {
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('#search')
    search?.focus()
    search?.select()
  },
  '?': () => (isHelping.value = !isHelping.value),
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
