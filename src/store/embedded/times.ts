import type { FileInfo } from '../../core/index-writer.ts'
import type { Node } from '../../core/store.ts'
import type { Projection } from './projection.ts'

/** The properties say it, else the file does. */
export function timesOf(projection: Projection, key: number, info: FileInfo | undefined): Pick<Node, 'created' | 'modified'> {
  const stat = projection.stat(key)
  const properties = info?.properties ?? {}
  const created = propertyText(properties, 'created', 'date') ?? isoTime(stat?.birthtime)
  const modified = propertyText(properties, 'modified', 'updated') ?? isoTime(stat?.mtime)
  return {
    ...(created === undefined ? {} : { created }),
    ...(modified === undefined ? {} : { modified }),
  }
}

/** The first of these properties that holds a text or a number; names compare case-insensitively. */
function propertyText(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const [key, value] of Object.entries(properties)) {
      if (key.toLowerCase() !== name) continue
      if (typeof value === 'string' && value.trim() !== '') return value.trim()
      if (typeof value === 'number') return String(value)
    }
  }
  return undefined
}

function isoTime(ms: number | undefined): string | undefined {
  if (ms === undefined || ms <= 0) return undefined
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
