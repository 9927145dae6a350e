/** HTML 4's names for the characters from 160 on, in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo ' +
  'frac14 frac12 frac34 iquest'
/** The same of capital letters from 913 on. Small ones follow 32 later. */
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho  Sigma Tau Upsilon Phi Chi Psi Omega'
const OTHERS =
  'AElig Æ aelig æ ETH Ð eth ð times × Oslash Ø oslash ø THORN Þ thorn þ szlig ß divide ÷ sigmaf ς amp & lt < gt > quot " apos \' OElig Œ oelig œ fnof ƒ circ ˆ tilde ˜ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200C zwj \u200D ' +
  'lrm \u200E rlm \u200F ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ ' +
  'lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ ' +
  'dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ ' +
  'cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ ' +
  'lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ cross ✗ star ☆ phone ☎'

/** Ends of the names of accented letters, such as `eacute`, each with the accent that combines with the letter. */
const ACCENTS = 'grave \u0300 acute \u0301 circ \u0302 tilde \u0303 uml \u0308 ring \u030A caron \u030C cedil \u0327'

let characters: Map<string, string> | undefined

/**
 * Returns the character for a reference such as `&hellip;`, or `false` to keep it. The parser's browser version assigns HTML,
 * which the page's policy rejects, and its table of 2,000 names would be half the size of the page.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  characters ??= readNames()
  return characters.get(name) ?? false
}

function readNames(): Map<string, string> {
  const names = new Map<string, string>()
  for (const [at, name] of LATIN.split(' ').entries()) names.set(name, String.fromCharCode(160 + at))
  for (const [at, name] of GREEK.split(' ').entries()) {
    names.set(name, String.fromCharCode(913 + at))
    names.set(name.toLowerCase(), String.fromCharCode(945 + at))
  }
  names.delete('')
  for (const [name, character] of pairsIn(OTHERS)) names.set(name, character)
  for (const [accent, mark] of pairsIn(ACCENTS))
    for (const letter of 'aceinosuyzACEINOSUYZ') {
      const composed = (letter + mark).normalize()
      if (composed.length === 1) names.set(letter + accent, composed)
    }
  return names
}

function pairsIn(list: string): ReadonlyMap<string, string> {
  const words = list.split(' ')
  return new Map(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? '']] : [])))
}
