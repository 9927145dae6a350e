import type { TextRange } from '../core/text/link-slots.ts'
import { narrow } from './neutralize.ts'

/** Top-level domains that are rarely file extensions. */
const DOMAINS = words(
  'com net org io dev ai co biz xyz edu gov mil eu uk de fr ru cn jp us ca au nl ch pl br tv cc ly onion example',
)
/** Top-level domains that also occur in code, such as `file.link`. */
const DOMAINS_OF_TEXT = words(
  `app me info int in se no it es at be to gg site online top club shop live link click page cloud tech store zip mov local test pro xxx aero asia
  coop museum рф su ua kr mx nz dk fi cz gr pt ie il tr ir hk sg tw vn hu sk bg lt lv ee hr ro lu pe cl ae ke kz ws nu gl fm pw tk gq`,
)
const SCHEMES = words(
  `data javascript vbscript obsidian file mailto tel sms blob about intent view-source xmpp magnet ftp http https ws wss vscode slack zotero roux`,
)

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s/).filter((word) => word !== ''))
}

const TOKEN = /[^\s<>"'`]+/g
const NAME = /[\p{L}\p{N}_.-]+/gu
const MAIL_PART = /[^()[\],;]+/g
const MAX_SCHEME_LENGTH = 31

/** Finds text that programs turn into links, in linear time. In code, only unambiguous addresses count. */
export function findAddresses(text: string, { inCode = false } = {}): readonly TextRange[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    const goesOn = /\S/.test(text.charAt(index + token.length))
    return addressesIn(narrow(token).replace(/[。｡]/g, '.'), { inCode, goesOn }).map(({ start, end }) => ({
      start: index + start,
      end: index + end,
    }))
  })
}

interface TokenKind {
  readonly inCode: boolean
  readonly goesOn: boolean
}

function addressesIn(token: string, { inCode, goesOn }: TokenKind): readonly TextRange[] {
  const end = goesOn && token.endsWith(':') ? token.length + 1 : withoutPunctuation(token)
  const starts = [schemeStart(token), listedSchemeStart(token, goesOn), token.toLowerCase().indexOf('www.')]
  if (!inCode) starts.push(slashesStart(token))
  const first = Math.min(...starts.map((at) => (at < 0 ? token.length : at)))
  const rest = first < token.length ? [{ start: first, end: Math.max(end, first + 1) }] : []
  return [...mailIn(token, inCode), ...namesIn(token, inCode), ...rest]
}

function withoutPunctuation(token: string): number {
  let end = token.length
  while (end > 0 && '.,;:!?…)]}*_~'.includes(token.charAt(end - 1))) end--
  return end
}

function schemeStart(token: string): number {
  let at = token.indexOf(':')
  while (at >= 0 && !/^[/\\]{2}/.test(token.slice(at + 1, at + 3))) at = token.indexOf(':', at + 1)
  if (at < 0) return -1
  let start = at
  for (let i = at - 1; i >= 0 && at - i <= MAX_SCHEME_LENGTH && /[a-z0-9+.-]/i.test(token.charAt(i)); i--) {
    if (/[a-z]/i.test(token.charAt(i))) start = i
  }
  return start
}

/** Returns the start of a scheme without slashes, such as `data:`, or -1 if there is none. */
function listedSchemeStart(token: string, goesOn: boolean): number {
  const last = goesOn ? token.length : token.length - 1
  for (let at = token.indexOf(':'); at >= 0 && at < last; at = token.indexOf(':', at + 1)) {
    const before = token.slice(Math.max(0, at - MAX_SCHEME_LENGTH), at).toLowerCase()
    const [web] = /https?$/.exec(before) ?? []
    if (web !== undefined) return at - web.length
    let start = before.length
    while (start > 0 && /[a-z-]/.test(before.charAt(start - 1))) start--
    const scheme = before.slice(start)
    if (SCHEMES.has(scheme) && !/\w/.test(before.charAt(start - 1))) return at - scheme.length
  }
  return -1
}

/** Returns the start of `//name` or `\\name`, which browsers treat as addresses, or -1 if there is none. */
function slashesStart(token: string): number {
  for (let at = 0; at < token.length - 2; at++) {
    const next = token.charAt(at + 2)
    const isStart = token.startsWith('//', at) || (token.startsWith('\\\\', at) && /[\w[]/.test(next))
    if (isStart && !/[:\w]/.test(token.charAt(at - 1))) return at
  }
  return -1
}

function mailIn(token: string, inCode: boolean): readonly TextRange[] {
  if (!token.includes('@')) return []
  return [...token.matchAll(MAIL_PART)].flatMap(({ 0: part, index }) => {
    const [name = '', ...hosts] = part.slice(0, withoutPunctuation(part)).split('@')
    const isMail = hosts.some((host) => host.includes('.')) && (!inCode || name !== '')
    return isMail ? [{ start: index, end: index + withoutPunctuation(part) }] : []
  })
}

function namesIn(token: string, inCode: boolean): readonly TextRange[] {
  if (!token.includes('.')) return []
  return [...token.matchAll(NAME)].flatMap(({ 0: name, index }) => {
    const rest = token.slice(index + name.length)
    const isAddress =
      isNumericAddress(name, rest, inCode) ||
      isHost(name, rest, inCode) ||
      (!inCode && /\.\p{L}{2,24}$/u.test(name) && hasQuery(rest))
    if (!isAddress) return []
    const hasPath = /^(?::\d|[/?#])/.test(rest)
    const last = name.endsWith('.') && !hasPath ? name.replace(/(?<!\.)\.+$/, '').length : name.length
    return [{ start: index, end: hasPath ? Math.max(withoutPunctuation(token), index + last) : index + last }]
  })
}

/** Returns true for a host name. In a name of several labels, every label except the first may be a top-level domain. */
function isHost(name: string, rest: string, inCode: boolean): boolean {
  const labels = name.split('.')
  return labels.some((label, at) => {
    const before = labels[at - 1] ?? ''
    if (before === '') return false
    const ending = label.toLowerCase()
    if (DOMAINS.has(ending)) return !(inCode && rest.startsWith('(')) && !isNextSentence(before, label)
    return !inCode && DOMAINS_OF_TEXT.has(ending) && !isNextSentence(before, label)
  })
}

/** Returns true for text such as `bread.It`, which is the end of a sentence, not a host in Italy. */
function isNextSentence(before: string, label: string): boolean {
  return /^\p{Lu}\p{Ll}+$/u.test(label) && /\p{Ll}$/u.test(before)
}

/** Returns true for a link with a query string, which could send data to the host. */
function hasQuery(rest: string): boolean {
  const at = rest.indexOf('?')
  return at >= 0 && /^(?::\d{1,5})?[/?]/.test(rest) && rest.includes('=', at)
}

/** Returns true for an address such as `93.184.216.34/x`, but not for a network such as `10.0.0.0/8`. */
function isNumericAddress(name: string, rest: string, inCode: boolean): boolean {
  if (inCode || !/^(?:\d{1,3}\.){3}\d{1,3}$/.test(name)) return false
  const path = rest.replace(/^:\d{1,5}/, '')
  return /^[/?#]/.test(path) && !/^\/\d{1,2}(?![\w/?#])/.test(path)
}
