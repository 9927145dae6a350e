import { foldId } from '../../core/ids.ts'
import { quietly } from '../../core/quietly.ts'

export type ResourceAddress =
  /** A fixed resource. `query` omits the `?` and may be empty. */
  | { readonly kind: 'fixed'; readonly name: string; readonly query: string }
  | { readonly kind: 'node' | 'attachment'; readonly id: string }

const SCHEME = 'roux://'

const WITH_ID: readonly string[] = ['node', 'attachment']

/**
 * Scheme and kind are case-insensitive. The id is decoded exactly once, because `{+id}` does not encode `?` and `#` in file
 * names.
 * @returns undefined if the address is invalid
 */
export function readResourceUri(uri: string): ResourceAddress | undefined {
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  const rest = uri.slice(SCHEME.length)
  const slash = rest.indexOf('/')
  if (slash < 0) return readFixed(rest)
  const kind = rest.slice(0, slash).toLowerCase()
  const id = quietly(() => decodeURIComponent(rest.slice(slash + 1)))
  if (!WITH_ID.includes(kind) || id === undefined || !isPlain(id)) return undefined
  return { kind: kind as 'node' | 'attachment', id }
}

/** Encodes everything except slashes. */
export function resourceUri(kind: 'node' | 'attachment', id: string): string {
  return `${SCHEME}${kind}/${id.split('/').map(encodeURIComponent).join('/')}`
}

function readFixed(rest: string): ResourceAddress | undefined {
  const [, name = '', query = ''] = /^([a-z][a-z0-9-]*)(?:\?(.*))?$/i.exec(rest) ?? []
  return name === '' ? undefined : { kind: 'fixed', name: name.toLowerCase(), query }
}

/** Returns false if a segment is `..` or hidden. Tools apply the same rule to ids. */
function isPlain(id: string): boolean {
  if (id === '' || id.includes('\\') || id.includes('\0')) return false
  return id.split('/').every((part) => part !== '' && !part.startsWith('.'))
}

/** Returns the id in lower case without `.md`, so all ids of a file are equal. */
export function addressed(id: string): string {
  return foldId(id).replace(/\.md$/, '')
}
