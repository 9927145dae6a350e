import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { QueryOptions } from '../../src/app/find/find-by-query.ts'
import { RouxError } from '../../src/core/errors.ts'
import { type NodeId, toNodeId } from '../../src/core/ids.ts'
import type { Condition } from '../../src/core/query.ts'
import type { Scope, Store } from '../../src/core/store.ts'
import { ask } from '../support/ask.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'
import type { OpenStore, StoreUnderTest } from './store.ts'

const KITCHEN = {
  'Kitchen/Bread.md':
    '---\naliases: [Loaf]\ntags: [food/baked]\nstatus: done\ncreated: 2024-01-02\nmodified: 2024-03-01\n---\n# Bread\nSourdough rises overnight with flour and salt.\n',
  'Kitchen/Soup.md':
    '---\ntags: [food]\nstatus: [open, later]\nup: "[[Bread]]"\ncreated: 2024-02-02\nmodified: 2024-02-03\n---\nLeek soup with salt. ![[pot.png]]\n',
  'Kitchen/Old soup.md': '---\narchived: true\nmodified: 2020-01-01\n---\nFish soup with salt, of old.\n',
  'Garden/Leek.md': '---\nmodified: 2024-05-05\n---\nLeek grows in autumn. See [[Soup]]. #food\n',
  'Garden/Tools.md': '---\nmodified: 2023-05-05\n---\nSpade, rake, and a wheelbarrow.\n',
  'Hidden/Secret.md': 'Secret soup with salt and leek.\n',
  'pot.png': 'not really',
}
const HIDDEN = { excluded: 'Hidden/' }

const page = { offset: 0, limit: 100 }
/** By relevance, without archived notes. */
const LISTED: QueryOptions = { scope: { withoutArchived: true }, orderBy: 'relevance', page }
const now = new Date('2024-06-15T12:00:00Z')
const id = (text: string) => text as NodeId

function among(...ids: readonly string[]): Condition {
  return { kind: 'among', nodes: ids.map(id) }
}

/** A tag, or the notes that link to a set of notes or are linked from it. */
type AnySet = number | { readonly field: 'links' | 'linkedfrom'; readonly isNegated: boolean; readonly of: AnySet }

const anyTag = fc.nat({ max: 2 })

function anySet(depth: number): fc.Arbitrary<AnySet> {
  if (depth === 0) return anyTag
  const of = anySet(depth - 1)
  return fc.oneof(
    anyTag,
    fc.record({ field: fc.constantFrom('links' as const, 'linkedfrom' as const), isNegated: fc.boolean(), of }),
  )
}

const NAMES = Array.from({ length: 14 }, (_, at) => `n${at}`)
const anyWeb = fc.tuple(...NAMES.map(() => fc.tuple(anyTag, fc.subarray(NAMES, { maxLength: 3 })))).map((notes) =>
  notes.map(([tag, links], at) => ({
    name: `n${at}`,
    tag,
    links,
    text: `#t${tag} ${links.map((link) => `[[${link}]]`).join(' ')}`,
  })),
)

/** The contract of the `Store` port for finding notes by words, by meaning and by query. */
export function testStoreSearch(name: string, open: OpenStore): void {
  describe(`${name} store, search`, () => {
    let opened: StoreUnderTest[] = []
    const bag = new BagOfWords()
    const kitchen = async (files: Readonly<Record<string, string>> = KITCHEN) => {
      const under = await open(files, HIDDEN)
      opened.push(under)
      await under.indexSearch(bag)
      return under
    }
    afterEach(async () => {
      for (const under of opened) await under.close()
      opened = []
    })

    const wordIds = async (store: Store, text: string, scope: Scope = {}) =>
      (await ask(store).words(text, scope, 100)).hits.map((hit) => hit.id)
    const nearIds = async (store: Store, text: string, scope: Scope = {}) =>
      (await ask(store).nearest(bag.id, bagOf(text), scope, 100)).map((hit) => hit.id)
    const found = async (store: Store, query: string, options: Partial<QueryOptions> = {}) => {
      const all = { ...LISTED, ...options }
      return (await ask(store).find(query, now, all)).notes.items.map((item) => item.id)
    }

    describe('searching words', () => {
      test('returns notes with any of the words, best first, with scores', async () => {
        const { store } = await kitchen()
        const { hits, coverage, terms } = await ask(store).words('leek soup', {}, 100)
        expect(hits.map((hit) => hit.id)).toEqual(['garden/leek.md', 'kitchen/soup.md', 'kitchen/old soup.md'])
        expect(terms).toEqual([
          { word: 'leek', notes: 2 },
          { word: 'soup', notes: 3 },
        ])
        expect(coverage).toBe(1)
        expect(hits.map(({ matched }) => matched > 0.9999)).toEqual([true, true, false])
        const scores = hits.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        for (const { score, matched } of hits) {
          expect(score).toBeGreaterThan(0)
          expect(matched).toBeGreaterThan(0)
        }
      })

      test('searches titles, aliases, tags and property values, in other word forms too', async () => {
        const { store } = await kitchen()
        expect(await wordIds(store, 'loaf')).toEqual(['kitchen/bread.md'])
        expect(await wordIds(store, 'baked')).toEqual(['kitchen/bread.md'])
        expect(await wordIds(store, 'later')).toEqual(['kitchen/soup.md'])
        expect(await wordIds(store, 'GROWING')).toEqual(['garden/leek.md'])
      })

      test('near words differ by one letter or a swap, and the most common come first', async () => {
        const { store } = await kitchen({
          'a.md': 'Bread with salt.',
          'b.md': 'Broad beans and salt, soap.',
          'c.md': 'Broad. Soup, soap and breads, read 1234 h264.',
          'Hidden/secret.md': 'Brad',
        })
        const near = async (word: string) => (await ask(store).wordsNear([word]))[0]?.map(({ word: found }) => found)
        expect(await ask(store).wordsNear(['bruad', 'brewd'])).toEqual([
          [
            { word: 'broad', notes: 2 },
            { word: 'bread', notes: 1 },
          ],
          [{ word: 'bread', notes: 1 }],
        ])
        expect(await near('bread')).toEqual(['broad', 'breads', 'read'])
        expect(await near('sotp')).toEqual(['soap', 'soup'])
        expect(await near('slat')).toEqual(['salt'])
        expect(await near('asoap')).toEqual(['soap'])
        expect(await near('osap')).toEqual(['soap'])
        expect(await near('1235')).toEqual([])
        expect(await near('harpsichord')).toEqual([])
        expect(await ask(store).wordsNear([])).toEqual([])
      })

      test('returns the languages of notes and the number of notes in each', async () => {
        const { store } = await kitchen({
          'bread.md': 'Bread is baked of flour and water in a hot oven.',
          'soup.md': 'The soup is cooked on a low flame.',
          'garten.md': 'Der Lauch wächst im Herbst und braucht jeden Tag Wasser.',
          'numbers.md': '12 34',
        })
        const ids = ['garten.md', 'numbers.md', 'missing.md', 'soup.md'].map((path) => toNodeId(path))
        const notes = new Map([
          ['de', 1],
          ['en', 2],
        ])
        expect(await ask(store).languages(ids)).toEqual({ codes: ['de', undefined, undefined, 'en'], notes })
        expect(await ask(store).languages([])).toEqual({ codes: [], notes })
      })

      test('unknown words score nothing and are reported', async () => {
        const { store } = await kitchen()
        expect(await ask(store).words('xylophone', {}, 10)).toEqual({
          hits: [],
          coverage: 0,
          terms: [{ word: 'xylophone', notes: 0 }],
        })
        const half = await ask(store).words('wheelbarrow xylophone', {}, 10)
        expect(half.hits.map((hit) => hit.id)).toEqual(['garden/tools.md'])
        expect(half.coverage).toBeGreaterThan(0)
        expect(half.coverage).toBeLessThan(1)
      })

      test.each(['', '   ', '🍞🥖', '—?!'])('finds nothing for %j', async (text) => {
        const { store } = await kitchen()
        expect(await ask(store).words(text, {}, 10)).toEqual({ hits: [], coverage: 0, terms: [] })
      })

      test('returns no more than the limit', async () => {
        const { store } = await kitchen()
        const all = await ask(store).words('salt soup leek', {}, 100)
        for (const limit of [0, 1, 2]) {
          expect((await ask(store).words('salt soup leek', {}, limit)).hits).toEqual(all.hits.slice(0, limit))
        }
      })
    })

    describe('scopes', () => {
      const scopes: readonly (readonly [string, Scope, readonly string[]])[] = [
        ['none', {}, ['garden/leek.md', 'kitchen/bread.md', 'kitchen/old soup.md', 'kitchen/soup.md']],
        ['folder', { folder: 'kitchen' }, ['kitchen/bread.md', 'kitchen/old soup.md', 'kitchen/soup.md']],
        ['folder at its boundary', { folder: 'kitch' }, []],
        ['path', { path: 'kitchen/so' }, ['kitchen/soup.md']],
        ['tag', { tags: { names: ['food/baked'], mode: 'any' } }, ['kitchen/bread.md']],
        [
          'tag, nested ones too',
          { tags: { names: ['food'], mode: 'any' } },
          ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md'],
        ],
        ['all of several tags', { tags: { names: ['food', 'food/baked'], mode: 'all' } }, ['kitchen/bread.md']],
        ['folder and tag', { folder: 'garden', tags: { names: ['food'], mode: 'any' } }, ['garden/leek.md']],
        ['note', { note: id('kitchen/soup.md') }, ['kitchen/soup.md']],
        ['note that is not there', { note: id('nope.md') }, []],
        ['note outside of the folder', { note: id('kitchen/soup.md'), folder: 'garden' }, []],
        ['excluded note', { note: id('hidden/secret.md') }, []],
        ['folder of excluded notes', { folder: 'hidden' }, []],
        ['without archived', { withoutArchived: true }, ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md']],
        ['archived in a folder', { withoutArchived: true, folder: 'kitchen' }, ['kitchen/bread.md', 'kitchen/soup.md']],
        ['archived note alone', { withoutArchived: true, note: id('kitchen/old soup.md') }, []],
        ['of other kinds', { kinds: ['attachment'] }, []],
      ]

      test.each(scopes)('%s: words, meaning and queries respect the scope', async (_, scope, expected) => {
        const { store } = await kitchen()
        const text = 'salt leek soup'
        expect([...(await wordIds(store, text, scope))].sort()).toEqual(expected)
        const near = (await ask(store).nearest(bag.id, bagOf(text), scope, 100)).filter(({ score }) => score > 0)
        const names = await ask(store).nearestNames(bag.id, bagOf('soup'), scope, { limit: 100, minimum: -1 })
        const inScope = (await ask(store).select(scope, page)).items.map((item) => item.id)
        for (const hit of [...near, ...names]) expect(inScope).toContain(hit.id)
        if (scope.note === undefined && scope.withoutArchived !== true) {
          expect(new Set(names.map((hit) => hit.id))).toEqual(new Set(inScope.filter((one) => one.endsWith('.md'))))
        } else {
          for (const hit of [...near, ...names]) {
            expect(hit.id === scope.note || scope.note === undefined).toBe(true)
            if (scope.withoutArchived === true) expect(hit.id).not.toBe('kitchen/old soup.md')
          }
        }
        expect([...(await found(store, 'salt OR leek OR soup', { scope }))].sort()).toEqual(expected)
      })

      test.each(scopes)('%s: titles respect the scope', async (_, scope) => {
        const { store } = await kitchen()
        const { items } = await ask(store).select(scope, page)
        const notes = new Set(items.map((item) => item.id))
        for (const title of ['Soup', 'Old soup', 'Bread', 'Secret']) {
          const hits = [
            ...(await ask(store).named(title, scope)),
            ...(await ask(store).named(title, scope, 'similar', { limit: 9, minimum: 0.5 })),
          ]
          for (const hit of hits) {
            expect(notes).toContain(hit.id)
            if (scope.note !== undefined) expect(hit.id).toBe(scope.note)
            if (scope.withoutArchived === true) expect(hit.id).not.toBe('kitchen/old soup.md')
          }
        }
      })
    })

    test.each<[string, Scope, readonly string[]]>([
      ['conflict copies are included', {}, ['leek (conflicted copy 2024-05-05).md', 'leek.md']],
      ['conflict copies are excluded', { withoutConflicts: true }, ['leek.md']],
    ])('a note and its conflict copy, where %s', async (_, scope, expected) => {
      const { store } = await kitchen({ 'Leek.md': 'Leek soup.', 'Leek (conflicted copy 2024-05-05).md': 'Leek soup.' })
      const ids = (hits: readonly { readonly id: string }[]) => hits.map((hit) => hit.id).sort()
      expect(ids((await ask(store).select(scope, page)).items)).toEqual(expected)
      expect((await wordIds(store, 'soup', scope)).toSorted()).toEqual(expected)
      expect((await nearIds(store, 'Leek soup.', scope)).toSorted()).toEqual(expected)
      expect((await found(store, 'soup', { scope })).toSorted()).toEqual(expected)
      const names = await ask(store).nearestNames(bag.id, bagOf('leek'), scope, { limit: 9, minimum: -1 })
      expect(ids(names)).toEqual(expected)
    })

    test.each<[string, Scope, readonly string[]]>([
      ['no kind is given', {}, ['garden/salt leek.md']],
      ['canvases are requested', { kinds: ['canvas'] }, ['garden/salt leek.canvas']],
      ['both are requested', { kinds: ['note', 'canvas'] }, ['garden/salt leek.canvas', 'garden/salt leek.md']],
    ])('a note and a canvas with the same text, where %s', async (_, scope, expected) => {
      const text = 'Leek soup with salt.'
      const { store } = await kitchen({
        'Garden/Salt leek.md': text,
        'Garden/Salt leek.canvas': JSON.stringify({ nodes: [{ id: '1', type: 'text', text }] }),
      })
      const ids = (hits: readonly { readonly id: string }[]) => hits.map((hit) => hit.id).sort()
      const near = (await ask(store).nearest(bag.id, bagOf(text), scope, 9)).filter(({ score }) => score > 0)
      const names = await ask(store).nearestNames(bag.id, bagOf('salt leek'), scope, { limit: 9, minimum: 0.5 })
      const named = await ask(store).named('Salt leeks', scope, 'similar', { limit: 9, minimum: 0.3 })
      expect(
        ids(
          await ask(store)
            .words('leek', scope, 9)
            .then(({ hits }) => hits),
        ),
      ).toEqual(expected)
      expect([...new Set(ids(near))]).toEqual(expected)
      expect(ids(names)).toEqual(expected)
      expect(ids(named)).toEqual(expected)
      expect([...(await found(store, 'leek', { scope }))].sort()).toEqual(expected)
    })

    describe('searching by meaning', () => {
      test('returns the nearest chunks first, by cosine', async () => {
        const { store } = await kitchen()
        const hits = await ask(store).nearest(bag.id, bagOf('spade, rake, and a wheelbarrow. tools'), {}, 100)
        expect(hits[0]).toMatchObject({ id: 'garden/tools.md', chunk: 0 })
        expect(hits[0]?.score).toBeCloseTo(1, 3)
        const scores = hits.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        expect(await ask(store).nearest(bag.id, bagOf('spade'), {}, 2)).toHaveLength(2)
        expect(await ask(store).nearest(bag.id, bagOf('spade'), {}, 0)).toEqual([])
      })

      test('compares titles and aliases above the minimum', async () => {
        const { store } = await kitchen()
        const hits = await ask(store).nearestNames(bag.id, bagOf('loaf'), {}, { limit: 100, minimum: 0.99 })
        expect(hits[0]).toMatchObject({ id: 'kitchen/bread.md', title: 'Bread', name: 'Loaf' })
        expect(hits.every(({ score }) => score >= 0.99)).toBe(true)
        const all = await ask(store).nearestNames(bag.id, bagOf('loaf'), {}, { limit: 100, minimum: -1 })
        expect(all.map((hit) => hit.name).sort()).toEqual(['Bread', 'Leek', 'Loaf', 'Old soup', 'Soup', 'Tools'])
      })

      test("returns a note's vectors and the places of its chunks", async () => {
        const { store } = await kitchen()
        const stored = await ask(store).vectors(bag.id, id('kitchen/soup.md'))
        const text = KITCHEN['Kitchen/Soup.md']
        expect(stored?.chunks).toHaveLength(1)
        const [chunk] = stored?.chunks ?? []
        expect(text.slice(chunk?.start, chunk?.end)).toBe('Leek soup with salt. ![[pot.png]]')
        expect([chunk?.startLine, chunk?.endLine]).toEqual([8, 8])
        expect(Math.hypot(...(chunk?.vector ?? []))).toBeCloseTo(1, 3)
        const [version] = await ask(store).versions([id('kitchen/soup.md')])
        expect(version?.hash.startsWith(stored?.content ?? '-')).toBe(true)
      })

      test('returns nothing for another embedder or an unknown note', async () => {
        const { store } = await kitchen()
        expect(await ask(store).nearest('test:other:16', bagOf('soup'), {}, 9)).toEqual([])
        expect(await ask(store).nearestNames('test:other:16', bagOf('soup'), {}, { limit: 9, minimum: 0 })).toEqual([])
        expect(await ask(store).vectors('test:other:16', id('kitchen/soup.md'))).toBeUndefined()
        expect(await ask(store).vectors(bag.id, id('nope.md'))).toBeUndefined()
        expect(await ask(store).vectors(bag.id, id('pot.png'))).toBeUndefined()
      })

      test('an invalid vector is a clear error', async () => {
        const { store } = await kitchen()
        await expect(ask(store).nearest(bag.id, new Float32Array(3), {}, 9)).rejects.toThrow(RouxError)
        await expect(ask(store).nearest(bag.id, bagOf('a').fill(Number.NaN), {}, 9)).rejects.toThrow(RouxError)
        expect(await nearIds(store, 'leek')).toHaveLength(5)
      })

      test('a note that the embedder cannot read is near nothing', async () => {
        const { store } = await kitchen({ '🍞.md': '🥖🥖🥖', 'a.md': 'Flour.' })
        expect(await nearIds(store, 'flour')).toEqual(['a.md'])
        expect((await ask(store).vectors(bag.id, id('🍞.md')))?.chunks.map(({ vector }) => Math.hypot(...vector))).toEqual([0])
      })

      test('reports stored vectors and their embedder', async () => {
        const under = await open({ 'a.md': 'One.', 'b.md': 'Two.' })
        opened.push(under)
        expect(await ask(under.store).vectorStates()).toEqual([])
        await under.indexSearch(bag)
        expect(await ask(under.store).vectorStates()).toMatchObject([{ embedder: bag.id, notes: 2 }])
        await under.change({ 'b.md': undefined, 'c.md': 'Three.', 'd.md': 'Four.' })
        await under.indexSearch(bag)
        expect(await ask(under.store).vectorStates()).toMatchObject([{ embedder: bag.id, notes: 3 }])
      })
    })

    describe('queries', () => {
      const queries: readonly (readonly [string, readonly string[]])[] = [
        ['salt', ['kitchen/bread.md', 'kitchen/soup.md']],
        ['leek salt', ['kitchen/soup.md']],
        ['"leek soup"', ['kitchen/soup.md']],
        ['"soup leek"', []],
        ['salt -leek', ['kitchen/bread.md']],
        ['spade OR flour', ['garden/tools.md', 'kitchen/bread.md']],
        ['wheel*', ['garden/tools.md']],
        ['title:soup', ['kitchen/soup.md']],
        ['title:loaf', ['kitchen/bread.md']],
        ['#food', ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md']],
        ['#food/baked', ['kitchen/bread.md']],
        ['-#food', ['garden/tools.md']],
        ['#status=done', ['kitchen/bread.md']],
        ['#status=LATER', ['kitchen/soup.md']],
        ['#up=bread', ['kitchen/soup.md']],
        ['-#up=Bread #status=', ['kitchen/bread.md']],
        ['#up="[[bread]]" OR type:x OR #up=soup', ['kitchen/soup.md']],
        ['#status=', ['kitchen/bread.md', 'kitchen/soup.md']],
        ['~up', ['kitchen/soup.md']],
        ['~up=bread', ['kitchen/soup.md']],
        ['~up=Loaf', ['kitchen/soup.md']],
        ['~up="Kitchen/Bread"', ['kitchen/soup.md']],
        ['~up=kitchen/bread.md', ['kitchen/soup.md']],
        ['~up=leek', []],
        ['links:Bread', ['kitchen/soup.md']],
        ['linkedfrom:soup', ['kitchen/bread.md']],
        ['path:garden', ['garden/leek.md', 'garden/tools.md']],
        ['created:2024', ['kitchen/bread.md', 'kitchen/soup.md']],
        ['created:2024-02', ['kitchen/soup.md']],
        ['modified:>=2024-03 modified:<2024-05', ['kitchen/bread.md']],
        ['has:attachment', ['kitchen/soup.md']],
        ['has:backlink', ['kitchen/bread.md', 'kitchen/soup.md']],
        ['has:alias', ['kitchen/bread.md']],
        ['', ['garden/leek.md', 'garden/tools.md', 'kitchen/bread.md', 'kitchen/soup.md']],
      ]

      test.each(['links:nowhere', '~up=other/bread'])('%s is an error because the note does not exist', async (query) => {
        const { store } = await kitchen()
        await expect(ask(store).find(query, now, LISTED)).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
      })

      test.each(queries)('%s', async (query, expected) => {
        const { store } = await kitchen()
        const { items, total } = (await ask(store).find(query, now, { ...LISTED, orderBy: 'title' })).notes
        expect(items.map((item) => item.id).sort()).toEqual(expected)
        expect(total).toBe(expected.length)
        const ranked = (await ask(store).find(query, now, LISTED)).notes.items
        expect(ranked.every(({ score = 0 }) => score >= 0 && score <= 1)).toBe(true)
      })

      const FILMS = {
        'a.md': '---\ngenre: A drama, Comedy\nprice: "1,000"\n---\n',
        'b.md': '---\ngenre: [comedy, 动画、喜剧]\n---\n',
      }
      test.each([
        ['#genre=comedy', ['a.md', 'b.md']],
        ['#genre="a drama"', ['a.md']],
        ['#genre="A drama, comedy"', ['a.md']],
        ['#genre=drama', []],
        ['#genre=喜剧', ['b.md']],
        ['#price=1', []],
      ] as const)('%s: texts that list values', async (query, expected) => {
        const { store } = await kitchen(FILMS)
        expect((await found(store, query)).toSorted()).toEqual(expected)
      })

      const LOG: Readonly<Record<string, string>> = {
        'a.md': '---\nrating: 4\ndue: 2024-05-01\n---\n- [ ] water [[b]]\n- [x] sow\n',
        'b.md': '---\nRating: "9.5"\ndue: "[[days/2024-06-10|then]]"\n---\n```\n- [ ] no task\n```\n> 1. [-] given up\n',
        'c.md': '---\nrating: [1, 12]\ndue: soon\n---\n* [X] done [[c]] [[a]]\n',
        'd.md': '---\nrating: high\ndue: 2024-05-01 12:30\n---\n[ ] no item\n-[ ] nor this\n- [ ]nor this\n',
        'e.md': '---\nrating: true\ndue:\n---\n[[Nowhere]] [[a]] ![[p.png]]\n',
        'p.png': '',
      }
      test.each([
        ['#rating>4', ['b.md', 'c.md']],
        ['#rating>=4', ['a.md', 'b.md', 'c.md']],
        ['#RATING<4', ['c.md']],
        ['#rating<=4 -#rating>=4', []],
        ['#rating>=9.5 #rating<10', ['b.md', 'c.md']],
        ['#rating>-1', ['a.md', 'b.md', 'c.md']],
        ['#due>=2024-05-01', ['a.md', 'b.md', 'd.md']],
        ['#due>2024-05-01', ['b.md']],
        ['#due<=2024-05', ['a.md', 'd.md']],
        ['#due>2024', []],
        ['#due<2024-05-01T12:00', ['a.md']],
        ['#due>=day-7', ['b.md']],
        ['#rating=4.0', ['a.md']],
        ['#rating=12.00', ['c.md']],
        ['#rating="9.50" OR #rating=true', ['b.md', 'e.md']],
        ['#due=2024-05-01', ['a.md', 'd.md']],
        ['#due=2024', ['a.md', 'b.md', 'd.md']],
        ['#due=2024-05-01T12:30', ['d.md']],
        ['#due=2024-06-10', ['b.md']],
        ['-#due=2024-05', ['b.md', 'c.md', 'e.md']],
        ['#nowhere>1', []],
        ['task:open', ['a.md']],
        ['task:done', ['a.md', 'c.md']],
        ['task:any', ['a.md', 'b.md', 'c.md']],
        ['-task:any', ['d.md', 'e.md']],
        ['links:a', ['c.md', 'e.md']],
        ['links:c', []],
        ['links:nowhere OR links:b.md', ['a.md', 'e.md']],
        ['linkedfrom:c -linkedfrom:e', []],
        ['linkedfrom:a OR linkedfrom:c', ['a.md', 'b.md']],
      ] as const)('%s: numbers, dates, tasks and links', async (query, expected) => {
        const { store } = await kitchen(LOG)
        expect((await found(store, query)).toSorted()).toEqual(expected)
      })

      const WEB: Readonly<Record<string, string>> = {
        'People/Ann.md': '---\ntype: person\n---\nFriend of [[Bob]], [[Ann]].\n',
        'People/Old/Bob.md': '---\ntype: person\narchived: true\n---\n',
        'Index.md': '#moc [[Gravity]] [[Index]] [[Nowhere]] ![[p.png]]\n',
        'Empty.md': '#moc\n',
        'Concepts/Gravity.md': 'By [[Ann]]. See [[Light]].\n',
        'Concepts/Light.md': 'Waves.\n',
        'Concepts/Heat.md': 'Waves by [[Bob]].\n',
        'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Concepts/Light.md"}],"edges":[]}',
        'Hidden/Moc.md': '#moc [[Heat]]\n',
        'p.png': '',
      }
      test.each([
        ['linkedfrom:(#moc)', ['concepts/gravity.md']],
        ['-linkedfrom:(#moc) folder:Concepts', ['concepts/heat.md', 'concepts/light.md']],
        ['links:(folder:"People")', ['concepts/gravity.md', 'concepts/heat.md', 'people/ann.md']],
        ['links:(folder:people/old)', ['concepts/heat.md', 'people/ann.md']],
        ['links:(folder:peop)', []],
        ['links:(#nowhere)', []],
        ['waves -links:(#nowhere)', ['concepts/heat.md', 'concepts/light.md']],
        ['linkedfrom:(linkedfrom:(#moc))', ['concepts/light.md', 'people/ann.md']],
        ['links:(-has:backlink -#moc)', []],
        ['linkedfrom:(links:(linkedfrom:(#moc)))', ['concepts/gravity.md']],
        ['linkedfrom:(path:board)', ['concepts/light.md']],
        ['linkedfrom:(path:hidden)', []],
        ['links:(links:Light)', ['index.md']],
        ['linkedfrom:(waves OR friend) type:person', ['people/old/bob.md']],
        ['folder:people', ['people/ann.md', 'people/old/bob.md']],
      ] as const)('%s: sets of notes', async (query, expected) => {
        const { store } = await kitchen(WEB)
        expect((await found(store, query, { scope: {} })).toSorted()).toEqual(expected)
      })

      test('a set includes archived notes and notes outside the searched folder', async () => {
        const { store } = await kitchen(WEB)
        const scope = { folder: 'concepts', withoutArchived: true }
        expect(await found(store, 'linkedfrom:(#moc)', { scope })).toEqual(['concepts/gravity.md'])
        expect(await found(store, 'links:(path:bob)', { scope })).toEqual(['concepts/heat.md'])
      })

      test('sets agree with the links of a random vault', async () => {
        const [web = []] = fc.sample(anyWeb, { numRuns: 1, seed: 7 })
        const { store } = await kitchen(Object.fromEntries(web.map(({ name, text }) => [`${name}.md`, text])))
        const expectedNames = (query: AnySet): ReadonlySet<string> => {
          if (typeof query === 'number') return new Set(web.filter(({ tag }) => tag === query).map(({ name }) => name))
          const set = expectedNames(query.of)
          const isLinked = (name: string) =>
            web.some((from) =>
              from.links.some((to) => {
                const [one, other] = query.field === 'links' ? [from.name, to] : [to, from.name]
                return one === name && other !== name && set.has(other)
              }),
            )
          return new Set(web.map(({ name }) => name).filter((name) => isLinked(name) !== query.isNegated))
        }
        const queryText = (query: AnySet): string =>
          typeof query === 'number' ? `#t${query}` : `${query.isNegated ? '-' : ''}${query.field}:(${queryText(query.of)})`
        await fc.assert(
          fc.asyncProperty(anySet(3), async (query) => {
            expect((await found(store, queryText(query))).toSorted()).toEqual(
              [...expectedNames(query)].map((name) => `${name}.md`).sort(),
            )
          }),
          { numRuns: 25 },
        )
      })

      test('returns values for grouping by property, folder, tag and time', async () => {
        const { store } = await kitchen({
          ...KITCHEN,
          'Kitchen/Bread.md': '---\nStatus: done\nby: [Ann, "[[Bob]]", 3]\ncreated: 2024-01-02\n---\nFlour. #Food/Baked\n',
        })
        const by = [
          { kind: 'property', name: 'status' },
          { kind: 'property', name: 'by' },
          { kind: 'folder' },
          { kind: 'tag' },
          { kind: 'created' },
        ] as const
        const grouped = async (condition: Condition | undefined, scope: Scope) =>
          await store.read((snapshot) => snapshot.groupValues(condition, { scope, by }))
        const word = { kind: 'word', field: 'any', word: { form: 'flour', stem: 'flour', match: 'form' } } as const
        const [bread, ...others] = await grouped(word, {})
        expect([bread?.id, bread?.path, others]).toEqual(['kitchen/bread.md', 'Kitchen/Bread.md', []])
        expect(bread?.values.map((list) => list.toSorted())).toEqual([
          ['done'],
          ['3', 'Ann', '[[Bob]]'],
          ['Kitchen'],
          ['Food', 'Food/Baked'],
          [String(new Date(2024, 0, 2).getTime())],
        ])
        const all = await grouped(undefined, { withoutArchived: true })
        expect(all.map((note) => note.id)).toEqual(['garden/leek.md', 'garden/tools.md', 'kitchen/bread.md', 'kitchen/soup.md'])
        expect(all[3]?.values[0]).toEqual(['open', 'later'])
        expect(all[1]?.values.slice(0, 4)).toEqual([[], [], ['Garden'], []])
        expect((await grouped({ kind: 'set', field: 'linkedfrom', condition: word }, {})).map((note) => note.id)).toEqual([])
        expect((await grouped({ kind: 'folder', folder: 'kitchen' }, { folder: 'garden' })).length).toBe(0)
      })

      test.each<[string, Condition, readonly string[]]>([
        ['notes by their ids', among('kitchen/soup.md', 'garden/leek.md'), ['garden/leek.md', 'kitchen/soup.md']],
        ['each once', among('kitchen/soup.md', 'kitchen/soup.md'), ['kitchen/soup.md']],
        ['what is there, is a note and is not hidden', among('gone.md', 'pot.png', 'hidden/secret.md', ''), []],
        ['none of none', among(), []],
        [
          'the others',
          { kind: 'not', part: among('kitchen/soup.md') },
          ['garden/leek.md', 'garden/tools.md', 'kitchen/bread.md'],
        ],
        [
          'together with other conditions',
          {
            kind: 'or',
            parts: [
              { kind: 'and', parts: [{ kind: 'tag', name: 'food' }, among('garden/tools.md', 'kitchen/bread.md')] },
              among('garden/tools.md'),
            ],
          },
          ['garden/tools.md', 'kitchen/bread.md'],
        ],
      ])('matches among ids: %s', async (_, condition, expected) => {
        const { store } = await kitchen()
        const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
        const { items, total } = await store.read((snapshot) =>
          snapshot.find(condition, { scope: { withoutArchived: true }, order }, page),
        )
        expect(items.map((item) => item.id).sort()).toEqual(expected)
        expect(total).toBe(expected.length)
      })

      test('lists properties with counts and kinds of values', async () => {
        const { store, change } = await kitchen({
          ...LOG,
          'Hidden/x.md': '---\nsecret: 1\nrating: 4\n---\n',
          'f.md': '---\nrating: 4\n---\n',
        })
        expect(await ask(store).properties()).toEqual([
          { key: 'rating', count: 6, kinds: ['number', 'text', 'checkbox', 'list'] },
          { key: 'due', count: 5, kinds: ['date', 'empty', 'text'] },
        ])
        expect(await ask(store).propertyValues('rating')).toEqual([
          { value: '4', count: 2 },
          { value: '1', count: 1 },
          { value: '12', count: 1 },
          { value: '9.5', count: 1 },
          { value: 'high', count: 1 },
          { value: 'true', count: 1 },
        ])
        expect(await ask(store).propertyValues('nowhere')).toEqual([])
        await change({
          'f.md': '---\nstatus: Done\n---\n',
          'g.md': '---\nStatus: [Done, done]\n---\n',
          'h.md': '---\nstatus: done\n---\n',
        })
        expect((await ask(store).properties()).map(({ key, count }) => [key, count])).toEqual([
          ['due', 5],
          ['rating', 5],
          ['status', 3],
        ])
        expect(await ask(store).propertyValues('status')).toEqual([{ value: 'done', count: 3 }])
      })

      test.each(['-zzz', '-title:zzz', '-(zzz yyy)'])(
        '%s: excluded words do not affect relevance, so results are ordered by time',
        async (query) => {
          const { store } = await kitchen()
          const times = ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md', 'garden/tools.md']
          expect(await found(store, query)).toEqual(times)
        },
      )

      test('orders by relevance, title or time, in both directions, with pages', async () => {
        const { store } = await kitchen()
        expect(await found(store, 'soup', { scope: {} })).toEqual(['kitchen/soup.md', 'kitchen/old soup.md', 'garden/leek.md'])
        const titles = ['kitchen/bread.md', 'garden/leek.md', 'kitchen/soup.md', 'garden/tools.md']
        expect(await found(store, '', { orderBy: 'title' })).toEqual(titles)
        expect(await found(store, '', { orderBy: 'title', order: 'desc' })).toEqual([...titles].reverse())
        const times = ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md', 'garden/tools.md']
        expect(await found(store, '', { orderBy: 'modified' })).toEqual(times)
        expect(await found(store, '', { orderBy: 'modified', order: 'asc' })).toEqual([...times].reverse())
        expect(await found(store, '', { orderBy: 'relevance' })).toEqual(times)
        expect(await found(store, '#status=', { orderBy: 'created' })).toEqual(['kitchen/soup.md', 'kitchen/bread.md'])
        const second = await ask(store).find('', now, { ...LISTED, orderBy: 'title', page: { offset: 1, limit: 2 } })
        expect(second.notes).toMatchObject({ items: [{ id: titles[1] }, { id: titles[2] }], total: 4 })
      })

      test('notes with equal scores keep one order on all pages', async () => {
        // The notes that are added later come first in the order of ids.
        const { store, change, indexSearch } = await kitchen({ 'n8/n.md': 'kumquat', 'n9/n.md': 'kumquat' })
        await change(Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`n${at}/n.md`, 'kumquat'])))
        await indexSearch(bag)
        const whole = await found(store, 'kumquat')
        expect(whole).toHaveLength(9)
        const pages: string[] = []
        for (let offset = 0; offset < 9; offset += 2) {
          const page = { offset, limit: 2 }
          pages.push(...(await ask(store).find('kumquat', now, { ...LISTED, page })).notes.items.map(({ id }) => id))
        }
        expect(pages).toEqual(whole)
      })

      test('finds a relation to a hidden note by its title', async () => {
        const { store } = await kitchen({ ...KITCHEN, 'Kitchen/Stock.md': '---\nup: "[[Secret]]"\n---\n' })
        expect(await found(store, '~up=secret')).toEqual(['kitchen/stock.md'])
      })

      test('ordering by time keeps the scores of the words', async () => {
        const { store } = await kitchen()
        const byTime = (await ask(store).find('salt', now, { ...LISTED, orderBy: 'modified' })).notes.items
        const byScore = (await ask(store).find('salt', now, LISTED)).notes.items
        expect(new Map(byTime.map(({ id, score }) => [id, score]))).toEqual(new Map(byScore.map(({ id, score }) => [id, score])))
      })

      test('a title that equals the query has score 1', async () => {
        const { store } = await kitchen()
        const { items } = (await ask(store).find('SOUP', now, LISTED)).notes
        expect(items[0]).toMatchObject({ id: 'kitchen/soup.md', title: 'Soup', score: 1 })
        expect(items[1]?.score).toBeLessThan(1)
      })

      test('falls back to some of the words when no note has all; filters still apply', async () => {
        const { store } = await kitchen()
        const { notes: some, fallback, words } = await ask(store).find('flour spade -#food', now, LISTED)
        expect(fallback).toBe('some')
        expect(some.items.map((item) => item.id)).toEqual(['garden/tools.md'])
        expect(words.map(({ form, text }) => [form, text])).toEqual([
          ['word', 'flour'],
          ['word', 'spade'],
        ])
        expect(await ask(store).find('xylophone zebra', now, LISTED)).toMatchObject({
          notes: { items: [], total: 0 },
          fallback: undefined,
        })
      })

      test('falls back to words that start with the query; a short word matches too many', async () => {
        const { store } = await kitchen()
        const { notes: begun, fallback, words } = await ask(store).find('wheelb -#food', now, LISTED)
        expect([begun.items.map((item) => item.id), fallback]).toEqual([['garden/tools.md'], 'begun'])
        expect(begun.items[0]?.score).toBeGreaterThan(0)
        expect(words).toEqual([{ form: 'prefix', text: 'wheelb' }])
        expect(await ask(store).find('whe', now, LISTED)).toMatchObject({ notes: { total: 0 }, fallback: undefined })
      })

      test.each(['(', 'created:never', 'title:', '#', '~', 'has:wings', 'a OR', '"'.repeat(3)])(
        '%j is answered, or an error with a column',
        async (query) => {
          const { store } = await kitchen()
          try {
            await ask(store).find(query, now, LISTED)
          } catch (error) {
            expect(error).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringMatching(/column \d+/) })
          }
        },
      )
    })

    test.each(['malformed (', '"corrupt', 'no such table) OR'])(
      'rejects the query %j without harming the index',
      async (query) => {
        const { store } = await kitchen()
        await expect(found(store, query)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
        expect(await found(store, 'loaf')).toEqual(['kitchen/bread.md'])
      },
    )

    describe('after changes', () => {
      test('an edit: finds new words and meaning, and old ones no longer', async () => {
        const { store, change, indexSearch } = await kitchen()
        await change({ 'Garden/Tools.md': '---\naliases: [Engine]\n---\nA lawnmower. #machines' })
        await indexSearch(bag)
        expect(await wordIds(store, 'lawnmower')).toEqual(['garden/tools.md'])
        expect(await wordIds(store, 'wheelbarrow')).toEqual([])
        expect(await found(store, '"a lawnmower" #machines')).toEqual(['garden/tools.md'])
        expect(await found(store, 'engine')).toEqual(['garden/tools.md'])
        const [best] = await ask(store).nearest(bag.id, bagOf('tools a lawnmower machines'), {}, 1)
        expect(best?.id).toBe('garden/tools.md')
        expect(best?.score).toBeCloseTo(1, 3)
        const names = await ask(store).nearestNames(bag.id, bagOf('engine'), {}, { limit: 1, minimum: 0.9 })
        expect(names).toMatchObject([{ id: 'garden/tools.md', name: 'Engine' }])
      })

      test('a rename: finds the note only under its new name and folder', async () => {
        const { store, change, indexSearch } = await kitchen()
        const text = KITCHEN['Garden/Tools.md']
        await change({ 'Garden/Tools.md': undefined, 'Shed/Implements.md': text })
        await indexSearch(bag)
        expect(await wordIds(store, 'wheelbarrow')).toEqual(['shed/implements.md'])
        expect(await wordIds(store, 'implements')).toEqual(['shed/implements.md'])
        expect(await wordIds(store, 'tools')).toEqual([])
        expect(await nearIds(store, 'spade', { folder: 'garden' })).toEqual(['garden/leek.md'])
        expect(await nearIds(store, 'spade', { folder: 'shed' })).toEqual(['shed/implements.md'])
        expect(await found(store, 'path:shed spade')).toEqual(['shed/implements.md'])
      })

      test('a deletion takes effect before the search index is updated', async () => {
        const { store, change, indexSearch } = await kitchen()
        await change({ 'Garden/Tools.md': undefined })
        for (const again of [false, true]) {
          if (again) await indexSearch(bag)
          expect(await wordIds(store, 'wheelbarrow')).toEqual([])
          expect(await nearIds(store, 'spade rake wheelbarrow')).not.toContain('garden/tools.md')
          expect(await found(store, 'wheelbarrow')).toEqual([])
          expect(await ask(store).vectors(bag.id, id('garden/tools.md'))).toBeUndefined()
        }
      })

      test('archiving and tagging take effect before the search index is updated', async () => {
        const { store, change } = await kitchen()
        await change({ 'Garden/Tools.md': `---\narchived: true\n---\n${KITCHEN['Garden/Tools.md']} #shed` })
        expect(await wordIds(store, 'wheelbarrow', { withoutArchived: true })).toEqual([])
        expect(await found(store, 'wheelbarrow')).toEqual([])
        expect(await found(store, '#shed', { scope: {} })).toEqual(['garden/tools.md'])
      })

      test("a reused key never returns the old file's words or vectors", async () => {
        const { store, change, indexSearch } = await kitchen()
        // Create as many notes as were deleted, so a store that reuses keys does so now.
        await change({ 'Garden/Tools.md': undefined, 'Kitchen/Bread.md': undefined })
        await change({ 'New/One.md': 'Clarinet.', 'New/Two.md': 'Oboe.' })
        const check = async (words: boolean) => {
          for (const word of ['wheelbarrow', 'sourdough', 'loaf', 'baked']) {
            expect(await wordIds(store, word)).toEqual([])
            expect(await found(store, word)).toEqual([])
            expect(await found(store, `"${word}"`)).toEqual([])
          }
          const vector = bagOf('spade rake wheelbarrow sourdough overnight')
          const near = (await ask(store).nearest(bag.id, vector, { folder: 'new' }, 9)).map((hit) => hit.id)
          expect(near.sort()).toEqual(words ? ['new/one.md', 'new/two.md'] : [])
          const names = await ask(store).nearestNames(bag.id, bagOf('bread loaf tools'), {}, { limit: 99, minimum: -1 })
          expect(names.map((hit) => hit.name).filter((one) => /Bread|Loaf|Tools/.test(one))).toEqual([])
          expect((await ask(store).vectors(bag.id, id('new/one.md')))?.chunks.length ?? 0).toBe(words ? 1 : 0)
          expect(await wordIds(store, 'clarinet')).toEqual(words ? ['new/one.md'] : [])
        }
        await check(false)
        await indexSearch(bag)
        await check(true)
      })
    })

    test('returns nothing before anything is indexed', async () => {
      const under = await open(KITCHEN, HIDDEN)
      opened.push(under)
      const { store } = under
      expect((await ask(store).words('soup', {}, 9)).hits).toEqual([])
      expect(await nearIds(store, 'soup')).toEqual([])
      expect(await found(store, 'soup')).toEqual([])
      expect(await found(store, '#food/baked')).toEqual(['kitchen/bread.md'])
    })

    test('an empty vault returns nothing', async () => {
      const { store } = await kitchen({})
      expect((await ask(store).words('soup', {}, 9)).hits).toEqual([])
      expect(await nearIds(store, 'soup')).toEqual([])
      expect(await found(store, 'soup OR -soup')).toEqual([])
      expect(await ask(store).vectorStates()).toEqual([])
    })
  })
}
