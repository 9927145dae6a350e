import temml from 'temml'
import type { MarkdownElement, MarkdownNode } from './markdown.ts'

interface MathNode {
  readonly type?: string
  readonly text?: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly classes?: readonly string[]
  readonly style?: Readonly<Record<string, string>>
  readonly children?: readonly MathNode[]
}

const ELEMENTS: ReadonlySet<string | undefined> = new Set(
  `math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup
  msup mtable mtd mtext mtr munder munderover none`.split(/\s+/),
)
const ATTRIBUTES: ReadonlySet<string> = new Set(
  `accent accentunder columnalign columnlines columnspacing columnspan depth display displaystyle fence form height largeop linethickness
  lspace mathbackground mathcolor mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel
  separator stretchy symmetric voffset width`.split(/\s+/),
)
const STYLES: ReadonlySet<string> = new Set(
  `backgroundColor border borderBottom borderLeft borderRight borderTop color fontStyle fontWeight height marginLeft padding paddingBottom
  paddingLeft paddingRight paddingTop textAlign width`.split(/\s+/),
)
const PLAIN = /^[\w#%., -]*$/

/**
 * Converts TeX to MathML. `macros` contains definitions of earlier formulas (`\gdef`, `\newcommand`), and is updated.
 * @returns undefined if the formula is invalid
 */
export function readFormula(tex: string, display: boolean, macros: Record<string, unknown>): MarkdownElement | undefined {
  try {
    const options = { displayMode: display, throwOnError: true, trust: false, maxExpand: 1_000, maxSize: [50, 50], macros }
    const library = temml as unknown as { __renderToMathMLTree(tex: string, options: object): MathNode }
    const [node] = converted(library.__renderToMathMLTree(tex, options))
    return typeof node === 'object' && node.name === 'math' ? node : undefined
  } catch {
    return undefined
  }
}

function converted({ type, text, attributes = {}, classes = [], style = {}, children = [] }: MathNode): readonly MarkdownNode[] {
  if (text !== undefined) return [text]
  const inner = children.flatMap(converted)
  // A container has no type of its own and adds no element.
  if (type === undefined) return inner
  if (!ELEMENTS.has(type)) return []
  const allowedAttributes = Object.entries(attributes).filter(([name]) => ATTRIBUTES.has(name))
  const allowedStyles = Object.entries(style).filter(([name, value]) => STYLES.has(name) && PLAIN.test(value))
  const properties = {
    ...Object.fromEntries(allowedAttributes),
    ...(classes.length === 0 ? {} : { class: classes.join(' ') }),
    ...(allowedStyles.length === 0 ? {} : { style: Object.fromEntries(allowedStyles) }),
  }
  return [{ name: type, properties, line: undefined, children: inner }]
}
