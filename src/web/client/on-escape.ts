/** Asks `close` before anything else is done with the Escape key; where it closed something, that was all. */
export function onEscape(close: () => boolean, signal: AbortSignal): void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && close()) event.preventDefault()
  }
  addEventListener('keydown', onKey, { capture: true, signal })
}
