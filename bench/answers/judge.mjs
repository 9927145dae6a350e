// Judges whether answers are right.

/** Kinds of questions that ask for a whole set, so every other note is wrong. */
const WHOLE = new Set(['backlinks', 'list', 'vault', 'set'])

/** Folds an id for comparison. Questions keep the case of paths, but ids in answers do not. */
function foldId(id) {
  return id.normalize('NFC').toLowerCase()
}

/**
 * Returns the ids that an answer names as results: those of results (`id`, `match`) and of the notes on a path. Notes that a
 * result only links to do not count.
 */
export function idsOf(value) {
  if (Array.isArray(value)) return value.flatMap(idsOf)
  if (value === null || typeof value !== 'object') return []
  const own = [value.id, value.match].filter((id) => typeof id === 'string')
  const path = Array.isArray(value.path) ? value.path : []
  const lists = [
    value.nodes,
    value.problems,
    value.results,
    value.neighbors,
    value.alternatives,
    value.sources,
    value.excerpts,
  ].filter(Array.isArray)
  return [...own, ...path, ...lists.flatMap(idsOf)]
}

/** Returns all text in an answer with whitespace folded, so that JSON escapes do not hide it. */
export function textOf(value) {
  const parts = []
  const wait = [value]
  for (const one of wait) {
    if (typeof one === 'string') parts.push(foldBlanks(one))
    else if (one !== null && typeof one === 'object') wait.push(...Object.values(one))
  }
  return parts.join('\n')
}

/**
 * Judges a policy's answer: `given` are the notes in the answer, `number` the number, `groups` the counts by value, `named` all ids in the
 * answers, `text` all their text. @returns the reasons why it is wrong; empty if it is right.
 */
export function faultsOf(
  { kind, right, must = [], never = [], count, groups },
  { given, number, groups: told = {}, named, text },
) {
  const faults = []
  const members = new Set(given.map(foldId))
  const wanted = new Set(right.map(foldId))
  const seen = WHOLE.has(kind) ? members : new Set(named.map(foldId))
  const lacking = right.filter((path) => !seen.has(foldId(path)))
  if (lacking.length > 0) faults.push(`lacks ${some(lacking)}`)
  const wrong = WHOLE.has(kind) ? [...members].filter((id) => !wanted.has(id)) : []
  if (wrong.length > 0) faults.push(`gives ${some(wrong)} besides`)
  const refused = never.filter((path) => members.has(foldId(path)))
  if (refused.length > 0) faults.push(`gives ${some(refused)}, which is wrong`)
  const folded = foldBlanks(text)
  const unsaid = must.filter((part) => !folded.includes(foldBlanks(part)))
  if (unsaid.length > 0) faults.push(`does not say ${unsaid.map((part) => `“${part}”`).join(', ')}`)
  if (count !== undefined && number !== count && members.size !== count)
    faults.push(`says ${number ?? members.size}, not ${count}`)
  const miscounted = Object.entries(groups ?? {}).filter(([value, notes]) => told[value] !== notes)
  if (miscounted.length > 0)
    faults.push(`says ${miscounted.map(([value]) => `${told[value] ?? 'nothing'} of ${value}`).join(', ')}`)
  return faults
}

function foldBlanks(text) {
  return text.replace(/\s+/g, ' ')
}

function some(paths) {
  const more = paths.length > 2 ? ` and ${paths.length - 2} more` : ''
  return (
    paths
      .slice(0, 2)
      .map((path) => path.split('/').at(-1))
      .join(', ') + more
  )
}
