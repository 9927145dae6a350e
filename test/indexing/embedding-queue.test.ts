import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import type { VaultPath } from '../../src/core/ids.ts'
import type { NoteVectors, SearchWriter } from '../../src/core/search-writer.ts'
import { EmbeddingQueue } from '../../src/indexing/embedding-queue.ts'
import { readNote } from '../../src/indexing/search-document.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'
import { settled } from '../support/settled.ts'

const FLAVOR = { profile: 'lenient', comments: true, mode: 'obsidian' } as const
const busy = () => new RouxError('PROVIDER_ERROR', 'busy', { isTransient: true })

/** An embedder that rejects texts for which `refuses` returns true. It counts the calls. */
class PickyBag extends BagOfWords {
  calls = 0
  refuses: (texts: readonly string[]) => Error | undefined = () => undefined

  override async embed(...args: Parameters<BagOfWords['embed']>): Promise<readonly Float32Array[]> {
    this.calls++
    const error = this.refuses(args[0])
    if (error !== undefined) throw error
    return await super.embed(...args)
  }
}

const refusing = (word: string) => (texts: readonly string[]) =>
  texts.some((text) => text.includes(word)) ? new Error(`400: ${word}`) : undefined

/** A queue over notes in memory, with keys in their order, and the vectors it stored. */
function openQueue(bag: BagOfWords, texts: readonly string[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const notes = [...texts]
  const stored = new Map<number, NoteVectors>()
  /** The number of times that each of these will still fail. */
  const failures = { put: 0, read: 0 }
  const search: Partial<SearchWriter> = {
    vectorVersions: async () => new Map([...stored].map(([key, { version }]) => [key, version])),
    vectorsOf: async () => new Map(),
    putVectors: async (_, ready) => {
      if (failures.put-- > 0) throw new Error('the disk is full')
      for (const note of ready) stored.set(note.key, note)
    },
    keepOnly: async () => {},
  }
  const read = (key: number) =>
    readNote({ key, path: `${key}.md` as VaultPath, kind: 'note' }, Buffer.from(notes[key] ?? ''), FLAVOR)
  const queue = new EmbeddingQueue({
    search: search as SearchWriter,
    openEmbedder: async () => bag,
    deletesOtherVectors: true,
    read: async (keys) => {
      if (failures.read-- > 0) throw new Error('the drive is gone')
      return keys.map(read)
    },
    onWake: () => {},
  })
  onTestFinished(() => queue.close())
  const want = (key: number) => queue.request(key, read(key).words.version)
  for (const key of notes.keys()) want(key)
  const run = async () => {
    for (let turn = 0; turn < 20; turn++) {
      await queue.step()
      // This is the pause between batches while other notes are embedded.
      await vi.advanceTimersByTimeAsync(20)
      await settled()
    }
  }
  const write = (key: number, text: string) => {
    notes[key] = text
    want(key)
  }
  return { queue, stored, failures, run, write, want }
}

const GOOD = Array.from({ length: 20 }, (_, at) => `Good words number${at}.`)

describe('a text that the embedder rejects', () => {
  test('gets no vector and is named in the status; all other notes get theirs', async () => {
    const bag = new PickyBag()
    bag.refuses = refusing('POISON')
    const { queue, stored, run } = openQueue(bag, [...GOOD, 'Some POISON.', ...GOOD])
    await run()
    expect(queue.progress()).toMatchObject({ done: 41, total: 41 })
    expect(queue.isSettled).toBe(true)
    expect(queue.problem).toBe('1 note could not be embedded: 20.md: 400: POISON')
    expect(stored.get(19)?.chunks[0]?.vector).not.toEqual(new Float32Array(16))
    expect(stored.get(20)?.chunks.map(({ vector }) => vector)).toEqual([new Float32Array(16)])
    // A numeric file name makes the first line a second name of the note. Here, that line contains the text that fails.
    expect(stored.get(20)?.names.map(({ vector }) => vector)).toEqual([bagOf('20'), new Float32Array(16)])
  })

  test('is not sent again before its note changes', async () => {
    const bag = new PickyBag()
    bag.refuses = refusing('POISON')
    const { queue, run, write, want } = openQueue(bag, [...GOOD, 'Some POISON.'])
    await run()
    const { calls } = bag
    want(20)
    await queue.reload()
    await run()
    expect(bag.calls).toBe(calls)
    write(20, 'An antidote.')
    await run()
    expect(bag.calls).toBeGreaterThan(calls)
    expect(queue.problem).toBeUndefined()
  })

  test('is tried again by another process', async () => {
    const bag = new PickyBag()
    bag.refuses = refusing('POISON')
    const { stored, run } = openQueue(bag, ['Some POISON.', ...GOOD])
    await run()
    expect(stored.get(0)?.version).toBe(0)
    expect(stored.get(1)?.version).not.toBe(0)
  })

  test('is counted together with other rejected texts', async () => {
    const bag = new PickyBag()
    bag.refuses = refusing('POISON')
    const { queue, run } = openQueue(bag, ['Some POISON.', ...GOOD, 'More POISON.'])
    await run()
    expect(queue.problem).toBe('2 notes could not be embedded, for example 0.md: 400: POISON')
  })
})

describe('a single failure', () => {
  test('during reading leaves the notes waiting, and the next attempt embeds them', async () => {
    const { queue, stored, failures, run } = openQueue(new PickyBag(), GOOD)
    failures.read = 1
    await expect(run()).rejects.toThrow('the drive is gone')
    expect(queue.progress()).toMatchObject({ done: 0, total: 20 })
    expect(queue.isSettled).toBe(false)
    await run()
    expect(stored.size).toBe(20)
  })

  test('during storing keeps the vectors, and nothing is embedded twice', async () => {
    const bag = new PickyBag()
    const { queue, stored, failures, run } = openQueue(bag, GOOD)
    failures.put = 1
    await expect(run()).rejects.toThrow('the disk is full')
    const { calls } = bag
    expect(queue.progress()).toMatchObject({ done: 0, total: 20 })
    await run()
    expect(stored.size).toBe(20)
    expect(bag.calls).toBe(calls)
  })
})

test('a note that is changed back while its new text is embedded keeps the vectors of its current text', async () => {
  const { queue, stored, run, write } = openQueue(new PickyBag(), GOOD)
  await run()
  const before = stored.get(0)
  write(0, 'Something else.')
  await queue.step()
  write(0, GOOD[0] as string)
  await run()
  expect(stored.get(0)).toEqual(before)
})

test('an embedder that rejects everything is retried later, with two calls each time, and no note is given up', async () => {
  const bag = new PickyBag()
  bag.refuses = () => new Error('401')
  const { queue, stored, run } = openQueue(bag, GOOD)
  await run()
  expect(bag.calls).toBe(2)
  expect(queue).toMatchObject({ problem: '401', isSettled: true })
  expect(stored.size).toBe(0)
  bag.refuses = () => undefined
  await vi.advanceTimersByTimeAsync(1_000)
  await run()
  expect(queue.problem).toBeUndefined()
  expect(queue.progress()).toMatchObject({ done: 20, total: 20 })
})

describe('a temporary failure', () => {
  test('does not blame any text', async () => {
    const bag = new PickyBag()
    bag.refuses = (texts) => (texts.some((text) => text.includes('number3')) ? busy() : undefined)
    const { queue, run } = openQueue(bag, GOOD)
    await run()
    bag.refuses = () => undefined
    await vi.advanceTimersByTimeAsync(1_000)
    await run()
    expect(queue.problem).toBeUndefined()
    expect(queue.progress()).toMatchObject({ done: 20, total: 20 })
  })

  test('is waited for until it has occurred three times in a row', async () => {
    const bag = new PickyBag()
    bag.refuses = busy
    const { queue, run } = openQueue(bag, GOOD)
    const seen: boolean[] = []
    for (let time = 0; time < 3; time++) {
      await run()
      seen.push(queue.isSettled)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    expect(seen).toEqual([false, false, true])
  })
})
