import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Mode } from '../../src/core/note.ts'
import { parseCanvas } from '../../src/markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../src/markdown/parse-note.ts'

interface Case {
  readonly id: string
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly source: string
  readonly profile: 'lenient' | 'obsidian'
  readonly opts?: { readonly mode?: Mode; readonly comments?: boolean }
  readonly expect: {
    readonly edges?: Readonly<Record<string, number>>
    readonly unresolved?: Readonly<Record<string, number>>
    readonly tags?: readonly string[]
    readonly aliases?: readonly string[]
    readonly h1?: string
    readonly fm?: 'malformed'
  }
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../cases/${name}.json`, import.meta.url), 'utf8')) as Case[]
const sum = (counts: Readonly<Record<string, number>> = {}) => Object.values(counts).reduce((total, count) => total + count, 0)

// The resolver's tests check where links lead. Here every case checks the facts in its source file.
test.each([...read('vault-cases'), ...read('lenient-cases')].map((each) => [each.id, each.name, each] as const))(
  '%s: %s',
  (_id, _name, each) => {
    const given = { profile: each.profile, mode: each.opts?.mode ?? 'obsidian', comments: each.opts?.comments ?? true } as const
    const text = each.files[each.source] as string
    const note = each.source.endsWith('.canvas') ? parseCanvas(text, given) : parseNote(text, given)
    const { edges, unresolved, tags, aliases, h1, fm } = each.expect
    if (edges) expect(note.links).toHaveLength(sum(edges) + sum(unresolved))
    if (tags) expect(note.tags.map(({ name }) => name)).toEqual(tags)
    if (aliases) expect(note.aliases).toEqual(aliases)
    if (h1 !== undefined) expect(note.h1).toBe(h1)
    if (fm) expect(note.malformed).toHaveLength(1)
  },
)
