import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exported, scanned } from '../support/memory-vault.ts'

interface Case {
  readonly id: string
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly symlinks?: Readonly<Record<string, string>>
  readonly source: string
  readonly profile: 'obsidian' | 'lenient'
  readonly opts?: { readonly mode?: 'docs' | 'foam' | 'logseq'; readonly comments?: boolean }
  readonly expect: {
    readonly edges?: Readonly<Record<string, number>>
    readonly unresolved?: Readonly<Record<string, number>>
    readonly tags?: readonly string[]
    readonly aliases?: readonly string[]
    readonly title?: string
    readonly excluded?: readonly string[]
    readonly nodes?: readonly string[]
  }
}

/** The results of the whole pipeline for a case: scan, parse, resolve, commit, read back. */
async function outcome({ files, symlinks, source, profile, opts }: Case) {
  const flavor = { profile, comments: opts?.comments ?? true, mode: opts?.mode ?? ('obsidian' as const) }
  const { store } = await scanned(files, symlinks, flavor)
  const rows = await exported(store)
  const nodes = rows.flatMap((row) => (row.kind === 'node' ? [row] : []))
  const pathOf = new Map(nodes.map(({ id, path }) => [id, path]))
  const node = nodes.find(({ path }) => path === source)
  const edges = rows.flatMap((row) =>
    row.kind === 'edge' && row.source === node?.id ? [[pathOf.get(row.target), row.count]] : [],
  )
  const unresolved = rows.flatMap((row) =>
    row.kind === 'unresolved' && row.source === node?.id ? [[row.target, row.count]] : [],
  )
  return {
    edges: Object.fromEntries(edges),
    unresolved: Object.fromEntries(unresolved),
    tags: node?.tags,
    aliases: node?.aliases,
    title: node?.title,
    excluded: nodes.filter(({ excluded }) => excluded).map(({ path }) => path),
    nodes: nodes.map(({ path }) => path).sort(),
  }
}

for (const file of ['vault-cases', 'lenient-cases', 'resolution-cases']) {
  const cases = JSON.parse(readFileSync(new URL(`../cases/${file}.json`, import.meta.url), 'utf8')) as Case[]
  describe(file, () => {
    test.each(cases)('$id: $name ($profile)', async (one) => {
      const actual = await outcome(one)
      for (const [fact, value] of Object.entries(one.expect)) {
        // These two facts are checked by the tests of the scanner.
        if (fact === 'h1' || fact === 'fm') continue
        expect({ [fact]: actual[fact as keyof typeof actual] }).toEqual({ [fact]: value })
      }
    })
  })
}
