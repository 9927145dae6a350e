import fc from 'fast-check'
import type { MemoryVault } from '../support/memory-vault.ts'

/** Few names, so that they clash: names that differ only in case or folder, aliases that equal other names, attachments next to notes. */
const PATHS = [
  'a.md',
  'A.md',
  'b.md',
  'f/a.md',
  'f/b.md',
  'f/index.md',
  'g/f/a.md',
  'f.md',
  'g.md',
  'README.md',
  'p.png',
  'f/p.png',
  'c.canvas',
  'g/c d.md',
]
const TARGETS = [
  'a',
  'A',
  'b',
  'f/a',
  'Alias',
  'alias',
  'other',
  'p.png',
  'f',
  './a',
  '../b',
  '/f/b',
  'a.md',
  'c%20d',
  'c d',
  'nope',
  'c.canvas',
  'g/f/a',
  '.',
  '..',
  './',
  '../',
  'x/..',
  'f/',
  './f/',
  '/f/',
  '/',
]

const link = fc.oneof(
  fc.constantFrom(...TARGETS).map((target) => `[[${target}]]`),
  fc.constantFrom(...TARGETS).map((target) => `[t](<${target}>)`),
  fc.constantFrom(...TARGETS).map((target) => `![[${target}#h|x]]`),
  fc
    .record({
      target: fc.constantFrom('', 'a', 'b', 'f/a', 'Alias', 'c.canvas'),
      subpath: fc.constantFrom('h', 'i', 'h#i', '^k'),
    })
    .map(({ target, subpath }) => `[[${target}#${subpath}]]`),
)
const noteText = fc
  .record({
    aliases: fc.subarray(['Alias', 'alias', 'other', 'b', 'nope']),
    up: fc.option(fc.constantFrom(...TARGETS), { nil: undefined }),
    links: fc.array(link, { maxLength: 4 }),
    tags: fc.subarray(['x', 'x/y', 'archived']),
    parts: fc.shuffledSubarray(['# h', '## i', '# i', 'x ^k']),
  })
  .map(({ aliases, up, links, tags, parts }) => {
    const lines = [
      ...(aliases.length > 0 ? [`aliases: [${aliases.join(', ')}]`] : []),
      ...(up === undefined ? [] : [`up: "[[${up}]]"`]),
    ]
    const frontmatter = lines.length > 0 ? `---\n${lines.join('\n')}\n---\n` : ''
    return `${frontmatter}${links.join(' and ')} ${tags.map((tag) => `#${tag}`).join(' ')}\n\n${parts.join('\n\n')}\n`
  })

/** Operations on a file. */
export const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...PATHS), text: noteText }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom(...PATHS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leadOut' as const), path: fc.constantFrom(...PATHS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move' as const), path: fc.constantFrom(...PATHS), to: fc.constantFrom(...PATHS) }),
  },
)
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Applies an operation. @returns the paths that it touched */
export function perform(vault: MemoryVault, step: Operation): readonly string[] {
  if (step.kind === 'write') {
    vault.write(step.path, step.path.endsWith('.canvas') ? canvasOf(step.text) : step.text)
    return [step.path]
  }
  if (step.kind === 'leadOut') {
    vault.linkOut(step.path, '/elsewhere')
    return [step.path]
  }
  const bytes = vault.read(step.path)
  vault.remove(step.path)
  if (step.kind === 'remove' || bytes === undefined) return [step.path]
  vault.write(step.to, bytes)
  return [step.path, step.to]
}

function canvasOf(text: string): string {
  return JSON.stringify({
    nodes: [
      { id: '1', type: 'text', text },
      { id: '2', type: 'file', file: 'f/a.md' },
    ],
  })
}
