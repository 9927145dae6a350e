import type { GraphCore } from '../../src/app/graph-core.ts'
import { Rankings } from '../../src/app/links/rankings.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'
import type { Neo4jPlace } from '../../src/store/neo4j/server/place.ts'
import { openStoredVault } from '../../src/store/neo4j/stored-vault.ts'
import { KnownBag, searchCore } from '../app/search-core.ts'
import { insightsOf, linkInsightsOf } from './insights.ts'
import { CHAT } from './tool-calls.ts'

/** A core over a vault in a Neo4j database, as a server without the folder opens it. */
export async function storedCore(place: Neo4jPlace): Promise<GraphCore> {
  const { store, texts, indexing, graphLog } = openStoredVault(place)
  const memory = await searchCore({})
  return {
    ...memory,
    store,
    texts,
    indexing,
    graphLog,
    insights: insightsOf({ store, texts }),
    linkInsights: linkInsightsOf({ store, texts }),
    embedding: { open: async () => new KnownBag(), openFormer: async () => undefined },
    rankings: new Rankings(store, {
      run: async (metric, topology) => (metric === 'pagerank' ? { scores: pageRank(topology) } : betweenness(topology)),
    }),
    chat: CHAT,
    close: () => store.close(),
  }
}
