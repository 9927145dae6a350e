import { expect, test } from 'vitest'
import { findComments } from '../../src/markdown/inline-spans.ts'

const commentsIn = (text: string): readonly string[] => findComments(text, 0).map(({ start, end }) => text.slice(start, end))

test('finds comments within a line and across lines', () => {
  expect(commentsIn('a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf')).toEqual(['%%b%%', '%%\nd\n\ne\n%%'])
})

test('ignores comments in code, and a single mark', () => {
  expect(commentsIn('`%%a%%`\n\n```\n%%b%%\n```\n\n100 %% sure')).toEqual([])
})
