/** The names of characters in HTML 4 and some later ones, each followed by its character. */
const NAMED =
  'nbsp \u00A0 iexcl ¡ cent ¢ pound £ curren ¤ yen ¥ brvbar ¦ sect § uml ¨ copy © ordf ª laquo « not ¬ shy \u00AD reg ® macr ¯ deg ° plusmn ± sup2 ² ' +
  'sup3 ³ acute ´ micro µ para ¶ middot · cedil ¸ sup1 ¹ ordm º raquo » frac14 ¼ frac12 ½ frac34 ¾ iquest ¿ Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε ' +
  'Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β ' +
  'gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ phi φ ' +
  'chi χ psi ψ omega ω AElig Æ aelig æ ETH Ð eth ð times × Oslash Ø oslash ø THORN Þ thorn þ szlig ß divide ÷ amp & lt < gt > quot " apos \' OElig Œ oelig œ fnof ƒ circ ˆ tilde ˜ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200C zwj \u200D ' +
  'lrm \u200E rlm \u200F ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ ' +
  'lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ ' +
  'dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ ' +
  'cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ ' +
  'lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ cross ✗ star ☆ phone ☎'

/** The suffixes such as in `eacute`, each followed by the combining accent. */
const ACCENTS = 'grave \u0300 acute \u0301 circ \u0302 tilde \u0303 uml \u0308 ring \u030A caron \u030C cedil \u0327'

/**
 * Decodes a character reference. It replaces the parser's browser version, which assigns HTML and violates the content security
 * policy. Returns `false` to keep the reference.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  return CHARACTERS.get(name) ?? false
}

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...pairsIn(NAMED),
  ...pairsIn(ACCENTS).flatMap(([accent, mark]) =>
    [...'aceinosuyzACEINOSUYZ']
      .map((letter): Pair => [letter + accent, (letter + mark).normalize()])
      .filter(([, composed]) => composed.length === 1),
  ),
])

type Pair = readonly [name: string, character: string]

function pairsIn(list: string): readonly Pair[] {
  const words = list.split(' ')
  return words.flatMap((name, at): readonly Pair[] => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : []))
}
