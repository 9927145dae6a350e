import { signal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'

export const noteWidth = signal(0)

const OVERLAP = 3

export function isWide(): boolean {
  return noteWidth.value > innerWidth / 2
}

export function widen(): void {
  noteWidth.value = isWide() ? 0 : Math.round(innerWidth * 0.62)
}

export function Divider() {
  const set = (width: number): void => {
    noteWidth.value = Math.max(260, Math.min(width, innerWidth - 320))
  }
  const onKeyDown = ({ key, currentTarget }: TargetedKeyboardEvent<HTMLElement>): void => {
    const width = innerWidth - currentTarget.getBoundingClientRect().right + OVERLAP
    if (key === 'ArrowLeft') set(width + 40)
    else if (key === 'ArrowRight') set(width - 40)
    else if (key === 'Enter') widen()
  }
  return (
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the note"
      aria-valuenow={noteWidth.value}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) =>
        currentTarget.hasPointerCapture(pointerId) && set(innerWidth - clientX)
      }
      onDblClick={widen}
      onKeyDown={onKeyDown}
    />
  )
}
