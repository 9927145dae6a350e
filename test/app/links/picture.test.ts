import { expect, test } from 'vitest'
import { partOfPicture, vaultPicture } from '../../../src/app/links/picture.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'home.md': '[[soil/worms]] [[soil/compost]] [[tools/spade]] #start',
  'soil/worms.md': '[[compost]]',
  'soil/compost.md': '[[home]]',
  'tools/spade.md': '[[tools/rake]]',
  'tools/rake.md': 'A rake.',
  'alone.md': 'No links.',
}

/** The titles of each link of a picture. */
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

test('a picture has every note and each link once', async () => {
  const { value } = await vaultPicture(await searchCore(NOTES), { mayMove: 'once' })
  expect(value.titles.toSorted()).toEqual(['alone', 'compost', 'home', 'rake', 'spade', 'worms'])
  expect(linked(value)).toEqual(['compost–home', 'compost–worms', 'home–spade', 'home–worms', 'rake–spade'])
  expect(Buffer.from(value.places, 'base64').length).toBe(6 * 8)
})

test('the part of a picture has the named notes, what is linked with them, and then the best linked', async () => {
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

test('notes of a part lie where they lie in the whole', async () => {
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

test('what is linked with a named hub and nothing else leaves room for the best linked', async () => {
  const leaves = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`leaf ${at}.md`, '[[hub]]']))
  const ring = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`ring ${at}.md`, `[[ring ${(at + 1) % 12}]] [[ring ${(at + 2) % 12}]]`]),
  )
  const { value } = await partOfPicture(await searchCore({ 'hub.md': '', ...leaves, ...ring }), { notes: ['hub'], most: 24 })
  expect(value.titles.filter((title) => title.startsWith('ring'))).toHaveLength(12)
})
