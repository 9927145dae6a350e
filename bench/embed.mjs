// The built-in embedder: how long its table takes to load, what memory it takes, how many texts it embeds a second, beside a reader
// that keeps the vocabulary in a Map. `node --expose-gc bench/embed.mjs [texts.jsonl]`; without a file, texts of words like a vault's.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { nouns } from './words.mjs'

const TABLE = fileURLToPath(new URL('../assets/embedder/static-256.bin', import.meta.url))
const ROUNDS = 7
const { openStaticEmbedder } = await importSource('../src/embed/static-embedder.ts')

globalThis.gc?.()
const before = memory()
const first = timed(() => openStaticEmbedder(TABLE))
const embedder = first.value
globalThis.gc?.()
const grown = memory() - before
const loads = Array.from({ length: ROUNDS }, () => timed(() => openStaticEmbedder(TABLE)).ms)
console.log(
  `load: first ${first.ms.toFixed(1)} ms, then ${median(loads).toFixed(1)} ms; heap and buffers +${grown.toFixed(1)} MB`,
)

const texts = readTexts(process.argv[2])
const naive = naiveReader(TABLE)
const perSecond = { roux: [], map: [] }
for (let round = 0; round <= ROUNDS; round++) {
  const ours = timed(() => texts.map((text) => embedder.embedText(text)))
  const theirs = timed(() => texts.map(naive))
  if (round === 0)
    console.log(`largest difference of a component: ${largestDifference(ours.value, theirs.value).toExponential(1)}`)
  else {
    perSecond.roux.push((1000 * texts.length) / ours.ms)
    perSecond.map.push((1000 * texts.length) / theirs.ms)
  }
}
const words = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0) / texts.length
console.log(`${texts.length} texts of ${words.toFixed(0)} words, a second (median of ${ROUNDS}, alternating):`)
console.log(`  Roux ${median(perSecond.roux).toFixed(0)}   Map ${median(perSecond.map).toFixed(0)}`)
const queries = timed(() => {
  for (let i = 0; i < 5000; i++) embedder.embedText('how do glaciers shape a valley')
})
console.log(`a query of six words: ${((1000 * queries.ms) / 5000).toFixed(1)} µs`)
for (const [name, text] of [
  ['20 MB of words', 'the quick brown fox '.repeat(1_000_000)],
  ['1 MB without a blank', 'x'.repeat(1_000_000)],
  ['1 MB of emoji', '😀'.repeat(500_000)],
  ['1 MB of marks', 'e\u0301\u0323'.repeat(333_333)],
]) {
  console.log(`${name}: ${timed(() => embedder.embedText(text)).ms.toFixed(0)} ms`)
}

/** Vector of a text, with the plainest reader of the table. */
function naiveReader(path) {
  const bytes = readFileSync(path)
  const length = bytes.readUInt32LE(4)
  const { rows, dims, vocabBytes } = JSON.parse(bytes.toString('utf8', 8, 8 + length))
  const vocabulary = new Map(
    bytes
      .toString('utf8', 8 + length, 8 + length + vocabBytes)
      .split('\n')
      .map((piece, row) => [piece, row]),
  )
  const scales = 8 + length + vocabBytes
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset + scales + 4 * rows, rows * dims)
  const scale = Float32Array.from({ length: rows }, (_, row) => bytes.readFloatLE(scales + 4 * row))
  return (text) => {
    const sum = new Float64Array(dims)
    for (const row of pieces(text, vocabulary)) {
      for (let i = 0; i < dims; i++) sum[i] += scale[row] * weights[row * dims + i]
    }
    const norm = Math.hypot(...sum)
    return Float32Array.from(sum, (value) => (norm === 0 ? 0 : value / norm))
  }
}

function pieces(text, vocabulary) {
  const clean = text
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu, '')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
  const words = clean.match(/[\p{P}!-/:-@[-`{-~]|[^\s\p{P}!-/:-@[-`{-~]+/gu) ?? []
  return words.flatMap((word) => split(word, vocabulary))
}

function split(word, vocabulary) {
  const found = []
  for (let start = 0; start < word.length; ) {
    let end = word.length
    const mark = start === 0 ? '' : '##'
    while (end > start && !vocabulary.has(mark + word.slice(start, end))) end--
    if (end === start) return []
    found.push(vocabulary.get(mark + word.slice(start, end)))
    start = end
  }
  return found
}

/** Lines with a `text`, or made-up texts of 215 words. */
function readTexts(file) {
  if (file === undefined) {
    return Array.from({ length: 2000 }, (_, text) =>
      Array.from({ length: 215 }, (_, word) => nouns[(text * 31 + word * word * 7) % nouns.length]).join(' '),
    )
  }
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(0, 2000)
  return lines.map((line) => JSON.parse(line).text)
}

async function importSource(path) {
  const entry = fileURLToPath(new URL(path, import.meta.url))
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', write: false })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

function timed(run) {
  const start = performance.now()
  const value = run()
  return { value, ms: performance.now() - start }
}

function memory() {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

function largestDifference(left, right) {
  return Math.max(...left.map((vector, i) => vector.reduce((most, value, j) => Math.max(most, Math.abs(value - right[i][j])), 0)))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
