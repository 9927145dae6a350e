import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask } from '../../../support/ask.ts'
import { BagOfWords } from '../../../support/bag-of-words.ts'
import { MemoryVault } from '../../../support/memory-vault.ts'
import { answersOf, SearchRig, vectorsOf } from './search-rig.ts'

/** Few names and words, so that they repeat: keys are reused, notes return, folders change. */
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
  'Haus',
  'verlauf -houses',
  'house',
  'ตั้งค่า',
]

/** A note's language decides the stem of `Häuser`. Each text is long enough to decide the language of the whole note. */
const LANGUAGES = [
  '',
  'Die Häuser und die Verläufe sind nicht alle gleich. '.repeat(9),
  'The Häuser and the Verläufe of all these houses are not the same. '.repeat(9),
  'การตั้งค่าของโปรแกรมนี้ไม่ได้เปลี่ยนการตั้งค่าที่มีอยู่แล้ว '.repeat(9),
]

const noteText = fc
  .record({
    aliases: fc.subarray(['Alias', 'fig', 'b']),
    tags: fc.subarray(['x', 'x/y', 'archived']),
    heading: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
    language: fc.constantFrom(...LANGUAGES),
    body: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
    long: fc.boolean(),
  })
  .map(({ aliases, tags, heading, language, body, long }) => {
    const head = `---\naliases: [${aliases.join(', ')}]\ntags: [${tags.join(', ')}]\n---\n`
    const tail = long ? `\n\n## Second\n\n${'grape '.repeat(180)}\n\n## Third\n\n${'lemon melon '.repeat(90)}` : ''
    return `${head}${heading === undefined ? '' : `# ${heading}\n\n`}${language}${body.join(' ')}${tail}\n`
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
      rig.search.releaseMemory()
      break
    case 'ask':
      // The answers to these earlier questions must not influence later ones.
      await answersOf(rig.store, embedder, QUESTIONS.slice(0, 2))
  }
}

test('after any changes and interruptions, answers equal those of an index built from scratch', async () => {
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
      // The answers must be the same for a reader that loads everything at once.
      await rig.restart()
      expect(await answersOf(rig.store, bag.id, QUESTIONS)).toEqual(await answersOf(fresh.store, bag.id, QUESTIONS))
      await rig.close()
      await fresh.close()
    }),
    { numRuns: 40 },
  )
})
