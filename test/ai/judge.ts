import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

interface TreeNode {
  readonly type: string
  readonly url?: string
  readonly children?: readonly TreeNode[]
}

const ADDRESS =
  /https?:\S|[a-z]:\/\/|www\.|\b(?:data|javascript|obsidian|file|mailto|tel):\S|[^\s@]@[a-z0-9-]+\.[a-z]|collect\.example(?![a-z0-9_-])|collect-it|\d\.\d{1,3}\.\d{1,3}(?::\d+)?[/?]\w/i
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u{e0000}-\u{e0fff}]/u

/** What in a text leads out of it, as a reader of Markdown with GitHub's additions and as any program that looks for addresses sees it. */
export function dangersIn(markdown: string, isOwn: (url: string) => boolean = () => false): readonly string[] {
  const found: string[] = []
  const visit = (node: TreeNode): void => {
    if (['image', 'imageReference', 'html', 'definition', 'linkReference', 'footnoteDefinition'].includes(node.type))
      found.push(node.type)
    if (node.type === 'link' && !isOwn(node.url ?? '')) found.push(`link to ${node.url}`)
    for (const child of node.children ?? []) visit(child)
  }
  visit(unified().use(remarkParse).use(remarkGfm).parse(markdown) as TreeNode)
  const rest = markdown.replace(/\[\d+\]\(roux:\/\/node\/[^)\s]*\)/g, '')
  if (ADDRESS.test(rest)) found.push(`an address: ${ADDRESS.exec(rest)?.[0]}`)
  if (HIDDEN.test(markdown)) found.push('a hidden character')
  return found
}
