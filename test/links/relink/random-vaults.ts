import fc from 'fast-check'
import type { Flavor } from '../../../src/core/note.ts'
import type { Files } from './rig.ts'

/** Few names, so that they clash, including names that few notations can hold. */
const FOLDERS = ['', 'f/', 'g/', 'g/f/', 'My Dir/', 'dé (1)/']
const NAMES = [
  'a.md',
  'A.md',
  'b.md',
  'index.md',
  'README.md',
  'c d.md',
  'v1.2.md',
  'p.png',
  'b.canvas',
  'x%20y.md',
  'Été.md',
  'a',
]
const ODD_NAMES = [
  "it's.md",
  'q"q.md',
  'e#f.md',
  'h|i.md',
  'j[k].md',
  'l`m.md',
  'n$o.md',
  '(r.md',
  'a___b.md',
  'w&amp;.md',
  'y?z.md',
  '#t.md',
  'u: v.md',
  'http:z.md',
  '%%.md',
  '{x}.md',
  '-.md',
  'ß.md',
]
export const path = fc
  .tuple(
    fc.constantFrom(...FOLDERS),
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: fc.constantFrom(...ODD_NAMES) }),
  )
  .map(([folder, name]) => folder + name)

export const ALIASES = ['Alias', 'b', 'c d', 'f/a', 'other']

/** Ways to refer to a file from a source. */
function targetOf(source: string, to: string, way: number): string {
  const stem = to.replace(/\.md$/, '')
  const up = '../'.repeat(source.split('/').length - 1)
  const ways = [
    to,
    stem,
    to.split('/').at(-1),
    stem.split('/').at(-1),
    `/${stem}`,
    `/${to}`,
    `${up === '' ? './' : up}${to}`,
    `${up === '' ? './' : up}${stem}`,
    `./${stem.split('/').at(-1)}`,
    stem.toUpperCase(),
    to.replace(/[^/]*$/, ''),
    stem.split('/').slice(-2).join('/'),
  ]
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
const file = fc.record({
  path,
  seeds,
  property: fc.option(fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50))),
  aliases: fc.subarray(ALIASES, { maxLength: 1 }),
})
export const vault = fc.uniqueArray(file, { minLength: 2, maxLength: 7, selector: (each) => each.path }).map(build)

interface Seed {
  readonly path: string
  readonly seeds: readonly (readonly [way: number, to: number, how: number])[]
  readonly property: readonly [way: number, to: number, how: number] | null
  readonly aliases: readonly string[]
}

function build(files: readonly Seed[]): Files {
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
      const lines = [
        ...(aliases.length > 0 ? [`aliases: [${aliases.join(', ')}]`] : []),
        ...(property === null ? [] : [link(PROPERTIES, property)]),
      ]
      return [own, `${lines.length > 0 ? `---\n${lines.join('\n')}\n---\n` : ''}${body}\n`]
    }),
  )
}

export const moves = fc.array(fc.tuple(fc.nat(50), path), { minLength: 1, maxLength: 3 })

/** Valid moves: they overwrite nothing, and a file keeps its kind. */
export function possible(files: Files, wanted: readonly (readonly [number, string])[]): Record<string, string> {
  const paths = Object.keys(files)
  const taken = new Set(paths)
  const made: Record<string, string> = {}
  for (const [at, to] of wanted) {
    const from = paths[at % paths.length] as string
    const target = withEnding(to, from)
    if (taken.has(target) || made[from] !== undefined) continue
    made[from] = target
    taken.add(target)
  }
  return made
}

export const FLAVORS: readonly Flavor[] = [
  { profile: 'lenient', mode: 'obsidian', comments: true },
  { profile: 'obsidian', mode: 'obsidian', comments: true },
  { profile: 'lenient', mode: 'docs', comments: true },
  { profile: 'lenient', mode: 'foam', comments: false },
  { profile: 'lenient', mode: 'logseq', comments: true },
]

/** Returns a path with the extension of another one. */
export function withEnding(path: string, other: string): string {
  return path.replace(/\.(?:md|png|canvas)$/, '') + (/\.[^./]*$/.exec(other)?.[0] ?? '')
}
