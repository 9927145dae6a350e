import markdownIt from 'markdown-it'
import { marked } from 'marked'
import type { Nodes } from 'mdast'
import { toHast } from 'mdast-util-to-hast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

type IsOwn = (url: string) => boolean

const ADDRESS =
  /https?:\S|[a-z]:\/\/|www\.|\b(?:data|javascript|obsidian|file|mailto|tel):\S|[^\s@]@[a-z0-9-]+\.[a-z]|collect\.example(?![a-z0-9_-])|collect-it|\d\.\d{1,3}\.\d{1,3}(?::\d+)?[/?]\w/i
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u{e0000}-\u{e0fff}]/u
/** Elements and attributes that only show text. */
const HARMLESS =
  /^(?:p|em|strong|del|s|code|pre|[uo]l|li|h[1-6]|blockquote|table|thead|tbody|tr|t[hd]|hr|br|input)(?: (?:class="(?:language-[\w+#-]*|task-list-item|contains-task-list)"|align="\w+"|style="text-align:\w+"|start="\d+"|checked=""|disabled=""|type="checkbox"|\/))*$/
/** Languages that Obsidian or one of its plugins runs. */
const RUNS = /^(?:mermaid|dataview|dataviewjs|tasks|query|templater|tikz|chart|leaflet|ad-.*)$/i

const IT = markdownIt({ html: true, linkify: true })
// File names can end like country domains.
IT.linkify.set({ fuzzyLink: false })

interface Element {
  readonly type: string
  readonly tagName?: string
  readonly value?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly children?: readonly Element[]
}

/** The HTML that three renderers make of a text. */
const RENDERERS: Readonly<Record<string, (markdown: string) => string>> = {
  marked: (markdown) => marked.parse(markdown, { async: false, gfm: true }),
  'markdown-it': (markdown) => IT.render(markdown),
  remark: (markdown) =>
    htmlOf(toHast(unified().use(remarkParse).use(remarkGfm).parse(markdown) as Nodes, { allowDangerousHtml: true }) as Element),
}

/** What leads out of a text, according to three Markdown renderers and a search for addresses. */
export function dangersIn(markdown: string, isOwn: IsOwn = () => false): readonly string[] {
  const found = Object.entries(RENDERERS).flatMap(([name, render]) =>
    dangersInHtml(render(markdown), isOwn).map((what) => `${name}: ${what}`),
  )
  const rest = markdown
    .replace(/\[\d+\]\(roux:\/\/node\/[^)\s]*\)/g, '')
    .replace(/[*_~\\]/g, ' ')
    .replaceAll('`', ' ')
  if (ADDRESS.test(rest)) found.push(`an address: ${ADDRESS.exec(rest)?.[0]}`)
  if (HIDDEN.test(markdown)) found.push('a hidden character')
  if (markdown.includes('<%')) found.push('a template')
  visit(markdown, (node, written) => {
    if (node.type === 'code' && RUNS.test(node.lang ?? '')) found.push(`code that runs: ${node.lang}`)
    if (node.type === 'inlineCode' && /^\s*\$?=/.test(node.value)) found.push(`code that runs: ${node.value}`)
    if (node.type === 'text' && /(?<!\\)\[\[/.test(written)) found.push('a link of a wiki')
  })
  return found
}

/** Visits every Markdown node with its source text. */
function visit(markdown: string, tell: (node: Nodes, written: string) => void): void {
  const tellAll = (node: Nodes): void => {
    tell(node, markdown.slice(node.position?.start.offset, node.position?.end.offset))
    if ('children' in node) node.children.forEach(tellAll)
  }
  tellAll(unified().use(remarkParse).use(remarkGfm).parse(markdown) as Nodes)
}

function dangersInHtml(html: string, isOwn: IsOwn): readonly string[] {
  const found: string[] = []
  const text = html.replace(/<br ?\/?>/g, '\n').replace(/<(\/?)([a-z!?][^<>]*)>/gi, (whole, end: string, tag: string) => {
    const [, url] = /^a href="([^"]*)"$/.exec(tag) ?? []
    const isLink = url !== undefined && isOwn(url)
    if (!isLink && !(end === '/' ? tag === 'a' || HARMLESS.test(tag) : HARMLESS.test(tag.trim()))) found.push(whole)
    return ''
  })
  const shown = text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#(?:39|x27);/g, "'")
    .replace(/&amp;/g, '&')
  const [address] = ADDRESS.exec(shown) ?? []
  if (address !== undefined) found.push(`shows ${address}`)
  return found
}

function htmlOf({ type, tagName, value = '', properties = {}, children = [] }: Element): string {
  const inner = children.map(htmlOf).join('')
  if (type === 'raw') return value
  if (type === 'text') return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  if (type !== 'element') return inner
  const shown = Object.entries(properties).flatMap(([name, one]) =>
    one === false || one === undefined || one === null
      ? []
      : [
          ` ${name === 'className' ? 'class' : name}="${one === true ? '' : String(Array.isArray(one) ? one.join(' ') : one).replace(/"/g, '&quot;')}"`,
        ],
  )
  return `<${tagName}${shown.join('')}>${inner}</${tagName}>`
}
