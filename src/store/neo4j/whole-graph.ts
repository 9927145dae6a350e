import type { FileRecord } from '../../core/index-writer.ts'
import type { ExportRow } from '../../core/store.ts'
import { readLinks } from './note-properties.ts'
import type { QuestionContext } from './questions.ts'

/** The number of files per statement. */
const PART = 2_000

interface StoredFile extends Pick<FileRecord, 'key' | 'path' | 'title' | 'kind' | 'tags' | 'aliases' | 'excluded'> {
  readonly id: string
}

interface StoredLinks {
  readonly edges: readonly { readonly to: string; readonly count: number; readonly kinds: readonly string[] }[]
  readonly missing: readonly { readonly count: number; readonly links: string }[]
}

/** Returns files by id, then edges by source. */
export async function exportRows({
  questions,
  idOf,
}: Pick<QuestionContext, 'questions' | 'idOf'>): Promise<readonly ExportRow[]> {
  const files = await questions.ask<StoredFile>(
    `MATCH (f:RouxFile {vault: $vault}) WHERE f.folded STARTS WITH '' WITH f ORDER BY f.sort
     RETURN f {.key, .id, .path, .title, .kind, .tags, .aliases, .excluded} AS row`,
  )
  const rows: ExportRow[] = files.map(({ id, path, title, kind, tags, aliases, excluded }) => ({
    kind: 'node',
    id: idOf(id),
    path,
    title,
    nodeKind: kind,
    tags,
    aliases,
    excluded,
  }))
  for (let from = 0; from < files.length; from += PART) {
    const part = files.slice(from, from + PART)
    const links = await questions.ask<StoredLinks>(
      `UNWIND range(0, size($keys) - 1) AS at MATCH (f:RouxFile&RouxNode {vault: $vault, key: $keys[at]}) WITH at, f ORDER BY at
       RETURN {edges: COLLECT { MATCH (f)-[l:ROUX_LINK]->(t:RouxFile) WITH l, t ORDER BY t.sort RETURN {to: t.id, count: l.count, kinds: l.kinds} },
               missing: COLLECT { MATCH (f)-[l:ROUX_LINK]->(:RouxMissing) RETURN l {.count, .links} }} AS row`,
      { keys: part.map(({ key }) => key) },
    )
    for (const [at, { id }] of part.entries()) rows.push(...edgesOf(idOf(id), links[at] ?? { edges: [], missing: [] }, idOf))
  }
  return rows
}

function edgesOf(
  source: ReturnType<QuestionContext['idOf']>,
  { edges, missing }: StoredLinks,
  idOf: QuestionContext['idOf'],
): readonly ExportRow[] {
  const unresolved = missing
    .map(({ count, links }) => ({ count, first: readLinks(links)[0] }))
    .sort((a, b) => (a.first?.[0] ?? 0) - (b.first?.[0] ?? 0))
  return [
    ...edges.map(({ to, count, kinds }) => ({ kind: 'edge', source, target: idOf(to), count, kinds }) as ExportRow),
    ...unresolved.map(
      ({ count, first }): ExportRow => ({ kind: 'unresolved', source, target: String(first?.[1].to ?? ''), count }),
    ),
  ]
}

/** The listed notes and the links among them, without self-links. */
export interface TopologyRows {
  readonly keys: readonly number[]
  /** Ids without the vault prefix. */
  readonly ids: readonly string[]
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export async function topologyOf({ questions }: QuestionContext): Promise<TopologyRows> {
  const rows = await questions.ask<readonly [key: number, id: string, targets: readonly number[]]>(
    `MATCH (f:RouxListed {vault: $vault}) WHERE f.folded STARTS WITH ''
     WITH f, COLLECT { MATCH (f)-[:ROUX_LINK]->(t:RouxListed) WHERE t <> f RETURN t.key } AS targets ORDER BY f.key
     RETURN [f.key, f.id, targets] AS row`,
  )
  const numbers = new Map(rows.map(([key], at) => [key, at]))
  const offsets = new Uint32Array(rows.length + 1)
  const targets: number[] = []
  rows.forEach(([, , ownTargets], at) => {
    for (const key of ownTargets) {
      const number = numbers.get(key)
      if (number !== undefined) targets.push(number)
    }
    offsets[at + 1] = targets.length
  })
  return { keys: rows.map(([key]) => key), ids: rows.map(([, id]) => id), offsets, targets: Uint32Array.from(targets) }
}
