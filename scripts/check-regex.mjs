/**
 * Rejects regular expressions in `src/` that `recheck` cannot prove to run in linear time. If a literal is safe for a reason that `recheck`
 * cannot see, list it with that reason in scripts/regex-reviewed.json. Safe results are cached in node_modules/.cache. Those that took
 * long are also in scripts/regex-proven.json, for a fresh installation; they count only for the version of `recheck` named there.
 *
 * Usage: npm run check:regex [-- --prove]
 *   --prove  proves everything again and writes scripts/regex-proven.json
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { check } from 'recheck'
import ts from 'typescript'

const CACHE = 'node_modules/.cache/regex.json'
/** Time limit per expression, in ms. Finding backtracking is much faster; proving that there is none can take longer. */
const TIMEOUT = 5_000
const PROVEN = 'scripts/regex-proven.json'
/** Results that took longer than this are written to `PROVEN`, in ms. */
const SLOW = 200

const { version } = JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8'))
const reviewed = JSON.parse(readFileSync('scripts/regex-reviewed.json', 'utf8'))
const isProving = process.argv.includes('--prove')
const cache = new Set(isProving ? [] : [CACHE, PROVEN].flatMap(safeIn))
const slow = []
const found = collect('src')
const pending = [...found.keys()].filter((literal) => !(literal in reviewed) && !cache.has(literal))
const faults = []
const undecided = []
await Promise.all(Array.from({ length: availableParallelism() }, work))
mkdirSync('node_modules/.cache', { recursive: true })
writeFileSync(CACHE, JSON.stringify({ version, safe: [...cache].filter((literal) => found.has(literal)) }))
if (isProving) writeFileSync(PROVEN, `${JSON.stringify({ version, safe: slow.sort() }, null, 2)}\n`)
for (const literal of Object.keys(reviewed))
  if (!found.has(literal)) faults.push(`${literal} is in scripts/regex-reviewed.json, but no longer in src/: remove it.`)
for (const fault of faults) console.error(fault)
for (const literal of undecided) console.log(`cannot prove linear time: ${found.get(literal)}: ${literal}`)
if (faults.length === 0)
  console.log(
    `${found.size} regular expressions run in linear time; ${Object.keys(reviewed).length} of them were reviewed by hand.`,
  )
process.exitCode = faults.length === 0 ? 0 : 1

async function work() {
  for (let literal = pending.pop(); literal !== undefined; literal = pending.pop()) {
    const end = literal.lastIndexOf('/')
    // `recheck` does not know the `d` flag, which only adds positions.
    const flags = literal.slice(end + 1).replace('d', '')
    const started = performance.now()
    const { status, checker, complexity, error } = await check(literal.slice(1, end), flags, { timeout: TIMEOUT })
    if (status === 'safe') {
      cache.add(literal)
      if (performance.now() - started > SLOW) slow.push(literal)
    }
    // The fuzzer guesses and needs time, so only an exponential result counts.
    else if (error?.kind === 'timeout' || (checker === 'fuzz' && complexity?.type !== 'exponential')) undecided.push(literal)
    else
      faults.push(
        `${found.get(literal)}: ${literal} may backtrack (${complexity?.summary ?? error?.kind}). Write a linear scan or a stricter expression.`,
      )
  }
}

/** Returns every regular expression literal in a folder, with the first place it occurs. */
function collect(folder) {
  const places = new Map()
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue
    const path = join(folder, name)
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
    const visit = (node) => {
      const text = literalOf(node, source)
      if (text !== undefined && !places.has(text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart())
        places.set(text, `${path}:${line + 1}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return places
}

/** Returns a literal, or a `new RegExp` whose interpolated parts are replaced with placeholders. */
function literalOf(node, source) {
  if (ts.isRegularExpressionLiteral(node)) return node.text
  if (!ts.isNewExpression(node) || node.expression.getText(source) !== 'RegExp') return undefined
  const [pattern, flags] = node.arguments ?? []
  if (pattern === undefined || !(ts.isStringLiteralLike(pattern) || ts.isTemplateExpression(pattern))) return undefined
  const text = ts.isTemplateExpression(pattern)
    ? pattern.head.text + pattern.templateSpans.map((span) => `(?:x|y)${span.literal.text}`).join('')
    : pattern.text
  return `/${text}/${flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : ''}`
}

/** Returns the safe literals that this version of `recheck` has found, according to a file. */
function safeIn(path) {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8'))
    return stored.version === version ? stored.safe : []
  } catch {
    return []
  }
}
