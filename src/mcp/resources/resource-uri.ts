import { foldId } from '../../core/ids.ts'

/** The target of one of our addresses. */
export type ResourceAddress =
  /** `query` without its `?`, empty where there is none. */
  | { readonly kind: 'fixed'; readonly name: string; readonly query: string }
  | { readonly kind: 'node' | 'attachment'; readonly id: string }

const SCHEME = 'roux://'

/** Kinds whose address continues with an id. */
const WITH_ID: readonly string[] = ['node', 'attachment']

/**
 * Reads an address; `undefined` for one that can name nothing here. Scheme and kind are in any case. An id is decoded exactly once and
 * is the whole rest: `?` and `#` may stand in names of files, and `{+id}` leaves them as they are.
 */
export function readResourceUri(uri: string): ResourceAddress | undefined {
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  const rest = uri.slice(SCHEME.length)
  const slash = rest.indexOf('/')
  if (slash < 0) return readFixed(rest)
  const kind = rest.slice(0, slash).toLowerCase()
  const id = decoded(rest.slice(slash + 1))
  if (!WITH_ID.includes(kind) || id === undefined || !isPlain(id)) return undefined
  return { kind: kind as 'node' | 'attachment', id }
}

/** The address of a node or attachment, as we write it: everything is encoded but slashes. */
export function resourceUri(kind: 'node' | 'attachment', id: string): string {
  return `${SCHEME}${kind}/${id.split('/').map(encodeURIComponent).join('/')}`
}

function readFixed(rest: string): ResourceAddress | undefined {
  const [, name = '', query = ''] = /^([a-z][a-z0-9-]*)(?:\?(.*))?$/i.exec(rest) ?? []
  return name === '' ? undefined : { kind: 'fixed', name: name.toLowerCase(), query }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** True if every part of a path is a plain name: no `..`, nothing hidden; the same rule as for ids of tools. */
function isPlain(id: string): boolean {
  if (id === '' || id.includes('\\') || id.includes('\0')) return false
  return id.split('/').every((part) => part !== '' && !part.startsWith('.'))
}

/** One id for all that name the same: notes with and without ending, in any case. */
export function addressed(id: string): string {
  return foldId(id).replace(/\.md$/, '')
}
