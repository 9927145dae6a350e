import { openThrough } from '../contract/open-engine.ts'
import { testStore } from '../contract/store.ts'
import { memoryEngine } from '../support/memory-engine/open.ts'

testStore('in memory, slow,', openThrough(memoryEngine))
