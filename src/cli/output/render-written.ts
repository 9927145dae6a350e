import type { FileFacts, WriteFacts } from '../../app/write/facts.ts'
import type { ChangeFacts } from '../../app/write/list-changes.ts'
import { amount } from '../../core/text/format.ts'
import { renderTable } from './table.ts'
import { coloredDiff, type Look, localTime, PLAIN, printable } from './text.ts'

export interface WrittenOptions extends Look {
  /** The options of suggested commands, such as ` --write`. */
  readonly commandOptions: string
  readonly isDryRun: boolean
}

export function renderWritten(value: unknown, options: WrittenOptions): string | undefined {
  if (isChanges(value)) return renderChanges(value, options)
  if (typeof value !== 'object' || value === null) return undefined
  if (isFacts(value)) return options.isDryRun ? renderPlan(value, options) : renderDone(value, options)
  if ('path' in value && !('size' in value)) return renderFolder(value, options)
  return undefined
}

const MAX_NAMED = 20
const FEW = 3

function renderPlan(facts: WriteFacts, { paint = PLAIN }: WrittenOptions): string {
  const { diff = '' } = facts
  const lines = [...(diff === '' ? [] : [...coloredDiff(diff, paint), '']), ...danglingLines(facts)]
  return `${[...lines, `This is a dry run, nothing was changed. It would be: ${sentenceOf(facts)}`, HOW_TO_APPLY].join('\n')}\n`
}

const HOW_TO_APPLY = 'Run the same command without --dry-run to make the change.'

function renderDone(facts: WriteFacts, { commandOptions }: WrittenOptions): string {
  const { change_id: id } = facts
  if (id === undefined) return 'Nothing to change.\n'
  const sentence = sentenceOf(facts)
  const lines = [sentence.charAt(0).toUpperCase() + sentence.slice(1), ...danglingLines(facts)]
  return `${[...lines, undoLine(id, commandOptions)].join('\n')}\n`
}

function renderFolder(
  { path, change_id: id }: { readonly path?: unknown; readonly change_id?: unknown },
  { commandOptions }: WrittenOptions,
): string {
  const name = printable(String(path))
  if (typeof id !== 'string') return `The folder ${name} already exists.\n`
  return `Created the folder ${name}.\n${undoLine(id, commandOptions)}\n`
}

function undoLine(id: string, option: string): string {
  return `"roux undo ${printable(id)}${option}" undoes it.`
}

const DONE: Readonly<Record<FileFacts['kind'], string>> = {
  created: 'created',
  changed: 'changed',
  moved: 'moved',
  deleted: 'moved to the trash:',
}

function sentenceOf({ files = [] }: WriteFacts): string {
  const relinked = files.filter(({ relinked: lines = [] }) => lines.length > 0)
  const requestedFiles = files.filter((file) => file.kind !== 'changed' || (file.relinked ?? []).length === 0)
  const kinds = (Object.keys(DONE) as FileFacts['kind'][]).flatMap((kind) => phraseOf(kind, requestedFiles))
  const lines = relinked.reduce((sum, file) => sum + (file.relinked ?? []).length, 0)
  const links = `rewrote ${amount(lines, 'line')} in ${amount(relinked.length, 'file')} so that links still lead there`
  const parts = [...kinds, ...(lines === 0 ? [] : [links])]
  return `${parts.length === 0 ? 'changed no file' : parts.join('; ')}.`
}

function phraseOf(kind: FileFacts['kind'], all: readonly FileFacts[]): readonly string[] {
  const files = all.filter((file) => file.kind === kind)
  if (files.length === 0) return []
  if (files.length > FEW) return [`${DONE[kind]} ${files.length} files`]
  const names = files.map(({ path, to }) => printable(to === undefined ? path : `${path} to ${to}`))
  return [`${DONE[kind]} ${names.join(', ')}`]
}

function danglingLines({ dangling_links: links = [] }: WriteFacts): readonly string[] {
  if (links.length === 0) return []
  const linkNames = links
    .slice(0, MAX_NAMED)
    .map(({ path, line, text, reason }) => `  ${printable(`${path}:${line}  ${text}  (${reason})`)}`)
  const more = links.length > MAX_NAMED ? [`  and ${links.length - MAX_NAMED} more`] : []
  return [`${amount(links.length, 'link')} could not be kept:`, ...linkNames, ...more]
}

function renderChanges(changes: readonly ChangeFacts[], look: Look): string {
  const rows = changes.map(({ change_id, time, state, title, files, omitted_files: more = 0 }) => {
    return [change_id, localTime(time), state.replaceAll('_', ' '), String(files.length + more), title]
  })
  return renderTable(
    [
      { name: 'change', isId: true },
      { name: 'time' },
      { name: 'state' },
      { name: 'files', align: 'right' },
      { name: 'what', isProse: true },
    ],
    rows,
    look,
  )
}

function isFacts(value: object): value is WriteFacts {
  return 'files' in value && Array.isArray(value.files)
}

function isChanges(value: unknown): value is readonly ChangeFacts[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item?.change_id === 'string')
}
