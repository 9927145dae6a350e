import temml from 'temml'
import type { MarkdownElement, MarkdownNode } from './markdown-nodes.ts'

/** The parts of the library's output that are used: MathML elements. */
interface MathNode {
  readonly type?: string
  readonly text?: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly classes?: readonly string[]
  readonly style?: Readonly<Record<string, string>>
  readonly children?: readonly MathNode[]
}

interface Library {
  __renderToMathMLTree(tex: string, options: object): MathNode
}

/** Definitions (`\gdef`, `\newcommand`) that apply to the rest of a note. */
export type Definitions = Record<string, unknown>

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
/** Lengths, colors and words; nothing that could be a URL. */
const PLAIN = /^[\w#%., -]*$/

/** Converts a formula to MathML. Returns `undefined` if it is not valid TeX. It may define macros for later formulas. */
export function readFormula(tex: string, display: boolean, macros: Definitions): MarkdownElement | undefined {
  try {
    const options = { displayMode: display, throwOnError: true, trust: false, maxExpand: 1_000, maxSize: [50, 50], macros }
    const [node] = converted((temml as unknown as Library).__renderToMathMLTree(tex, options))
    return typeof node === 'object' && node.name === 'math' ? node : undefined
  } catch {
    return undefined
  }
}

function converted({ type, text, attributes = {}, classes = [], style = {}, children = [] }: MathNode): readonly MarkdownNode[] {
  if (text !== undefined) return [text]
  const inner = children.flatMap(converted)
  // A container adds no element of its own.
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
