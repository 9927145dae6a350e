// What the retrieval benchmarks share with `roux eval`.
export { average, DEPTH, meanOfMeans, ndcg, seededRandom } from '../src/app/eval/statistics.ts'
