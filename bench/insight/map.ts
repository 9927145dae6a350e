import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Communities } from '../../src/core/insight/insight.ts'
import { STUB_WORDS } from '../../src/core/insight/insight.ts'
import { folderOf } from '../../src/core/paths.ts'
import { alikeCommunities } from '../../src/insight/apart.ts'
import { clusteredGraph, indexNotes, plainLinks } from '../../src/insight/communities/clustered-graph.ts'
import { type CommunitySource, findCommunities } from '../../src/insight/communities/communities.ts'
import type { KeptCommunities } from '../../src/insight/communities/community-names.ts'
import { isDate } from '../../src/insight/communities/key-notes.ts'
import { modularity } from '../../src/insight/communities/leiden.ts'
import { CorpusBuilder } from '../../src/insight/corpus.ts'
import { findGaps, type GapSource } from '../../src/insight/gaps.ts'
import { nearestNotes } from '../../src/insight/nearest.ts'
import { noteRecord } from '../../src/insight/note-record.ts'
import { adjustedRand } from '../../test/support/adjusted-rand.ts'
import { interval } from './interval.ts'
import { parseVault, type ReadVault, readVault } from './vault.ts'

type Source = CommunitySource & GapSource
type Pair = readonly [number, number]

const EDITS = 20
const HUNDREDTHS = 5
const PLANTED = 30
/** One partition has few pairs to separate, so more come from partitions made with a share of the links removed. */
const MORE_DIVISIONS = { count: 11, without: 0.03 }
/** Minimum cosine for two communities to count as similar. */
const ALIKE = 0.05
const CALLS = 300

for (const folder of process.argv.slice(2)) await measure(resolve(folder))

async function measure(folder: string): Promise<void> {
  const read = parseVault(readVault(folder))
  const pairs = read.links.map(({ from, to }): Pair => [from, to])
  const source = sourceOf(read, pairs)
  const count = read.paths.length
  console.log(`\n${basename(folder)}: ${count} notes`)
  const began = performance.now()
  const { communities, kept } = findCommunities(source)
  const took = performance.now() - began
  const large = communities.levels[0].list.filter(({ size }) => size >= 5).reduce((sum, { size }) => sum + size, 0)
  console.log(
    `  ${communities.levels.map(({ list }) => list.length).join(' and ')} communities in ${took.toFixed(0)} ms; in those of 5 and more ${share(large / count)} of the notes`,
  )
  for (const [what, classes] of truthsOf(read)) {
    const notes = [...classes.keys()]
    const agreements = communities.levels.map(({ of }) =>
      adjustedRand(
        notes.map((note) => of[note] as number),
        notes.map((note) => classes.get(note) as number),
      ),
    )
    console.log(
      `  agreement with ${what} (${notes.length} notes): ${agreements.map((one) => one.toFixed(3)).join(' and, one level down, ')}`,
    )
  }
  const changed = (next: readonly Pair[]) =>
    compare(source, { ...source, topology: topologyOf(count, next) }, { communities, kept })
  const random = randoms(1)
  report('nothing changed', [changed(pairs)])
  report(
    `one link more or less, ${EDITS} times`,
    Array.from({ length: EDITS }, (_, at) => changed(edited(pairs, { count, edits: 1, random, adds: at % 2 === 0 }))),
  )
  const hundredth = Math.max(1, Math.round(pairs.length / 100))
  report(
    `a hundredth of the links moved, ${HUNDREDTHS} times`,
    Array.from({ length: HUNDREDTHS }, () => changed(edited(pairs, { count, edits: hundredth, random }))),
  )
  plantInDivisions(source, pairs)
  await ask(folder)
}

function sourceOf(read: ReadVault, pairs: readonly Pair[]): Source {
  const builder = new CorpusBuilder()
  const titles = read.notes.map(({ title }, at) => title ?? basename(read.paths[at] ?? '', '.md'))
  read.notes.forEach((note, at) => {
    const text = read.texts[at] ?? ''
    builder.add(noteRecord({ text, bodyStart: note.bodyStart }), [titles[at] ?? '', ...note.aliases])
  })
  const corpus = builder.build()
  const isStub = Uint8Array.from(corpus.ownWords, (words) => (words < STUB_WORDS ? 1 : 0))
  return {
    ids: read.paths.map((path) => path.toLowerCase()),
    titles,
    names: read.notes.map(({ aliases }, at) => [titles[at] ?? '', ...aliases]),
    folders: read.paths.map(folderOf),
    topology: topologyOf(read.paths.length, pairs),
    nearest: nearestNotes(corpus),
    corpus,
    isStub,
  }
}

function topologyOf(count: number, pairs: readonly Pair[]): Source['topology'] {
  const out = Array.from({ length: count }, () => new Set<number>())
  for (const [from, to] of pairs) out[from]?.add(to)
  const offsets = new Uint32Array(count + 1)
  out.forEach((targets, note) => {
    offsets[note + 1] = (offsets[note] as number) + targets.size
  })
  return { offsets, targets: Uint32Array.from(out.flatMap((targets) => [...targets].sort((a, b) => a - b))) }
}

/** Folders, or the categories of notes that are in exactly one. */
function truthsOf({ paths, links }: ReadVault): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const folders = [...new Set(paths.map((path) => path.split('/').slice(0, -1)[0] ?? ''))]
  const truths = new Map([
    ['top folders', new Map(paths.map((path, note) => [note, folders.indexOf(path.split('/').slice(0, -1)[0] ?? '')] as const))],
  ])
  const isCategory = (path: string) => / by category\//i.test(path) && !/🗂️|uncategorized|mobile-compat|desktop-only/i.test(path)
  const categories = new Map<number, Set<number>>()
  for (const { from, to } of links) {
    const [category = '', member = ''] = [paths[from], paths[to]]
    if (isCategory(category) && !/ by category\//i.test(member) && /02\.05 all/i.test(member))
      categories.set(to, (categories.get(to) ?? new Set()).add(from))
  }
  const single = [...categories].flatMap(([note, of]) => (of.size === 1 ? [[note, [...of][0] as number] as const] : []))
  if (single.length > 0) truths.set('the category of notes that are in one', new Map(single))
  return truths
}

interface Stability {
  readonly agreement: number
  readonly idsKept: number
  /** Modularity minus that of a run from scratch. */
  readonly quality: number
}

function compare(
  before: Source,
  after: Source,
  { communities, kept }: { readonly communities: Communities; readonly kept: KeptCommunities },
): Stability {
  const warm = findCommunities(after, kept).communities
  const cold = findCommunities(after).communities
  const ids = new Set(warm.levels[0].list.map(({ id }) => id))
  const graph = clusteredGraph(
    plainLinks(after.topology, indexNotes(after.topology)),
    after.nearest,
    Uint32Array.from(after.ids.keys()),
  )
  const qualityOf = ({ levels: [{ of }] }: Communities) =>
    modularity(
      graph,
      of.map((place, note) => (place > before.ids.length ? before.ids.length + note : place)),
    )
  const list = communities.levels[0].list
  return {
    agreement: adjustedRand(communities.levels[0].of, warm.levels[0].of),
    idsKept: list.filter(({ id }) => ids.has(id)).length / Math.max(1, list.length),
    quality: qualityOf(warm) - qualityOf(cold),
  }
}

function report(what: string, runs: readonly Stability[]): void {
  const least = (name: keyof Stability) => Math.min(...runs.map((run) => run[name])).toFixed(4)
  const mean = (name: keyof Stability) => (runs.reduce((sum, run) => sum + run[name], 0) / runs.length).toFixed(4)
  console.log(
    `  ${what}: agreement ${mean('agreement')} (least ${least('agreement')}), ids kept ${mean('idsKept')} (least ${least('idsKept')}), modularity less a cold run's ${mean('quality')} (least ${least('quality')})`,
  )
}

function edited(
  pairs: readonly Pair[],
  {
    count,
    edits,
    random,
    adds,
  }: { readonly count: number; readonly edits: number; readonly random: () => number; readonly adds?: boolean },
): readonly Pair[] {
  const next = [...pairs]
  for (let edit = 0; edit < edits; edit++) {
    if (adds !== true) next.splice(Math.floor(random() * next.length), 1)
    if (adds !== false) next.push([Math.floor(random() * count), Math.floor(random() * count)])
  }
  return next
}

/** Removes all links between two similar communities and looks for the pair among the first gaps. */
function plantInDivisions(source: Source, pairs: readonly Pair[]): void {
  const random = randoms(12)
  const fewer = Array.from({ length: MORE_DIVISIONS.count }, () => pairs.filter(() => random() >= MORE_DIVISIONS.without))
  const places = [pairs, ...fewer].flatMap((left, division) =>
    planted({ ...source, topology: topologyOf(source.ids.length, left) }, left).map((place) => ({
      ...place,
      cluster: `${division}`,
    })),
  )
  const within = (first: number, by: 'among' | 'amongNew', from = places) =>
    interval(from.map(({ cluster, [by]: place }) => ({ cluster, hit: place >= 0 && place < first })))
  const own = places.filter(({ cluster }) => cluster === '0')
  console.log(
    `  planted gaps among the first three: ${within(3, 'among')}, ten: ${within(10, 'among')}; without gaps that were there before, three: ${within(3, 'amongNew')} (${places.length} in ${1 + MORE_DIVISIONS.count} divisions); in the vault's own division: ${within(3, 'among', own)} (${own.length})`,
  )
}

interface PlantedPlace {
  /** Rank among all gaps, or -1. */
  readonly among: number
  /** Rank without the gaps that existed before. */
  readonly amongNew: number
}

function planted(source: Source, pairs: readonly Pair[]): readonly PlantedPlace[] {
  const { communities, kept } = findCommunities(source)
  const { of, list, between } = communities.levels[0]
  const isIndex = indexNotes(source.topology)
  const isLeftOut = isIndex.map((index, note) => (index === 1 || isDate(source.titles[note] as string) ? 1 : 0))
  const alike = alikeCommunities(of, list.length, { ...source, links: plainLinks(source.topology, isIndex), isLeftOut })
  const likeness = new Map(alike.map((pair) => [`${pair.a} ${pair.b}`, pair.cosine]))
  const tried = between
    .filter(({ of: [a, b], links }) => links >= 3 && (list[a]?.size ?? 0) >= 8 && (list[b]?.size ?? 0) >= 8)
    .filter(({ of: [a, b] }) => (likeness.get(`${a} ${b}`) ?? 0) >= ALIKE)
    .slice(0, PLANTED)
  const known = new Set(gapsOf(source, communities.levels[0]))
  return tried.map(({ of: [a, b] }) => {
    const left = pairs.filter(([from, to]) => !((of[from] === a && of[to] === b) || (of[from] === b && of[to] === a)))
    const without = { ...source, topology: topologyOf(source.ids.length, left) }
    const { communities: found } = findCommunities(without, kept)
    const wanted = [list[a]?.id, list[b]?.id].sort().join()
    const gaps = gapsOf(without, found.levels[0])
    return { among: gaps.indexOf(wanted), amongNew: gaps.filter((gap) => gap === wanted || !known.has(gap)).indexOf(wanted) }
  })
}

/** The pairs of communities that are similar but not linked, by id. */
function gapsOf(source: Source, level: Communities['levels'][0]): readonly string[] {
  return findGaps(source, level).apart.map(({ of }) =>
    of
      .map((place) => level.list[place]?.id)
      .sort()
      .join(),
  )
}

/** Asks the built server. */
async function ask(folder: string): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'roux-bench-'))
  const env = { ...process.env, ROUX_SERVE_SHARED: 'off', XDG_CACHE_HOME: state, XDG_STATE_HOME: state, XDG_CONFIG_HOME: state }
  const server = spawn(process.execPath, [resolve('dist/cli/main.js'), 'serve', '--vault', folder], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<
    number,
    (message: { readonly result?: { readonly content?: readonly { readonly text: string }[] } }) => void
  >()
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { readonly id: number }
    waiting.get(message.id)?.(message as never)
  })
  let last = 0
  const call = (method: string, params: unknown) =>
    new Promise<{ readonly result?: { readonly content?: readonly { readonly text: string }[] } }>((done) => {
      waiting.set(++last, done)
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`)
    })
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } })
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const tool = async (name: string, args: object) => {
    const began = performance.now()
    const { result } = await call('tools/call', { name, arguments: args })
    return { ms: performance.now() - began, tokens: Math.ceil(Buffer.byteLength(result?.content?.[0]?.text ?? '') / 4) }
  }
  const first = await tool('map', {})
  for (const [name, args] of [
    ['map', {}],
    ['map', { community: 'c1' }],
    ['map', { level: 2 }],
    ['gaps', {}],
  ] as const) {
    const runs: { readonly ms: number; readonly tokens: number }[] = []
    for (let at = 0; at < CALLS; at++) runs.push(await tool(name, args))
    const times = runs.map(({ ms }) => ms).sort((a, b) => a - b)
    const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(1)
    console.log(`  ${name} ${JSON.stringify(args)}: ${runs[0]?.tokens} tokens, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  }
  console.log(`  the first map, with the vault read and looked at as a whole: ${first.ms.toFixed(0)} ms, ${first.tokens} tokens`)
  server.stdin.end()
  await new Promise((done) => server.on('exit', done))
  rmSync(state, { recursive: true, force: true })
}

/** Pseudo-random numbers from 0 to 1 (xorshift), the same in every run. */
function randoms(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
