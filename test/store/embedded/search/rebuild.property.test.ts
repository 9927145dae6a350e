import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask } from '../../../support/ask.ts'
import { BagOfWords } from '../../../support/bag-of-words.ts'
import { MemoryVault } from '../../../support/memory-vault.ts'
import { answersOf, SearchRig, vectorsOf } from './search-rig.ts'

/** Few names and words, so that they come again: keys are given again, notes come back, folders change. */
const PATHS = ['a.md', 'A.md', 'b.md', 'f/a.md', 'f/b.md', 'g/c d.md', 'f/e.md', 'p.png', 'h.md', 'i.md', 'j.md', 'k.md']
const WORDS = ['apple', 'apples', 'banana', 'cherry', 'date', 'elder', 'fig', '猫好', 'useEffect', 'well-known', '🍎']
const QUESTIONS = [
  'apple',
  'banana cherry',
  'cherry date -fig',
  'a b',
  '"apple banana"',
  'ban*',
  '猫',
  'title:alias',
  'well-known',
  'effect',
  '#x',
]

const noteText = fc
  .record({
    aliases: fc.subarray(['Alias', 'fig', 'b']),
    tags: fc.subarray(['x', 'x/y', 'archived']),
    heading: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
    body: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
    long: fc.boolean(),
  })
  .map(({ aliases, tags, heading, body, long }) => {
    const head = `---\naliases: [${aliases.join(', ')}]\ntags: [${tags.join(', ')}]\n---\n`
    const tail = long ? `\n\n## Second\n\n${'grape '.repeat(180)}\n\n## Third\n\n${'lemon melon '.repeat(90)}` : ''
    return `${head}${heading === undefined ? '' : `# ${heading}\n\n`}${body.join(' ')}${tail}\n`
  })

const path = fc.constantFrom(...PATHS)
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), path, text: noteText }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reconcile' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('steps' as const), most: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

async function perform(rig: SearchRig, embedder: string, step: Operation): Promise<void> {
  switch (step.kind) {
    case 'write':
      rig.vault.write(step.path, step.text)
      break
    case 'remove':
      rig.vault.remove(step.path)
      break
    case 'move': {
      const bytes = rig.vault.read(step.path)
      rig.vault.remove(step.path)
      if (bytes !== undefined) rig.vault.write(step.to, bytes)
      break
    }
    case 'reconcile':
      await rig.reconcile()
      break
    case 'steps':
      await rig.steps(step.most)
      break
    case 'restart':
      await rig.restart()
      break
    case 'rest':
      rig.search.rest()
      break
    case 'ask':
      // Whatever a reader loaded so far must not show later.
      await answersOf(rig.store, embedder, QUESTIONS.slice(0, 2))
  }
}

test('after any sequence of changes and interruptions answers are those of an index built from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 40 }), async (steps) => {
      const bag = new BagOfWords()
      const rig = new SearchRig(new MemoryVault({ 'start.md': 'apple [[a]]' }), bag)
      const fresh = new SearchRig(rig.vault, bag)
      for (const step of steps) await perform(rig, bag.id, step)
      await rig.finish()
      await fresh.finish()
      expect(await answersOf(rig.store, bag.id, QUESTIONS)).toEqual(await answersOf(fresh.store, bag.id, QUESTIONS))
      expect(await vectorsOf(rig.store, bag.id)).toEqual(await vectorsOf(fresh.store, bag.id))
      expect(await ask(rig.store).vectorStates()).toEqual(await ask(fresh.store).vectorStates())
      const { words, vectors } = rig.search.progress()
      expect(words).toEqual(fresh.search.progress().words)
      expect([vectors?.done, vectors?.total]).toEqual([words.total, words.total])
      // And so they are to a reader that loads everything at once.
      await rig.restart()
      expect(await answersOf(rig.store, bag.id, QUESTIONS)).toEqual(await answersOf(fresh.store, bag.id, QUESTIONS))
      await rig.close()
      await fresh.close()
    }),
    { numRuns: 80 },
  )
}, 120_000)
