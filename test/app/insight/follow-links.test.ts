import { expect, test } from 'vitest'
import { linksFromPassages } from '../../../src/app/insight/follow-links.ts'
import type { PlacedPassage } from '../../../src/app/insight/pack-passages.ts'
import type { NodeId } from '../../../src/core/ids.ts'
import type { OutgoingLink } from '../../../src/core/store.ts'

/** Returns a passage that consists of a whole note and links to each of these notes. */
function linking(name: string, targets: readonly string[]): { passage: PlacedPassage; links: readonly OutgoingLink[] } {
  const id = `${name}.md` as NodeId
  const text = targets.map((target) => `See [[${target}]].`).join('\n')
  const links = targets.map((target, at) => {
    const start = text.indexOf(`[[${target}]]`)
    return { to: `${target}.md`, line: at + 1, start, end: start + target.length + 4, inLinks: 1 } as OutgoingLink
  })
  const source = { text, bodyStart: 0, hash: '' }
  return {
    passage: { node: { id }, source, place: { start: 0, end: text.length }, score: 0.5 } as unknown as PlacedPassage,
    links,
  }
}

test('a link weighs more in a passage that links to few notes', () => {
  const worthIn = (targets: readonly string[]) => {
    const { passage, links } = linking('Source', targets)
    return linksFromPassages([passage], new Map([[passage.node.id, links]])).map(({ weight }) => weight)
  }
  const [alone = 0] = worthIn(['a'])
  const [ofThree = 0] = worthIn(['a', 'b', 'c'])
  const many = worthIn(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  expect(alone).toBeGreaterThan(ofThree)
  expect(ofThree).toBeGreaterThan(many[0] ?? 0)
  expect(new Set([...many, ...worthIn([...'abcdefghij'])]).size).toBe(1)
})
