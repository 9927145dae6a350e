/**
 * Writes a large, plausible vault; equal arguments give an equal vault.
 *
 * Usage: node bench/generate-vault.mjs <folder> [--notes 100000] [--links 1000000] [--seed 1]
 *
 * The number of links is exact, and in-degrees follow a power law. About 1 % of the links are broken, 2 % lead to attachments.
 * Keeps titles and folders in memory, but not the texts. The folder must be new or empty.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { adjectives, areas, nouns, places, sentences, tagPaths, verbs } from './words.mjs'

/** The in-degree of the note of rank r is proportional to r to the power of 1/SKEW − 1. */
const SKEW = 2.2

const REPEATED_NAMES = ['Index', 'Overview', 'Ideas', 'Meeting notes', 'Open questions', 'Reading list', 'To do', 'Glossary']

// A transparent one-pixel PNG.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    notes: { type: 'string', default: '100000' },
    links: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
})
const [root] = positionals
if (!root || (existsSync(root) && readdirSync(root).length > 0)) {
  console.error('Missing folder (new or empty). Usage: node bench/generate-vault.mjs <folder>')
  process.exit(2)
}
generate(root, { notes: Number(values.notes), links: Number(values.links), seed: Number(values.seed) })

function generate(root, { notes, links, seed }) {
  const started = performance.now()
  const random = createRandom(seed)
  const folders = makeFolders(notes, random)
  const vault = {
    ...nameNotes(notes, folders, random),
    folders,
    rank: shuffledRanks(notes, random),
    attachments: attachmentNames(notes),
  }
  const counts = { wiki: 0, markdown: 0, alias: 0, property: 0, attachment: 0, broken: 0 }
  prepare(root, folders)
  const outDegrees = distribute(links, notes, random)
  let bytes = 0
  for (let i = 0; i < notes; i++) {
    const text = renderNote({ index: i, linkCount: outDegrees[i], vault, random, counts })
    bytes += Buffer.byteLength(text)
    writeFileSync(join(root, vault.paths[i]), text)
  }
  for (const name of vault.attachments) writeFileSync(join(root, 'Attachments', name), PIXEL)
  const seconds = Math.round((performance.now() - started) / 100) / 10
  console.log({
    notes,
    megabytes: Math.round(bytes / 1e5) / 10,
    folders: folders.length,
    attachments: vault.attachments.length,
    links: counts,
    seconds,
  })
}

/** A random generator with 32 bits of state (mulberry32) and the methods needed here. */
function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    between: (from, to) => from + below(to - from + 1),
    pick: (items) => items[below(items.length)],
  }
}

/** About one folder for 150 notes, up to four levels deep. */
function makeFolders(notes, random) {
  const folders = new Set(areas)
  const wanted = Math.max(areas.length, Math.round(notes / 150))
  const list = [...folders]
  while (list.length < wanted) {
    const parent = random.pick(list)
    const name = random.chance(0.2)
      ? String(random.between(2014, 2025))
      : capitalize(random.pick(random.chance(0.5) ? nouns : places))
    const folder = `${parent}/${name}`
    if (folder.split('/').length > 4 || folders.has(folder)) continue
    folders.add(folder)
    list.push(folder)
  }
  return list
}

/** Titles of one to four words, unique except for a few names that occur in many folders. */
function nameNotes(notes, folders, random) {
  const taken = new Set()
  const titles = []
  const paths = []
  const aliases = []
  for (let i = 0; i < notes; i++) {
    const folder = i < 20 ? '' : random.pick(folders)
    const isRepeated = folder !== '' && random.chance(0.02)
    const title = isRepeated ? random.pick(REPEATED_NAMES) : freshTitle(taken, random)
    const path = folder === '' ? `${title}.md` : `${folder}/${title}.md`
    if (taken.has(path.toLowerCase())) {
      i -= 1
      continue
    }
    taken.add(path.toLowerCase())
    titles.push(title)
    paths.push(path)
    aliases.push(!isRepeated && random.chance(0.12) ? freshTitle(taken, random) : '')
  }
  return { titles, paths, aliases, repeated: new Set(REPEATED_NAMES) }
}

function freshTitle(taken, random) {
  for (let words = random.between(1, 4), tries = 0; ; tries++) {
    // Makes a taken title longer, or adds a number when the vocabulary is exhausted.
    const number = tries > 8 ? ` ${random.between(2, 9999)}` : ''
    const title = makeTitle(Math.min(4, words + (tries >> 1)), random) + number
    const folded = title.toLowerCase()
    if (taken.has(folded)) continue
    taken.add(folded)
    return title
  }
}

function makeTitle(words, random) {
  const noun = random.pick(nouns)
  if (words === 1) return capitalize(noun)
  if (words === 2) return random.chance(0.5) ? `${capitalize(random.pick(adjectives))} ${noun}` : `${random.pick(places)} ${noun}`
  if (words === 3) return `${capitalize(random.pick(adjectives))} ${random.pick(nouns)} ${noun}`
  return random.chance(0.5)
    ? `${capitalize(random.pick(nouns))} and ${random.pick(adjectives)} ${noun}`
    : `${random.pick(places)} ${random.pick(adjectives)} ${random.pick(nouns)} ${noun}`
}

function capitalize(word) {
  return word[0].toUpperCase() + word.slice(1)
}

function shuffledRanks(notes, random) {
  const rank = Uint32Array.from({ length: notes }, (_, i) => i)
  for (let i = notes - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const held = rank[i]
    rank[i] = rank[j]
    rank[j] = held
  }
  return rank
}

function attachmentNames(notes) {
  return Array.from({ length: Math.max(5, Math.round(notes / 200)) }, (_, i) => `figure-${String(i + 1).padStart(4, '0')}.png`)
}

function prepare(root, folders) {
  mkdirSync(join(root, '.obsidian'), { recursive: true })
  writeFileSync(join(root, '.obsidian/app.json'), '{}\n')
  for (const folder of [...folders, 'Attachments']) mkdirSync(join(root, folder), { recursive: true })
}

/** Distributes the links over the notes unevenly (log-normal) with an exact sum. */
function distribute(links, notes, random) {
  const weights = Float64Array.from({ length: notes }, () => Math.exp(0.7 * normal(random)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const degrees = new Uint32Array(notes)
  let sum = 0
  let given = 0
  for (let i = 0; i < notes; i++) {
    sum += weights[i]
    const upTo = i === notes - 1 ? links : Math.round((sum / total) * links)
    degrees[i] = upTo - given
    given = upTo
  }
  return degrees
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

function renderNote(context) {
  const { index, linkCount, vault, random } = context
  let left = linkCount
  const hasProperties = random.chance(0.6)
  const hasParent = hasProperties && left > 0 && random.chance(0.2)
  if (hasParent) left -= 1
  const head = hasProperties || vault.aliases[index] !== '' ? frontmatter(context, hasParent) : ''
  const links = Array.from({ length: left }, () => makeLink(context))
  return `${head}${body(context, links)}`
}

function frontmatter({ index, vault, random, counts }, hasParent) {
  const lines = ['---']
  if (vault.aliases[index] !== '') lines.push('aliases:', `  - ${vault.aliases[index]}`)
  if (random.chance(0.7)) lines.push('tags:', ...pickTags(random, random.between(1, 3)).map((tag) => `  - ${tag}`))
  if (random.chance(0.5)) lines.push(`created: ${date(random)}`)
  if (random.chance(0.3)) lines.push(`type: ${random.pick(['note', 'person', 'book', 'project', 'meeting'])}`)
  if (hasParent) {
    counts.property += 1
    lines.push(`up: "[[${shortName(pickTarget(index, vault, random), vault)}]]"`)
  }
  if (lines.length === 1) lines.push(`created: ${date(random)}`)
  return `${lines.join('\n')}\n---\n`
}

function pickTags(random, count) {
  return [...new Set(Array.from({ length: count }, () => random.pick(tagPaths)))]
}

function date(random) {
  const pad = (number) => String(number).padStart(2, '0')
  return `${random.between(2014, 2025)}-${pad(random.between(1, 12))}-${pad(random.between(1, 28))}`
}

/** A few notes get most links; a quarter of the links stays among notes written at about the same time. */
function pickTarget(index, vault, random) {
  const notes = vault.paths.length
  for (;;) {
    const target = random.chance(0.25)
      ? (index + random.between(-40, 40) + notes) % notes
      : vault.rank[Math.floor(notes * random.next() ** SKEW)]
    if (target !== index || notes === 1) return target
  }
}

function makeLink({ index, vault, random, counts }) {
  const draw = random.next()
  if (draw < 0.01) {
    counts.broken += 1
    return `[[Lost ${random.pick(adjectives)} ${random.pick(nouns)} ${random.between(1, 999)}]]`
  }
  if (draw < 0.03) {
    counts.attachment += 1
    return `![[${random.pick(vault.attachments)}${random.chance(0.3) ? `|${random.between(2, 8)}00` : ''}]]`
  }
  const target = pickTarget(index, vault, random)
  if (draw < 0.11) {
    counts.markdown += 1
    return `[${vault.titles[target].toLowerCase()}](${relativeAddress(vault.paths[index], vault.paths[target])})`
  }
  if (vault.aliases[target] !== '' && random.chance(0.15)) {
    counts.alias += 1
    return `[[${vault.aliases[target]}]]`
  }
  counts.wiki += 1
  return `${random.chance(0.02) ? '!' : ''}[[${shortName(target, vault)}${decoration(vault.titles[target], random)}]]`
}

/** The name, with its folder if several notes have it. */
function shortName(target, vault) {
  return vault.repeated.has(vault.titles[target]) ? vault.paths[target].slice(0, -3) : vault.titles[target]
}

function decoration(title, random) {
  const draw = random.next()
  if (draw < 0.15) return `|${random.chance(0.5) ? title.toLowerCase() : `${random.pick(adjectives)} ${random.pick(nouns)}`}`
  if (draw < 0.22) return '#Background'
  return draw < 0.24 ? '#Background|the background' : ''
}

function relativeAddress(from, to) {
  const source = from.split('/').slice(0, -1)
  const target = to.split('/')
  let shared = 0
  while (shared < source.length && shared < target.length - 1 && source[shared] === target[shared]) shared += 1
  const up = source.slice(shared).map(() => '..')
  const path = [...(up.length > 0 ? up : ['.']), ...target.slice(shared).map(encodeURIComponent)]
  return path.join('/')
}

/** 100–250 words in sections, with links in and between sentences. */
function body({ index, vault, random }, links) {
  const words = random.between(100, 250)
  const parts = random.chance(0.5) ? [`# ${vault.titles[index]}`] : []
  let written = 0
  while (written < words || links.length > 0) {
    const paragraph = makeParagraph(random, links, written < words)
    written += paragraph.split(' ').length
    parts.push(paragraph)
    if (random.chance(0.2)) parts.push(`## ${random.chance(0.4) ? 'Background' : capitalize(random.pick(nouns))}`)
    if (random.chance(0.03)) parts.push(codeBlock(random))
  }
  return `${parts.join('\n\n')}\n`
}

function makeParagraph(random, links, hasProse) {
  if (links.length > 2 && (!hasProse || random.chance(0.25))) {
    const items = links.splice(0, random.between(2, 6))
    return items
      .map((link) => `- ${link} ${random.chance(0.5) ? `— ${random.pick(adjectives)} ${random.pick(nouns)}` : ''}`.trimEnd())
      .join('\n')
  }
  const text = Array.from({ length: random.between(2, 5) }, () => makeSentence(random, links)).join(' ')
  return random.chance(0.12) ? `${text} #${random.pick(tagPaths)}` : text
}

function makeSentence(random, links) {
  const words = { noun: nouns, adjective: adjectives, verb: verbs, place: places }
  const template = random.pick(links.length > 0 && random.chance(0.6) ? sentences.linking : sentences.plain)
  const text = template.replace(/\{(\w+)\}/g, (_, slot) => (slot === 'link' ? links.pop() : random.pick(words[slot])))
  return capitalize(text.replace(/\b(a) (?=[aeio])/gi, '$1n '))
}

/** Code that looks like links and must be ignored. */
function codeBlock(random) {
  const language = random.pick(['js', 'dataview', ''])
  const name = random.pick(nouns)
  return `\`\`\`${language}\nconst ${name} = '[[${random.pick(nouns)}]]' // #${random.pick(nouns)}\n\`\`\``
}
