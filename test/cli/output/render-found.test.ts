import { describe, expect, test } from 'vitest'
import { renderForPeople } from '../../../src/cli/output/render.ts'
import type { Paint } from '../../../src/cli/output/text.ts'

const paint: Paint = (style, text) => (style === 'bold' ? `*${text}*` : style === 'mark' ? `<${text}>` : text)
const NOTE = { id: 'faults/dense crumb.md', title: 'Dense crumb', tags: ['fault'], links: [], properties: {}, score: 0.763 }
const PASSAGE = { heading: ['Dense crumb'], start_line: 7, end_line: 9, text: '# Dense crumb Why is bread dense?', score: 0.6 }

function render(items: readonly object[], question?: string, width = 40): readonly string[] {
  return renderForPeople(items, { paint, width, question }).split('\n')
}

describe('found notes', () => {
  test('search: title, score, id, passages with lines, and highlighted words in any form', () => {
    const second = { ...PASSAGE, heading: ['Dense crumb', 'Mending'], start_line: 12, end_line: 12, text: 'Fold the breads.' }
    expect(render([{ ...NOTE, passages: [PASSAGE, second] }], 'dense bread')).toEqual([
      '*Dense crumb*                         0.76',
      'faults/dense crumb.md',
      '  lines 7–9',
      '    Why is <bread> <dense>?',
      '  Mending, line 12',
      '    Fold the <breads>.',
      '',
    ])
  })

  test('find: the highlighted snippet, its line and the modification date', () => {
    const found = { ...NOTE, created: '2024-01-01', modified: '2025-04-01T08:00:00.000Z', line: 9 }
    expect(render([{ ...found, snippet: '…a dense [[Crumb]]', highlights: [[3, 8]] }])).toEqual([
      '*Dense crumb*                         0.76',
      'faults/dense crumb.md · line 9 · modified 2025-04-01',
      '  …a <dense> Crumb',
      '',
    ])
  })

  test('find: matches in several list items are on separate lines', () => {
    const snippet = '# To do\nAll\nof it:\n- bake bread\n- sell bread'
    const highlights = [
      [26, 31],
      [39, 44],
    ]
    expect(render([{ ...NOTE, line: 3, snippet, highlights }]).slice(2)).toEqual([
      '  # To do',
      '  All of it:',
      '  - bake <bread>',
      '  - sell <bread>',
      '',
    ])
  })

  test('neighbors: the linking sentences with their lines', () => {
    const { score: _, ...note } = NOTE
    const lines = [
      { line: 7, text: 'Too cold a [[Proofing|proof]] is by far the most frequent case.', direction: 'in' },
      { line: 9, text: '[[Proofing]]', direction: 'out' },
    ]
    expect(render([{ ...note, link_count: 3, lines, more: 2 }, note])).toEqual([
      '*Dense crumb*',
      'faults/dense crumb.md · #fault',
      '  line 7: Too cold a',
      '  [[Proofing|proof]] is by far the',
      '  most frequent case.',
      '  → line 9: [[Proofing]]',
      '  … 2 more',
      '',
      '*Dense crumb*',
      'faults/dense crumb.md · #fault',
      '',
    ])
  })

  test('similar notes: their tags', () => {
    expect(render([NOTE, { ...NOTE, title: 'A title that is much longer than the line', tags: [] }])).toEqual([
      '*Dense crumb*                         0.76',
      'faults/dense crumb.md · #fault',
      '',
      '*A title that is much longer than*    0.76',
      '*the line*',
      'faults/dense crumb.md',
      '',
    ])
  })

  test('shows explanations if requested', () => {
    const explain = {
      keyword: { rank: 2, score: 9.1, normalized: 0.8 },
      semantic: null,
      weight: 0.25,
      exact: true,
      close_title: 'Crumb',
    }
    expect(render([{ ...NOTE, passages: [], explain }], undefined, 100)[2]).toBe(
      'words 0.80, rank 2 · not by meaning · weight of meaning 0.25 · exact title · title nearly "Crumb"',
    )
  })

  test('limits the width in a wide terminal', () => {
    const text = 'word '.repeat(200)
    const lines = render([{ ...NOTE, passages: [{ ...PASSAGE, text }] }], undefined, 300)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(102)
    expect(lines).toHaveLength(8)
  })

  test('a terminal of one column gets an answer', () => {
    expect(
      render([{ ...NOTE, passages: [PASSAGE] }], 'dense bread', 1)
        .join('')
        .replace(/\s/g, ''),
    ).toContain('*D*')
  })

  test('removes terminal control characters', () => {
    const evil = 'x\u001b[2J\u0007\u202e'
    const out = render(
      [{ ...NOTE, id: evil, title: evil, passages: [{ ...PASSAGE, heading: [evil], text: evil }], explain: undefined }],
      evil,
    ).join('')
    for (const character of evil.slice(1).replace('[2J', '')) expect(out).not.toContain(character)
  })

  test('other lists with scores stay tables', () => {
    expect(render([{ id: 'a.md', title: 'A', score: 2 }])[0]).toMatch(/^\*id +title +score\*$/)
  })
})
