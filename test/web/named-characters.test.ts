import type { Root } from 'mdast'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { expect, test } from 'vitest'
import { decodeNamedCharacterReference } from '../../src/web/client/named-characters.ts'

/** How the Markdown parser resolves a reference with its own table. */
function parsed(reference: string): string {
  const [paragraph] = (unified().use(remarkParse).parse(reference) as Root).children
  const [text] = paragraph?.type === 'paragraph' ? paragraph.children : []
  return text?.type === 'text' ? text.value : ''
}

const USUAL =
  'amp lt gt quot apos copy reg trade hellip mdash ndash euro pound yen sect deg plusmn frac12 times divide szlig auml Ouml eacute ntilde yuml nbsp ' +
  'alpha omega Omega sigmaf sigma upsilon Upsilon pi Pi rarr larr lArr infin ne le ge asymp radic sum int isin forall exist ldquo rdquo bull dagger hearts check shy'

test('a name gives the same character as in HTML', () => {
  const names = USUAL.split(' ')
  expect(names.map((name) => [name, decodeNamedCharacterReference(name)])).toEqual(
    names.map((name) => [name, parsed(`&${name};`)]),
  )
})

test('an unknown name stays as written', () => {
  expect(['', 'unknown', '__proto__', 'constructor', 'AMP '].map(decodeNamedCharacterReference)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})
