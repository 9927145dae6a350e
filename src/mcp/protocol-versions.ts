/** The first version of the protocol without `initialize`; it and later ones are the modern era. */
export const MODERN_VERSION = '2026-07-28'

/** The first version in which a server may show a picture of itself. */
export const ICONS_VERSION = '2025-11-25'

/** The last versions that have batches; a client that asks for an unknown one is given a newer. */
const WITH_BATCHES: ReadonlySet<string> = new Set(['2024-10-07', '2024-11-05', '2025-03-26'])

/** Whether a version of the protocol has batches; before one is agreed on there are none. */
export function hasBatches(version: string | undefined): boolean {
  return version !== undefined && WITH_BATCHES.has(version)
}
