// Extracts names of notes, folders, tags, properties, months and numbers from a question's words. Uses general rules of English; none is
// specific to a vault or a question.

const STOP = new Set(
  `a about all also am an and any are as at be been but by can come could did do does done each for from get give given had has have how i if in into
  is it its itself just know made make many may me more most much must my no not note notes obsidian of off on one or other our out own put say says see shall
  should so some such than that the their them then there these they thing this those to too up upon us use used vault was way we were what when where
  which who whom whose why will with would you your`.split(/\s+/),
)
const NOUNS =
  'articles?|categor(?:y|ies)|chapters?|concepts?|documents?|folders?|guides?|ideas?|lists?|notes?|overviews?|pages?|person|plugins?|posts?|showcases?|talks?|templates?|themes?|topics?|workflows?'
const ARTICLE = /^(?:the|a|an|this|that|our|my|its)\s+/i
const BEFORE = new RegExp(`^(?:${NOUNS})\\s+`, 'i')
const LINKING = /^(?:about|on|of|for|called|named|titled)\s+/i
const AFTER = new RegExp(`\\s+(?:${NOUNS})$`, 'i')
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const MONTHS = 'january february march april may june july august september october november december'.split(' ')
/** Where a name in a sentence ends: at the end of the sentence, or at a comma before a lower-case word. */
const END = String.raw`(?=,\s+\p{Ll}|[?!;:]|\.(?:\s|$)|\s+and\s+(?:how|what|where|why|who|which|in which|for what)\b|\s+(?:with|by)\s+an?\s+link\b|$)`
/** The same for the name of a folder or the value of a property, which may precede a verb. */
const VERB_END = String.raw`(?=\s+(?:are|is|do|does|have|has|had|holds?|contains?|that|which|who|whose|with|link|links|carry|mention|name|say|and\s+its|and\s+all)\b|${END.slice(3)}`
const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|`([^`]+)`|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu
const FOLDERS = [
  /.*\b(?:in|inside|under|of|from)\s+(?:the\s+)?(?!(?:the|a|this)\s+folder\b)(?<it>.+?)(?<!\bthe)\s+folder\b/u,
  new RegExp(String.raw`\b[Ff]older\s+(?:called\s+|named\s+)?(?<it>.+?)${VERB_END}`, 'u'),
]
const TAGS = [
  upTo(String.raw`\btags\s+(?<tags>.+?)`),
  /#(?<tag>[\p{L}\p{N}/_-]+)/u,
  /\btag\s+(?<tag>[^\s,?]*[^\s,?.!])/iu,
  /\btagged\s+(?:with\s+|as\s+)?(?<tag>[^\s,?]*[^\s,?.!])/iu,
]

/** A rule that ends where a name ends. It is case-sensitive, because only a capital continues a name after a comma. */
function upTo(source) {
  return new RegExp(source + END, 'u')
}

/** The significant words of a text, cut to six letters so that most forms of a word are equal. */
export function stemsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => word.length > 2 && !STOP.has(word)).map((word) => word.replace(/s$/, '').slice(0, 6)))
}

/** Quoted text, in any kind of quotes. */
function quotedIn(text) {
  return [...text.matchAll(QUOTED)].map((match) => match.slice(1).find((part) => part !== undefined))
}

/** Runs of capitalized words or digits, as in names: `Symbolic Links 2`. */
function capitalsIn(text) {
  return text.match(/[\p{Lu}\p{N}][\p{L}\p{N}.&'’+/-]*(?:\s+(?:[-&]\s+)?[\p{Lu}\p{N}][\p{L}\p{N}.&'’+/-]*)*/gu) ?? []
}

/** Possible names in a phrase, the whole first: `the guide for TTRPG` is also `guide for TTRPG`, `for TTRPG`, and `TTRPG`. */
export function variantsOf(phrase) {
  const quoted = quotedIn(phrase)
  if (quoted.length > 0) return quoted
  const found = new Set()
  const wait = [phrase.trim()]
  for (const one of wait) {
    if (one === '' || found.has(one)) continue
    found.add(one)
    for (const cut of [ARTICLE, BEFORE, LINKING, AFTER]) wait.push(one.replace(cut, ''))
  }
  for (const name of capitalsIn(phrase)) found.add(name)
  return [...found]
}

/** The likeliest name in a phrase, without the articles and generic nouns around it. `the guide on the Mermaid plugin` is `Mermaid`. */
export function nameIn(phrase) {
  const [quoted] = quotedIn(phrase)
  if (quoted !== undefined) return quoted
  let name = phrase.trim()
  for (let before = ''; before !== name; ) {
    before = name
    name = name.replace(ARTICLE, '')
    // A capitalized word may belong to the name: `Plugin security`.
    if (/^\p{Ll}/u.test(name)) name = name.replace(BEFORE, '')
    // Drop a preposition whose noun was dropped.
    if (name !== before && LINKING.test(name)) name = name.replace(LINKING, '')
  }
  // `Breadcrumbs plugin` means the plugin Breadcrumbs, but a folder or `Core Plugins` may be the name itself.
  const [own, noun] = [name.replace(AFTER, ''), AFTER.exec(name)?.[0].trim()]
  return own !== '' && noun !== undefined && /^\p{Ll}/u.test(noun) && /^[\p{Lu}\p{N}]/u.test(own) ? own : name
}

/** The phrase for the note in a question about links to it. */
export function targetIn(question) {
  const rules = [
    upTo(String.raw`\b(?:[Bb]acklinks?|mentions|references|links?)\s+(?:of|to|for)\s+(?<name>.+?)`),
    upTo(
      String.raw`\b(?:link(?:s|ed|ing)?|point(?:s|ing)?(?:\s+\p{L}+)?|refer(?:s|ring)?(?:\s+\p{L}+)?|lead(?:s|ing)?|send(?:s)?(?:\s+\p{L}+)?)\s+to\s+(?<name>.+?)`,
    ),
    upTo(
      String.raw`\b(?:mention(?:s|ing)?|cit(?:es?|ing)|quot(?:es?|ing)|embed(?:s|ding)?|names?|uses?|recommends?)\s+(?<name>.+?)`,
    ),
    /\b(?:is|are)\s+(?<name>.+?)\s+(?:mentioned|linked|cited|quoted|embedded|referred)\b/iu,
  ]
  return firstOf(rules, question)?.name ?? quotedIn(question)[0] ?? capitalsIn(question).at(-1) ?? question
}

/** The two notes in a question about their connection, as pairs of phrases: one pair for each `and` that may separate them. */
export function pairsIn(question) {
  const text = question.replace(/\s+in\s+(?:this|the|my)\s+vault\b/i, '').replace(/,?\s+in\s+either\s+direction,?/i, '')
  const rules = [
    upTo(String.raw`\bbetween\s+(?<both>.+?)`),
    upTo(
      String.raw`\b(?:is|are)\s+(?<one>.+?)\s+(?:connected|linked|related|tied|joined|associated)\s+(?:with|to)\s+(?<two>.+?)`,
    ),
    /\b(?:is|are)\s+(?<both>.+?)\s+(?:connected|linked|related|tied|joined|associated)\b/iu,
    upTo(String.raw`\b(?:do|does|can)\s+(?<one>.+?)\s+(?:connect|hang\s+together|lead|link|relate)\s+(?:to|with)\s+(?<two>.+?)`),
    /\b(?:do|does|can)\s+(?<both>.+?\s+and\s+.+?)\s+(?:hang|connect|belong|meet|relate|link)\b/iu,
    upTo(String.raw`\b(?:connects?|links?|joins?|ties|relates?)\s+(?<one>.+?)\s+(?:with|to)\s+(?<two>.+?)`),
    upTo(String.raw`\b(?:connects?|links?|joins?|ties|relates?)\s+(?<both>.+?\s+and\s+.+?)`),
    upTo(String.raw`\b[Ff]rom\s+(?<one>.+?)\s+to\s+(?<two>.+?)`),
  ]
  const found = firstOf(rules, text)
  if (found?.one !== undefined) return [[found.one, found.two]]
  const both = found?.both ?? text
  const quoted = quotedIn(both)
  if (quoted.length === 2) return [quoted]
  const splits = [...both.matchAll(/\s+and\s+/g)].map(({ index, 0: and }) => [
    both.slice(0, index),
    both.slice(index + and.length),
  ])
  const capitals = capitalsIn(both)
  return splits.length > 0 ? splits : [[capitals[0] ?? both, capitals.at(-1) ?? both]]
}

/** What the notes of a set have in common: `folder`, `tag` or `tags`, `key` and `value`, `month`, `date`, `task`, `name`, `text`. */
export function conditionsIn(question) {
  const folder = firstOf(FOLDERS, question)?.it
  const rest = folder === undefined ? question : question.replace(folder, '')
  const property = propertyIn(rest)
  const { tag, tags } = property === undefined ? (firstOf(TAGS, rest) ?? {}) : {}
  const when = monthIn(rest)
  return {
    folder: folder === undefined ? undefined : unquoted(folder),
    tag: tag === undefined ? undefined : unquoted(tag),
    tags: tags?.split(/,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/).map(unquoted),
    anyTag: tags !== undefined && /\bor\b/i.test(tags),
    also: alsoIn(rest),
    inProperties: tag !== undefined && /\b(?:in|among)\s+(?:their|the|its)\s+(?:properties|frontmatter)\b/i.test(rest),
    ...property,
    ...when,
    task: taskIn(rest),
    name: when === undefined ? undefined : capitalsIn(rest.slice(0, when.at)).find((one, at) => at > 0 || !rest.startsWith(one)),
    has: /\b(?:have|has|with)\s+(?:an?\s+)?(alias|tag)(?:e?s)?(?=[\s,?.]|$)/i
      .exec(property === undefined ? rest : '')?.[1]
      .toLowerCase(),
    text: folder === undefined && property === undefined && (tag ?? tags) === undefined ? quotedIn(rest)[0] : undefined,
  }
}

/** A second condition in front of the first: `have draft in status and the property …`. */
function alsoIn(text) {
  const found = /\b(?:carry|have|has|hold|use|with)\s+(?<value>\S+)\s+in\s+(?<key>[\p{Ll}_-]+)\s+and\b/u.exec(text)?.groups
  return found === undefined ? undefined : { ...found }
}

function propertyIn(text) {
  const found = firstOf(
    [
      upTo(
        String.raw`\bproperty\s+(?<key>\S+)\s+(?:set\s+to|is|as|equal\s+to|equals|with(?:\s+the\s+value)?|of|=)\s+(?<value>.+?)`,
      ),
      /\b(?:carry|carries|have|has|hold|holds|list|lists|with|contain|show|use|name)\s+(?<value>.+?)\s+(?:in|as|under|among|for)\s+(?:their|its|the)\s+(?<key>\S+)\s+property\b/iu,
      upTo(
        String.raw`\bwhose\s+(?<key>\S+)(?:\s+property)?\s+(?:is|are|says?|contains?|equals|holds?|includes?|has)\s+(?<value>.+?)`,
      ),
      /\b(?:carry|have|has|hold|use|with)\s+(?<value>.+?)\s+as\s+(?:the\s+|an?\s+)?(?<key>\S+)\s+(?:in|among)\s+(?:their|its|the)\s+(?:properties|frontmatter)\b/iu,
      /\b(?:carry|have|has|hold|use|with)\s+(?<value>\S+)\s+among\s+(?:their|its)\s+(?!properties\b|frontmatter\b|tags?\b)(?<key>[^\s,?.]+)/iu,
      /\b(?:have|has|with|carry|set|use)\s+(?:the|a|an|any)\s+(?<key>\S+)\s+property\b/iu,
      /\b(?:have|has|with|carry|set|use)\s+(?:the|a|an|any)\s+property\s+(?<key>[^\s,?.]+)/iu,
    ],
    text,
  )
  return found === undefined
    ? undefined
    : { key: unquoted(found.key), value: found.value === undefined ? '' : unquoted(found.value) }
}

function monthIn(text) {
  const match = new RegExp(String.raw`\b(?:(\p{L}+)\s+)?in\s+(${MONTHS.join('|')})\s+(?:of\s+)?(\d{4})`, 'iu').exec(text)
  if (match === null) return undefined
  const at = MONTHS.indexOf(match[2].toLowerCase()) + 1
  const two = (number) => String(number).padStart(2, '0')
  const year = Number(match[3])
  return {
    at: match.index,
    verb: match[1]?.toLowerCase(),
    month: `${year}-${two(at)}`,
    next: at === 12 ? `${year + 1}-01` : `${year}-${two(at + 1)}`,
  }
}

function taskIn(text) {
  if (!/\b(?:tasks?|to-?dos?|checkbox(?:es)?)\b/i.test(text)) return undefined
  if (/\b(?:open|unfinished|undone|left|unchecked|not\s+done)\b/i.test(text)) return 'open'
  return /\b(?:done|finished|completed|checked)\b/i.test(text) ? 'done' : 'any'
}

/** The number before the noun (`which five`, `top 10`), or 10. */
export function numberIn(question) {
  return countIn(question) ?? 10
}

/** Returns the number before the noun, 1 if the question asks for a single note, or `undefined` if it gives no number. */
export function countIn(question) {
  const words = NUMBERS.slice(2).join('|')
  const match = new RegExp(String.raw`\b(?:which|the|top|name|list|first)\s+(${words}|\d{1,2})\b`, 'i')
    .exec(question)?.[1]
    .toLowerCase()
  if (match === undefined) return /\bwhich\s+(?:\p{L}+\s+){0,2}note\b/iu.test(question) ? 1 : undefined
  return /\d/.test(match) ? Number(match) : NUMBERS.indexOf(match)
}

/** The kind of note, as in `which five plugin notes` or `which five people`, if the word adds more than the number. */
export function sortIn(question) {
  const counted = new RegExp(
    String.raw`\b[Ww]hich\s+(?:${NUMBERS.slice(2).join('|')}|\d+)\s+(?!notes\b)(\p{Ll}{4,})\s+(?:are|is|do|does|have|has)\b`,
    'u',
  )
  const match = (counted.exec(question) ?? /\b(\p{Ll}{4,})\s+notes\b/u.exec(question))?.[1]
  return match === undefined ||
    STOP.has(match) ||
    NUMBERS.includes(match) ||
    /^(?:linked|many|most|these|those|which)$/.test(match)
    ? undefined
    : match
}

/** What a question counts by, as a `group_by` value: `folder`, `tag`, or a property, with the unit of a date. */
export function groupingIn(question) {
  const unit = /\b(?:each|every|per|by)\s+(year|month|day)\b/i.exec(question)?.[1].toLowerCase()
  const key = firstOf(
    [
      /\bproperty\s+(?<key>[\p{L}\p{N}_-]+)/iu,
      /\b(?:per|by|for\s+each|for\s+every)\s+(?<key>(?!each|year|month|day)[\p{L}\p{N}_-]+)/iu,
      /\b(?<key>folder|tag)s?\b/iu,
    ],
    question,
  )?.key.toLowerCase()
  return unit === undefined ? key : `${key ?? 'created'}:${unit}`
}

/**
 * The notes of a folder that link to others (`direction` `out`), are linked from others (`in`), or are not (`isNot`). `others` is what the
 * other notes have in common, a folder or a tag.
 */
export function setIn(question) {
  const name = String.raw`(?:the\s+)?folder\s+(?<NAME>.+?)`
  const folder = (as) => name.replace('NAME', as)
  const rules = [
    upTo(
      String.raw`\b[Ww]hich\s+.+?\bin\s+${folder('own')}\s+(?:do|does)\s+(?<not>no)\s+.+?\b(?:of|in)\s+${folder('other')}\s+link\s+to`,
    ),
    upTo(
      String.raw`\b[Ww]hich\s+.+?\bin\s+${folder('own')}\s+(?:do|does)\s+(?<not>no)\s+.+?\b(?:tagged|with\s+the\s+tag)\s+#?(?<tag>\S+)\s+link\s+to`,
    ),
    upTo(
      String.raw`\b[Ww]hich\s+.+?\bin\s+${folder('own')}\s+(?:do\s+(?<not>not)\s+)?link\s+to\s+.+?\b(?:of|in)\s+${folder('other')}`,
    ),
  ]
  const at = rules.findIndex((rule) => rule.test(question))
  const { own, other, tag, not } = rules[at]?.exec(question).groups ?? {}
  return { folder: own, others: { folder: other, tag }, direction: at === 2 ? 'out' : 'in', isNot: not !== undefined }
}

/** The clauses of a two-part question. */
export function clausesOf(question) {
  const at = /,\s+(?:and|but)\s+|;\s+|\s+and\s+(?=(?:which|what|who|where|when|how|does|do|is|are|can|under|in which)\b)/i.exec(
    question,
  )
  return at === null ? [question, question] : [question.slice(0, at.index), question.slice(at.index + at[0].length)]
}

/** Wikilinks in a text, each with its line, list item or sentence. */
export function linksIn(text) {
  return text
    .split(/\n|(?<=[.!?…])\s+|\s+(?=[-*]\s)/)
    .flatMap((around) =>
      [...around.matchAll(/\[\[([^\]|#]+)[^\]|]*(?:\|([^\]]*))?\]\]/g)].map(([, to, shown]) => ({ to, shown, around })),
    )
}

/** Applies the first rule that matches. Rules see quoted text as one word, whatever it contains. */
function firstOf(rules, text) {
  const quotes = []
  const masked = text.replace(QUOTED, (quote) => `\uE000${quotes.push(quote) - 1}\uE001`)
  const groups = rules.map((rule) => rule.exec(masked)?.groups).find((found) => found !== undefined)
  if (groups === undefined) return undefined
  const unmask = (found) => found?.replace(/\uE000(\d+)\uE001/g, (_, at) => quotes[at])
  return Object.fromEntries(Object.entries(groups).map(([name, found]) => [name, unmask(found)]))
}

function unquoted(text) {
  return quotedIn(text)[0] ?? text.trim()
}
