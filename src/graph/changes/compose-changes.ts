import type {
  GraphChanges,
  LinkEnd,
  LoggedFile,
  LoggedFileChange,
  LoggedLinkChange,
  LoggedText,
} from '../../core/insight/graph-changes.ts'

interface Identity {
  readonly number: number
  readonly from: string | undefined
  to: string | undefined
  before: LoggedFile | undefined
  after: LoggedFile | undefined
  time: number
  change: string | undefined
  isTouched: boolean
}

interface ComposedLink {
  readonly from: Identity | LinkEnd
  readonly to: Identity | LinkEnd
  readonly part: string | undefined
  readonly was: number
  now: number
  readonly texts: Map<string, { line: number; more: number }>
}

/** Merges consecutive changes. The merge is associative. */
export function composeChanges(sequence: Iterable<GraphChanges>): GraphChanges {
  const composing = new Composing()
  for (const changes of sequence) composing.add(changes)
  return composing.result()
}

class Composing {
  readonly #identities: Identity[] = []
  readonly #present = new Map<string, Identity>()
  readonly #links = new Map<string, ComposedLink>()

  add({ files, links }: GraphChanges): void {
    const removed = this.#applyFiles(files)
    const endOf = (end: LinkEnd): Identity | LinkEnd => {
      if (end.startsWith('//')) return end
      return end.startsWith('/') ? (removed.get(end.slice(1)) ?? end) : this.#at(end)
    }
    for (const link of links) this.#applyLink(link, endOf(link.from), endOf(link.to))
  }

  result(): GraphChanges {
    const files = this.#identities.flatMap(fileChange)
    const links = [...this.#links.values()].flatMap(linkChange)
    return { files: files.sort(byKey(fileKey)), links: links.sort(byKey(linkKey)) }
  }

  #applyFiles(files: readonly LoggedFileChange[]): ReadonlyMap<string, Identity> {
    const identities = files.map(({ from }) => (from === undefined ? this.#new(undefined, undefined) : this.#at(from)))
    // Release all old names first, because files can swap names.
    for (const { from } of files) if (from !== undefined) this.#present.delete(from)
    const removed = new Map<string, Identity>()
    files.forEach(({ from, to, before, after, time, change }, at) => {
      const identity = identities[at] as Identity
      if (!identity.isTouched) identity.before = before
      Object.assign(identity, { to, after, time, change, isTouched: true })
      if (to !== undefined) this.#present.set(to, identity)
      else if (from !== undefined) removed.set(from, identity)
    })
    return removed
  }

  #applyLink({ part, was, now, texts }: LoggedLinkChange, from: Identity | LinkEnd, to: Identity | LinkEnd): void {
    const key = `${endKey(from)}\0${endKey(to)}\0${part ?? ''}${part === undefined ? '' : '#'}`
    const link = this.#links.get(key) ?? { from, to, part, was, now, texts: new Map() }
    this.#links.set(key, link)
    link.now = now
    for (const [text, line, more] of texts) {
      const loggedText = link.texts.get(text)
      if (loggedText === undefined) link.texts.set(text, { line, more })
      else {
        loggedText.more += more
        if (more > 0) loggedText.line = line
        if (loggedText.more === 0) link.texts.delete(text)
      }
    }
  }

  #at(path: string): Identity {
    const existing = this.#present.get(path)
    if (existing !== undefined) return existing
    const identity = this.#new(path, path)
    this.#present.set(path, identity)
    return identity
  }

  #new(from: string | undefined, to: string | undefined): Identity {
    const blank = { before: undefined, after: undefined, time: 0, change: undefined, isTouched: false }
    const identity: Identity = { number: this.#identities.length, from, to, ...blank }
    this.#identities.push(identity)
    return identity
  }
}

function endKey(end: Identity | LinkEnd): string {
  return typeof end === 'string' ? end : String(end.number)
}

/** Returns `undefined` for a file that was added and then removed. */
function fileChange({ from, to, before, after, time, change, isTouched }: Identity): readonly LoggedFileChange[] {
  if (!isTouched || (from === undefined && to === undefined)) return []
  return [
    {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      time,
      ...(change === undefined ? {} : { change }),
    },
  ]
}

function linkChange({ from, to, part, was, now, texts }: ComposedLink): readonly LoggedLinkChange[] {
  const [source, target] = [endName(from), endName(to)]
  if (source === undefined || target === undefined || (was === now && texts.size === 0)) return []
  const logged = [...texts].map(([text, { line, more }]): LoggedText => [text, line, more])
  return [
    {
      from: source,
      to: target,
      ...(part === undefined ? {} : { part }),
      was,
      now,
      texts: logged.sort(byKey(([text]) => text)),
    },
  ]
}

/** Returns `undefined` for a file that was added and then removed. */
function endName(end: Identity | LinkEnd): LinkEnd | undefined {
  if (typeof end === 'string') return end
  return end.to ?? (end.from === undefined ? undefined : `/${end.from}`)
}

function fileKey({ from = '', to }: LoggedFileChange): string {
  return to === undefined ? `/${from}` : to
}

function linkKey({ from, to, part }: LoggedLinkChange): string {
  return [from, to, part === undefined ? '' : `#${part}`].join('\0')
}

function byKey<T>(keyOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x < y ? -1 : Number(x > y)
  }
}
