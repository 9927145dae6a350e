import type { InsightCache, InsightState } from '../../src/core/insight/insight.ts'
import type { Store } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { InsightRun } from '../../src/insight/insight-run.ts'
import { InsightClient, type InsightRuns } from '../../src/workers/insight-client.ts'

export interface MemoryCache extends InsightCache {
  readonly kept: Map<string, Uint8Array>
}

/** An in-memory cache of insights. */
export function memoryCache(): MemoryCache {
  const kept = new Map<string, Uint8Array>()
  const results = new Map<string, { readonly of: string; readonly bytes: Uint8Array }>()
  return {
    kept,
    missing: (contents) => contents.filter((content) => !kept.has(content)),
    records: () => (content) => kept.get(content),
    keepRecords(records) {
      for (const [content, bytes] of records) kept.set(content, bytes)
    },
    keepOnly(contents) {
      for (const content of [...kept.keys()]) if (!contents.has(content)) kept.delete(content)
    },
    result: (of) => [...results.values()].find((one) => one.of === of)?.bytes,
    keepResult(of, kind, bytes) {
      results.set(kind, { of, bytes })
    },
    reset() {
      kept.clear()
      results.clear()
    },
    close() {},
  }
}

/** Runs in this thread but asynchronously, as in another one. Reports each step before it. */
export function runsHere(cache: InsightCache = memoryCache(), onStep: (step: string) => void = () => {}): InsightRuns {
  return {
    async beginInsight(_, subject) {
      onStep('begin')
      const run = new InsightRun(cache, subject)
      const later = async <T>(step: string, make: () => T): Promise<T> => {
        await new Promise((resolve) => setImmediate(resolve))
        onStep(step)
        return make()
      }
      return {
        addNotes: (notes) => later('notes', () => run.addNotes(notes)),
        plan: () => later('plan', () => run.plan()),
        addTexts: (texts) => later('texts', () => run.addTexts(texts)),
        finish: (former) => later('finish', () => run.finish(former)),
        close: () => onStep('close'),
      }
    },
  }
}

interface InsightSource {
  readonly store: Pick<Store, 'read'>
  readonly texts: Texts
}

/** The insights of a store; `name` is the vault name that its ids begin with. */
export function insightsOf(source: InsightSource, state: InsightState = memoryInsightState(), name?: string): InsightClient {
  return new InsightClient({ ...partsOf(source), name, kind: 'whole', state })
}

/** The links of a store, which may be missing. */
export function linkInsightsOf(source: InsightSource, name?: string): InsightClient<'links'> {
  return new InsightClient({ ...partsOf(source), name, kind: 'links' })
}

function partsOf({ store, texts }: InsightSource) {
  return { store, texts, runs: runsHere(), file: 'unused', isIgnored: () => false }
}

/** In-memory decisions about suggestions. */
export function memoryInsightState(): InsightState {
  let kept: Uint8Array | undefined
  const labels = new Map<string, string>()
  const dismissed = new Set<string>()
  return {
    communities: () => kept,
    keepCommunities(bytes) {
      kept = bytes
    },
    labels: () => labels,
    setLabel(community, label) {
      if (label === undefined) labels.delete(community)
      else labels.set(community, label)
    },
    dismissed: () => dismissed,
    dismiss: (gap) => void dismissed.add(gap),
    restore: (gap) => dismissed.delete(gap),
    close() {},
  }
}
