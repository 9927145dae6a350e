import type { InsightCache } from '../../src/core/insight-cache.ts'
import type { InsightState } from '../../src/core/insight-state.ts'
import type { Store } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { InsightRun } from '../../src/insight/insight-run.ts'
import { InsightClient, type InsightRuns } from '../../src/workers/insight-client.ts'

export interface MemoryCache extends InsightCache {
  readonly kept: Map<string, Uint8Array>
}

/** A cache of insights in memory. */
export function memoryCache(): MemoryCache {
  const kept = new Map<string, Uint8Array>()
  let last: { readonly of: string; readonly bytes: Uint8Array } | undefined
  return {
    kept,
    lacking: (contents) => contents.filter((content) => !kept.has(content)),
    records: () => (content) => kept.get(content),
    keepRecords(records) {
      for (const [content, bytes] of records) kept.set(content, bytes)
    },
    keepOnly(contents) {
      for (const content of [...kept.keys()]) if (!contents.has(content)) kept.delete(content)
    },
    result: (of) => (last?.of === of ? last.bytes : undefined),
    keepResult(of, bytes) {
      last = { of, bytes }
    },
    reset() {
      kept.clear()
      last = undefined
    },
    close() {},
  }
}

/** Runs that are made in this thread, later as in another; each step is told before it is made. */
export function runsHere(cache: InsightCache = memoryCache(), onStep: (step: string) => void = () => {}): InsightRuns {
  return {
    async beginInsight(_, links) {
      onStep('begin')
      const run = new InsightRun(cache, links)
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

/** The insights of a store. */
export function insightsOf(
  { store, texts }: { readonly store: Pick<Store, 'read'>; readonly texts: Texts },
  state: InsightState = memoryInsightState(),
): InsightClient {
  return new InsightClient({ store, texts, runs: runsHere(), file: 'unused', state, isIgnored: () => false })
}

/** What is decided about a vault as a whole, in memory. */
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
