import { expect, test } from 'vitest'
import { filesByPath, findNamed, requireNamed } from '../../../src/app/names/known-node.ts'
import { RouxError } from '../../../src/core/errors.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'a/Plan.md': '',
  'b/Plan.md': '',
  'Deep/Path.md': '---\ntitle: My plan\naliases: [Way]\n---\n[[Gone]] ![[Engelbart.jpg]]',
  'img/Engelbart.jpg': '',
  'Engelbart.md': '',
}

async function named(written: readonly string[], options?: { readonly withMissing?: boolean }) {
  const core = await searchCore(NOTES)
  try {
    return await core.store.read((snapshot) => findNamed(snapshot, core, written, options))
  } finally {
    await core.close()
  }
}

async function refused(written: string): Promise<RouxError> {
  const core = await searchCore(NOTES)
  const outcome = core.store.read((snapshot) => requireNamed(snapshot, core, written))
  const error: unknown = await outcome.then(
    () => undefined,
    (thrown) => thrown,
  )
  await core.close()
  if (error instanceof RouxError) return error
  throw new Error(`${written} was found`)
}

test('resolves an id, or a title or alias that exactly one note has', async () => {
  const { ids, warnings } = await named(['a/plan', 'MY plan', ' way ', 'engelbart'])
  expect(ids).toEqual(['a/plan.md', 'deep/path.md', 'deep/path.md', 'engelbart.md'])
  expect(warnings.map(({ message }) => message)).toEqual([
    '"MY plan" is the note "deep/path.md".',
    '" way " is the note "deep/path.md".',
  ])
})

test('ignores white space around an id, unless the path has it', async () => {
  expect((await named(['a/Plan.md\n', ' a/plan\r\n', 'gone\n'], { withMissing: true })).ids).toEqual([
    'a/plan.md',
    'a/plan.md',
    'gone',
  ])
  const core = await searchCore({ 'x .md': '', 'x.md': '' })
  expect((await core.store.read((snapshot) => findNamed(snapshot, core, ['x ', 'x']))).ids).toEqual(['x .md', 'x.md'])
  await core.close()
})

test('resolves an attachment by its file name', async () => {
  expect((await named(['Engelbart.jpg'])).ids).toEqual(['img/engelbart.jpg'])
})

test('resolves a missing note where that is allowed', async () => {
  expect((await named(['gone'], { withMissing: true })).ids).toEqual(['gone'])
  expect((await named(['gone'])).ids).toEqual([undefined])
})

test("an id wins over another note's title", async () => {
  const core = await searchCore({
    'Plan.md': '',
    'b/x.md': '---\ntitle: Plan\n---\n',
    'b/y.md': '---\naliases: [plan.md]\n---\n',
  })
  const { ids } = await core.store.read((snapshot) => findNamed(snapshot, core, ['plan', 'PLAN.md', 'b/x']))
  expect(ids).toEqual(['plan.md', 'plan.md', 'b/x.md'])
  await core.close()
})

test('an ambiguous name is an error with the ids', async () => {
  expect(await refused('plan')).toMatchObject({ code: 'AMBIGUOUS_NAME', candidates: ['a/plan.md', 'b/plan.md'] })
  await expect(named(['a/plan', 'Plan'])).rejects.toMatchObject({ code: 'AMBIGUOUS_NAME' })
})

test('an unknown name is an error with the nearest ids if the tool needs the note', async () => {
  expect(await refused('My pla')).toMatchObject({
    code: 'NODE_NOT_FOUND',
    candidates: ['deep/path.md', 'a/plan.md', 'b/plan.md'],
  })
  expect((await refused('deep')).message).toBe('There is no note "deep", but there is a folder with that name.')
  expect((await named(['My pla'])).warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
})

test('files whose paths differ only in case keep their own ids, even when one is gone', async () => {
  const core = await searchCore({ 'a/Note.md': 'one', 'a/note.md': 'two', 'b/Plan.md': 'three' })
  const ids = await core.store.read(async (snapshot) => {
    const paths = ['a/Note.md', 'a/note.md', 'a/NOTE.md', 'b/Plan.md', 'c/Gone.md']
    const { idOf } = await filesByPath(snapshot, core, paths)
    return paths.map(idOf)
  })
  expect(ids).toEqual(['a/Note.md', 'a/note.md', 'a/NOTE.md', 'b/plan.md', 'c/gone.md'])
  await core.close()
})
