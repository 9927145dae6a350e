import { expect, test } from 'vitest'
import { NO_COMMUNITY } from '../../../src/core/insight/insight.ts'
import {
  type KeptCommunities,
  nameCommunities,
  packCommunities,
  recallDivisions,
  unpackCommunities,
} from '../../../src/insight/communities/community-names.ts'

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

function keep(
  top: readonly number[],
  parts: readonly number[],
  former?: KeptCommunities,
): KeptCommunities & { readonly changed: unknown } {
  const now = [Uint32Array.from(top), Uint32Array.from(parts)] as const
  const counts = [Math.max(...top) + 1, Math.max(...parts) + 1] as const
  const named = nameCommunities(now, counts, former && { communities: former, before: recallDivisions(former, IDS) })
  return { notes: IDS, of: now, ...named, labels: new Map([['c1', 'Topic']]), changed: named.changed }
}

const FIRST = keep([0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2, 2, 2])

test('the first communities are numbered in order, with parts within each', () => {
  expect(FIRST.names).toEqual([
    ['c1', 'c2'],
    ['c1.1', 'c1.2', 'c2.1'],
  ])
  expect(FIRST.changed).toBeUndefined()
})

test('renumbered communities keep their ids, and new ones get ids that were never used', () => {
  const next = keep([1, 1, 1, 2, 2, 0, 0, 0], [0, 0, 0, 1, 1, 2, 2, 2], FIRST)
  expect(next.names).toEqual([
    ['c2', 'c1', 'c3'],
    ['c1.1', 'c3.1', 'c2.1'],
  ])
  expect(next.changed).toEqual({ new: ['c3'], gone: [], moved: 2 })
  expect(next.successors).toEqual(new Map([['c1.2', ['c3.1']]]))
})

test('a deleted id lists the communities that now have its notes, and is never reused', () => {
  const one = keep([0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], FIRST)
  expect(one.changed).toEqual({ new: [], gone: ['c2'], moved: 3 })
  expect(one.successors.get('c2')).toEqual(['c1'])
  const again = keep([0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1, 1], one)
  expect(again.names[0]).toEqual(['c1', 'c3'])
})

test('kept communities survive encoding, and damaged data is ignored', () => {
  const { changed: _, ...kept } = keep([0, 0, 0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1, 1, 0], FIRST)
  expect(unpackCommunities(packCommunities(kept))).toMatchObject({ notes: IDS, of: kept.of, names: kept.names, next: kept.next })
  expect(unpackCommunities(packCommunities(kept).slice(3))).toBeUndefined()
  expect(recallDivisions(kept, ['z', 'a'])[0]).toEqual(Uint32Array.of(NO_COMMUNITY, 0))
})
