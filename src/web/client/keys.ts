import { leavePath, map, path, showAround, showPath, showView, steps, view } from './state.ts'

export function onPageKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape' && closeOpen('.filters, .help')) {
    event.preventDefault()
    return
  }
  if (target.closest('input, select, textarea') !== null) {
    if (event.key === 'Escape') target.blur()
    return
  }
  const action = KEYS[event.key]
  if (action === undefined || event.defaultPrevented) return
  action()
  event.preventDefault()
}

export function closeOpen(panels: string): boolean {
  const open = document.querySelectorAll(`:is(${panels})[open]`)
  for (const panel of open) panel.removeAttribute('open')
  return open.length > 0
}

export function switchHelp(): void {
  document.querySelector('.help')?.toggleAttribute('open')
}

const KEYS: Readonly<Record<string, () => unknown>> = {
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('#search')
    search?.focus()
    search?.select()
  },
  '?': switchHelp,
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

export function focusMap(): void {
  document.querySelector<HTMLElement>('.drawing')?.focus({ preventScroll: true, focusVisible: false })
}
