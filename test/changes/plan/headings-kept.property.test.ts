import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Flavor, Mode } from '../../../src/core/note.ts'
import type { Operation } from '../../../src/core/operations.ts'
import { NameIndex } from '../../../src/links/names.ts'
import { resolveLink } from '../../../src/links/resolve.ts'
import { namedHeadings } from '../../../src/links/subpath.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { writable } from '../../support/writable-vault.ts'

const text = fc.constantFrom('A', 'B', 'On [[b]]', 'See [[a#A|x]]', 'Of #old', '%%c%% D', 'A ^blk', 'C [x](a.md#a)', 'c')
const heading = fc.oneof(
  fc.tuple(fc.constantFrom('# ', '## ', '- # ', '> ## ', '\t- '), text).map(([mark, each]) => `${mark}${each}\n`),
  fc.tuple(text, fc.constantFrom('===', '---')).map(([each, line]) => `\n${each}\n${line}\n`),
  fc.tuple(text).map(([each]) => `%%\n# ${each}\n%%\n`),
  fc.constantFrom('id:: 1\n---\n', '\t- x\n\t  id:: 1\n\t  ---\n', '```\n# A\n```\n', '%%\nOld\n===\n%%\n'),
)
const subpath = fc.constantFrom('A', 'B', 'On b', 'See a A x', 'Of old', 'A blk', 'A#B', 'c', 'D', 'id 1')
const link = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', ''), subpath).map(([name, part]) => `[[${name}#${part}]]\n`),
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('a', 'on-b', 'of-old', 'c-x', 'c'))
    .map(([name, part]) => `[x](${name}.md#${part})\n`),
)
const note = fc.array(fc.oneof(heading, heading, link), { maxLength: 8 }).map((parts) => parts.join(''))
const operation = fc.oneof(
  fc.record({
    kind: fc.constant('renameHeading' as const),
    id: fc.constantFrom('a', 'b'),
    heading: text.map((each) => [each]),
    to: fc.constantFrom('New', 'B', 'On [[b]]'),
  }),
  fc.constantFrom<Operation>(
    { kind: 'renameTag', tag: 'old', to: 'new' },
    { kind: 'move', id: 'b', to: 'Tea, black' },
    { kind: 'move', id: 'a', to: 'f/z' },
  ),
)

const LINK = /\[.*\]/

type Files = Readonly<Record<string, string>>

/** The target of each link of each note: the note and the heading. */
function endsOf(
  files: Files,
  flavor: Flavor,
): ReadonlyMap<string, readonly (readonly [string, number | undefined] | undefined)[]> {
  const names = new NameIndex(flavor.mode)
  const paths = Object.keys(files)
  const notes = paths.map((path) => parseNote(files[path] ?? '', flavor))
  for (const [key, path] of paths.entries()) names.add({ key, path, aliases: notes[key]?.aliases ?? [] })
  return new Map(
    paths.map((path, key) => {
      const ends = (notes[key]?.links ?? []).map((each) => {
        const found = resolveLink(names, { key, path }, each, flavor)
        if (found.kind !== 'file' || each.subpath === undefined) return undefined
        return [paths[found.key] ?? '', namedHeadings(each.subpath, notes[found.key]?.headings ?? [])?.at.at(-1)] as const
      })
      return [path, ends]
    }),
  )
}

test("renames and moves keep every link's heading", async () => {
  const modes = fc.constantFrom<Mode>('obsidian', 'logseq', 'docs')
  await fc.assert(
    fc.asyncProperty(note, note, note, operation, modes, async (a, b, c, request, mode) => {
      const files = { 'a.md': a, 'b.md': b, 'c.md': c }
      const flavor: Flavor = { profile: 'lenient', mode, comments: true }
      const vault = await writable(files, { mode })
      const result = await vault.write(request).catch(() => undefined)
      fc.pre(result !== undefined)
      const moved = new Map(result?.files.map(({ from = '', to = '' }) => [from, to]))
      const now = endsOf(vault.files() as Files, flavor)
      const excused = (result?.dangling.length ?? 0) > 0
      for (const [path, ends] of endsOf(files, flavor)) {
        const there = now.get(moved.get(path) ?? path) ?? []
        const wrong = ends.filter((end, at) => {
          if (end?.[1] === undefined) return false
          const [to, index] = there[at] ?? []
          return to !== (moved.get(end[0]) ?? end[0]) || index !== end[1]
        })
        // Links inside a renamed heading are replaced with it.
        if (
          request.kind !== 'renameHeading' ||
          (there.length === ends.length && !(LINK.test(request.heading.join()) && LINK.test(request.to)))
        )
          expect(excused ? [] : wrong, JSON.stringify({ path, files: vault.files() })).toEqual([])
      }
      await vault.close()
    }),
    { numRuns: Number(process.env.PLAN_RUNS ?? 100) },
  )
})
