import type { PlacedLink, ReadVault, VaultTexts } from './vault.ts'

/** `left`: a link is replaced by its visible text; `removed`: the text is removed, too. */
export type Planting = 'left' | 'removed'

/** A removed link from one note to another, and where its first occurrence was. */
export interface PlantedPair {
  readonly source: string
  readonly target: string
  /** 1-based, in the text without the links. */
  readonly line: number
}

export interface Planted {
  readonly texts: VaultTexts
  readonly pairs: readonly PlantedPair[]
}

export interface PlantOptions {
  readonly seed: number
  readonly planting: Planting
  /** Share of all linked pairs. */
  readonly share: number
  /** Decides which pairs may be chosen. */
  readonly isEligible?: (source: string, links: readonly PlacedLink[]) => boolean
}

/** Removes a share of the linked pairs from a vault: every link from one note to the other in its body. */
export function plantPairs(
  vault: VaultTexts,
  read: ReadVault,
  { seed, planting, share, isEligible = () => true }: PlantOptions,
): Planted {
  const byPair = new Map<string, PlacedLink[]>()
  for (const link of read.links) {
    const key = `${link.from}>${link.to}`
    const list = byPair.get(key)
    if (list === undefined) byPair.set(key, [link])
    else list.push(link)
  }
  const pairs = [...byPair.values()].filter(
    (links) =>
      links.every(({ kind, form }) => kind !== 'property' && (form === 'wikilink' || form === 'markdown')) &&
      isEligible(read.paths[links[0]?.from ?? 0] ?? '', links),
  )
  const chosen = sampled(pairs, Math.round(pairs.length * share), randomOf(seed))
  const bySource = new Map<number, PlacedLink[][]>()
  for (const links of chosen) {
    const from = links[0]?.from ?? 0
    bySource.set(from, [...(bySource.get(from) ?? []), links])
  }
  const texts = new Map(vault)
  const planted: PlantedPair[] = []
  for (const [from, groups] of bySource) {
    const path = read.paths[from] ?? ''
    texts.set(path, withoutLinks(read.texts[from] ?? '', groups.flat(), planting))
    for (const links of groups) {
      const first = links.toSorted((a, b) => a.start - b.start)[0]
      if (first !== undefined) planted.push({ source: path, target: read.paths[first.to] ?? '', line: first.line })
    }
  }
  return { texts, pairs: planted }
}

function withoutLinks(text: string, links: readonly PlacedLink[], planting: Planting): string {
  let edited = text
  for (const link of links.toSorted((a, b) => b.start - a.start)) {
    edited = `${edited.slice(0, link.start)}${planting === 'left' ? shownText(text, link) : ''}${edited.slice(link.end)}`
  }
  return edited
}

/** The visible text of a link. */
export function shownText(text: string, link: PlacedLink): string {
  const raw = text.slice(link.start, link.end)
  if (link.form === 'markdown') return /^!?\[([\s\S]*)\]\(/.exec(raw)?.[1] ?? link.display ?? ''
  const target = link.target.split('/').at(-1)?.replace(/\.md$/i, '') ?? ''
  return link.display ?? (link.subpath === undefined ? target : `${target} > ${link.subpath}`)
}

function sampled<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  const left = [...items]
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(random() * (left.length - at))
    ;[left[at], left[other]] = [left[other] as T, left[at] as T]
  }
  return left.slice(0, count)
}

/** Mulberry32: the same numbers on every machine. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
