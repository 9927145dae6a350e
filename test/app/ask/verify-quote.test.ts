import { expect, test } from 'vitest'
import { verifyQuote } from '../../../src/app/ask/verify-quote.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'

const LINE = 'Salt is **strong**. See the [[Home|start]], [the plan](plan_(b).md "T") and ![[Old Home]] or `a_b`.'
const core = fakeCore(fakeStore({ 'a.md': { body: `x\n\n${LINE}\n` }, 'home.md': { body: '' } }))

test.each([
  ['see the start', 'See the [[Home|start]]'],
  ['start, the', '[[Home|start]], [the plan](plan_(b).md "T")'],
  ['plan and old', '[the plan](plan_(b).md "T") and ![[Old Home]]'],
  ['home or', '![[Old Home]] or'],
  ['or a_b', 'or `a_b`'],
  ['salt is strong', 'Salt is **strong'],
])('the text of the quote %j is %j, with whole links', async (quote, text) => {
  const { value } = await verifyQuote(core, { id: 'a', quote })
  expect(value).toMatchObject({ found: true, text, start_line: 3, end_line: 3 })
})

test('text between pieces of code is not code, even far into a line', async () => {
  const body = `\`${'x '.repeat(80)}\` ${'word '.repeat(166)}Run \`npm test\` and quote this here. Run \`npm test\`.\n`
  const vault = fakeCore(fakeStore({ 'a.md': { body } }))
  const { value } = await verifyQuote(vault, { id: 'a', quote: 'quote this here' })
  expect(value).toMatchObject({ text: 'quote this here' })
})
