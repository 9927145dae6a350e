import type { Element, ElementContent, Root, RootContent, Text } from 'hast'
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import type { RootContent as RootNode } from 'mdast'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { type ComponentChildren, h } from 'preact'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { type Processor, unified } from 'unified'
import type { PageLink, PageText } from '../../app/read/page-note.ts'

/** How links and pictures of the vault are shown. */
export interface Slots {
  link(link: PageLink, label: string): ComponentChildren
  embed(link: PageLink, label: string): ComponentChildren
}

// A private-use character on each side: what stands for a link can be in no table's or code's way.
const [OPEN, CLOSE] = ['\u{E000}', '\u{E001}']
const MARKS = /[\u{E000}\u{E001}]/gu
const SLOT = /\u{E000}(\d+)\u{E001}/u
const CALLOUT = /^\[!(\w+)\][+-]?\s*/

// Raw HTML never becomes elements: remark-rehype drops it, and this is the second lock.
const processor = unified().use(remarkParse).use(readGfm).use(remarkRehype)
const SCHEMA = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
}

/** Quotes and lists within one another, deeper than anyone reads: the parser would take minutes, or all of the stack. */
const TANGLED = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}|^[ \t]{200,}(?:[-*+]|\d{1,9}[.)])[ \t]/m

/** A note's text as elements; nothing of it runs, and nothing of it is loaded. */
export function renderNote(note: PageText, slots: Slots): ComponentChildren {
  if (TANGLED.test(note.text)) return h('pre', null, note.text)
  const { text, labels } = withSlots(note)
  const parsed = processor.parse(text)
  if (note.breaks) keepLines(parsed)
  const tree = sanitize(processor.runSync(parsed), SCHEMA) as Root
  const context = { note, labels, slots }
  return withoutTitle(tree, note.title).map((child) => rendered(child, context))
}

/** The ends of lines of what is running text become breaks. */
function keepLines(parent: Parent): void {
  parent.children = parent.children.flatMap((child): RootNode[] => {
    if ('children' in child) keepLines(child)
    if (child.type !== 'text') return [child]
    return child.value
      .split('\n')
      .flatMap((value, at): RootNode[] => [
        ...(at === 0 ? [] : [{ type: 'break' as const }]),
        ...(value === '' ? [] : [{ ...child, value }]),
      ])
  })
}

/** The title stands above the note already. */
function withoutTitle({ children }: Root, title: string): readonly RootContent[] {
  const [first, ...rest] = children.filter((child) => child.type !== 'text' || child.value.trim() !== '')
  const isTitle = first?.type === 'element' && first.tagName === 'h1' && isSame(textOf(first), title)
  return isTitle ? rest : children
}

function isSame(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

function textOf(node: RootContent | ElementContent): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(textOf).join('') : ''
}

/** Tables, tasks and footnotes; what `remark-gfm` does, without what writes Markdown. */
function readGfm(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [gfm()]
  data.fromMarkdownExtensions = [gfmFromMarkdown()]
}

interface Parent {
  children: RootNode[]
}

interface Context {
  readonly note: PageText
  readonly labels: readonly string[]
  readonly slots: Slots
}

/** The text without comments, with a mark in place of each link that leads into the vault, and what each says. */
function withSlots({ text, links, comments }: PageText): { readonly text: string; readonly labels: readonly string[] } {
  let made = ''
  let at = 0
  const labels = links.map((link) => labelOf(text.slice(link.start, link.end), link))
  const slots = links.map(({ start, end, form }, number) => ({ start, end, form, mark: OPEN + number + CLOSE }))
  const replaced = [...slots, ...comments.map((range) => ({ ...range, form: undefined, mark: '' }))]
  for (const { start, end, form, mark } of replaced.sort((a, b) => a.start - b.start)) {
    // References are told apart by their definitions, which stand elsewhere.
    if (start < at || form === 'reference' || form === 'html') continue
    made += text.slice(at, start).replace(MARKS, '') + mark
    at = end
  }
  return { text: made + text.slice(at).replace(MARKS, ''), labels }
}

function labelOf(written: string, { title }: PageLink): string {
  const [, wikilink] = /^!?\[\[[^\]|]*\\?\|([\s\S]*)\]\]$/.exec(written) ?? []
  if (wikilink !== undefined) return wikilink
  const [, target] = /^!?\[\[([\s\S]*)\]\]$/.exec(written) ?? []
  if (target !== undefined) return target
  const [, label] = /^!?\[([\s\S]*?)\]\(/.exec(written) ?? []
  return label === undefined || label === '' ? title : label.replace(/[*_`~]/g, '')
}

function rendered(node: RootContent | ElementContent, context: Context): ComponentChildren {
  if (node.type === 'text') return filled(node, context)
  if (node.type !== 'element') return undefined
  const { tagName, children } = node
  if (tagName === 'img') return outside(String(node.properties.src ?? ''), String(node.properties.alt ?? ''))
  const inner = children.map((child) => rendered(child, context))
  const properties = propertiesOf(node, context)
  if (tagName === 'blockquote') return callout(node, context) ?? h('blockquote', properties, inner)
  if (tagName === 'table') return h('div', { class: 'wide' }, h('table', properties, inner))
  return h(tagName, properties, inner)
}

/** A text with its links. */
function filled({ value }: Text, { note, labels, slots }: Context): ComponentChildren {
  const parts = value.split(SLOT)
  if (parts.length === 1) return value
  return parts.map((part, at) => {
    if (at % 2 === 0) return part
    const link = note.links[Number(part)]
    const label = labels[Number(part)] ?? ''
    if (link === undefined) return label
    return link.embed ? slots.embed(link, label) : slots.link(link, label)
  })
}

function propertiesOf({ tagName, properties, position }: Element, { note }: Context): Record<string, unknown> {
  const line = position?.start.line
  const own: Record<string, unknown> = line === undefined ? {} : { 'data-line': line + note.lines_before }
  if (tagName === 'a') {
    const { href } = properties
    return {
      ...own,
      ...(typeof href === 'string' && /^(https?|mailto):/i.test(href)
        ? { href, target: '_blank', rel: 'noopener noreferrer' }
        : {}),
    }
  }
  if (tagName === 'input')
    return { ...own, type: 'checkbox', disabled: true, checked: properties.checked === true, 'aria-label': 'task' }
  if (typeof properties.align === 'string') own.style = { textAlign: properties.align }
  if (tagName === 'ol' && typeof properties.start === 'number') own.start = properties.start
  if (tagName === 'code' && Array.isArray(properties.className)) own.class = properties.className.join(' ')
  return own
}

/** A quote that begins with `[!note]`. */
function callout(node: Element, context: Context): ComponentChildren {
  const first = node.children.find((child): child is Element => child.type === 'element')
  const text = first?.children[0]
  const [mark, kind] = (text?.type === 'text' && CALLOUT.exec(text.value)) || []
  if (first === undefined || text?.type !== 'text' || mark === undefined) return undefined
  const [title = '', ...rest] = text.value.slice(mark.length).split('\n')
  const after = first.children.slice(1)
  // The line of the title ends with a break where lines are kept.
  const isBreak = after[0]?.type === 'element' && after[0].tagName === 'br'
  const body = node.children.map((child) =>
    child === first
      ? { ...first, children: [{ type: 'text' as const, value: rest.join('\n') }, ...after.slice(isBreak ? 1 : 0)] }
      : child,
  )
  return h('div', { class: 'callout' }, [
    h('strong', null, title === '' ? kind : filled({ type: 'text', value: title }, context)),
    body.map((child) => rendered(child, context)),
  ])
}

/** A picture from elsewhere is never loaded: its server would learn who reads what. */
function outside(address: string, label: string): ComponentChildren {
  if (!/^https?:/i.test(address)) return h('em', null, label || 'picture')
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer', class: 'outside' }, `Picture: ${label || address}`)
}
