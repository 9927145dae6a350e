import { scriptAt } from '../languages/scripts.ts'

const SLAVIC = [
  'ami ach owi ovi ove ow ov om um ou em ech ich ych im ym imi ymi ego eho iho emu imu ej ie ia iem iach emi mi ata aty y a e i o u',
]

const SCANDINAVIAN = ['erne ernes erens eren ers ens ets ene er en et es e s']

/**
 * Inflectional endings of folded words, by language. From each row, the longest ending that fits is removed. For other languages,
 * results with such rows are no better, or worse than with the English rules.
 */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  cs: SLAVIC,
  pl: SLAVIC,
  sk: SLAVIC,
  da: SCANDINAVIAN,
  no: SCANDINAVIAN,
  sv: ['arna erna orna ernas arnas ens ets ar er or en et a e s n t'],
  de: ['ern em er en es e s n nen innen'],
  nl: ['eren en e s es t'],
  es: ['amos aron ieron ando iendo ado ada ados adas ido ida idos idas ar er ir cion ciones mente es os as o a e s'],
  it: ['i e o a ie he hi'],
  ro: ['ului ilor iilor elor ul le lor ele ii uri urile urilor ile', 'a e i u ea ei'],
  el: ['ματα ματοσ ματων ουσ ου οι ων εσ ησ οσ ασ εισ εων η α ο ε ι υ ω ν'],
  fi: ['ssa sta lla lta lle ksi tta ta n t a seen iin den tten ien jen en in an', 'i j a e o u s'],
  hu: [
    'ban ben ba be bol nak nek val vel hoz hez ert ig kor on en ra re rol tol nal nel at et ot t ak ek ok k',
    'ai ei jai jei ja je a e i ak ek ok k jat jet',
    'a e i o',
  ],
  ru: [
    'иями ями ами ией ием иям ям ам иях ях ах ов ев ей ой ий ый ое ее ие ые ого его ому ему ым им ых их ую юю ая яя ою ею ом ем ия ью ию ии и ы ь ю у о е а я ть ет ют ите йте',
    'и а я е ь',
  ],
  uk: [
    'ями ами ією ям ам ях ах ів їв ей ой ий ій ої ого ього ому ьому им їх ими ою ею єю ом ем єм ів ія ію ії ї і и ь ю у о й е є а я',
  ],
  tr: [
    'larindan lerinden larinin lerinin larinda lerinde larini lerini larina lerine larin lerin lari leri lar ler ndan nden dan den tan ten nda nde da de ta te nin nun in un ni nu i u yi yu ya ye na ne a e si su sini sina sinin imi iniz iz',
  ],
}

/** Minimum number of letters in a stem. */
const MIN_STEM_LENGTH = 4

/** In these languages, double letters and long endings would leave too little of shorter words. */
const MIN_STEM_LENGTH_OF: Readonly<Record<string, number>> = { fi: 5, nl: 5 }

const LETTERS = /^\p{L}+$/u

interface Remover {
  readonly script: number
  readonly shortest: number
  readonly rows: readonly (readonly string[])[]
}

const removers = new Map<string, Remover | undefined>()

/**
 * Removes a language's endings from a folded word. Returns `undefined` if there are no endings for the language, or if the word is
 * in another script. The result is a prefix of the word.
 */
export function withoutEndings(form: string, language: string): string | undefined {
  const remover = removerOf(language)
  if (remover === undefined || !fits(form, remover)) return undefined
  let end = form.length
  for (const row of remover.rows) {
    const ending = row.find((each) => end - each.length >= remover.shortest && form.startsWith(each, end - each.length))
    if (ending !== undefined) end -= ending.length
  }
  return form.slice(0, end)
}

/** Returns the stems shorter than the prefix that words with this prefix may have. */
export function shorterStems(beginning: string, language: string): readonly string[] {
  const remover = removerOf(language)
  if (remover === undefined || !fits(beginning, remover)) return []
  const lengths = Math.max(0, beginning.length - remover.shortest)
  return Array.from({ length: lengths }, (_, at) => beginning.slice(0, remover.shortest + at))
}

function fits(form: string, { script }: Remover): boolean {
  return scriptAt(form.charCodeAt(0)) === script && LETTERS.test(form)
}

function removerOf(language: string): Remover | undefined {
  if (!removers.has(language)) removers.set(language, newRemover(language))
  return removers.get(language)
}

function newRemover(language: string): Remover | undefined {
  const rows = ENDINGS[language]?.map((row) => row.split(' ').sort((a, b) => b.length - a.length))
  const first = rows?.[0]?.[0]
  if (rows === undefined || first === undefined) return undefined
  return { script: scriptAt(first.charCodeAt(0)), shortest: MIN_STEM_LENGTH_OF[language] ?? MIN_STEM_LENGTH, rows }
}
