import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

type Judged = Record<'given' | 'named', readonly string[]> & { readonly text: string; readonly number: number | undefined }
type Right = { kind: string; right: readonly string[]; must?: readonly string[]; never?: readonly string[]; count?: number }
interface Judge {
  faultsOf(question: Right, answers: Judged): readonly string[]
  idsOf(value: unknown): readonly string[]
  textOf(value: unknown): string
}
const file = (name: string) => fileURLToPath(new URL(`../../bench/answers/${name}.mjs`, import.meta.url))
const { faultsOf, idsOf, textOf } = (await import(file('judge'))) as Judge
describe('judging an answer', () => {
  const right = ['Folder/One.md', 'Two.md']
  const given = (ids: readonly string[], text = '', number?: number) => ({ given: ids, named: ids, text, number })

  test('a set is right in any order and case, and wrong if a member is missing or superfluous', () => {
    const question = { kind: 'list', right }
    expect(faultsOf(question, given(['two.md', 'folder/one.md']))).toEqual([])
    expect(faultsOf(question, given(['two.md']))).toEqual(['lacks One.md'])
    expect(faultsOf(question, given(['two.md', 'folder/one.md', 'three.md']))).toEqual(['gives three.md besides'])
  })

  test('a fact is right if its note is among the answers, whatever else is', () => {
    const question = { kind: 'fact', right: ['One.md'], must: ['an exact  sentence'], never: ['Two.md'] }
    const answers = {
      given: ['three.md'],
      named: ['three.md', 'two.md', 'one.md'],
      text: 'Here is an exact\nsentence.',
      number: undefined,
    }
    expect(faultsOf(question, answers)).toEqual([])
    expect(faultsOf(question, { ...answers, text: 'An Exact sentence' })).toEqual(['does not say “an exact  sentence”'])
    expect(faultsOf(question, { ...answers, given: ['two.md'] })).toEqual(['gives Two.md, which is wrong'])
  })

  test('a count is right as a number or as the size of a set', () => {
    const question = { kind: 'vault', right, count: 64 }
    expect(faultsOf(question, given(['folder/one.md', 'two.md'], '', 64))).toEqual([])
    expect(faultsOf({ ...question, count: 2 }, given(['folder/one.md', 'two.md'], '', 64))).toEqual([])
    expect(faultsOf(question, given(['folder/one.md', 'two.md']))).toEqual(['says 2, not 64'])
  })

  test('ids come from results and paths, not from the links of results', () => {
    expect(
      idsOf([
        { id: 'a.md', links: [{ id: 'b.md' }] },
        { query: 'c', match: 'c.md' },
      ]),
    ).toEqual(['a.md', 'c.md'])
    expect(idsOf({ path: ['a.md', 'b.md'], hops: [{ from: 'a.md', to: 'b.md' }] })).toEqual(['a.md', 'b.md'])
    expect(idsOf({ problems: [{ id: 'a.md', candidates: ['b.md'] }] })).toEqual(['a.md'])
  })

  test('JSON escapes do not hide text', () => {
    expect(textOf([{ lines: [{ text: 'He said "no"\nand left.' }] }])).toBe('He said "no" and left.')
  })
})
