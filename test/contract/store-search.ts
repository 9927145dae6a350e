import { afterEach, describe, expect, test } from 'vitest'
import type { QueryOptions } from '../../src/app/find/find-by-query.ts'
import { RouxError } from '../../src/core/errors.ts'
import type { NodeId } from '../../src/core/ids.ts'
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
/** By relevance, without what is archived. */
const LISTED: QueryOptions = { scope: { withoutArchived: true }, orderBy: 'relevance', page }
const now = new Date('2024-06-15T12:00:00Z')
const id = (text: string) => text as NodeId

function among(...ids: readonly string[]): Condition {
  return { kind: 'among', nodes: ids.map(id) }
}

/** What every implementation of the `Store` port must do to find notes by words, by meaning and by a query. */
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
      return (await ask(store).find(query, now, all)).found.items.map((item) => item.id)
    }

    describe('words', () => {
      test('notes with any of them, best first, with what each is worth', async () => {
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

      test('in titles, aliases, tags and values of properties too; in other forms of them', async () => {
        const { store } = await kitchen()
        expect(await wordIds(store, 'loaf')).toEqual(['kitchen/bread.md'])
        expect(await wordIds(store, 'baked')).toEqual(['kitchen/bread.md'])
        expect(await wordIds(store, 'later')).toEqual(['kitchen/soup.md'])
        expect(await wordIds(store, 'GROWING')).toEqual(['garden/leek.md'])
      })

      test('that are nowhere are worth nothing, and are told', async () => {
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

      test.each(['', '   ', '🍞🥖', '—?!'])('of %j are none', async (text) => {
        const { store } = await kitchen()
        expect(await ask(store).words(text, {}, 10)).toEqual({ hits: [], coverage: 0, terms: [] })
      })

      test('as many as are wanted', async () => {
        const { store } = await kitchen()
        const all = await ask(store).words('salt soup leek', {}, 100)
        for (const limit of [0, 1, 2]) {
          expect((await ask(store).words('salt soup leek', {}, limit)).hits).toEqual(all.hits.slice(0, limit))
        }
      })
    })

    describe('a scope', () => {
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

      test.each(scopes)('%s: words, meaning and queries keep to it', async (_, scope, expected) => {
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

      test.each(scopes)('%s: titles keep to it', async (_, scope) => {
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
      ['conflict copies are asked for, too', {}, ['leek (conflicted copy 2024-05-05).md', 'leek.md']],
      ['they are not', { withoutConflicts: true }, ['leek.md']],
    ])('of a note and its conflict copy, where %s', async (_, scope, expected) => {
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
      ['no kind is said', {}, ['garden/salt leek.md']],
      ['canvases are asked for', { kinds: ['canvas'] }, ['garden/salt leek.canvas']],
      ['both are', { kinds: ['note', 'canvas'] }, ['garden/salt leek.canvas', 'garden/salt leek.md']],
    ])('of a note and a canvas that say the same, where %s', async (_, scope, expected) => {
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

    describe('meaning', () => {
      test('the nearest parts first, by cosine', async () => {
        const { store } = await kitchen()
        const hits = await ask(store).nearest(bag.id, bagOf('spade, rake, and a wheelbarrow. tools'), {}, 100)
        expect(hits[0]).toMatchObject({ id: 'garden/tools.md', chunk: 0 })
        expect(hits[0]?.score).toBeCloseTo(1, 3)
        const scores = hits.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        expect(await ask(store).nearest(bag.id, bagOf('spade'), {}, 2)).toHaveLength(2)
        expect(await ask(store).nearest(bag.id, bagOf('spade'), {}, 0)).toEqual([])
      })

      test('names: titles and aliases, above the minimum', async () => {
        const { store } = await kitchen()
        const hits = await ask(store).nearestNames(bag.id, bagOf('loaf'), {}, { limit: 100, minimum: 0.99 })
        expect(hits[0]).toMatchObject({ id: 'kitchen/bread.md', title: 'Bread', name: 'Loaf' })
        expect(hits.every(({ score }) => score >= 0.99)).toBe(true)
        const all = await ask(store).nearestNames(bag.id, bagOf('loaf'), {}, { limit: 100, minimum: -1 })
        expect(all.map((hit) => hit.name).sort()).toEqual(['Bread', 'Leek', 'Loaf', 'Old soup', 'Soup', 'Tools'])
      })

      test('the vectors of a note, and where its chunks stand', async () => {
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

      test('of what nothing is known is not there: another embedder, a note that is none', async () => {
        const { store } = await kitchen()
        expect(await ask(store).nearest('test:other:16', bagOf('soup'), {}, 9)).toEqual([])
        expect(await ask(store).nearestNames('test:other:16', bagOf('soup'), {}, { limit: 9, minimum: 0 })).toEqual([])
        expect(await ask(store).vectors('test:other:16', id('kitchen/soup.md'))).toBeUndefined()
        expect(await ask(store).vectors(bag.id, id('nope.md'))).toBeUndefined()
        expect(await ask(store).vectors(bag.id, id('pot.png'))).toBeUndefined()
      })

      test('a vector that cannot be is an error that says so', async () => {
        const { store } = await kitchen()
        await expect(ask(store).nearest(bag.id, new Float32Array(3), {}, 9)).rejects.toThrow(RouxError)
        await expect(ask(store).nearest(bag.id, bagOf('a').fill(Number.NaN), {}, 9)).rejects.toThrow(RouxError)
        expect(await nearIds(store, 'leek')).toHaveLength(5)
      })

      test('a note of nothing that the embedder knows is near to nothing', async () => {
        const { store } = await kitchen({ '🍞.md': '🥖🥖🥖', 'a.md': 'Flour.' })
        expect(await nearIds(store, 'flour')).toEqual(['a.md'])
        expect((await ask(store).vectors(bag.id, id('🍞.md')))?.chunks.map(({ vector }) => Math.hypot(...vector))).toEqual([0])
      })

      test('states: what vectors there are, and of which embedder', async () => {
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

    describe('find', () => {
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

      test.each(['links:nowhere', '~up=other/bread'])('%s is an error, because there is no such note', async (query) => {
        const { store } = await kitchen()
        await expect(ask(store).find(query, now, LISTED)).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
      })

      test.each(queries)('%s', async (query, expected) => {
        const { store } = await kitchen()
        const { items, total } = (await ask(store).find(query, now, { ...LISTED, orderBy: 'title' })).found
        expect(items.map((item) => item.id).sort()).toEqual(expected)
        expect(total).toBe(expected.length)
        const ranked = (await ask(store).find(query, now, LISTED)).found.items
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
      ] as const)('%s: of texts that list values', async (query, expected) => {
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
      ] as const)('%s: of numbers, dates, tasks and links', async (query, expected) => {
        const { store } = await kitchen(LOG)
        expect((await found(store, query)).toSorted()).toEqual(expected)
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
      ])('among: %s', async (_, condition, expected) => {
        const { store } = await kitchen()
        const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
        const { items, total } = await store.read((snapshot) =>
          snapshot.find(condition, { scope: { withoutArchived: true }, order }, page),
        )
        expect(items.map((item) => item.id).sort()).toEqual(expected)
        expect(total).toBe(expected.length)
      })

      test('properties: what notes have, by how many, and what their values are', async () => {
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
        '%s: words that are unwanted are no relevance, so it is by time',
        async (query) => {
          const { store } = await kitchen()
          const times = ['garden/leek.md', 'kitchen/bread.md', 'kitchen/soup.md', 'garden/tools.md']
          expect(await found(store, query)).toEqual(times)
        },
      )

      test('orders: by relevance, title, time; either way; in pages', async () => {
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
        expect(second.found).toMatchObject({ items: [{ id: titles[1] }, { id: titles[2] }], total: 4 })
      })

      test('notes that score the same are in one order, whichever page they are on', async () => {
        // Those that come later stand before by their ids.
        const { store, change, indexSearch } = await kitchen({ 'n8/n.md': 'kumquat', 'n9/n.md': 'kumquat' })
        await change(Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`n${at}/n.md`, 'kumquat'])))
        await indexSearch(bag)
        const whole = await found(store, 'kumquat')
        expect(whole).toHaveLength(9)
        const pages: string[] = []
        for (let offset = 0; offset < 9; offset += 2) {
          const page = { offset, limit: 2 }
          pages.push(...(await ask(store).find('kumquat', now, { ...LISTED, page })).found.items.map(({ id }) => id))
        }
        expect(pages).toEqual(whole)
      })

      test('a relation to a note that the vault hides is found by its title', async () => {
        const { store } = await kitchen({ ...KITCHEN, 'Kitchen/Stock.md': '---\nup: "[[Secret]]"\n---\n' })
        expect(await found(store, '~up=secret')).toEqual(['kitchen/stock.md'])
      })

      test('what is ordered by time is scored by its words all the same', async () => {
        const { store } = await kitchen()
        const byTime = (await ask(store).find('salt', now, { ...LISTED, orderBy: 'modified' })).found.items
        const byScore = (await ask(store).find('salt', now, LISTED)).found.items
        expect(new Map(byTime.map(({ id, score }) => [id, score]))).toEqual(new Map(byScore.map(({ id, score }) => [id, score])))
      })

      test('a title that is what the query says has the score 1', async () => {
        const { store } = await kitchen()
        const { items } = (await ask(store).find('SOUP', now, LISTED)).found
        expect(items[0]).toMatchObject({ id: 'kitchen/soup.md', title: 'Soup', score: 1 })
        expect(items[1]?.score).toBeLessThan(1)
      })

      test('some of the words where no note has all, and says so; filters hold', async () => {
        const { store } = await kitchen()
        const { found: some, fallback, words } = await ask(store).find('flour spade -#food', now, LISTED)
        expect(fallback).toBe('some')
        expect(some.items.map((item) => item.id)).toEqual(['garden/tools.md'])
        expect(words.map(({ form, text }) => [form, text])).toEqual([
          ['word', 'flour'],
          ['word', 'spade'],
        ])
        expect(await ask(store).find('xylophone zebra', now, LISTED)).toMatchObject({
          found: { items: [], total: 0 },
          fallback: undefined,
        })
      })

      test('words that begin so where no note has the words; short ones begin too many', async () => {
        const { store } = await kitchen()
        const { found: begun, fallback, words } = await ask(store).find('wheelb -#food', now, LISTED)
        expect([begun.items.map((item) => item.id), fallback]).toEqual([['garden/tools.md'], 'begun'])
        expect(begun.items[0]?.score).toBeGreaterThan(0)
        expect(words).toEqual([{ form: 'prefix', text: 'wheelb' }])
        expect(await ask(store).find('whe', now, LISTED)).toMatchObject({ found: { total: 0 }, fallback: undefined })
      })

      test.each(['(', 'created:never', 'title:', '#', '~', 'has:wings', 'a OR', '"'.repeat(3)])(
        '%j is an error that says where, or an answer',
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
      'the query %j is refused, and the index is none the worse',
      async (query) => {
        const { store } = await kitchen()
        await expect(found(store, query)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
        expect(await found(store, 'loaf')).toEqual(['kitchen/bread.md'])
      },
    )

    describe('after changes', () => {
      test('an edit: new words and meaning are found, old ones no more', async () => {
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

      test('a rename: under the new name and folder, and under no other', async () => {
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

      test('a deletion is seen at once, before search knows', async () => {
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

      test('archiving and tagging are seen at once, before search knows', async () => {
        const { store, change } = await kitchen()
        await change({ 'Garden/Tools.md': `---\narchived: true\n---\n${KITCHEN['Garden/Tools.md']} #shed` })
        expect(await wordIds(store, 'wheelbarrow', { withoutArchived: true })).toEqual([])
        expect(await found(store, 'wheelbarrow')).toEqual([])
        expect(await found(store, '#shed', { scope: {} })).toEqual(['garden/tools.md'])
      })

      test('a key that is given again never answers with the old file’s words or vectors', async () => {
        const { store, change, indexSearch } = await kitchen()
        // As many new notes as were deleted: whatever a store gives again, it gives now.
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

    test('before anything is indexed answers are empty, whatever is asked', async () => {
      const under = await open(KITCHEN, HIDDEN)
      opened.push(under)
      const { store } = under
      expect((await ask(store).words('soup', {}, 9)).hits).toEqual([])
      expect(await nearIds(store, 'soup')).toEqual([])
      expect(await found(store, 'soup')).toEqual([])
      expect(await found(store, '#food/baked')).toEqual(['kitchen/bread.md'])
    })

    test('an empty vault answers everything with nothing', async () => {
      const { store } = await kitchen({})
      expect((await ask(store).words('soup', {}, 9)).hits).toEqual([])
      expect(await nearIds(store, 'soup')).toEqual([])
      expect(await found(store, 'soup OR -soup')).toEqual([])
      expect(await ask(store).vectorStates()).toEqual([])
    })
  })
}
