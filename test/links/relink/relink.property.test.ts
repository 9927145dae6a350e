import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Link } from '../../../src/core/note.ts'
import { ChangedNames, type NameChange } from '../../../src/links/relink/changed-names.ts'
import type { RelinkPlan } from '../../../src/links/relink/relink-plan.ts'
import { resolveLink } from '../../../src/links/resolve.ts'
import { ALIASES, FLAVORS, moves, path, possible, vault, withEnding } from './random-vaults.ts'
import { applyPlan, TextVault } from './rig.ts'

const RUNS = Number(process.env.RELINK_RUNS ?? 100)
const FORMATS = ['shortest', 'relative', 'absolute'] as const

/** Where the links of each file lead. */
const endsOf = (vault: TextVault, path: string) => vault.source(path)?.links.map(({ to }) => to) ?? []

describe.each(FLAVORS)('$profile, $mode', (flavor) => {
  test('every link leads to the same file as before, and only links that would break are rewritten', () => {
    fc.assert(
      fc.property(vault, moves, fc.constantFrom(...FORMATS), (files, wanted, format) => {
        const before = new TextVault(files, flavor)
        const moved = possible(files, wanted)
        const { plan, after } = before.move(moved, format)
        const excused = new Map<unknown, number | string>(plan.gained.map(({ link, to }) => [link, to]))
        for (const { source, link } of plan.lost) {
          const now = after.source(moved[source.path] ?? source.path)
          excused.set(link, now?.links[source.links.indexOf(link)]?.to ?? '')
        }
        for (const source of before.sources()) {
          const expected = source.links.map((link) => excused.get(link) ?? link.to)
          expect(endsOf(after, moved[source.path] ?? source.path), source.path).toEqual(expected)
        }
        expectNeeded(before, moved, plan)
      }),
      { numRuns: RUNS },
    )
  })

  test('after moving back, every kept link leads to its original target', () => {
    fc.assert(
      fc.property(vault, moves, (files, wanted) => {
        const before = new TextVault(files, flavor)
        const moved = possible(files, wanted)
        const there = before.move(moved)
        const back = there.after.move(Object.fromEntries(Object.entries(moved).map(([from, to]) => [to, from])))
        fc.pre([there, back].every(({ plan }) => plan.lost.length + plan.gained.length === 0))
        expect(back.after.ends()).toEqual(before.ends())
      }),
      { numRuns: RUNS },
    )
  })
})

/** Any change of names: files deleted, added, given other aliases, or moved. */
const change = fc.tuple(fc.nat(50), fc.constantFrom('goes', 'comes', 'renames', 'moves'), path, fc.subarray(ALIASES))

test.each(FLAVORS)('$profile, $mode: after any change of names, links lead to the same files', (flavor) => {
  fc.assert(
    fc.property(vault, fc.array(change, { minLength: 1, maxLength: 4 }), (files, wanted) => {
      const before = new TextVault(files, flavor)
      const changes = nameChanges(before, wanted)
      const plan = before.relink(changes)
      const names = new ChangedNames(before.names, changes)
      const edited = applyPlan(files, plan)
      const excused = new Set([...plan.lost, ...plan.gained].map(({ link }) => link))
      for (const source of before.sources()) {
        const now = names.path(source.key)
        if (now === undefined) continue
        const links = before.texts.links(now, edited[source.path] ?? '')
        source.links.forEach((was, at) => {
          if (excused.has(was)) return
          const found = resolveLink(names, { key: source.key, path: now }, links[at] as Link, flavor)
          expect(found.kind === 'file' ? found.key : found.name, source.path).toBe(was.to)
        })
      }
    }),
    { numRuns: RUNS },
  )
})

type Wanted = typeof change extends fc.Arbitrary<infer T> ? T : never

function nameChanges({ keys, names }: TextVault, wanted: readonly Wanted[]): readonly NameChange[] {
  const paths = [...keys.keys()]
  const taken = new Set(paths)
  const changes = new Map<number, NameChange>()
  for (const [index, [at, what, to, aliases]] of wanted.entries()) {
    const from = paths[at % paths.length] as string
    const key = what === 'comes' ? 1_000 + index : (keys.get(from) as number)
    const free = withEnding(to, from)
    if (changes.has(key) || ((what === 'comes' || what === 'moves') && taken.has(free))) continue
    taken.add(free)
    const stays = { path: from, aliases, title: names.file(key)?.title }
    const moves = { ...stays, path: free, aliases: names.file(key)?.aliases ?? aliases }
    changes.set(key, { key, after: what === 'goes' ? undefined : what === 'renames' ? stays : moves })
  }
  return [...changes.values()]
}

/** Whether a plain Markdown reader can follow the link from one file to another, where paths are compared after `spelling`. */
function leadsFromFolder(
  { form, target }: Pick<Link, 'form' | 'target'>,
  from: string,
  to: string,
  spelling: (path: string) => string,
): boolean {
  if (form !== 'markdown' && form !== 'reference') return false
  if (target.startsWith('/') || target.endsWith('/')) return false
  const path = spelling(posix.join(posix.dirname(from), target).normalize())
  return [path, spelling(`${path}.md`)].includes(spelling(to.normalize()))
}

/** File systems that ignore case, and those that respect it. */
const SPELLINGS = [(path: string) => path.toLowerCase(), (path: string) => path]

/** Checks that a link of the file would break without the edits. Text outside the edits must be unchanged. */
function expectNeeded(before: TextVault, moved: Record<string, string>, plan: RelinkPlan): void {
  const untouched = Object.entries(before.files).map(([path, text]) => [moved[path] ?? path, text] as const)
  const keys = new Map([...before.keys].map(([path, key]) => [moved[path] ?? path, key]))
  const careless = new TextVault(Object.fromEntries(untouched), before.flavor, keys)
  for (const { path, edits } of plan.files) {
    for (const { start, end, text } of edits) expect(before.files[path]?.slice(start, end)).not.toBe(text)
    // Search may find files that documentation tools would not find.
    if (before.flavor.mode === 'docs' || before.flavor.mode === 'foam') continue
    const after = moved[path] ?? path
    const wrong = before.source(path)?.links.filter((link, at) => {
      const now = careless.source(after)?.links[at]
      if (now?.to !== link.to) return true
      const to = [...before.keys].find(([, key]) => key === link.to)?.[0] ?? ''
      const isAmbiguous = link.rivals === undefined && now.rivals !== undefined
      if (isAmbiguous && moved[to] !== undefined) return true
      // The link is lost if only the application's search finds the file now, while every Markdown reader found it before.
      return SPELLINGS.some(
        (spelling) => leadsFromFolder(link, path, to, spelling) && !leadsFromFolder(link, after, moved[to] ?? to, spelling),
      )
    })
    expect(wrong?.length, path).toBeGreaterThanOrEqual(edits.length)
  }
}
