import { expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { type MapPageOptions, mapPage } from '../../../src/cli/vaults/export.ts'
import { searchCore } from '../../app/search-core.ts'

const TEMPLATE = '<script type="application/json" id="vault">"MAP-HERE"</script><script>run()</script>'

async function pageOf(core: GraphCore, included: Partial<MapPageOptions['included']> = {}): Promise<string> {
  let page = ''
  const onUnread = (message: string): never => {
    throw new Error(message)
  }
  const options = { template: TEMPLATE, included: { texts: false, quotes: false, ...included }, onUnread }
  for await (const piece of mapPage(core, options)) page += piece
  return page
}

const dataOf = (page: string) => JSON.parse(page.slice(page.indexOf('{'), page.lastIndexOf('}</script>') + 1))

test('the page has every note with title and position, and no texts', async () => {
  const core = await searchCore({ 'home.md': '[[worms]] a secret sentence', 'worms.md': '' })
  const page = await pageOf(core)
  const { name, picture, texts } = dataOf(page)
  expect([name, picture.titles.toSorted(), texts]).toEqual(['vault', ['home', 'worms'], undefined])
  expect(page).not.toContain('secret')
  expect(page.endsWith('}</script><script>run()</script>')).toBe(true)
})

test("a page with texts has each note's own, without frontmatter", async () => {
  const files = Object.fromEntries(Array.from({ length: 230 }, (_, at) => [`n${at}.md`, `---\na: 1\n---\nText of n${at}.`]))
  const { picture, texts } = dataOf(await pageOf(await searchCore(files), { texts: true }))
  expect(texts).toHaveLength(230)
  for (const [at, id] of picture.ids.entries()) expect(texts[at].text).toBe(`Text of ${id.replace('.md', '')}.`)
})

test('titles and texts cannot end the data element', async () => {
  const hostile = '</script><script>alert(1)</script><!--<script>'
  const core = await searchCore({ 'a <!--<script>.md': `# ${hostile}\n${hostile} #a`, 'b.md': hostile })
  const page = await pageOf(core, { texts: true })
  expect(page.match(/<\/?script|<!--/g)).toHaveLength(4)
  expect(JSON.stringify(dataOf(page).texts)).toContain(hostile)
})

test('a vault without notes has a page too', async () => {
  const { picture, texts } = dataOf(await pageOf(await searchCore({}), { texts: true }))
  expect([picture.ids, texts]).toEqual([[], []])
})

test('a page with quotes has the first sentence of each note that links to another, except in comments and properties', async () => {
  const core = await searchCore({
    'a.md': '---\nup: "[[b]]"\n---\nFirst. The roof rests on [[b]]. Then [[b]] again. %% Hidden [[c]]. %% Not [[missing]].',
    'b.md': 'See [[a]] and [[b]].',
    'c.md': '',
  })
  const { picture, quotes } = dataOf(await pageOf(core, { quotes: true }))
  expect(picture.ids).toEqual(['a.md', 'b.md', 'c.md'])
  expect(quotes).toEqual([[[1, 'The roof rests on [[b]].']], [[0, 'See [[a]] and [[b]].']], []])
  expect(dataOf(await pageOf(core)).quotes).toBeUndefined()
})
