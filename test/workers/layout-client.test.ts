import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { NodeId } from '../../src/core/ids.ts'
import { layOutFrom } from '../../src/insight/layout.ts'
import { LayoutClient } from '../../src/workers/layout-client.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Two rings of four notes, joined by one link. */
const RINGS = ['0 1', '1 2', '2 3', '3 0', '4 5', '5 6', '6 7', '7 4', '0 4']
const BY_RING = Int32Array.from([0, 0, 0, 0, 1, 1, 1, 1])

function graphOf(links: readonly string[], levels: readonly Int32Array[] = []) {
  const pairs = links.map((link) => link.split(' ').map(Number))
  const count = Math.max(...pairs.flat()) + 1
  const rows = Array.from({ length: count }, (_, note) =>
    pairs.flatMap(([a = 0, b = 0]) => (a === note ? [b] : b === note ? [a] : [])),
  )
  const offsets = Uint32Array.from([0, ...rows].map((_, at) => rows.slice(0, at).flat().length))
  return { ids: rows.map((_, note) => `${note}.md` as NodeId), offsets, targets: Uint32Array.from(rows.flat()), levels }
}

function filesAt(layoutFile: string) {
  return { layoutFile, pictureFile: join(dirname(layoutFile), 'picture.json') }
}

function openLayouts(file = join(temporaryFolder(), 'layout.json')) {
  const runs: boolean[] = []
  const client = new LayoutClient(filesAt(file), {
    async layOut(graph, before, { again }) {
      runs.push(again)
      return layOutFrom(graph, before, { again })
    },
  })
  return { client, runs, file }
}

test('notes keep their places, and a new note appears next to its neighbors', async () => {
  const { client } = openLayouts()
  const before = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  const after = await client.layOut(graphOf([...RINGS, '8 0']), 'once')
  expect(after.places.slice(0, 16)).toEqual(before.places)
  expect(after.added).toBeCloseTo(1 / 9)
})

test('after thousands of new notes, everything is laid out again and rotated to resemble the previous layout', async () => {
  const asked: { readonly again: boolean; readonly known: number | undefined }[] = []
  const client = new LayoutClient(filesAt(join(temporaryFolder(), 'layout.json')), {
    async layOut({ offsets }, before, { again }) {
      asked.push({ again, known: before?.filter((place) => !Number.isNaN(place)).length })
      const count = offsets.length - 1
      return { places: new Float32Array(count * 2), regions: new Int32Array(count) }
    },
  })
  for (const count of [2_100, 4_100, 6_101]) await client.layOut(unlinked(count), 'nothing')
  expect(asked).toEqual([
    { again: true, known: undefined },
    { again: false, known: 4_200 },
    { again: true, known: 8_200 },
  ])
})

function unlinked(count: number) {
  const ids = Array.from({ length: count }, (_, note) => `${note}.md` as NodeId)
  return { ids, offsets: new Uint32Array(count + 1), targets: new Uint32Array(), levels: [] }
}

test('a process that starts later loads the same layout', async () => {
  const { client, file } = openLayouts()
  const before = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  const later = openLayouts(file)
  expect([await openLayouts().client.hasPlaces(), await later.client.hasPlaces()]).toEqual([false, true])
  expect((await later.client.layOut(graphOf(RINGS, [BY_RING]), 'once')).places).toEqual(before.places)
  expect(later.runs).toEqual([])
})

test('a region keeps its notes over edits and restarts, and a new note joins the region of most of its links', async () => {
  const { client, file } = openLayouts()
  const { regions } = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  expect([...regions].every((region) => region >= 0)).toBe(true)
  const edited = graphOf([...RINGS, '8 0', '8 1', '8 4', '9 10'], [BY_RING])
  const { regions: later } = await openLayouts(file).client.layOut(edited, 'once')
  expect([...later]).toEqual([...regions, regions[0], -1, -1])
})

test('a first layout without communities is replaced once they are known, and then stays', async () => {
  const { client, runs, file } = openLayouts()
  await client.layOut(graphOf(RINGS), 'once')
  const grouped = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  const { client: later } = openLayouts(file)
  const same = await later.layOut(graphOf(RINGS, [BY_RING.toReversed()]), 'once')
  expect(runs).toEqual([true, true])
  expect(same.places).toEqual(grouped.places)
})

test('a first layout that a user has seen stays, with an offer to compute a new one', async () => {
  const { client, runs } = openLayouts()
  const first = await client.layOut(graphOf(RINGS), 'nothing')
  const looked = await client.layOut(graphOf(RINGS, [BY_RING]), 'nothing')
  expect([first.isRough, looked.isRough, looked.places]).toEqual([false, true, first.places])
  const all = await client.layOut(graphOf(RINGS, [BY_RING]), 'all')
  expect([all.isRough, (await client.layOut(graphOf(RINGS, [BY_RING]), 'once')).isRough]).toEqual([false, false])
  expect(runs).toEqual([true, true])
})

test('a map drawn before communities were known does not change the final one', async () => {
  const [early, late] = [openLayouts(), openLayouts()]
  await early.client.layOut(graphOf(RINGS), 'once')
  // The notes are grouped across the rings, which the first layout kept apart.
  const graph = graphOf(RINGS, [Int32Array.from([0, 1, 0, 1, 0, 1, 0, 1])])
  const [after, at] = [await early.client.layOut(graph, 'once'), await late.client.layOut(graph, 'once')]
  expect(after.places).toEqual(at.places)
})

test('a map of an earlier version is laid out again as soon as notes may move', async () => {
  const { client, file } = openLayouts()
  const { places } = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  await writeFile(file, (await readFile(file, 'utf8')).replace('"format":5', '"format":4'))
  const { client: next, runs } = openLayouts(file)
  const first = await next.layOut(graphOf(RINGS, [BY_RING]), 'nothing')
  expect([first.places, first.isRough, runs]).toEqual([places, true, []])
  expect((await next.layOut(graphOf(RINGS, [BY_RING]), 'once')).isRough).toBe(false)
  await next.layOut(graphOf(RINGS, [BY_RING]), 'once')
  expect(runs).toEqual([true])
})

test('a damaged file is replaced', async () => {
  const { client, file } = openLayouts()
  const before = await client.layOut(graphOf(RINGS, [BY_RING]), 'once')
  for (const text of [
    '',
    '{"format":5}',
    '{"format":5,"ids":["0.md"],"places":"AAAA","regions":"AAAA"}',
    '{"format":2,"ids":["0.md"],"places":"AAAAAAAAAAA="}',
    '[]',
  ]) {
    writeFileSync(file, text)
    expect((await openLayouts(file).client.layOut(graphOf(RINGS, [BY_RING]), 'once')).places).toEqual(before.places)
  }
})

test('a picture is kept for its key, and a damaged one is not returned', async () => {
  const { client, file } = openLayouts()
  expect(await client.keptPicture('a key')).toBeUndefined()
  await client.keepPicture('a key', '{"ids":[]}')
  const later = openLayouts(file).client
  expect([await later.keptPicture('a key'), await later.keptPicture('another')]).toEqual(['{"ids":[]}', undefined])
  const picture = join(dirname(file), 'picture.json')
  writeFileSync(picture, readFileSync(picture, 'utf8').replace('[]', '[ '))
  expect(await later.keptPicture('a key')).toBeUndefined()
})

test('other positions have another version, also after a restart', async () => {
  const { client, file } = openLayouts()
  expect(await client.version()).toBeUndefined()
  await client.layOut(graphOf(RINGS), 'once')
  const before = await client.version()
  expect(await openLayouts(file).client.version()).toBe(before)
  await client.layOut(graphOf([...RINGS, '8 0']), 'once')
  const after = await client.version()
  expect(after).not.toBe(before)
  expect(await openLayouts(file).client.version()).toBe(after)
})

test('reports progress until the layout is ready', async () => {
  const seen: (number | undefined)[] = []
  const client = new LayoutClient(filesAt(join(temporaryFolder(), 'layout.json')), {
    async layOut(graph, before, how) {
      how.onProgress(0.5)
      seen.push(await Promise.resolve().then(() => client.underWay()?.share()))
      return layOutFrom(graph, before, how)
    },
  })
  seen.push(client.underWay()?.share())
  const { places } = await client.layOut(graphOf(RINGS), 'once')
  expect([...seen, client.underWay(), places.length]).toEqual([undefined, 0.5, undefined, 16])
})

test('a file that does not respond does not block other requests', async () => {
  const file = join(temporaryFolder(), 'layout.json')
  execFileSync('mkfifo', [file])
  const hasPlaces = openLayouts(file).client.hasPlaces()
  // Reading a pipe blocks until someone writes to it.
  await writeFile(file, 'no layout')
  expect(await hasPlaces).toBe(false)
})
