import fc from 'fast-check'

/** Files by path. */
export type Files = Readonly<Record<string, string>>

/** No two names are equal in NFC, because a link could not tell them apart. */
const FOLDERS = ['', 'f/', 'F/', 'g h/', 'cafe\u0301/']
const NAMES = [
  'a.md',
  'A.md',
  'b.md',
  'c d.md',
  'Note (1).md',
  'index.md',
  'x%20y.md',
  "it's.md",
  '\u00c9t\u00e9.md',
  'E\u0301te\u0301.md',
  'Tea, black.md',
  'v1.2.md',
  'p q.png',
  'p.png',
  'b.canvas',
]
const HEADINGS = [
  'Intro',
  'Part one',
  'Part two',
  'See [[%]]',
  'Of #old',
  'It is: done?',
  'A ^blk',
  '%%c%% End',
  'On [m](<%>)',
  'Part one',
]
const BLOCK = 'blk2'
const TAGS = ['old', 'old/deep', 'other']

/** A link: the number of its target file, how it is named, and a subpath. */
interface LinkSeed {
  readonly to: number
  readonly way: number
  readonly part: number
}

const linkSeed = fc.record({ to: fc.nat(9), way: fc.nat(13), part: fc.nat(30) })
/** A piece of a note: its kind, and the links and numbers it uses. */
const piece = fc.record({ kind: fc.nat(24), links: fc.tuple(linkSeed, linkSeed), pick: fc.nat(60) })
const file = fc.record({
  folder: fc.constantFrom(...FOLDERS),
  name: fc.constantFrom(...NAMES),
  pieces: fc.array(piece, { maxLength: 7 }),
  property: fc.option(fc.record({ kind: fc.nat(9), link: linkSeed, pick: fc.nat(60) })),
  ending: fc.constantFrom('', '\n', '\n', '\n\n', '  \n'),
  isWindows: fc.boolean(),
  hasMark: fc.nat(9),
})

type FileSeed = typeof file extends fc.Arbitrary<infer Seed> ? Seed : never

/** Vaults of two to seven files with clashing names, whose notes contain most kinds of content. */
export const vaults = fc
  .uniqueArray(file, { minLength: 2, maxLength: 7, selector: ({ folder, name }) => (folder + name).normalize('NFC') })
  .map((files) => build(files))

function build(files: readonly FileSeed[]): Files {
  const paths = files.map(({ folder, name }) => folder + name)
  return Object.fromEntries(files.map((each, at) => [paths[at] as string, textOf(each, paths[at] as string, paths)]))
}

function textOf(seed: FileSeed, own: string, paths: readonly string[]): string {
  if (own.endsWith('.png')) return `picture ${own}`
  const context: Context = { own, paths, words: 0 }
  const pieces = seed.pieces.map((each) => written(each, context))
  if (own.endsWith('.canvas')) {
    const cards = seed.pieces.map(({ links: [{ to }] }, at) => ({
      id: `n${at}`,
      type: 'file',
      file: paths[to % paths.length],
      subpath: '#Intro',
    }))
    return JSON.stringify({ nodes: [...cards, { id: 't', type: 'text', text: pieces.join('\n\n') }], edges: [] }, undefined, '\t')
  }
  const { property } = seed
  const top = property === null ? '' : `---\n${PROPERTIES[property.kind % PROPERTIES.length]?.(property, context)}\n---\n`
  const text = top + pieces.join('\n') + seed.ending
  return (seed.hasMark === 0 ? '\ufeff' : '') + (seed.isWindows ? text.replaceAll('\n', '\r\n') : text)
}

interface Context {
  readonly own: string
  readonly paths: readonly string[]
  /** Counts the unique words of the vault. */
  words: number
}

function word(context: Context): string {
  context.words++
  return `word${context.words}`
}

/** How one file names another. */
function nameOf({ to, way, part }: LinkSeed, { own, paths }: Context): { readonly name: string; readonly part: string } {
  const path = paths[to % paths.length] as string
  const stem = path.replace(/\.md$/, '')
  const up = '../'.repeat(own.split('/').length - 1) || './'
  const ways = [
    stem.split('/').at(-1),
    stem,
    path,
    path.split('/').at(-1),
    `${up}${path}`,
    `${up}${stem}`,
    `/${stem}`,
    stem.toUpperCase(),
    stem.normalize('NFC'),
    stem.normalize('NFD'),
    'Alias one',
    'No such note',
    stem.split('/').at(-1),
    '',
  ]
  const heading = headingText(part % HEADINGS.length, 'a')
  const parts = ['', '', '', `#${subpathOf(heading)}`, `#^${BLOCK}`, '#Intro#Part one', '#part-one', `#${subpathOf(heading)}`]
  return { name: ways[way % ways.length] as string, part: parts[part % parts.length] as string }
}

function headingText(at: number, to: string): string {
  return (HEADINGS[at] as string).replace('%]', `${to}]`).replace('<%>', `<${to}.md>`)
}

/** Writes a heading into a link as Obsidian does. */
function subpathOf(heading: string): string {
  return heading
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[[\]|#^:]|%%/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

const LINKS: readonly ((target: { readonly name: string; readonly part: string }) => string)[] = [
  ({ name, part }) => `[[${name}${part}]]`,
  ({ name, part }) => `[[${name}${part}|shown]]`,
  ({ name, part }) => `![[${name}${part}]]`,
  ({ name, part }) => `[m](${encodeURI(name)}${encodeURI(part)})`,
  ({ name, part }) => `[m *x*](<${name}${part}> "title")`,
  ({ name }) => `![i](${encodeURI(name)})`,
  ({ name, part }) => `<a href="${encodeURI(name)}${encodeURI(part)}">h</a>`,
  ({ name, part }) => `[[${name}${part}]]`,
]

function link(seed: LinkSeed, context: Context): string {
  const target = nameOf(seed, context)
  // A link with an empty name leads to its own note and needs a heading.
  const { name, part } = target.name === '' && target.part === '' ? { name: 'a', part: '' } : target
  return (LINKS[seed.way % LINKS.length] as (typeof LINKS)[number])({ name, part })
}

function written(
  { kind, links: [one, two], pick }: typeof piece extends fc.Arbitrary<infer Seed> ? Seed : never,
  context: Context,
): string {
  const a = link(one, context)
  const b = link(two, context)
  const some = word(context)
  const heading = headingText(pick % HEADINGS.length, nameOf({ ...one, part: 0 }, context).name || 'a')
  const tag = TAGS[pick % TAGS.length] as string
  const level = '#'.repeat(1 + (pick % 3))
  const pieces = [
    `${some} ${a} and ${b}`,
    `${level} ${heading}`,
    `${level} ${heading}`,
    `${level} ${heading} ${level}`,
    `\n${heading}\n${pick % 2 === 0 ? '====' : '---'}`,
    `\n${heading}\n${pick % 2 === 0 ? '=' : '---'}\n${some}`,
    `\n%%\n## ${heading}\n${a}\n%%`,
    `\n%%\nOld\n===\n%%`,
    `${some} %% hidden ${a} %% after ${b}`,
    `> [!note] ${some} ${a}\n> more ${b}\n> ## ${heading}`,
    `| ${some} | ${a.replaceAll('|', '\\|')} |\n| --- | --- |\n| x | ${b.replaceAll('|', '\\|')} |`,
    `- ${some} ${a}\n\t- [ ] task ${b}\n- # ${heading}`,
    `- item\n  id:: 5f3c\n  ${a}`,
    `\`\`\`md\n[[a]] # no heading\n## ${heading}\n\`\`\``,
    `${some} \`[[a]]\` <!-- [[a]] --> ${a}`,
    `${some} [ref][r${pick}] ${a}\n\n[r${pick}]: ${encodeURI(nameOf(two, context).name || 'a')} "t"`,
    `${some} #${tag} and #${tag.toUpperCase()}, ${a}`,
    `${some} text ^${BLOCK}`,
    `${some}  \n${a}\\\n*${b}*`,
    `    ${a} indented`,
    `${some} $x [[a]]$ and $$y$$ ${a}`,
    `${some}[^1] ${a}\n\n[^1]: note ${b}`,
    `key:: ${a}`,
    `***\n${some} ${a}\n___`,
    `${some}\n`,
  ]
  return pieces[kind % pieces.length] as string
}

interface PropertySeed {
  readonly link: LinkSeed
  readonly pick: number
}

const PROPERTIES: readonly ((seed: PropertySeed, context: Context) => string)[] = [
  ({ link: seed }, context) => `up: [[${wiki(seed, context)}]] # why`,
  ({ link: seed }, context) => `up: "[[${wiki(seed, context)}]]"\naliases: [Alias one]`,
  ({ link: seed }, context) => `up: '[[${wiki(seed, context)}|x]]'\nn: 1`,
  ({ link: seed, pick }, context) => `tags: [${TAGS[pick % TAGS.length]}, more]\nrel:\n  - "[[${wiki(seed, context)}]]"\n  - b`,
  ({ pick }) => `tags:\n  - ${TAGS[pick % TAGS.length]}\n  - "quoted"\ntitle: Named`,
  ({ link: seed }, context) => `# comment\nrel: ["[[${wiki(seed, context)}]]", "[m](${encodeURI(wiki(seed, context))})"]`,
  ({ link: seed }, context) => `text: |\n  many [[${wiki(seed, context)}]]\n  lines\nlast: true`,
  ({ link: seed }, context) => `map: {up: "[[${wiki(seed, context)}]]"}`,
  () => 'tags: old, other\nempty:',
  ({ link: seed }, context) => `up: see [[${wiki(seed, context)}]] too`,
]

function wiki(seed: LinkSeed, context: Context): string {
  const { name } = nameOf(seed, context)
  return (name || 'a').replace(/['"]/g, '')
}
