import { expect, test } from 'vitest'
import { findComments } from '../../src/markdown/inline-spans.ts'

const commentsIn = (text: string): readonly string[] => findComments(text, 0).map(({ start, end }) => text.slice(start, end))

test('comments are found in lines and over several', () => {
  expect(commentsIn('a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf')).toEqual(['%%b%%', '%%\nd\n\ne\n%%'])
})

test('what stands in code is no comment, and a mark alone is text', () => {
  expect(commentsIn('`%%a%%`\n\n```\n%%b%%\n```\n\n100 %% sure')).toEqual([])
})
