// Formats HTTP requests and their answers for a page.

/** The exchanges, one block each. */
export function blocks(exchanges) {
  return `${exchanges.map(({ shown }) => `\`\`\`text\n${shown}\n\`\`\``).join('\n\n')}\n`
}

/** A request and its answer as sent, without parts that are long or differ from run to run. */
export function show({ body, headers, response, answer, layOut }) {
  const sent = Object.entries(headers).filter(([name]) => !['Content-Type', 'Accept'].includes(name))
  const received = ['mcp-session-id', 'www-authenticate'].flatMap(
    (name) => response.headers.get(name) && [[name, response.headers.get(name)]],
  )
  const request = ['→ POST /mcp', ...sent.map(headerLine), `  ${layOut(body, '  ')}`]
  const status = `← ${response.status} ${response.statusText}`
  const shown = answer === undefined ? [] : [`  ${layOut(abbreviate(factsIn(answer)), '  ')}`]
  return [...request, status, ...received.filter(Boolean).map(headerLine), ...shown].join('\n')
}

const HEADER_NAMES = { 'mcp-session-id': 'Mcp-Session-Id', 'www-authenticate': 'WWW-Authenticate' }

function headerLine([name, value]) {
  const shown = { Authorization: 'Bearer roux_…', 'Mcp-Session-Id': '…' }
  const spelled = HEADER_NAMES[name] ?? name
  return `  ${spelled}: ${shown[spelled] ?? value}`
}

/** Keeps a tool's structured answer only: `content` repeats it as text. */
function factsIn(answer) {
  return answer.result?.structuredContent ?? answer
}

const MOST_ITEMS = 3
const MOST_LETTERS = 150
/** Lists and objects that do not matter here. */
const LEFT_OUT = new Set(['properties', 'icons'])
/** Members that are different each time. */
const CHANCE = new Set(['change_id', 'cursor', 'plan_id', 'since', 'time', 'undone'])

/** Returns an answer, or the arguments of a call, without the parts that are different each time. */
export function withoutChance(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(withoutChance)
  const members = Object.entries(value).map(([key, one]) => {
    return [key, CHANCE.has(key) && typeof one === 'string' ? '…' : withoutChance(one)]
  })
  return Object.fromEntries(members)
}

/** Keeps the first items of lists and the beginnings of texts, and leaves out members that do not matter here. */
export function abbreviate(value, key = '') {
  if (typeof value === 'string') return abbreviateText(value, key)
  if (Array.isArray(value)) {
    const rest = value.length - MOST_ITEMS
    return [...value.slice(0, MOST_ITEMS).map((item) => abbreviate(item)), ...(rest > 0 ? [`… ${rest} more`] : [])]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isLeftOut = LEFT_OUT.has(name) || (name === 'links' && Array.isArray(item))
      return [name, isLeftOut ? '…' : abbreviate(item, name)]
    }),
  )
}

/** The server's instructions, cut after the part of interest. */
function abbreviateText(text, key) {
  if (text.length <= MOST_LETTERS) return text
  return key === 'instructions' ? `…${text.slice(text.lastIndexOf('\n') + 1)}` : `${text.slice(0, MOST_LETTERS).trimEnd()}…`
}
