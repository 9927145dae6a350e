import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TextEdit } from '../../../src/core/changes.ts'
import type { Mode } from '../../../src/core/note.ts'
import type { SectionMode } from '../../../src/core/operations.ts'
import { editSection, renameH1, renameHeading } from '../../../src/markdown/edit/section.ts'
import { outlineOf, requireSection } from '../../../src/markdown/outline.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { flavor } from '../check.ts'
import { soup } from '../soups.ts'
import { edited, errorOf, refusal } from './edited.ts'

const TEXT = `---
h: "# One"
---
# One

1

## Setup

1.1

# Two
## Setup
2.1
## Empty
Under
=====
end
`

function edit(mode: SectionMode, section: readonly string[], content: string, text = TEXT): string {
  return edited(text, (given) => editSection(given, { section, mode, content, flavor: flavor() }))
}

describe('below a heading', () => {
  test('replace keeps the heading and the surrounding blank lines', () => {
    expect(edit('replace', ['One', 'Setup'], 'new\n')).toBe(TEXT.replace('1.1', 'new'))
    expect(edit('replace', ['Two', 'Setup'], '\n\na\n\nb\n\n')).toBe(TEXT.replace('2.1', 'a\n\nb'))
    expect(edit('replace', ['One'], 'x')).toBe(TEXT.replace('1\n\n## Setup\n\n1.1', 'x'))
    expect(edit('replace', ['Under'], 'x')).toBe(TEXT.replace('end', 'x'))
    expect(edit('replace', ['One', 'Setup'], '')).toBe(TEXT.replace('\n1.1\n', ''))
  })

  test('an empty section gets blank lines', () => {
    expect(edit('replace', ['Empty'], 'x')).toBe(TEXT.replace('## Empty\n', '## Empty\n\nx\n\n'))
    expect(edit('append', ['Empty'], 'x')).toBe(TEXT.replace('## Empty\n', '## Empty\n\nx\n\n'))
    expect(edit('replace', ['A'], 'x', '# A')).toBe('# A\n\nx')
    expect(edit('prepend', ['A'], 'x', '# A\n\n# B\n')).toBe('# A\n\nx\n\n# B\n')
  })

  test('prepend and append', () => {
    expect(edit('prepend', ['One', 'Setup'], 'x')).toBe(TEXT.replace('1.1', 'x\n\n1.1'))
    expect(edit('prepend', ['Two', 'Setup'], 'x')).toBe(TEXT.replace('2.1', '\nx\n\n2.1'))
    expect(edit('append', ['One'], 'x')).toBe(TEXT.replace('1.1\n', '1.1\n\nx\n'))
    expect(edit('append', ['Two', 'Setup'], 'x')).toBe(TEXT.replace('2.1\n', '2.1\n\nx\n\n'))
    expect(edit('append', ['Under'], 'x')).toBe(`${TEXT}\nx\n`)
    expect(edit('append', ['A'], '- y', '# A\n- x\n\n# B')).toBe('# A\n- x\n- y\n\n# B')
  })

  test('insert before and after', () => {
    expect(edit('insert_before', ['Two'], '# X')).toBe(TEXT.replace('# Two', '# X\n\n# Two'))
    expect(edit('insert_before', ['Under'], 'x')).toBe(TEXT.replace('Under', '\nx\n\nUnder'))
    expect(edit('insert_after', ['One'], '# X\n')).toBe(TEXT.replace('1.1\n', '1.1\n\n# X\n'))
    expect(edit('insert_before', ['One'], 'x')).toBe(TEXT.replace('# One\n\n1', 'x\n\n# One\n\n1'))
  })

  test('a setext heading keeps its spacing', () => {
    const text = '# A\n```\nx\n```\nB\n===\n'
    expect(edit('replace', ['A'], 'y', text)).toBe('# A\ny\n\nB\n===\n')
  })

  test("keeps the file's line endings and ill-formed bytes", () => {
    expect(edit('append', ['A'], 'x\ny', '\ufeff# A\r\na\r\n# B')).toBe('\ufeff# A\r\na\r\n\r\nx\r\ny\r\n\r\n# B')
    expect(edit('replace', ['A'], 'a\nB\nc', '# A\r\na\r\nb\nc\r\n')).toBe('# A\r\na\r\nB\r\nc\r\n')
  })

  test('ignores headings in code, comments and frontmatter; headings in quotes end no section', () => {
    const text = '---\na: |\n  # H\n---\n# A\n```\n# H\n```\n%%\n# H\n%%\n<!--\n# H\n-->\n> # H\n\nend\n'
    expect(edit('append', ['A'], 'x', text)).toBe(`${text}\nx\n`)
    expect(refusal(() => editSection(text, { section: ['H'], mode: 'append', content: 'x', flavor: flavor() }))).toMatch(
      /^EDIT_MISMATCH.*line 15.*quote/,
    )
    const hidden = text.replace('> # H', '')
    expect(errorOf(() => editSection(hidden, { section: ['H'], mode: 'append', content: 'x', flavor: flavor() })).code).toBe(
      'SECTION_NOT_FOUND',
    )
  })

  test('a missing or ambiguous section is an error with the outline, nearest first', () => {
    const missing = errorOf(() => editSection(TEXT, { section: ['Two', 'Undr'], mode: 'append', content: 'x', flavor: flavor() }))
    expect(missing.toJSON()).toMatchObject({ code: 'SECTION_NOT_FOUND', message: 'There is no section "Two > Undr".' })
    expect(missing.candidates?.slice(0, 3)).toEqual([
      { path: ['Under'], line: 16 },
      { path: ['One'], line: 4 },
      { path: ['One', 'Setup'], line: 8 },
    ])
    const several = errorOf(() => editSection(TEXT, { section: ['Setup'], mode: 'append', content: 'x', flavor: flavor() }))
    expect(several.message).toBe('Several sections match "Setup", on lines 8, 13.')
    expect(several.candidates).toHaveLength(2)
    expect(several.candidates?.[1]).toEqual({ path: ['Two', 'Setup'], line: 13 })
    expect(refusal(() => edit('append', ['A'], 'x', '# A\n# A\n'))).toMatch(/on lines 1, 2\. \| Some headings have the same path/)
    expect(refusal(() => editSection('x', { section: ['A'], mode: 'append', content: 'x', flavor: flavor() }))).toMatch(
      /no headings/,
    )
    expect(errorOf(() => editSection(TEXT, { section: [], mode: 'append', content: 'x', flavor: flavor() })).code).toBe(
      'SECTION_NOT_FOUND',
    )
  })

  test('rejects content that repeats the heading or creates frontmatter', () => {
    expect(refusal(() => edit('replace', ['Two', 'Setup'], '## Setup\n\nx'))).toMatch(
      /^INVALID_PARAMS.*line 13.*Omit the heading/,
    )
    expect(refusal(() => edit('insert_before', ['A'], '---\na: 1\n---', '# A\n'))).toMatch(/^INVALID_PARAMS/)
  })
})

describe('blocks', () => {
  test('replace keeps the id', () => {
    expect(edit('replace', ['^id'], 'x\ny', 'a\n\nb\nc ^id\n\nd')).toBe('a\n\nx\ny ^id\n\nd')
    expect(edit('replace', ['^ID'], 'x ^id', 'b ^id\n')).toBe('x ^id\n')
    expect(edit('replace', ['^id'], '- x\n  - y', '- a ^id\n  - b\n- c\n')).toBe('- x ^id\n  - y\n- c\n')
    expect(edit('replace', ['^id'], '```\ncode\n```', 'a ^id\n')).toBe('```\ncode\n```\n\n^id\n')
    expect(edit('replace', ['^id'], '| x |\n|---|', '| a |\n|---|\n| b |\n\n^id\n')).toBe('| x |\n|---|\n\n^id\n')
    expect(edit('replace', ['^id'], '# X', '# A ^id\ntext\n')).toBe('# X ^id\ntext\n')
  })

  test('add lines to the block', () => {
    expect(edit('append', ['^id'], 'c', 'a\nb ^id\n\nd')).toBe('a\nb\nc ^id\n\nd')
    expect(edit('append', ['^id'], '  - b', '- a ^id\n- c')).toBe('- a ^id\n  - b\n- c')
    expect(edit('append', ['^id'], '| c |', '| a |\n|---|\n| b |\n\n^id')).toBe('| a |\n|---|\n| b |\n| c |\n\n^id')
    expect(edit('prepend', ['^id'], 'x', 'a\n\nb ^id')).toBe('a\n\nx\nb ^id')
  })

  test('add lines to the list item, not to an item nested in it', () => {
    const list = '- a ^a\n  - sub ^sub\n- b\n'
    expect(edit('append', ['^a'], 'new', list)).toBe('- a\n  new ^a\n  - sub ^sub\n- b\n')
    expect(edit('append', ['^sub'], 'new', list)).toBe('- a ^a\n  - sub\n    new ^sub\n- b\n')
    expect(edit('append', ['^a'], 'new', '- a ^a\n  - sub\n- b\n')).toBe('- a\n  new ^a\n  - sub\n- b\n')
    expect(edit('append', ['^a'], '  - new', list)).toBe('- a ^a\n  - sub ^sub\n  - new\n- b\n')
    expect(edit('append', ['^a'], 'x\ny\n', '> 1. a ^a\n>    - sub\n')).toBe('> 1. a\n>    x\n>    y ^a\n>    - sub\n')
    expect(edit('append', ['^a'], 'new', '> a ^a\n')).toBe('> a\n> new ^a\n')
    expect(edit('append', ['^a'], 'new', '- a\n- b\n\n^a\n')).toBe('- a\n- b\nnew\n\n^a\n')
  })

  test('a heading that consists of an id is a block itself', () => {
    expect(edit('append', ['^id'], 'x', '# ^id\ntext\n')).toBe('# ^id\nx\ntext\n')
    expect(edit('insert_before', ['^id'], 'x', 'above\n# ^id\n')).toBe('above\n\nx\n\n# ^id\n')
  })

  test('insert text next to the block', () => {
    expect(edit('insert_before', ['^id'], 'x', 'a\n\nb ^id')).toBe('a\n\nx\n\nb ^id')
    expect(edit('insert_after', ['^id'], 'x', 'b ^id\n')).toBe('b ^id\n\nx\n')
    expect(edit('insert_after', ['^id'], 'x', '| a |\n|---|\n\n^id')).toBe('| a |\n|---|\n\n^id\n\nx')
    expect(edit('insert_before', ['^id'], '- x', '- a ^id\n')).toBe('- x\n- a ^id\n')
  })

  test('reject a missing or ambiguous block, and an edit that would lose the id', () => {
    const none = errorOf(() => edit('append', ['^no'], 'x', 'a ^id\n\nb ^x'))
    expect(none.toJSON()).toMatchObject({ code: 'SECTION_NOT_FOUND', candidates: ['^id', '^x'] })
    expect(errorOf(() => edit('append', ['^id'], 'x', 'a ^id\n\nb ^ID')).message).toBe('Several blocks have the id ^id.')
    expect(refusal(() => edit('replace', ['^id'], '```\nopen', 'b ^id'))).toMatch(/^INVALID_PARAMS/)
  })
})

describe('renaming headings', () => {
  const rename = (text: string, path: readonly string[], to: string) =>
    edited(text, (given) => renameHeading(given, { path, to, flavor: flavor() }))

  test('changes only the text of the heading', () => {
    expect(rename('# A ##\r\nx', ['A'], 'B')).toBe('# B ##\r\nx')
    expect(rename('  ##  A *x*   ^id  \n', ['A x ^id'], 'B')).toBe('  ##  B ^id  \n')
    expect(rename('a\nb\n===\n', ['a b'], 'C')).toBe('C\n===\n')
    expect(rename('> # A\n', ['A'], 'B')).toBe('> # B\n')
    expect(rename('#\n', [''], 'B')).toBe('# B\n')
    expect(rename(TEXT, ['Two', 'Setup'], 'C#')).toBe(TEXT.replace('## Setup\n2', '## C#\n2'))
    expect(edited('x\n# A\n# B', (text) => renameH1(text, 'C', flavor()))).toBe('x\n# C\n# B')
    expect(renameH1('## A', 'C', flavor())).toEqual([])
  })

  test('rejects a text that would be read differently', () => {
    for (const [text, to] of [
      ['# A', 'B #'],
      ['A\n===', '- B'],
      ['A\n===', '# B'],
      ['# A', ' '],
      ['# A', 'B\nC'],
      ['A\n---', '```'],
    ]) {
      expect(errorOf(() => rename(text as string, ['A'], to as string)).code).toBe('INVALID_PARAMS')
    }
    expect(errorOf(() => rename('# A', ['B'], 'C')).code).toBe('SECTION_NOT_FOUND')
  })
})

describe('for any text', () => {
  test('the outline has the headings and blocks that the parser lists, in every mode', () => {
    fc.assert(
      fc.property(soup, fc.constantFrom<Mode>('obsidian', 'foam', 'logseq', 'docs'), (text, mode) => {
        const { headings, blocks, bodyStart } = parseNote(text, flavor({ mode }))
        const outline = outlineOf(text, { mode })
        expect(outline.headings.map(({ level, text: name, line }) => ({ level, text: name, line }))).toEqual(headings)
        expect([outline.blocks, outline.bodyStart]).toEqual([blocks, bodyStart])
      }),
      {
        numRuns: 3_000,
        examples: [
          ['a: "[[b]]"\n\ufeff\n- \n', 'obsidian'],
          ['# A\n\t- x\n\t  id:: 1\n\t  ---\n', 'logseq'],
        ],
      },
    )
  })

  test('an edit stays within the section that reading shows', () => {
    const modes = fc.constantFrom<SectionMode>('replace', 'append', 'prepend', 'insert_after')
    fc.assert(
      fc.property(soup, modes, fc.constantFrom<Mode>('obsidian', 'logseq'), (text, mode, given) => {
        const outline = outlineOf(text, { mode: given })
        for (const { path } of outline.headings) {
          // This path names a block, to which other rules apply.
          if (path.length === 1 && path[0]?.startsWith('^') === true) continue
          let edits: readonly TextEdit[]
          try {
            edits = editSection(text, { section: path, mode, content: 'new text', flavor: { mode: given } })
          } catch {
            continue
          }
          const shown = requireSection(text, outline, path)
          for (const { start, end } of edits) expect([start >= shown.start, end <= shown.end]).toEqual([true, true])
        }
      }),
      {
        numRuns: 3_000,
        examples: [['# One\n\n%%\nOld\n===\n%%\n\nafter\n\n# Two\n', 'replace', 'obsidian']],
      },
    )
  })

  test('a block id without a block above it does not mean the frontmatter', () => {
    const text = '---\ntags: x\n---\n^id\n---\n'
    expect(() => requireSection(text, outlineOf(text, { mode: 'obsidian' }), ['^id'])).toThrow('There is no block "^id".')
    expect(() => edit('insert_after', ['^id'], 'new text', text)).toThrow('There is no block "^id".')
  })

  test('text added to a block leaves the ids of all other blocks', () => {
    const modes = fc.constantFrom<SectionMode>('append', 'prepend', 'insert_before', 'insert_after')
    const lists = fc.array(fc.tuple(fc.nat(3), fc.constantFrom('-', '1.', '>', '- [ ]')), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(lists, modes, fc.constantFrom('new', '- new', '  new', '> new', 'two\n\nparts'), (items, mode, content) => {
        const text = items.map(([depth, mark], at) => `${'  '.repeat(depth)}${mark} text ^i${at}\n`).join('')
        for (const id of outlineOf(text, flavor()).blocks) {
          let after: string
          try {
            after = edit(mode, [`^${id}`], content, text)
          } catch (error) {
            expect(String(error)).toMatch(/would separate .* from its block|have the id/)
            continue
          }
          expect(outlineOf(after, flavor()).blocks).toEqual(expect.arrayContaining([...outlineOf(text, flavor()).blocks]))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('an edit changes only the named section', () => {
    const modes = fc.constantFrom<SectionMode>('replace', 'append', 'prepend', 'insert_before', 'insert_after')
    fc.assert(
      fc.property(soup, soup, modes, (before, after, mode) => {
        const text = `${before}\n\n# Here\n\nxyz ^unique\n\n# After\n${after}`
        for (const section of [['Here'], ['^unique']]) {
          let result: string
          try {
            result = edit(mode, section, 'new text', text)
          } catch {
            continue
          }
          const at = text.lastIndexOf('\n# Here')
          expect(result.slice(0, at)).toBe(text.slice(0, at))
          expect(result.endsWith(text.slice(text.lastIndexOf('\n# After')))).toBe(true)
          expect(result).toContain('# Here')
          expect(result).toContain('new text')
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
