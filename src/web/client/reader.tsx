import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import type { FoundNode } from '../../app/find/find-nodes.ts'
import type { SimilarNode } from '../../app/find/similar-nodes.ts'
import type { ContextPack } from '../../app/insight/context-pack.ts'
import type { ProblemSummary } from '../../app/insight/get-problems.ts'
import type { SuggestionList } from '../../app/insight/suggest-links.ts'
import type { Neighbor } from '../../app/links/get-neighbors.ts'
import type { PageNote } from '../../app/read/page-note.ts'
import { invalid, type RouxError } from '../../core/errors.ts'
import { amount } from '../../core/text/format.ts'
import { isWide, widen } from './divider.tsx'
import { useAnswer, usePages } from './hooks.ts'
import { LocalMap } from './local-map.tsx'
import { type MarkdownNode, renderMarkdown, type Slots } from './markdown.ts'
import { parseInWorker } from './parse-in-worker.ts'
import { plainText } from './plain-text.ts'
import {
  announcement,
  api,
  bareId,
  fail,
  failure,
  graph,
  isStartOpen,
  layingOut,
  note,
  noteAddress,
  open,
  opensTab,
  openTab,
  pointed,
  scope,
  showPath,
  showView,
  titleOf,
  toRouxError,
  vault,
  line as wantedLine,
} from './state.ts'

/** Prevents an error in one note from breaking the page, and logs the error. */
export function Guard({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary((thrown: unknown) => console.error(thrown))
  return error === undefined ? children : <p class="waiting">This cannot be shown here. The browser's console says why.</p>
}

export function Reader() {
  const { value } = note
  if (value === undefined) return <Welcome />
  if (value === null) return <p class="waiting">There is no such note (any more), or the vault hides it.</p>
  return <NoteInFocus key={value.id} note={value} />
}

function NoteInFocus({ note: value }: { readonly note: PageNote }) {
  const linked = useBacklinks(value.id)
  const parsed = useParsed(value)
  return (
    <article class="note" aria-label={value.title}>
      <header>
        <h1>{value.title}</h1>
        <p class="place">
          <span title={value.path}>{value.kind === 'missing' ? 'This note does not exist yet.' : (value.path ?? value.id)}</span>
          <ToBacklinks to={value.id} answer={parsed === undefined ? undefined : linked.pages[0]} />
        </p>
        <Actions note={value} />
        <Properties note={value} />
        <LocalMap id={value.id} />
      </header>
      <Body note={value} parsed={parsed} />
      <OutgoingLinks id={value.id} />
      <Backlinks linked={linked} />
      {value.kind === 'note' && <SimilarNotes id={value.id} />}
      {value.kind === 'note' && <Suggestions id={value.id} />}
    </article>
  )
}

function Welcome() {
  const { value } = graph
  // The requests of the lists would delay the map.
  if (value === undefined && layingOut.value === undefined && failure.value === undefined) return null
  return (
    <div class="welcome">
      <h1>{vault.value || 'Your notes'}</h1>
      {value !== undefined && value.notes > 0 && (
        <p>
          {amount(value.vault.notes, 'note')}, {amount(value.vault.links, 'link')}.
        </p>
      )}
      {value?.count === 0 ? (
        <p>This folder has no notes yet. What is written in it appears here.</p>
      ) : (
        <>
          <MostLinked />
          <ProblemsLink />
          <RecentlyEdited limit={6} />
        </>
      )}
      <button type="button" class="widens" onClick={() => (isStartOpen.value = false)}>
        Hide
      </button>
    </div>
  )
}

const MAX_ROWS = 6

function MostLinked() {
  const { value } = graph
  if (value === undefined) return null
  const incoming = 'incoming' in value.picture ? value.picture.incoming : value.degrees
  const order = [...Array(value.notes).keys()].sort((a, b) => (incoming[b] ?? 0) - (incoming[a] ?? 0) || a - b)
  return (
    <Rows title="Most linked" of="links in">
      {order.slice(0, MAX_ROWS).map((one) => (
        <NoteRow key={one} id={value.picture.ids[one]} aside={incoming[one]?.toLocaleString()} />
      ))}
    </Rows>
  )
}

interface RowsOptions {
  readonly title: string
  readonly of?: string
  readonly children: ComponentChildren
}

export function Rows({ title, of, children }: RowsOptions) {
  return (
    <>
      <h2>
        {title} {of && <small>{of}</small>}
      </h2>
      <ul class="rows">{children}</ul>
    </>
  )
}

interface NoteRowOptions extends Pick<NoteLinkOptions, 'title'> {
  readonly id: string | undefined
  readonly aside: string | undefined
}

export function NoteRow({ id = '', title, aside }: NoteRowOptions) {
  return (
    <li>
      <NoteLink to={id} title={title} /> <small>{aside}</small>
    </li>
  )
}

function ProblemsLink() {
  const { answer } = useAnswer<ProblemSummary>('get_problems', { summary: true })
  if (!answer?.total) return null
  return (
    <p>
      <button type="button" onClick={() => showView('problems')}>
        {amount(answer.total, 'problem')}
      </button>
    </p>
  )
}

/** Lists the notes edited last. Their order is based on file dates, which also cover the time before Roux was installed. */
export function RecentlyEdited({ limit }: { readonly limit: number }) {
  const { answer } = useAnswer<{ results: readonly FoundNode[] }>('find_nodes', {
    query: '',
    order_by: 'modified',
    limit,
    ...scope.value,
  })
  if (!answer?.results.length) return null
  return (
    <Rows title="Edited last">
      {answer.results.map(({ id, title, modified }) => (
        <NoteRow key={id} id={id} title={title} aside={modified?.slice(0, 10)} />
      ))}
    </Rows>
  )
}

export function Refusal({ of }: { readonly of: RouxError | undefined }) {
  return (
    of && (
      <p class="refused">
        {of.message} {of.hint}
      </p>
    )
  )
}

export function MoreButton({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  if (left <= 0) return null
  return (
    <button type="button" onClick={onMore}>
      Show more of {left}
    </button>
  )
}

/**
 * Copies text to the clipboard. Some browsers allow this only directly after a click, so text that is not ready is passed as a
 * promise.
 */
export async function copyText(text: string | Promise<string>, what: string): Promise<void> {
  const blob = Promise.resolve(text).then((made) => new Blob([made], { type: 'text/plain' }))
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    announcement.value = `${what} copied.`
  } catch {
    fail(invalid('This browser does not let the page copy.', 'Select the text and copy it by hand.'))
  }
}

export function obsidianAddress(folder: string, path: string): string {
  return `obsidian://open?vault=${encodeURIComponent(folder)}&file=${encodeURIComponent(path)}`
}

function Actions({ note: { id, path, title, kind, folder } }: { readonly note: PageNote }) {
  return (
    <div class="actions">
      {kind !== 'missing' && (
        <button type="button" onClick={showPath}>
          Path from here
        </button>
      )}
      <button type="button" onClick={() => void copyText(textForAssistant(id, title), 'Context')}>
        Copy for an assistant
      </button>
      <details>
        <summary aria-label="More actions" title="More actions">
          …
        </summary>
        <div>
          <button type="button" onClick={() => void copyText(id, 'Id')}>
            Copy id
          </button>
          <button type="button" class="widens" aria-pressed={isWide()} onClick={widen}>
            Wide
          </button>
          {path !== undefined && <a href={obsidianAddress(folder, path)}>Open in Obsidian</a>}
        </div>
      </details>
    </div>
  )
}

async function textForAssistant(id: string, title: string): Promise<string> {
  const pack = await api.value?.call<ContextPack>('context_pack', { ids: [id] }, vault.value).catch(() => undefined)
  const parts = pack?.excerpts.map((one) => `## ${one.title} (${one.id}, lines ${one.lines.join('–')})\n\n${one.text}`)
  return parts?.join('\n\n') ?? `# ${title} (${id})\n\n${note.value?.text ?? ''}`
}

function Properties({ note: { properties, tags, aliases, modified } }: { readonly note: PageNote }) {
  const rows = Object.entries(properties).filter(([key]) => !['tags', 'tag', 'aliases', 'alias'].includes(key.toLowerCase()))
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ...(tags.length > 0 ? [['tags', tags.map((one) => [<Breakable key={one} text={`#${one}`} />, ' '])] as const] : []),
    ...(aliases.length > 0 ? [['aliases', aliases.join(', ')] as const] : []),
    ...rows.map(([key, value]) => [key, withLinks(value)] as const),
    ...(modified === undefined ? [] : [['changed', modified.slice(0, 10)] as const]),
  ]
  if (facts.length === 0) return null
  return (
    <dl class="properties">
      {facts.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Breakable({ text }: { readonly text: string }) {
  return text.split('/').map((part, at) => [at > 0 && ['/', <wbr key={at} />], part])
}

function withLinks(value: unknown): ComponentChildren {
  if (Array.isArray(value)) return value.map((one, at) => [at > 0 && ', ', withLinks(one)])
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.split(/\[\[([^[\]]+)\]\]/).map((part, at) => {
    if (at % 2 === 0) return part
    const [target = '', label = target] = part.split('|')
    return <NoteLink to={target.replace(/#.*/, '')}>{label}</NoteLink>
  })
}

function Body({ note: value, parsed }: { readonly note: PageNote; readonly parsed: Parsed | undefined }) {
  const body = useRef<HTMLDivElement>(null)
  const targetLine = wantedLine.value
  useEffect(() => {
    const found = targetLine === undefined || body.current === null ? undefined : elementAt(body.current, targetLine)
    found?.classList.add('here')
    found?.scrollIntoView({ block: 'center' })
    return () => found?.classList.remove('here')
  }, [parsed, targetLine])
  if (value.kind === 'attachment') return <VaultImage id={value.id} label={value.title} />
  if (value.text === '') return value.kind === 'note' ? <p class="empty">This note is empty.</p> : null
  const slots: Slots = {
    link: (link, label) => <NoteLink {...link}>{label}</NoteLink>,
    embed: (link, label) =>
      link.kind === 'attachment' ? <VaultImage id={link.to} label={label} /> : <NoteLink {...link}>↳ {label}</NoteLink>,
  }
  if (parsed === undefined) return <p class="empty">…</p>
  return (
    <div class="body" ref={body}>
      {renderMarkdown(parsed.note, parsed.tree, slots)}
      {parsed.note.left_out > 0 && <p class="empty">{parsed.note.left_out} more characters are not shown here.</p>}
    </div>
  )
}

interface Parsed {
  readonly note: PageNote
  readonly tree: readonly MarkdownNode[] | undefined
}

/** Returns the previous version until a changed note is parsed. */
function useParsed(value: PageNote): Parsed | undefined {
  const [parsed, setParsed] = useState<Parsed>()
  useEffect(() => {
    const parsing = new AbortController()
    const hasText = value.kind !== 'attachment' && value.text !== ''
    const tree = hasText ? parseInWorker(value, parsing.signal) : Promise.resolve(undefined)
    void tree.then((found) => parsing.signal.aborted || setParsed({ note: value, tree: found }))
    return () => parsing.abort()
  }, [value])
  return parsed?.note.id === value.id ? parsed : undefined
}

/** Returns the block that contains a line of the file, or the last one before it. */
function elementAt(body: HTMLElement, line: number): Element | undefined {
  let found: Element | undefined
  for (const one of body.querySelectorAll('[data-line]')) {
    if (Number(one.getAttribute('data-line')) > line) break
    found = one
  }
  return found?.closest('p, li, tr, pre, h1, h2, h3, h4, h5, h6') ?? found
}

interface NoteLinkOptions {
  readonly to: string
  /** The kind of the node. It is `missing` for a note that does not exist. */
  readonly kind?: string
  readonly line?: number | undefined
  /** The default is the title on the map, or else the id. */
  readonly title?: string | undefined
  /** The content of the link. The default is the title. */
  readonly children?: ComponentChildren
}

/** The delay in milliseconds before a card appears. */
const CARD_MS = 150

export function NoteLink({ to, kind, line, title = titleOf(to), children = title }: NoteLinkOptions) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const hideCard = (): void => {
    clearTimeout(timer.current)
    if (pointed.value?.isLink === true) pointed.value = undefined
  }
  useEffect(() => hideCard, [])
  return (
    <a
      onPointerEnter={({ pointerType, clientX: x, clientY: y }) => {
        if (pointerType !== 'mouse' || kind === 'missing') return
        timer.current = setTimeout(() => {
          pointed.value = { id: bareId(to), x, y, middle: innerWidth / 2, isLink: true }
        }, CARD_MS)
      }}
      onPointerLeave={hideCard}
      href={noteAddress(to, vault.value)}
      class={kind === 'missing' ? 'missing' : 'within'}
      onClick={(event) => {
        event.preventDefault()
        if (opensTab(event)) openTab(to)
        else void open(to, { at: line })
      }}
      onAuxClick={(event) => {
        if (event.button !== 1) return
        event.preventDefault()
        openTab(to)
      }}
    >
      {children}
    </a>
  )
}

/** An image of the vault. It is fetched with the session's secret, which an `img` element cannot send. */
function VaultImage({ id, label }: { readonly id: string; readonly label: string }) {
  const [image, setImage] = useState<string | RouxError>()
  useEffect(() => {
    let objectUrl: string | undefined
    let isCancelled = false
    api.value?.attachment(id, vault.value).then(
      (address) => {
        objectUrl = address
        if (isCancelled) URL.revokeObjectURL(address)
        else setImage(address)
      },
      // The error may come from a connection that closed during the download.
      (error: unknown) => isCancelled || setImage(toRouxError(error, 'The picture could not be loaded.')),
    )
    return () => {
      isCancelled = true
      if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl)
    }
  }, [id])
  if (image === undefined) return <em class="empty">{label} …</em>
  if (typeof image === 'string') return <img src={image} alt={label} />
  return (
    <em class="empty">
      <NoteLink to={id}>{label}</NoteLink>: {image.message} {image.hint}
    </em>
  )
}

const PAGE = 50

interface BacklinksAnswer {
  readonly results: readonly Neighbor[]
  readonly total: number
}

type LinkedFrom = ReturnType<typeof useBacklinks>

function useBacklinks(id: string) {
  return usePages<BacklinksAnswer>(
    'get_neighbors',
    { id, direction: 'in', kinds: ['note', 'canvas'], evidence: true },
    { limit: PAGE, rowsOf: ({ results }) => results },
  )
}

/** A link to the backlinks. Its height is constant, so the page does not move when the number arrives. */
function ToBacklinks({ to, answer }: { readonly to: string; readonly answer: BacklinksAnswer | undefined }) {
  const isWhole = answer === undefined || answer.results.length === answer.total
  const onlyCanvases = { id: to, direction: 'in', kinds: ['canvas'], limit: 1 }
  const counted = useAnswer<BacklinksAnswer>('get_neighbors', isWhole ? undefined : onlyCanvases).answer
  if (answer === undefined || !(isWhole || counted)) return <>Linked from …</>
  if (answer.total === 0) return <>Linked from no note</>
  const canvases = counted?.total ?? answer.results.filter(({ kind }) => kind === 'canvas').length
  const sources = [
    ...(answer.total > canvases ? [amount(answer.total - canvases, 'note')] : []),
    ...(canvases > 0 ? [amount(canvases, 'canvas', 'canvases')] : []),
  ]
  return (
    <a
      href={noteAddress(to, vault.value)}
      onClick={(event) => {
        event.preventDefault()
        document.querySelector('section[aria-label="Linked from"]')?.scrollIntoView()
      }}
    >
      Linked from {sources.join(' and ')}
    </a>
  )
}

function OutgoingLinks({ id }: { readonly id: string }) {
  const { answer } = useAnswer<BacklinksAnswer>('get_neighbors', { id, direction: 'out', limit: PAGE })
  if (!answer?.total) return null
  return (
    <section aria-label="Links to">
      <h2>Links to {answer.total}</h2>
      <p>
        {answer.results.map(({ id: to, title }, at) => [at > 0 && ' · ', <NoteLink key={to} to={to} title={title} />])}
        {answer.total > answer.results.length && ' · …'}
      </p>
    </section>
  )
}

function Backlinks({ linked: { pages, error, more } }: { readonly linked: LinkedFrom }) {
  const [first] = pages
  const links = pages.flatMap(({ results }) => results)
  const left = (first?.total ?? 0) - links.length
  return (
    <section aria-label="Linked from">
      {(first !== undefined || error === undefined) && (
        <h2>Linked from {first === undefined ? '…' : first.total === 0 ? 'no note' : first.total}</h2>
      )}
      {links.map((link) => (
        <div class="backlink" key={link.id}>
          <NoteLink to={link.id} title={link.title} line={link.lines?.[0]?.line} />
          {link.lines?.map(({ line, text }) => (
            <blockquote key={`${line} ${text}`}>
              {plainText(text)} <small>line {line}</small>
            </blockquote>
          ))}
          {link.more !== undefined && <small>and {link.more} more</small>}
        </div>
      ))}
      <Refusal of={error} />
      <MoreButton left={left} onMore={more} />
    </section>
  )
}

function SimilarNotes({ id }: { readonly id: string }) {
  const { answer } = useAnswer<{ results: readonly SimilarNode[] }>('similar_nodes', { id, exclude_linked: true, limit: 8 })
  if (!answer?.results.length) return null
  return (
    <section aria-label="About the same, not linked">
      <h2>About the same, not linked</h2>
      <ul>
        {answer.results.map(({ id: to, title, score }) => (
          <NoteRow key={to} id={to} title={title} aside={score.toFixed(2)} />
        ))}
      </ul>
    </section>
  )
}

function Suggestions({ id }: { readonly id: string }) {
  const { answer } = useAnswer<SuggestionList>('suggest_links', { id, limit: 5 })
  if (!answer?.suggestions.length) return null
  return (
    <section aria-label="Could be linked">
      <h2>Could be linked</h2>
      {answer.suggestions.map((one) => (
        <div class="backlink" key={`${one.from} ${one.to}`}>
          <NoteLink to={one.to} title={one.title} />
          {one.kind === 'named' && (
            <blockquote>
              {plainText(one.text)} <small>line {one.line}</small>
            </blockquote>
          )}
        </div>
      ))}
    </section>
  )
}
