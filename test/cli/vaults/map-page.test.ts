import { expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { mapPage } from '../../../src/cli/vaults/map-page.ts'
import { searchCore } from '../../app/search-core.ts'

const TEMPLATE = '<script type="application/json" id="vault">"MAP-HERE"</script><script>run()</script>'

async function pageOf(core: GraphCore, withTexts: boolean): Promise<string> {
  let page = ''
  const onUnread = (message: string): never => {
    throw new Error(message)
  }
  for await (const piece of mapPage(core, { template: TEMPLATE, withTexts, onUnread })) page += piece
  return page
}

const dataOf = (page: string) => JSON.parse(page.slice(page.indexOf('{'), page.lastIndexOf('}</script>') + 1))

test('the page has every note with title and position, and no texts', async () => {
  const core = await searchCore({ 'home.md': '[[worms]] a secret sentence', 'worms.md': '' })
  const page = await pageOf(core, false)
  const { name, picture, texts } = dataOf(page)
  expect([name, picture.titles.toSorted(), texts]).toEqual(['vault', ['home', 'worms'], undefined])
  expect(page).not.toContain('secret')
  expect(page.endsWith('}</script><script>run()</script>')).toBe(true)
})

test("a page with texts has each note's own, without frontmatter", async () => {
  const files = Object.fromEntries(Array.from({ length: 230 }, (_, at) => [`n${at}.md`, `---\na: 1\n---\nText of n${at}.`]))
  const { picture, texts } = dataOf(await pageOf(await searchCore(files), true))
  expect(texts).toHaveLength(230)
  for (const [at, id] of picture.ids.entries()) expect(texts[at].text).toBe(`Text of ${id.replace('.md', '')}.`)
})

test('titles and texts cannot end the data element', async () => {
  const hostile = '</script><script>alert(1)</script><!--<script>'
  const core = await searchCore({ 'a <!--<script>.md': `# ${hostile}\n${hostile} #a`, 'b.md': hostile })
  const page = await pageOf(core, true)
  expect(page.match(/<\/?script|<!--/g)).toHaveLength(4)
  expect(JSON.stringify(dataOf(page).texts)).toContain(hostile)
})

test('a vault without notes has a page too', async () => {
  const { picture, texts } = dataOf(await pageOf(await searchCore({}), true))
  expect([picture.ids, texts]).toEqual([[], []])
})
