import type { PropertyCount, TagCount, ValueCount, ValueKind } from '../../core/store.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { mostCommonSpelling } from '../../graph/tag-index.ts'
import { SEPARATOR } from './note-properties.ts'
import type { QuestionContext } from './questions.ts'

const LISTED_FILES = "MATCH (f:RouxListed {vault: $vault}) WHERE f.folded STARTS WITH ''"

/** Counts tags and their parents. The result is ordered by count, then by name. */
export async function countTags({ questions }: QuestionContext, prefix: string): Promise<readonly TagCount[]> {
  const rows = await questions.ask<{ readonly tag: string; readonly files: number; readonly listed: number }>(
    `MATCH (f:RouxFile {vault: $vault}) WHERE f.folded STARTS WITH '' UNWIND f.tagSpellings AS tag
     WITH tag, f WHERE tag STARTS WITH $prefix
     WITH tag, count(*) AS files, sum(CASE WHEN f:RouxListed THEN 1 ELSE 0 END) AS listed
     RETURN {tag: tag, files: files, listed: listed} AS row`,
    { prefix },
  )
  const tags = new Map<string, { listed: number; readonly spellings: Map<string, number> }>()
  for (const { tag, files, listed } of rows) {
    const [folded = '', spelling = ''] = tag.split(SEPARATOR)
    const entry = tags.get(folded) ?? { listed: 0, spellings: new Map<string, number>() }
    entry.listed += listed
    entry.spellings.set(spelling, files)
    tags.set(folded, entry)
  }
  return [...tags.values()]
    .filter(({ listed }) => listed > 0)
    .map(({ listed, spellings }) => ({ tag: mostCommonSpelling(spellings), count: listed }))
    .sort((a, b) => b.count - a.count || compareTexts(a.tag, b.tag))
}

export async function countProperties({ questions }: QuestionContext): Promise<readonly PropertyCount[]> {
  const rows = await questions.ask<{ readonly fact: string; readonly count: number }>(
    `${LISTED_FILES} UNWIND f.propertyFacts AS fact WITH fact, count(*) AS count RETURN {fact: fact, count: count} AS row`,
  )
  const byName = new Map<
    string,
    { count: number; readonly spellings: Map<string, number>; readonly kinds: Map<string, number> }
  >()
  for (const { fact, count } of rows) {
    const [folded = '', spelling = '', kind = ''] = fact.split(SEPARATOR)
    const entry = byName.get(folded) ?? { count: 0, spellings: new Map<string, number>(), kinds: new Map<string, number>() }
    entry.count += count
    add(entry.spellings, spelling, count)
    add(entry.kinds, kind, count)
    byName.set(folded, entry)
  }
  return [...byName.values()]
    .map(({ count, spellings, kinds }) => ({
      key: mostCommonSpelling(spellings),
      count,
      kinds: mostCommonFirst(kinds) as readonly ValueKind[],
    }))
    .sort((a, b) => b.count - a.count || compareTexts(a.key, b.key))
}

export async function countValues({ questions }: QuestionContext, key: string): Promise<readonly ValueCount[]> {
  const rows = await questions.ask<{ readonly value: string; readonly count: number }>(
    `${LISTED_FILES} AND $key IN f.propertyNames UNWIND f.propertyValues AS value WITH value WHERE value STARTS WITH $start
     WITH value, count(*) AS count RETURN {value: value, count: count} AS row`,
    { key, start: key + SEPARATOR },
  )
  const byValue = new Map<string, { count: number; readonly spellings: Map<string, number> }>()
  for (const { value, count } of rows) {
    const [, folded = '', spelling = ''] = value.split(SEPARATOR)
    const entry = byValue.get(folded) ?? { count: 0, spellings: new Map<string, number>() }
    entry.count += count
    add(entry.spellings, spelling, count)
    byValue.set(folded, entry)
  }
  return [...byValue.values()]
    .map(({ count, spellings }) => ({ value: mostCommonSpelling(spellings), count }))
    .sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
}

function add(counts: Map<string, number>, of: string, by: number): void {
  counts.set(of, (counts.get(of) ?? 0) + by)
}

function mostCommonFirst(counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || compareTexts(a, b)).map(([text]) => text)
}
