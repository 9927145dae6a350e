// How requests over HTTP and their answers stand on a page.

/** What was shown of exchanges, each in a block of its own. */
export function blocks(exchanges) {
  return `${exchanges.map(({ shown }) => `\`\`\`text\n${shown}\n\`\`\``).join('\n\n')}\n`
}

/** A request and its answer, as they went over the line but for what is different each time, or is long. */
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

/** Of a tool's answer the facts alone: `content` holds the same as text. */
function factsIn(answer) {
  return answer.result?.structuredContent ?? answer
}

const MOST_ITEMS = 3
const MOST_LETTERS = 150
/** What says nothing here. */
const LEFT_OUT = new Set(['links', 'properties', 'icons'])

function abbreviate(value, key = '') {
  if (typeof value === 'string') return abbreviateText(value, key)
  if (Array.isArray(value)) {
    const rest = value.length - MOST_ITEMS
    return [...value.slice(0, MOST_ITEMS).map((item) => abbreviate(item)), ...(rest > 0 ? [`… ${rest} more`] : [])]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, LEFT_OUT.has(name) ? '…' : abbreviate(item, name)]),
  )
}

/** What a server tells its client to begin with ends with what is of interest here. */
function abbreviateText(text, key) {
  if (text.length <= MOST_LETTERS) return text
  return key === 'instructions' ? `…${text.slice(text.lastIndexOf('\n') + 1)}` : `${text.slice(0, MOST_LETTERS).trimEnd()}…`
}
