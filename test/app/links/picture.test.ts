import { expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import {
  type PageArguments,
  PICTURE_FORMAT,
  pageJson,
  pagePicture,
  partOfPicture,
  preparePicture,
  vaultPicture,
} from '../../../src/app/links/picture.ts'
import type { Layouts, LayoutUnderWay } from '../../../src/core/insight/layouts.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'home.md': '[[soil/worms]] [[soil/compost]] [[tools/spade]] #start',
  'soil/worms.md': '[[compost]]',
  'soil/compost.md': '[[home]]',
  'tools/spade.md': '[[tools/rake]]',
  'tools/rake.md': 'A rake.',
  'alone.md': 'No links.',
}

/** The title pairs of all links in a picture. */
function linked({ links, titles }: { readonly links: string; readonly titles: readonly string[] }): readonly string[] {
  const pairs = new Uint32Array(Uint8Array.from(Buffer.from(links, 'base64')).buffer)
  const names: string[] = []
  for (let at = 0; at < pairs.length; at += 2)
    names.push(
      [pairs[at], pairs[at + 1]]
        .map((number) => titles[number ?? -1])
        .sort()
        .join('–'),
    )
  return names.sort()
}

test('the picture contains every note and every link once', async () => {
  const { value } = await vaultPicture(await searchCore(NOTES), { mayMove: 'once' })
  expect(value.titles.toSorted()).toEqual(['alone', 'compost', 'home', 'rake', 'spade', 'worms'])
  expect(linked(value)).toEqual(['compost–home', 'compost–worms', 'home–spade', 'home–worms', 'rake–spade'])
  expect(Buffer.from(value.places, 'base64').length).toBe(6 * 8)
})

test('a partial picture has the named notes, their neighbors, and then the best linked notes', async () => {
  const core = await searchCore(NOTES)
  const { value } = await partOfPicture(core, { notes: ['Tools/Rake', 'nowhere'], most: 4 })
  expect(value.titles).toEqual(expect.arrayContaining(['home', 'rake', 'spade']))
  expect(value.titles).toHaveLength(4)
  expect(value.named.map((number) => value.titles[number])).toEqual(['rake', undefined])
  expect(value.count).toBe(6)
  expect(linked(value)).toEqual(expect.arrayContaining(['home–spade', 'rake–spade']))
  const { value: whole } = await partOfPicture(core, { notes: [], most: 100 })
  expect(whole.ids).toEqual((await vaultPicture(core, { mayMove: 'once' })).value.ids)
})

test('a partial picture has the links in each direction, the words, and the days of creation and of the last change', async () => {
  const dated = {
    'a.md': '---\ncreated: 2025-03-01\nmodified: 2025-03-02T23:59:59Z\n---\n[[b]] [[b]] [[a]]\nThree words here.',
    'b.md': '---\ncreated: some day\n---\n[[a]] [[c]]\nThree words here.',
    'c.md': 'Three words here.',
  }
  const { value } = await partOfPicture(await searchCore(dated), { notes: [], most: 100 })
  const { titles, incoming, outgoing, words, created, modified } = value
  const rows = titles.map((title, at) => [title, incoming[at], outgoing[at], created[at]])
  expect(rows.slice(0, 2)).toEqual([
    ['a', 1, 1, Date.UTC(2025, 2, 1) / 86_400_000],
    ['b', 1, 2, -1],
  ])
  expect(modified[0]).toBe(Date.UTC(2025, 2, 2) / 86_400_000)
  // Lines that also occur in other notes are counted, too.
  expect(words[2]).toBe(3)
})

test('notes in a partial picture keep their positions from the whole', async () => {
  const core = await searchCore(NOTES)
  const places = (picture: { readonly ids: readonly string[]; readonly places: string }) => {
    const numbers = new Float32Array(Uint8Array.from(Buffer.from(picture.places, 'base64')).buffer)
    return new Map(picture.ids.map((id, at) => [id, [numbers[at * 2], numbers[at * 2 + 1]]]))
  }
  const whole = places((await vaultPicture(core, { mayMove: 'once' })).value)
  const part = places((await partOfPicture(core, { notes: ['alone'], most: 2 })).value)
  expect([...part.keys()]).toContain('alone.md')
  for (const [id, place] of part) expect(place).toEqual(whole.get(id))
})

test('the leaves of a named hub leave room for the best linked notes', async () => {
  const leaves = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`leaf ${at}.md`, '[[hub]]']))
  const ring = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`ring ${at}.md`, `[[ring ${(at + 1) % 12}]] [[ring ${(at + 2) % 12}]]`]),
  )
  const { value } = await partOfPicture(await searchCore({ 'hub.md': '', ...leaves, ...ring }), { notes: ['hub'], most: 24 })
  expect(value.titles.filter((title) => title.startsWith('ring'))).toHaveLength(12)
})

/** Two groups of notes, each linked internally, with one link between them. */
const GROUPS = Object.fromEntries(
  ['soil', 'tools'].flatMap((group) =>
    Array.from({ length: 30 }, (_, at) => [
      `${group}/${group} ${at}.md`,
      `About ${group}. ${Array.from({ length: 14 }, (_, step) => step + 1)
        .map((step) => `[[${group} ${(at + step) % 30}]]`)
        .join(' ')} ${at === 0 ? '[[soil 0]]' : ''}`,
    ]),
  ),
)
const NOTHING = { mayMove: 'once', notes: [], groups: [] } as const

/** The picture a page gets, when no layout is pending. */
async function pageOf(core: GraphCore, shown: Partial<PageArguments> = {}) {
  const { value } = await pagePicture(core, { ...NOTHING, ...shown }, { notes: 40, links: 30, first: 12 })
  if ('laying_out' in value) throw new Error('The notes are being laid out.')
  return value
}

test('a page gets all notes of a vault that can be drawn at once', async () => {
  const { value } = await pagePicture(await searchCore(GROUPS), NOTHING)
  expect(value).toMatchObject({ count: 60, link_count: 841, ids: { length: 60 } })
})

test('a page of a larger vault gets notes of each community, as many links as fit, and totals', async () => {
  const picture = await pageOf(await searchCore(GROUPS))
  const { ids, count, link_count, degrees, groups, communities, titles } = picture
  expect([count, link_count, groups.map(({ notes }) => notes)]).toEqual([60, 841, [30, 30]])
  expect(ids.length).toBeLessThanOrEqual(14)
  expect(groups.map((_, group) => communities.filter((one) => one === group).length >= 6)).toEqual([true, true])
  expect(linked(picture).length).toBeLessThanOrEqual(30)
  // Links to notes that are not drawn count, too.
  expect(degrees[titles.indexOf('soil 0')]).toBe(29)
})

test('draws what the user has opened: a note with its neighbors, a community, a folder', async () => {
  const core = await searchCore(GROUPS)
  const near = await pageOf(core, { notes: ['tools/tools 17.md', 'nowhere'] })
  expect(near.titles.filter((title) => title.startsWith('tools')).length).toBeGreaterThan(12)
  expect(near.named.map((number) => near.titles[number])).toEqual(['tools 17', undefined])
  const opened = await pageOf(core, { groups: near.groups.slice(1).map(({ id }) => id) })
  expect(opened.communities.filter((group) => group === 1).length).toBeGreaterThanOrEqual(28)
  const { titles } = await pageOf(core, { folder: 'tools' })
  expect(titles.filter((title) => title.startsWith('tools')).length).toBeGreaterThanOrEqual(28)
})

test('reports the progress of a layout, and a finished layout serves later requests', async () => {
  const core = await searchCore(NOTES)
  const { layouts } = core
  let finish = (): void => {}
  let runs = 0
  let busy: LayoutUnderWay | undefined
  const slow: Layouts = {
    ...layouts,
    hasPlaces: async () => runs > 0,
    underWay: () => busy,
    async layOut(graph, mayMove) {
      if (runs++ === 0) {
        const ended = new Promise<void>((resolve) => {
          finish = resolve
        })
        busy = { share: () => 0.25, ended }
        await ended
        busy = undefined
      }
      return layouts.layOut(graph, mayMove)
    },
  }
  const ahead = { laying_out: { share: 0.25 } }
  const busyCore = { ...core, layouts: slow }
  expect((await pagePicture(busyCore, NOTHING)).value).toEqual(ahead)
  expect((await pagePicture(busyCore, NOTHING)).value).toEqual(ahead)
  finish()
  expect((await pagePicture(busyCore, NOTHING)).value).toMatchObject({ ids: { length: 6 } })
  expect(runs).toBe(1)
})

test('communities are computed before a page asks, unless the first picture can do without them', async () => {
  const core = await searchCore(NOTES)
  const started: boolean[] = []
  const insights: GraphCore['insights'] = {
    ...core.insights,
    follow: async () => {
      started.push(true)
      return undefined
    },
  }
  const withPlaces = (hasPlaces: boolean): GraphCore => ({
    ...core,
    insights,
    layouts: { ...core.layouts, hasPlaces: async () => hasPlaces },
  })
  await preparePicture(withPlaces(false))
  expect(started).toEqual([])
  await preparePicture(withPlaces(true))
  expect(started).toEqual([true])
})

/** A vault whose index has a lineage, and the kept picture. */
async function keepingCore() {
  const core = await searchCore(GROUPS)
  const kept = new Map<string, string>()
  const version = { now: 'first' }
  let reads = 0
  const read: GraphCore['store']['read'] = (use, signal) =>
    core.store.read((snapshot) => {
      const nodes: typeof snapshot.nodes = (...args) => {
        reads++
        return snapshot.nodes(...args)
      }
      const { isMixed } = snapshot
      return use({ ...snapshot, isMixed, restart: () => snapshot.restart(), lineage: 'a lineage', nodes })
    }, signal)
  const layouts: Layouts = {
    ...core.layouts,
    version: async () => version.now,
    keptPicture: async (key) => kept.get(key),
    async keepPicture(key, json) {
      kept.clear()
      kept.set(key, json)
    },
  }
  const keeping: GraphCore = { ...core, store: Object.assign(Object.create(core.store), { read }), layouts }
  const readsOf = async (mayMove: PageArguments['mayMove'] = 'once') => {
    reads = 0
    const before = [...kept.keys()]
    const picture = JSON.parse(await pageJson(keeping, { ...NOTHING, mayMove }))
    const drawn = { reads, picture }
    if (drawn.reads > 0 && mayMove === 'once') await expect.poll(() => [...kept.keys()]).not.toEqual(before)
    return drawn
  }
  return { core, keeping, kept, version, readsOf }
}

test('a page gets the kept picture until the vault or a label changes', async () => {
  const { core, keeping, readsOf } = await keepingCore()
  const first = await readsOf()
  expect([first.reads, first.picture.is_grouping]).toEqual([1, false])
  expect(await readsOf()).toEqual({ ...first, reads: 0 })
  expect((await readsOf('all')).reads).toBe(1)
  await core.insightState.setLabel(first.picture.groups[0].id, 'Earth')
  const labeled = await readsOf()
  expect([labeled.reads, labeled.picture.groups[0].label]).toEqual([1, 'Earth'])
  await core.vault.write('soil/soil 0.md', 'Alone.')
  await core.indexing.reconcile(['soil/soil 0.md'])
  const edited = await readsOf('nothing')
  expect([edited.reads > 0, edited.picture.link_count < first.picture.link_count]).toEqual([true, true])
  const missing: GraphCore = {
    ...keeping,
    indexing: { ...core.indexing, status: () => ({ ...core.indexing.status(), phase: 'missing' }) },
  }
  await expect(pageJson(missing, NOTHING)).rejects.toThrow('missing')
})

test('pictures with other members have another format', async () => {
  const { readsOf } = await keepingCore()
  const { picture } = await readsOf()
  const members =
    'communities count created degrees folder_names folders generation groups ids incoming is_crowded is_grouping link_count ' +
    'links modified named outgoing places region_of regions tag_names tags titles words'
  expect([PICTURE_FORMAT, Object.keys(picture).sort().join(' ')]).toEqual([1, members])
})

test('a page gets no kept picture for other positions, before files are compared, or if the store cannot be read', async () => {
  const { keeping, kept, version, readsOf } = await keepingCore()
  await readsOf()
  version.now = 'second'
  expect((await readsOf()).reads).toBe(1)
  expect((await readsOf()).reads).toBe(0)
  const { indexing, store } = keeping
  const slow: GraphCore = { ...keeping, indexing: { ...indexing, ready: async () => false } }
  kept.set([...kept.keys()][0] ?? '', '"kept"')
  expect(await pageJson(keeping, NOTHING)).toBe('"kept"')
  expect(await pageJson(slow, NOTHING)).not.toBe('"kept"')
  let isFirst = true
  const read: typeof store.read = (use, signal) => {
    if (!isFirst) return store.read(use, signal)
    isFirst = false
    return Promise.reject(new Error('damaged'))
  }
  const damaged: GraphCore = { ...keeping, store: Object.assign(Object.create(store), { read }) }
  expect(JSON.parse(await pageJson(damaged, NOTHING)).ids.length).toBeGreaterThan(0)
})

test('a picture drawn while the notes are laid out again is not kept', async () => {
  const { keeping, kept, version, readsOf } = await keepingCore()
  const { layouts } = keeping
  const layOut: Layouts['layOut'] = (graph, mayMove) => {
    version.now = 'second'
    return layouts.layOut(graph, mayMove)
  }
  await pageJson({ ...keeping, layouts: { ...layouts, layOut } }, NOTHING)
  const { size } = kept
  await readsOf()
  expect([size, kept.size]).toEqual([0, 1])
})

test('a picture without communities is not kept', async () => {
  const { keeping, kept } = await keepingCore()
  const insights: GraphCore['insights'] = { follow: async () => undefined }
  expect(JSON.parse(await pageJson({ ...keeping, insights }, NOTHING)).is_grouping).toBe(true)
  expect(kept.size).toBe(0)
})

test('communities are not computed for a page if a picture is kept', async () => {
  const { keeping, readsOf } = await keepingCore()
  const { recipe = '' } = keeping.insights
  const insights: GraphCore['insights'] = { recipe, follow: () => Promise.reject(new Error('computed')) }
  await expect(preparePicture({ ...keeping, insights })).rejects.toThrow('computed')
  await readsOf()
  await preparePicture({ ...keeping, insights })
})
