import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { groupBy } from '../../src/core/group-by.ts'
import { interval, type Trial } from './interval.ts'
import { type PlantedPair, type Planting, plantPairs } from './plant.ts'
import { adamicAdar, byVectors, openTable, ourOwn, type Prepared, prepare, type Ranker, templateNotes } from './rankers.ts'
import { parseVault, readVault, type VaultTexts } from './vault.ts'

/** A removed link must be among this many suggestions. */
const HIT_PLACES = 5

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    share: { type: 'string', default: '0.1' },
    templates: { type: 'boolean', default: true },
    table: { type: 'string', default: 'assets/embedder/static-256.bin' },
    vectors: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const table = openTable(values.table)
const rankers: Readonly<Record<string, Ranker>> = {
  'Adamic-Adar': adamicAdar,
  ...(values.vectors ? { vectors: byVectors(table) } : {}),
  suggest_links: ourOwn,
}
for (const folder of positionals) measure(basename(folder), readVault(folder))

function measure(name: string, vault: VaultTexts): void {
  const read = parseVault(vault)
  const variants: readonly (readonly [string, ReadonlySet<string>])[] = values.templates
    ? [[name, new Set()]]
    : [[`${name} without templates`, templateNotes(read)]]
  for (const [called, left] of variants) {
    console.log(
      `\n${called}: ${read.paths.length} notes, ${read.links.length} links${left.size > 0 ? `, ${left.size} notes of templates are no sources` : ''}`,
    )
    for (const planting of ['left', 'removed'] as const) measurePlanting(vault, { planting, left })
  }

  function measurePlanting(
    texts: VaultTexts,
    { planting, left }: { readonly planting: Planting; readonly left: ReadonlySet<string> },
  ): void {
    const hits = new Map<string, Trial[]>()
    const strict = new Map<string, Trial[]>()
    const lines: Trial[] = []
    for (const seed of values.seeds.split(',').map(Number)) {
      const planted = plantPairs(texts, read, {
        seed,
        planting,
        share: Number(values.share),
        isEligible: (source) => !left.has(source),
      })
      const prepared = prepare(planted.texts)
      const bySource = groupBy(planted.pairs, ({ source }) => source)
      for (const [ranker, rank] of Object.entries(rankers)) {
        const ranked = rank(prepared)
        for (const [source, pairs] of bySource) {
          const found = ranked(prepared.numbers.get(source) ?? 0)
          const cluster = `${seed} ${source}`
          for (const [trials, isStrict] of [
            [hits, false],
            [strict, true],
          ] as const) {
            const list = trials.get(ranker) ?? []
            list.push(
              ...pairs.map((pair) => ({ cluster, hit: isHit(prepared, pair, { pairs, found: found.targets, isStrict }) })),
            )
            trials.set(ranker, list)
          }
          if (found.lines === undefined || planting === 'removed') continue
          for (const { target, line } of pairs) {
            const at = found.targets.indexOf(prepared.numbers.get(target) ?? -1)
            const told = found.lines[at]
            if (told !== undefined && told > 0) lines.push({ cluster, hit: told === line })
          }
        }
      }
    }
    console.log(`  text ${planting}: ${hits.get('suggest_links')?.length} links`)
    for (const [ranker, trials] of hits)
      console.log(`    ${ranker.padEnd(14)} hit@${HIT_PLACES} ${interval(trials)}   strict ${interval(strict.get(ranker) ?? [])}`)
    if (lines.length > 0) console.log(`    the line of a name is right: ${interval(lines)} of ${lines.length}`)
  }
}

interface Found {
  readonly pairs: readonly PlantedPair[]
  readonly found: readonly number[]
  /** Other removed links of the note count against a suggestion, too. */
  readonly isStrict: boolean
}

function isHit({ numbers }: Prepared, { target }: PlantedPair, { pairs, found, isStrict }: Found): boolean {
  const own = numbers.get(target) ?? -1
  const others = new Set(isStrict ? [] : pairs.map((pair) => numbers.get(pair.target) ?? -1))
  others.delete(own)
  let place = 0
  for (const note of found) {
    if (note === own) return true
    if (others.has(note)) continue
    if (++place >= HIT_PLACES) return false
  }
  return false
}
