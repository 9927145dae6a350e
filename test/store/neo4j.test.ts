import { afterAll, test } from 'vitest'
import { openThrough } from '../contract/open-engine.ts'
import { testStore } from '../contract/store.ts'
import { NEO4J_URL, pooledEngines } from '../support/neo4j.ts'

if (NEO4J_URL === undefined) test.skip('no Neo4j server: see npm run test:neo4j', () => {})
else {
  const engines = pooledEngines()
  afterAll(engines.close)
  testStore('Neo4j', openThrough(engines.open), { isShared: true })
}
