import { describe, expect, test } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import { findBlock, outlineOf, requireSection } from '../../src/markdown/outline.ts'
import { excerptOf } from '../../src/markdown/prose/excerpt.ts'
import { sentenceAt } from '../../src/markdown/prose/sentences.ts'
import { flavor } from './check.ts'

const TEXT = `---
a: 1
---
intro
# One
1
## Setup
1.1
### *Deep* [[x|Link]]
deep
# Two
2
## Setup
2.1

Under
=====
end
`

function section(text: string, ...path: string[]): string {
  try {
    const { line, start, end } = requireSection(text, outlineOf(text, flavor()), path)
    return `${line}: ${text.slice(start, end).trimEnd()}`
  } catch (error) {
    return error instanceof RouxError ? error.message : String(error)
  }
}

describe('sections', () => {
  test('extend to the next heading of the same or a higher level', () => {
    expect(section(TEXT, 'One')).toBe('5: # One\n1\n## Setup\n1.1\n### *Deep* [[x|Link]]\ndeep')
    expect(section(TEXT, 'Under')).toBe('16: Under\n=====\nend')
  })

  test('are found by the end of their path', () => {
    expect(section(TEXT, 'Two', 'Setup')).toBe('13: ## Setup\n2.1')
    expect(section(TEXT, 'one', ' SETUP ', 'deep link')).toBe('9: ### *Deep* [[x|Link]]\ndeep')
    expect(section(TEXT, 'Setup')).toBe('Several sections match "Setup", on lines 7, 13.')
    expect(section(TEXT, 'Two', 'Deep Link')).toBe('There is no section "Two > Deep Link".')
    expect(section(TEXT, 'Nope')).toBe('There is no section "Nope".')
    expect(section(TEXT)).toBe('There is no section "".')
  })

  test('are found like the subpath of a link, if no path ends that way', () => {
    const text = '# One\n## What is new?\n### Deep: part 1\n1\n# C# and F#\n## Deep: part 1\n2\n# Two\n## C#\n3'
    expect(section(text, 'One#What is new?#Deep: part 1')).toBe('3: ### Deep: part 1\n1')
    expect(section(text, '#One#Deep  part 1')).toBe('3: ### Deep: part 1\n1')
    expect(section(text, 'C# and F#')).toBe('5: # C# and F#\n## Deep: part 1\n2')
    expect(section(text, 'C#')).toBe('9: ## C#\n3')
    expect(section(text, 'Two#One')).toBe('There is no section "Two#One".')
    expect(section(text, 'Two#Deep part 1')).toBe('There is no section "Two#Deep part 1".')
    expect(section(text, 'deep part 1')).toBe('Several sections match "deep part 1", on lines 3, 6.')
    expect(section(text, '#')).toBe('There is no section "#".')
  })

  test('are found without the punctuation of their names, if no other section has the name', () => {
    const text = '# FAQ\n## What is new?\n1\n## Setup: Windows, Linux\n2\n### Part 1/2\n3\n# Setup\n## Part 1/2\n4\n## Part 12\n5'
    expect(section(text, 'what is new')).toBe('2: ## What is new?\n1')
    expect(section(text, 'FAQ', 'What is new')).toBe('2: ## What is new?\n1')
    expect(section(text, 'FAQ#what is new')).toBe('2: ## What is new?\n1')
    expect(section(text, 'Setup Windows Linux')).toBe('4: ## Setup: Windows, Linux\n2\n### Part 1/2\n3')
    expect(section(text, 'setup windows, linux#part 1 2')).toBe('6: ### Part 1/2\n3')
    expect(section(text, 'Setup')).toBe('8: # Setup\n## Part 1/2\n4\n## Part 12\n5')
    expect(section(text, 'Part 1 2')).toBe('Several sections match "Part 1 2", on lines 6, 9.')
    expect(section(text, 'What is new!')).toBe('There is no section "What is new!".')
    for (const name of ['怎么做面包', '怎么做面包?', '怎么做面包？'])
      expect(section('# 面包\n## 怎么做面包？\nx', name)).toBe('2: ## 怎么做面包？\nx')
    expect(section('# ｱｸｾｽ（電車）\nx', 'アクセス 電車')).toBe('1: # ｱｸｾｽ（電車）\nx')
    expect(section('# Step-by-step — part 1…\nx', 'step by step part 1')).toBe('1: # Step-by-step — part 1…\nx')
    expect(section('# C#\nx', 'C')).toBe('There is no section "C".')
    expect(section('# ???\nx', '!')).toBe('There is no section "!".')
    expect(section('# ???\nx', ' ')).toBe('There is no section " ".')
  })

  test('whose names differ in a character are different sections', () => {
    const text = '# Languages\n## C\n1\n## Node\n2\n### Tips\n3'
    for (const name of ['C++', 'C#', 'Node?!', 'Languages#C#', 'Languages#C++', 'Languages#C# Tips'])
      expect(section(text, name)).toBe(`There is no section "${name}".`)
    expect(section(text, 'Languages', 'C++')).toBe('There is no section "Languages > C++".')
    expect(section(`${text}\n# A\n## C# x\n4`, 'A#C# x')).toBe('9: ## C# x\n4')
  })

  test('with several matches are an error that offers exactly these sections', () => {
    const choices = (...path: string[]) => {
      try {
        return requireSection(TEXT, outlineOf(TEXT, flavor()), path)
      } catch (error) {
        return error instanceof RouxError ? [error.hint, error.candidates] : error
      }
    }
    expect(choices('Setup')).toEqual([
      'Specify the full path of headings, outermost first, as in the candidates.',
      [
        { path: ['One', 'Setup'], line: 7 },
        { path: ['Two', 'Setup'], line: 13 },
      ],
    ])
  })

  test('a complete path wins', () => {
    expect(section('# A\n# B\n## A\nx', 'A')).toBe('1: # A')
  })
})

describe('headings', () => {
  const names = (text: string) => outlineOf(text, flavor()).headings.map((heading) => heading.text)

  test('inside comments do not count, those that contain a comment do', () => {
    expect(names('# A\n%%\n# B\n%%\n# C')).toEqual(['A', 'C'])
    expect(names('%%\nOld\n===\n%%\n# C')).toEqual(['C'])
    expect(names('%%\n# A %%\n# B')).toEqual(['B'])
    expect(names('# %%x%% A\n# %%x%%\n# A %%x%%')).toEqual(['%%x%% A', '%%x%%', 'A %%x%%'])
  })

  test('are one line: a comment that begins in one hides nothing below', () => {
    expect(names('# %% A\n\n# B\n%%')).toEqual(['%% A', 'B'])
  })

  test('in quotes, list items and footnotes do not end the section around them', () => {
    for (const inside of ['> # B', '- a\n\n  # B', '1. # B', '[^1]: a\n\n    # B'])
      expect(section(`# A\n\n${inside}\n\nend\n\n# C`, 'A')).toBe(`1: # A\n\n${inside}\n\nend`)
  })
})

describe('blocks', () => {
  function block(text: string, id = 'id'): string {
    const found = findBlock(text, outlineOf(text, flavor()), id)
    return found === undefined ? 'missing' : `${found.line}: ${text.slice(found.start, found.end)}`
  }

  test('are paragraphs, headings, and list items with their nested content', () => {
    expect(block('---\na: 1\n---\na\n\nb\nc ^id\n\nd')).toBe('6: b\nc ^id')
    expect(block('# H ^ID\nx')).toBe('1: # H ^ID')
    expect(block('- a\n- b\n  more ^id\n\n\t- c\n\n- d')).toBe('2: - b\n  more ^id\n\n\t- c')
    expect(block('> 1. a\n>    b ^id\n>    - c\n> 2. d')).toBe('1: > 1. a\n>    b ^id\n>    - c')
    expect(block('| a |\n|---|\n| b ^id |')).toBe('3: | b ^id |')
  })

  test('an id on its own line names the block above', () => {
    expect(block('x\n\n| a |\n|---|\n| b |\n\n^id\n\ny')).toBe('3: | a |\n|---|\n| b |')
    expect(block('> q\n> r\n\n^id')).toBe('1: > q\n> r')
  })

  test('are not in code', () => {
    expect(block('```\nx ^id\n```')).toBe('missing')
    expect(block('x ^other')).toBe('missing')
  })
})

describe('sentences', () => {
  function sentence(text: string, part = '[[a]]'): string {
    const start = text.indexOf(part)
    return sentenceAt(text, start, start + part.length)
  }

  test('do not cross a thematic break, a fence or the frontmatter', () => {
    expect(sentence('---\ntags: x\n---\nThey live [[here]].', '[[here]]')).toBe('They live [[here]].')
    expect(sentence('Before.\n\n---\nThey live [[here]].', '[[here]]')).toBe('They live [[here]].')
    expect(sentence('```\ncode\n```\nThey live [[here]].', '[[here]]')).toBe('They live [[here]].')
    expect(sentence('Title\n=====\nThey live [[here]].', '[[here]]')).toBe('They live [[here]].')
  })

  test('are cut from a paragraph, with white space collapsed', () => {
    expect(sentence('One. Two  is\n[[a]] here, e.g. so.  Three.')).toBe('Two is [[a]] here, e.g. so.')
    expect(sentence('日本。これは[[a]]です。次。')).toBe('これは[[a]]です。')
    expect(sentence('चाय गर्म है। दूध [[a]] में है। चीनी नहीं।')).toBe('दूध [[a]] में है।')
    expect(sentence('أين الخبز؟ هو في [[a]] الآن؟ نعم.')).toBe('هو في [[a]] الآن؟')
    expect(sentence('یہ روٹی ہے۔ یہ [[a]] ہے۔ ختم۔')).toBe('یہ [[a]] ہے۔')
    expect(sentence('> quoted text\n> goes [[a]] on\n\nx')).toBe('quoted text goes [[a]] on')
    expect(sentence('x\n\n[[a]]')).toBe('[[a]]')
  })

  test('list items, rows, headings and properties are kept whole', () => {
    expect(sentence('- x\n- [ ] One. Two [[a]].\n  Three.\n- y')).toBe('[ ] One. Two [[a]]. Three.')
    expect(sentence('| A. B | [[a]] |\n|---|---|')).toBe('| A. B | [[a]] |')
    expect(sentence('text\n## A. On [[a]]\ntext')).toBe('## A. On [[a]]')
    expect(sentence('---\nb: 1\nup: "X. Y [[a]]"\n---\n')).toBe('up: "X. Y [[a]]"')
  })

  test('that are too long are cut around the link', () => {
    const long = sentence(`${'word '.repeat(100)}[[a]] ${'other '.repeat(100)}`)
    expect(long).toMatch(/^…word .*\[\[a\]\] .*other…$/)
    expect(long.length).toBeLessThanOrEqual(300)
    expect(long.length).toBeGreaterThan(280)
    expect(sentence(`${'😀'.repeat(400)}[[a]]`)).toMatch(/^…(?:😀)+\[\[a\]\]$/)
  })
})

describe('excerpts', () => {
  test('are the beginning of the body without blank lines', () => {
    expect(excerptOf('---\n---\n\n \r\n# A\ntext\n\n', 8, 20)).toEqual({ excerpt: '# A\ntext', cut: false })
    expect(excerptOf('abcdef', 0, 3)).toEqual({ excerpt: 'abc', cut: true })
    expect(excerptOf('abc \n', 0, 3)).toEqual({ excerpt: 'abc', cut: false })
    expect(excerptOf('', 0, 3)).toEqual({ excerpt: '', cut: false })
  })

  test('do not begin with comments, badges or images', () => {
    const badge = '[![Build](https://x.org/b.svg)](https://x.org)'
    const note = `---\n---\n%% Badges %%\n<!-- generated -->\n\n# Kanban\n\n${badge} ![s](a.png)\n![[shot.png|300]]\n\nBoards in notes.\n`
    expect(excerptOf(note, 8, 200)).toEqual({ excerpt: '# Kanban\n\nBoards in notes.', cut: false })
    expect(excerptOf(`${badge}\n`.repeat(99) + 'Boards.', 0, 40)).toEqual({ excerpt: badge.slice(0, 40), cut: true })
    expect(excerptOf('![[shot.png]]\n', 0, 200)).toEqual({ excerpt: '![[shot.png]]', cut: false })
    expect(excerptOf('`<!-- x -->` in code\n', 0, 200)).toEqual({ excerpt: '`<!-- x -->` in code', cut: false })
  })

  test('do not cut a grapheme', () => {
    expect(excerptOf('ab👩‍👩‍👧cd', 0, 5).excerpt).toBe('ab')
    expect(excerptOf('e\u0301e\u0301', 0, 3).excerpt).toBe('e\u0301')
    expect(excerptOf('🇩🇪🇫🇷x', 0, 6).excerpt).toBe('🇩🇪')
  })
})
