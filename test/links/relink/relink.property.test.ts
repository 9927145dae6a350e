import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Flavour } from '../../../src/core/note.ts'
import type { RelinkPlan } from '../../../src/links/relink/relink-plan.ts'
import { type Files, TextVault } from './rig.ts'

/** Few names, so that they clash; some that hardly any notation can hold. */
const FOLDERS = ['', 'f/', 'g/', 'g/f/', 'My Dir/', 'dé (1)/']
const NAMES = ['a.md', 'A.md', 'b.md', 'index.md', 'README.md', 'c d.md', 'v1.2.md', 'p.png', 'b.canvas', 'x%20y.md', 'Été.md', 'a']
const ODD_NAMES = ['it\'s.md', 'q"q.md', 'e#f.md', 'h|i.md', 'j[k].md', 'l`m.md', 'n$o.md', '(r.md', 'a___b.md', 'w&amp;.md', 'y?z.md', '#t.md', 'u: v.md', 'http:z.md', '%%.md', '{x}.md', '-.md', 'ß.md']
const path = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) }))
  .map(([folder, name]) => folder + name)

const ALIASES = ['Alias', 'b', 'c d', 'f/a', 'other']

/** Ways to name a file from a source. */
function targetOf(source: string, to: string, way: number): string {
  const stem = to.replace(/\.md$/, '')
  const up = '../'.repeat(source.split('/').length - 1)
  const ways = [to, stem, to.split('/').at(-1), stem.split('/').at(-1), `/${stem}`, `/${to}`, `${up === '' ? './' : up}${to}`, `${up === '' ? './' : up}${stem}`, `./${stem.split('/').at(-1)}`, stem.toUpperCase(), to.replace(/[^/]*$/, ''), stem.split('/').slice(-2).join('/')]
  return ways[way % ways.length] ?? stem
}

const WAYS = [
  (t: string) => `[[${t}]]`,
  (t: string) => `![[${t}#Head|shown]]`,
  (t: string) => `| [[${t}\\|x]] |`,
  (t: string) => `[[ ${t} #^b]]`,
  (t: string) => `[x](${encodeURI(t)})`,
  (t: string) => `[x](<${t}> "T")`,
  (t: string) => `![a [b] \`](\`](${encodeURI(t)}#A%20b 't')`,
  (t: string) => `[![i](${encodeURI(t)})](${encodeURI(t)}#x)`,
  (t: string) => `[ref]\n\n[ref]: ${encodeURI(t)} "T"\n`,
  (t: string) => `[x][r2] and ![y][R2]\n\n> [r2]: <${t}#y>\n`,
  (t: string) => `<a href="${encodeURI(t)}#x">y</a> <img src='${encodeURI(t)}'>`,
  (t: string) => `%% [[${t}]] %%`,
  (t: string) => `\`[[${t}]]\` <!-- [[${t}]] -->`,
  (t: string) => `> quote [x\n> y](${encodeURI(t)}) end`,
  (t: string) => `key:: [[${t}]]`,
  (t: string) => `#[[${t}]]`,
  (t: string) => `cost $5 \` [[${t}]]`,
  (t: string) => `[x](${encodeURI(t)}?v=1#z)`,
]
const PROPERTIES = [
  (t: string) => `up: "[[${t}]]"`,
  (t: string) => `up: '[[${t}|x]]'`,
  (t: string) => `up: [[${t}]]`,
  (t: string) => `rel: ["[[${t}]]", "[m](${encodeURI(t)})"]`,
  (t: string) => `rel:\n  - see [[${t}]] too\n  - "\\u00e9 [[${t}]]"`,
  (t: string) => `m: {k: "![[${t}]]"}`,
  (t: string) => `t: |\n  many [[${t}]]\n  lines`,
]

const seeds = fc.array(fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50)), { maxLength: 4 })
const file = fc.record({ path, seeds, property: fc.option(fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50))), aliases: fc.subarray(ALIASES, { maxLength: 1 }) })
export const vault = fc.uniqueArray(file, { minLength: 2, maxLength: 7, selector: (each) => each.path }).map(build)

type Built = fc.Arbitrary<typeof file> extends never ? never : { path: string; seeds: [number, number, number][]; property: [number, number, number] | null; aliases: string[] }[]

function build(files: Built): Files {
  const nth = <T>(items: readonly T[], at: number) => items[at % items.length] as T
  return Object.fromEntries(
    files.map(({ path: own, seeds: links, property, aliases }) => {
      if (own.endsWith('.png')) return [own, '']
      const link = (ways: readonly ((t: string) => string)[], [way, to, how]: readonly [number, number, number]) =>
        nth(ways, way)(how % 13 === 12 ? nth(ALIASES, to) : targetOf(own, nth(files, to).path, how))
      const body = links.map((each) => link(WAYS, each)).join('\n\n')
      if (own.endsWith('.canvas')) {
        const cards = links.map(([, to]) => ({ type: 'file', file: nth(files, to).path, subpath: '#H' }))
        return [own, JSON.stringify({ nodes: [{ type: 'text', text: body }, ...cards] }, undefined, 1)]
      }
      const lines = [...(aliases.length > 0 ? [`aliases: [${aliases.join(', ')}]`] : []), ...(property === null ? [] : [link(PROPERTIES, property)])]
      return [own, `${lines.length > 0 ? `---\n${lines.join('\n')}\n---\n` : ''}${body}\n`]
    }),
  )
}

export const moves = fc.array(fc.tuple(fc.nat(50), path), { minLength: 1, maxLength: 3 })

/** Moves that can be made: nothing is overwritten, and a file stays of its kind. */
export function possible(files: Files, wanted: readonly (readonly [number, string])[]): Record<string, string> {
  const paths = Object.keys(files)
  const taken = new Set(paths)
  const made: Record<string, string> = {}
  for (const [at, to] of wanted) {
    const from = paths[at % paths.length] as string
    const ending = /\.[^./]*$/.exec(from)?.[0] ?? ''
    const target = to.replace(/\.(?:md|png|canvas)$/, '') + ending
    if (taken.has(target) || made[from] !== undefined) continue
    made[from] = target
    taken.add(target)
  }
  return made
}

// The flavours.
export const FLAVOURS: readonly Flavour[] = [
  { profile: 'lenient', mode: 'obsidian', comments: true },
  { profile: 'obsidian', mode: 'obsidian', comments: true },
  { profile: 'lenient', mode: 'docs', comments: true },
  { profile: 'lenient', mode: 'foam', comments: false },
  { profile: 'lenient', mode: 'logseq', comments: true },
]

const RUNS = Number(process.env['RELINK_RUNS'] ?? 100)
const FORMATS = ['shortest', 'relative', 'absolute'] as const

/** Where the links of one file lead. */
const endsOf = (vault: TextVault, path: string) => vault.source(path)?.links.map(({ to }) => to) ?? []

describe.each(FLAVOURS)('$profile, $mode', (flavour) => {
  test('every link leads where it led, and only links that would not are written', () => {
    fc.assert(
      fc.property(vault, moves, fc.constantFrom(...FORMATS), (files, wanted, format) => {
        const before = new TextVault(files, flavour)
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

  test('moved back, every link that could be kept leads where it led at first', () => {
    fc.assert(
      fc.property(vault, moves, (files, wanted) => {
        const before = new TextVault(files, flavour)
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

/** Without the edits of a file, one of its links would lead elsewhere; what lies outside of the edits is as it was. */
function expectNeeded(before: TextVault, moved: Record<string, string>, plan: RelinkPlan): void {
  const untouched = Object.entries(before.files).map(([path, text]) => [moved[path] ?? path, text] as const)
  const keys = new Map([...before.keys].map(([path, key]) => [moved[path] ?? path, key]))
  const careless = new TextVault(Object.fromEntries(untouched), before.flavour, keys)
  for (const { path, edits } of plan.files) {
    for (const { start, end, text } of edits) expect(before.files[path]?.slice(start, end)).not.toBe(text)
    // A search may find what tools for documentation would not.
    if (before.flavour.mode === 'docs' || before.flavour.mode === 'foam') continue
    const wrong = before.source(path)?.links.filter((link, at) => careless.source(moved[path] ?? path)?.links[at]?.to !== link.to)
    expect(wrong?.length, path).toBeGreaterThanOrEqual(edits.length)
  }
}
