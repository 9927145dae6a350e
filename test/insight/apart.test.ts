import { expect, test } from 'vitest'
import { apartCommunities } from '../../src/insight/apart.ts'
import { plainLinks } from '../../src/insight/communities/clustered-graph.ts'
import { nearestNotes } from '../../src/insight/nearest.ts'
import { corpusOf } from './corpora.ts'

/** Communities of notes that link to the next two of their own in a circle. Each note has the given words and one of its own. */
function vaultOf(
  communities: readonly { readonly notes: number; readonly words: (note: number) => string; readonly isEmpty?: boolean }[],
) {
  const notes = communities.flatMap(({ notes, words, isEmpty }, community) =>
    Array.from({ length: notes }, (_, at) => ({
      community,
      text: isEmpty
        ? ''
        : `${words(at)} own${'abcdefghij'.charAt(at % 10)}${'klmnopqrst'.charAt(Math.floor(at / 10))}${community}`,
      next: [1, 2].map((step) => ((at + step) % notes) - at),
    })),
  )
  const corpus = corpusOf(notes)
  const none = new Uint8Array(notes.length)
  const topology = {
    offsets: Uint32Array.from({ length: notes.length + 1 }, (_, note) => 2 * note),
    targets: Uint32Array.from(notes.flatMap(({ next }, note) => next.map((step) => note + step))),
  }
  return apartCommunities(
    { list: communities.map(() => undefined as never), of: Uint32Array.from(notes, ({ community }) => community) },
    { corpus, links: plainLinks(topology, none), nearest: nearestNotes(corpus), isLeftOut: none },
  )
}

test('similar communities come before dissimilar ones, however many links are expected between the latter', () => {
  const found = vaultOf([
    { notes: 28, words: () => 'forest trees roots moss winter frost snow' },
    { notes: 28, words: () => 'engine piston valve gear winter frost snow' },
    { notes: 14, words: () => 'sonata violin concert melody' },
    { notes: 14, words: () => 'opera singer concert melody' },
    ...[...'abcdefghijkl'].map((letter) => ({
      notes: 12,
      words: () => `salt${letter} comet${letter} ledger${letter} anchor${letter}`,
    })),
  ])
  expect(found.map(({ of }) => of)).toEqual([
    [2, 3],
    [0, 1],
  ])
  expect((found[1]?.expected ?? 0) / (found[0]?.expected ?? 1)).toBeGreaterThan(3)
})

test('communities whose notes have no words are not similar', () => {
  const found = vaultOf([
    { notes: 14, words: () => 'sonata violin concert melody' },
    { notes: 14, words: () => 'engine piston valve gear' },
    { notes: 14, words: () => '', isEmpty: true },
    { notes: 14, words: () => '', isEmpty: true },
  ])
  expect(found.filter(({ of }) => of.join() === '2,3')).toEqual([])
})
