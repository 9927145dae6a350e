import { type ComponentChildren, h } from 'preact'
import type { PageLink, PageText } from '../../app/read/page-note.ts'

/** A node that can be sent to another thread. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly line: number | undefined
  readonly children: readonly MarkdownNode[]
}

const SLOT = /\u{E000}(\d+)\u{E001}/u

export interface Slots {
  link(link: PageLink, label: string): ComponentChildren
  embed(link: PageLink, label: string): ComponentChildren
}

const CALLOUT = /^\[!(\w+)\][+-]?\s*/

type Context = Slots & { readonly note: PageText }

/** Renders a note, or its source if there are no nodes. The result neither runs nor loads anything. */
export function renderMarkdown(note: PageText, nodes: readonly MarkdownNode[] | undefined, slots: Slots): ComponentChildren {
  if (nodes === undefined)
    return [
      h('p', { class: 'empty' }, 'This note is shown as it is written: laying it out would take too long.'),
      h('pre', { class: 'written' }, note.text),
    ]
  const context = { ...slots, note }
  return withoutTitle(nodes, note.title).map((child) => rendered(child, context))
}

function withoutTitle(children: readonly MarkdownNode[], title: string): readonly MarkdownNode[] {
  const [first, ...rest] = children.filter((child) => typeof child !== 'string' || child.trim() !== '')
  const isTitle = isElement(first) && first.name === 'h1' && textOf(first).trim().toLowerCase() === title.trim().toLowerCase()
  return isTitle ? rest : children
}

function isElement(node: MarkdownNode | undefined): node is MarkdownElement {
  return typeof node === 'object'
}

function textOf(node: MarkdownNode): string {
  return isElement(node) ? node.children.map(textOf).join('') : node
}

function rendered(node: MarkdownNode, context: Context): ComponentChildren {
  if (!isElement(node)) return fillSlots(node, context)
  const { name, properties, children } = node
  if (name === 'math') return formula(node)
  if (name === 'img') return externalImage(String(properties.src ?? ''), String(properties.alt ?? ''))
  const inner = children.map((child) => rendered(child, context))
  const shown = propertiesOf(node, context)
  if (name === 'blockquote') return callout(node, context) ?? h('blockquote', shown, inner)
  if (name === 'table') return h('div', { class: 'wide' }, h('table', shown, inner))
  return h(name, shown, inner)
}

function formula(node: MarkdownNode): ComponentChildren {
  return isElement(node) ? h(node.name, node.properties, node.children.map(formula)) : node
}

function fillSlots(value: string, { note, link: linkOf, embed }: Context): ComponentChildren {
  const parts = value.split(SLOT)
  if (parts.length === 1) return value
  return parts.map((part, at) => {
    if (at % 2 === 0) return part
    const link = note.links[Number(part)]
    return link && (link.embed ? embed : linkOf)(link, labelOf(note.text.slice(link.start, link.end), link))
  })
}

function labelOf(source: string, { title }: PageLink): string {
  const [, wikilink] = /^!?\[\[(?:[^\]|]*\|)?([\s\S]*)\]\]$/.exec(source) ?? []
  if (wikilink !== undefined) return wikilink
  const [, label] = /^!?\[([\s\S]*?)\]\(/.exec(source) ?? []
  return label === undefined || label === '' ? title : label.replace(/[*_`~]/g, '')
}

function propertiesOf({ name, properties, line }: MarkdownElement, { note }: Context): Record<string, unknown> {
  const { href, checked, align, start, className } = properties
  return {
    ...(line !== undefined && { 'data-line': line + note.lines_before }),
    ...(name === 'a' && typeof href === 'string' && /^(https?|mailto):/i.test(href) && outside(href)),
    ...(name === 'input' && { type: 'checkbox', disabled: true, checked: checked === true, 'aria-label': 'task' }),
    ...(typeof align === 'string' && { style: { textAlign: align } }),
    ...(name === 'ol' && typeof start === 'number' && { start }),
    ...(name === 'code' && Array.isArray(className) && { class: className.join(' ') }),
  }
}

function outside(href: string): Record<string, string> {
  return { href, target: '_blank', rel: 'noopener noreferrer' }
}

function callout(node: MarkdownElement, context: Context): ComponentChildren {
  const first = node.children.find(isElement)
  const text = first?.children[0]
  const [mark, kind] = (typeof text === 'string' && CALLOUT.exec(text)) || []
  if (first === undefined || typeof text !== 'string' || mark === undefined) return undefined
  const [title = '', ...rest] = text.slice(mark.length).split('\n')
  const after = first.children.slice(1)
  // A title may be followed by a break element.
  const isBreak = isElement(after[0]) && after[0].name === 'br'
  const body = node.children.map((child) =>
    child === first ? { ...first, children: [rest.join('\n'), ...after.slice(isBreak ? 1 : 0)] } : child,
  )
  return h('div', { class: 'callout' }, [
    h('strong', null, title === '' ? kind : fillSlots(title, context)),
    body.map((child) => rendered(child, context)),
  ])
}

/** An external server would learn who reads the note, so its images are not loaded. */
function externalImage(address: string, label: string): ComponentChildren {
  if (!/^https?:/i.test(address)) return h('em', null, label || 'picture')
  return h('a', { ...outside(address), class: 'outside' }, `Picture: ${label || address}`)
}
