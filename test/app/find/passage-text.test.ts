import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PassageText, passageText as passageIn, readChunk } from '../../../src/app/find/passage-text.ts'
import { legible } from '../../../src/markdown/prose/legible.ts'
import { matchFinder, type SnippetQuery } from '../../../src/search/words/matches.ts'
import { queryTerms } from '../../../src/search/words/query-terms.ts'

const asking = (text: string): SnippetQuery => ({ terms: queryTerms(text).map((term) => ({ term, weight: 1 })), phrases: [] })

const show = (text: string, words: SnippetQuery, length: number): PassageText =>
  passageIn(readChunk(text, matchFinder(words)), words, length)
const passageText = (...args: Parameters<typeof show>) => show(...args).text

describe('hidden text', () => {
  test('hidden text is replaced by spaces, so offsets stay the same', () => {
    const text = 'a %% not\nme %% b <!-- nor me --> c <span class="x">d</span> ![badge](https://e.org/x.svg) [e](f.md)'
    const shown = legible(text)
    expect(shown).toHaveLength(text.length)
    expect(shown.replace(/\s+/g, ' ')).toBe('a b c d [e](f.md)')
    expect(shown.indexOf('[e]')).toBe(text.indexOf('[e]'))
    expect(shown.split('\n')).toHaveLength(2)
  })

  test('a comment or tag must be closed to be hidden', () => {
    for (const text of ['50 %% and more', '<!-- open', 'a < b > c', '![not closed', '![[note.md]]'])
      expect(legible(text)).toBe(text)
  })

  test('excludes code and addresses in angle brackets', () => {
    for (const text of [
      'Run `roux --path <local-path>` or `<br>`.',
      '```html\n<b>%% x %%</b> ![a](b.png) <!-- c -->\n```',
      'Mail <marijnh@example.org>, read <https://example.org/a>.',
      '[log](<https://example.org/a b>)',
      '[log](<notes/a b.md#C d>)',
    ])
      expect(legible(text)).toBe(text)
    expect(legible('a <b>`<b>`</b> %% `<c>` %% d').replace(/ +/g, ' ')).toBe('a `<b>` d')
    expect(legible('[a](<b>c</b>)')).toBe('[a](   c    )')
    expect(legible('[a](<b c> "d")')).toBe('[a](<b c> "d")')
  })

  test('blanking keeps the length and lines of any text', () => {
    const soup = fc.array(
      fc.constantFrom('`', '```', '%%', '<!--', '-->', '<b>', '![', '](', ')', ']]', '![[', '\n', ' ', 'x', '😀'),
      {
        maxLength: 60,
      },
    )
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join('')
        expect(legible(text)).toHaveLength(text.length)
        expect(legible(text).split('\n')).toHaveLength(text.split('\n').length)
      }),
    )
  })
})

describe('passage text', () => {
  test('keeps its lines when it is cut within an overlong sentence', () => {
    const chunk = `${'filler '.repeat(100)}alpha beta\n| gamma | delta |\n| --- | --- |\n${'more '.repeat(100)}`
    expect(passageText(chunk, asking('alpha beta'), 120)).toContain('alpha beta\n| gamma | delta |\n')
  })

  const badges =
    '%% ----- Badges ----- %%\n![a](https://e.org/kanban.svg) ![b](https://e.org/b.svg)\n\n# Boards\n\nCreates kanban boards.'

  test('a passage that fits is shown as written, without hidden text', () => {
    expect(passageText('- one\n\n- two  `x`', asking('one'), 100)).toBe('- one\n\n- two  `x`')
    expect(passageText(badges, asking('kanban'), 60)).toBe('# Boards\n\nCreates kanban boards.')
  })

  test('includes hidden text when only that has the words, or there is nothing else', () => {
    expect(passageText('%% secret plan %% Open.', asking('plan'), 100)).toBe('%% secret plan %% Open.')
    expect(passageText('%% all of it %%', asking('it'), 100)).toBe('%% all of it %%')
  })

  test('keeps its lines when it is cut, as code and tables need them', () => {
    const text = `Run this:\n\n\n\n\`\`\`sh\nif true; then\n    wget   x\nfi\n\`\`\`\n${'More filler. '.repeat(20)}`
    const shown = passageText(text, asking('true wget'), 100)
    expect(shown).toMatch(/if true; then\n {4}wget x\nfi\n```\nMore filler\./)
    expect(shown.length).toBeLessThanOrEqual(100)
  })

  test('begins with the sentence that has the words', () => {
    const text = `${'Filler goes on. '.repeat(20)}\n\nWorms dig tunnels. Rain follows them down.\n${'More filler. '.repeat(20)}`
    const shown = passageText(text, asking('tunnels rain'), 100)
    expect(shown).toMatch(/^…Worms dig tunnels\. Rain follows them down\.\nMore filler\./)
    expect(shown.length).toBeLessThanOrEqual(100)
    expect(shown.endsWith('…')).toBe(true)
  })

  test('a passage is not chosen for words that occur only in URLs', () => {
    const text = `[x](https://e.org/kanban-board)${' and filler'.repeat(12)}.\n\nA board for tasks.`
    expect(passageText(text, asking('kanban board'), 60)).toBe('…A board for tasks.')
  })

  test('prefers the sentences where the words are closest together, which leaves room for what follows', () => {
    const text = `- Videos are watched at any speed, unless that hurts.\n- Books are heard at a speed that still can be followed (podcasts: 1.4, books: 1.25).\n${'More of that. '.repeat(9)}`
    expect(passageText(text, asking('speed books podcasts'), 135)).toBe(
      '…- Books are heard at a speed that still can be followed (podcasts: 1.4, books: 1.25).\nMore of that. More of that. More of that. More…',
    )
  })

  test('includes what comes before when the match is at the end of a chunk', () => {
    const text = `${'Filler goes on. '.repeat(20)}Rain falls. Worms dig tunnels.`
    expect(passageText(text, asking('tunnels'), 60)).toBe('…Filler goes on. Rain falls. Worms dig tunnels.')
  })

  test('reports its position in the chunk', () => {
    const chunk = `One.\n${'two '.repeat(30)}.\n\nThree needles.\n${'four '.repeat(30)}`
    const { text, start, end } = show(chunk, asking('needle'), 50)
    expect(text).toMatch(/^…Three needles\.\nfour four/)
    expect(chunk.slice(start, end)).toBe(text.slice(1, -1))
    expect(show('short', asking('x'), 50)).toEqual({ text: 'short', start: 0, end: 5 })
  })

  test('a passage is the beginning when no word matches', () => {
    expect(passageText('One two three. '.repeat(20), asking('nothing'), 40)).toBe('One two three. One two three. One two…')
  })

  test('one endless sentence is cut around the words', () => {
    const shown = passageText(`${'word '.repeat(200)}needle ${'word '.repeat(200)}`, asking('needle'), 80)
    expect(shown).toContain('needle')
    expect(shown.length).toBeLessThanOrEqual(80)
  })

  test('never exceeds its limit or splits a surrogate pair', () => {
    const soup = fc.array(fc.constantFrom('%%', 'word ', 'needle. ', '\n', ' ', '😀', 'x'.repeat(90), '。', '<i>', '- '), {
      maxLength: 80,
    })
    fc.assert(
      fc.property(soup, (parts) => {
        const shown = passageText(parts.join('').trim(), asking('needle'), 100)
        expect(shown.length).toBeLessThanOrEqual(100)
        expect(Buffer.from(shown).toString()).toBe(shown)
      }),
    )
  })
})
