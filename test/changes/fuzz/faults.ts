import type { End, ReadFile } from '../../../bench/oracle/ends.mjs'
import type { WriteResult } from '../../../src/core/operations.ts'
import type { Action, Kind, Planned } from './actions.ts'

/** A vault at one moment: its files as an independent reader sees them, and their bytes, one character per byte. */
export interface Moment {
  readonly read: ReadonlyMap<string, ReadFile>
  readonly bytes: ReadonlyMap<string, string>
}

/** An action between two moments. */
export interface Step {
  readonly action: Action
  readonly planned: Planned
  readonly result: WriteResult
  readonly before: Moment
  readonly after: Moment
}

/** Describes every broken promise of a step. */
export function faultsOf(step: Step): readonly string[] {
  return [...answerFaults(step), ...linkFaults(step), ...byteFaults(step)]
}

/** The answer must name every changed file and no other; the trash may be omitted. */
function answerFaults({ result, before, after }: Step): readonly string[] {
  const named = new Set(result.files.flatMap(({ from, to }) => [from, to]).filter(isOfVault))
  const paths = new Set([...before.bytes.keys(), ...after.bytes.keys()].filter(isOfVault))
  const changed = [...paths].filter((path) => before.bytes.get(path) !== after.bytes.get(path))
  return [
    ...changed.filter((path) => !named.has(path)).map((path) => `${path} changed, and the answer does not say so`),
    ...[...named].filter((path) => !changed.includes(path)).map((path) => `the answer names ${path}, which did not change`),
  ]
}

function isOfVault(path: string | undefined): path is string {
  return path !== undefined && !path.startsWith('.trash/')
}

function movesOf({ files }: WriteResult): ReadonlyMap<string, string> {
  return new Map(files.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [[from, to] as const])))
}

/** Edits that may add or remove links of a note; the byte checks cover the note's own links. */
const EDITS = new Set([
  'append',
  'prepend',
  'replace_text',
  'section',
  'whole',
  'properties',
  'relations',
  'add_attachment',
  'several',
])
/** Edits that may add or remove headings. */
const REWRITES = new Set(['append', 'prepend', 'section', 'whole', 'several'])

/** Links keep their target, heading and block, unless the answer names them. */
function linkFaults({ action, planned, result, before, after }: Step): readonly string[] {
  const moved = movesOf(result)
  const fresh = new Set(result.files.flatMap(({ from, to }) => (to === undefined || from === to ? [] : [to])))
  const subjects = new Set(planned.operations.flatMap((operation) => ('id' in operation ? [operation.id] : [])))
  return [...before.read].flatMap(([source, old]) => {
    const read = after.read.get(moved.get(source) ?? source)
    if (read === undefined || (EDITS.has(action.kind) && subjects.has(source))) return []
    // Renaming a heading or title may remove and add links inside it.
    const isRenamed = (action.kind === 'rename_heading' || action.kind === 'title') && source === planned.subject
    const [ends, now] = isRenamed ? [endsBesideHeadings(old), endsBesideHeadings(read)] : [old.ends, read.ends]
    if (now.length !== ends.length) return [`${source} has ${now.length} links instead of ${ends.length}`]
    const faults = ends.flatMap((end, at) => {
      const { [at]: found } = now
      if (found === undefined) return []
      const mayHaveOther = REWRITES.has(action.kind) && end.path !== undefined && subjects.has(end.path)
      const fault = endFault(end, found, { moved, fresh, mayHaveOther })
      return fault === undefined ? [] : [`${source}:${end.line} [${end.written}] ${fault}`]
    })
    const excused = result.dangling.filter(({ path }) => path === source || path === moved.get(source)).length
    return faults.length <= excused ? [] : faults
  })
}

function endsBesideHeadings({ ends, headings }: ReadFile): readonly End[] {
  return ends.filter(({ line }) => !headings.some((heading) => line >= heading.line && line <= heading.lastLine))
}

interface Known {
  readonly moved: ReadonlyMap<string, string>
  /** Paths that did not exist before. */
  readonly fresh: ReadonlySet<string>
  readonly mayHaveOther: boolean
}

function endFault(end: End, now: End, { moved, fresh, mayHaveOther }: Known): string | undefined {
  if (end.path === undefined) {
    // A broken link may gain a target.
    return now.path === undefined || fresh.has(now.path) ? undefined : `led nowhere, and now to ${now.path} [${now.written}]`
  }
  const path = moved.get(end.path) ?? end.path
  if (now.path !== path) return `led to ${end.path}, and now to ${now.path} instead of ${path} [${now.written}]`
  if (mayHaveOther) return undefined
  if (end.heading !== undefined && now.heading !== end.heading)
    return `led to heading ${end.heading} of ${path}, and now to ${now.heading} [${now.written}]`
  if (end.block !== undefined && now.block !== end.block) return `led to ^${end.block} of ${path}, and now to ${now.block}`
  return undefined
}

/** Actions that rewrite links in other files. */
const RELINKING = new Set(['move', 'move_folder', 'title', 'rename_heading', 'rename_tag', 'several'])

/** Only the edited bytes and the destinations of rewritten links change. */
function byteFaults(step: Step): readonly string[] {
  const { action, planned, result, before, after } = step
  const moved = movesOf(result)
  const subjects = new Set(planned.operations.flatMap((operation) => ('id' in operation ? [operation.id] : [])))
  return [...before.bytes].flatMap(([path, was]) => {
    const now = after.bytes.get(moved.get(path) ?? path)
    if (now === undefined || path.startsWith('.trash/')) return []
    if (path === planned.subject) return subjectFaults(step, { path, was, now })
    if (action.kind === 'several' && subjects.has(path)) return []
    if (was === now) return []
    if (!RELINKING.has(action.kind)) return [`${path} changed, though only ${planned.subject ?? 'another file'} was to`]
    const tagged = planned.tag === undefined ? now : withOldTag(now, planned.tag)
    const same = planned.tag === undefined ? (text: string) => text : (text: string) => text.toLowerCase()
    const difference = differenceOf(same(skeletonOf(was)), same(skeletonOf(tagged)))
    if (action.kind !== 'several' && difference !== undefined) return [`${path} changed outside of links: ${difference}`]
    return action.kind === 'several' || planned.tag !== undefined ? [] : relinkedFaults(result, { path, was, now })
  })
}

/** Where two texts start to differ; `undefined` if they are equal. */
function differenceOf(was: string, now: string): string | undefined {
  if (was === now) return undefined
  let at = 0
  while (was[at] === now[at]) at++
  return [was, now].map((text) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60))).join(' became ')
}

interface FilePair {
  readonly path: string
  readonly was: string
  readonly now: string
}

/**
 * The answer must name the line of every rewritten link. For a reference link, this is the link's own line, although the
 * definition changes.
 */
function relinkedFaults({ files }: WriteResult, { path, was, now }: FilePair): readonly string[] {
  if (path.endsWith('.canvas')) return []
  const named = new Set(files.find(({ from }) => from === path)?.relinked.map(({ line }) => line))
  const [old = [], fresh = []] = [was, now].map((text) => text.split('\n'))
  const changed = new Set(old.flatMap((line, at) => (line === fresh[at] ? [] : [at + 1])))
  const silent = [...changed].filter((line) => !named.has(line) && !/^[ >\t]*\[[^\]]+\]:/.test(old[line - 1] ?? ''))
  const untrue = [...named].filter((line) => !changed.has(line) && !/\]\[/.test(old[line - 1] ?? ''))
  return [
    ...silent.map((line) => `line ${line} of ${path} changed, and the answer does not say so`),
    ...untrue.map((line) => `line ${line} of ${path} did not change, and the answer says that it did`),
  ]
}

function withOldTag(text: string, { from, to }: { readonly from: string; readonly to: string }): string {
  return text.replaceAll(to, from)
}

/** A text without its links' destinations and without the quotes of its properties. */
function skeletonOf(written: string): string {
  // Canvas cards are texts in JSON.
  const text = written.startsWith('{') ? written.replaceAll('\\n', '\n').replaceAll('\\"', '"') : written
  const [top = ''] = /^(?:\u00ef\u00bb\u00bf)?---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? []
  return top
    .replace(/["']/g, '')
    .concat(text.slice(top.length))
    .replace(/\[\[[^\n]*?\]\]/g, '[[]]')
    .replace(/\]\((?:<[^>\n]*>|[^\s()]*(?:\([^()\s]*\)[^\s()]*)*)/g, '](')
    .replace(/^([ >\t]*\[[^\]\n]+\]:[ \t]*)(?:<[^>\n]*>|\S+)/gm, '$1')
    .replace(/\b(href|src)=(["']).*?\2/g, '$1=')
    .replace(/"(file|subpath)":\s*"[^"]*"/g, '"$1":')
}

/** Checks the bytes of the edited note. */
function subjectFaults({ action, planned }: Step, pair: FilePair): readonly string[] {
  if (IS_EDIT[action.kind]?.(pair, planned) !== false) return []
  return [`${pair.path}: ${action.kind} changed more than it was to\n${JSON.stringify(pair.was)}\n${JSON.stringify(pair.now)}`]
}

type IsEdit = (pair: FilePair, planned: Planned) => boolean

const isHeadingEdit: IsEdit = ({ was, now }) => {
  const [old, fresh] = [was, now].map((text) => skeletonOf(text).split('\n'))
  return old?.length === fresh?.length && (old ?? []).filter((line, at) => line !== fresh?.[at]).length <= 1
}

const isPropertyEdit: IsEdit = ({ was, now }, planned) =>
  now.endsWith(bodyOf(was)) && entriesOf(was).every((entry) => isOfEdit(entry, planned) || topOf(now).includes(entry))

/** Checks whether a note is as it should be after an edit. */
const IS_EDIT: Readonly<Partial<Record<Kind, IsEdit>>> = {
  append: ({ was, now }, { content }) => now.startsWith(was) && isSame(now.slice(was.length), content),
  prepend: ({ was, now }, { content }) => {
    const [top, body] = [topOf(was), bodyOf(was)]
    return now.startsWith(top) && now.endsWith(body) && isSame(now.slice(top.length, now.length - body.length), content)
  },
  replace_text: ({ was, now }, { find = '', content = '' }) => now === was.replace(find, content),
  section: ({ was, now }, { section, content }) => section !== undefined && isSectionEdit({ was, now }, section, content),
  whole: ({ was, now }, { content }) => now.startsWith(topOf(was)) && isSame(now.slice(topOf(was).length), content),
  tags: isPropertyEdit,
  manage_tags: isPropertyEdit,
  properties: isPropertyEdit,
  relations: isPropertyEdit,
  rename_heading: isHeadingEdit,
  title: isHeadingEdit,
  add_attachment: ({ was, now }) => now.startsWith(was),
}

/** The program may choose the blank lines between texts. */
function isSame(text: string, other: string | undefined): boolean {
  return withoutBlanks(text) === withoutBlanks(other ?? '')
}

function bodyOf(text: string): string {
  return text.slice(topOf(text).length)
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, '')
}

/** The frontmatter with its fences, and a byte order mark. */
function topOf(text: string): string {
  const [top = ''] = /^(?:\u00ef\u00bb\u00bf)?(?:---[ \t]*\r?\n(?:[\s\S]*?\n)?---[ \t]*(?:\r?\n|$))?/.exec(text) ?? []
  return top
}

/** The properties of a note as written. */
function entriesOf(text: string): readonly string[] {
  const lines = topOf(text).split('\n').slice(1, -2)
  const entries: string[] = []
  for (const line of lines) {
    if (entries.length > 0 && /^(?:[\s#-]|$)/.test(line)) entries.push(`${entries.pop()}\n${line}`)
    else entries.push(line)
  }
  return entries
}

/** Whether an operation sets this property. */
function isOfEdit(entry: string, { operations }: Planned): boolean {
  const [key = ''] = entry.split(':')
  return operations.some((operation) => {
    if (operation.kind === 'manageTags') return /^tags?$/.test(key)
    if (operation.kind !== 'update') return false
    return key in { ...operation.properties, ...operation.relations } || (operation.tags !== undefined && /^tags?$/.test(key))
  })
}

function isSectionEdit(
  { was, now }: Pick<FilePair, 'was' | 'now'>,
  { line, lastLine, end, mode }: NonNullable<Planned['section']>,
  content: string | undefined,
): boolean {
  const lines = was.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const upTo = (last: number): string => lines.slice(0, last).join('').trimEnd()
  const from = (first: number): string => lines.slice(first - 1).join('')
  const places = {
    replace: [upTo(lastLine), from(end)],
    append: [upTo(end - 1), from(end)],
    insert_after: [upTo(end - 1), from(end)],
    prepend: [upTo(lastLine), from(lastLine + 1).trimStart()],
    insert_before: [upTo(line - 1), from(line)],
  } as const
  const [head, tail] = places[mode]
  return now.startsWith(head) && now.endsWith(tail) && isSame(now.slice(head.length, now.length - tail.length), content)
}
