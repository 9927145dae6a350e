// Whether answers are right, by program.

/** Kinds of questions whose right notes are a whole set: others given are wrong. */
const WHOLE = new Set(['backlinks', 'list', 'vault'])

/** An id as it is compared: paths of questions keep their case, ids of answers do not. */
function foldId(id) {
  return id.normalize('NFC').toLowerCase()
}

/**
 * Ids that a value of an answer names as results: what a result is (`id`, `match`), and the notes of a path.
 * What a result merely links to is not named by it.
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

/** Every text in a value of an answer, blanks folded, so that escapes of JSON do not hide what it says. */
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
 * Judges what a policy gave for a question: `given` are the notes it gives as the answer, `number` the number, `named` every id among the
 * answers, `text` all of their text. @returns why it is not right; nothing where it is.
 */
export function faultsOf({ kind, right, must = [], never = [], count }, { given, number, named, text }) {
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
