import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SearchResult } from '../../app/find/search.ts'
import { useShown } from './hooks.ts'
import { focusMap } from './keys.ts'
import { plainText } from './plain-text.ts'
import { api, bareId, colored, fail, numberOf, open, searchHits, vault } from './state.ts'

/** A result of the search. Later ones may lack passages. */
type Hit = Pick<SearchResult, 'id' | 'title'> & Partial<Pick<SearchResult, 'passages'>>

const DEBOUNCE_MS = 120

export function Search() {
  const choose = (hit: Hit, query: string): void => {
    document.querySelector<HTMLElement>('#search')?.blur()
    focusMap()
    void open(hit.id, { at: lineOf(hit, query) })
  }
  return <NoteSearch id="search" list="hits" label="Search notes" placeholder="Search notes  /" onChoose={choose} />
}

interface NoteSearchOptions {
  readonly id: string
  readonly list: string
  readonly label: string
  readonly placeholder: string
  readonly chosen?: string
  readonly isFirst?: boolean
  readonly onChoose: (hit: Hit, query: string) => void
}

export function NoteSearch({ id, list, label, placeholder, chosen, isFirst = false, onChoose }: NoteSearchOptions) {
  const [typed, setTyped] = useState<string>()
  const query = typed ?? ''
  const [answered, setAnswered] = useState<{ readonly query: string; readonly hits: readonly Hit[] }>({ query: '', hits: [] })
  const { hits } = answered
  const [selected, setSelected] = useState(0)
  const [isOpen, setOpen] = useState(false)
  /** True if Enter was pressed before the results arrived, which opens the first result. */
  const opensFirst = useRef(false)
  const input = useRef<HTMLInputElement>(null)
  const choose = (hit: Hit | undefined): void => {
    if (hit === undefined) return
    setOpen(false)
    if (chosen !== undefined) setTyped(undefined)
    onChoose(hit, query)
  }
  // The effect runs before paint, so the first keys go to the field.
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus()
  }, [isFirst])
  useEffect(() => {
    if (query.trim() === '') {
      setAnswered({ query, hits: [] })
      return
    }
    let isCancelled = false
    const timer = setTimeout(() => {
      const answer = api.value?.call<{ results: readonly Hit[] }>('search', { query, limit: 12 }, vault.value)
      void answer
        ?.then(({ results }) => {
          if (isCancelled) return
          setAnswered({ query, hits: results })
          setSelected(0)
          if (opensFirst.current) choose(results[0])
        })
        .catch((error: unknown) => !isCancelled && fail(error))
    }, DEBOUNCE_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [query])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setSelected(Math.max(0, Math.min(hits.length - 1, selected + step)))
    else if (event.key === 'Enter' && answered.query === query) choose(hits[selected])
    else if (event.key === 'Enter') opensFirst.current = true
    else if (event.key === 'Escape') setOpen(false)
    else return
    event.preventDefault()
  }
  const isListed = isOpen && hits.length > 0
  useShown(searchHits, isListed ? hits.map(({ id }) => id) : [])
  const hasNoHits = isOpen && query.trim() !== '' && query === answered.query && hits.length === 0
  return (
    <div class="search" role={chosen === undefined ? 'search' : undefined}>
      <input
        id={id}
        ref={input}
        type="search"
        placeholder={placeholder}
        aria-label={label}
        {...combobox(isListed, list, selected)}
        autocomplete="off"
        value={typed ?? chosen ?? ''}
        onInput={(event) => {
          opensFirst.current = false
          setTyped(event.currentTarget.value)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <p class="hint" role="status" hidden={!hasNoHits}>
        {hasNoHits && `Nothing found for “${query.trim()}”.`}
      </p>
      {isListed && (
        <ul id={list} role="listbox" aria-label="Found notes">
          {hits.map((hit, number) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <li
              key={hit.id}
              id={`${list}-${number}`}
              role="option"
              aria-selected={number === selected}
              // The field keeps the focus, so the list stays open.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(hit)}
            >
              <i class="dot" style={{ background: colored.value?.cssOf(numberOf(hit.id)) }} />
              <strong>{hit.title}</strong> <small>{bareId(hit.id).split('/').slice(0, -1).join('/')}</small>
              <span>{highlightTerms(plainText(hit.passages?.[0]?.text ?? ''), hit.title, query)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function highlightTerms(passage: string, title: string, query: string): preact.ComponentChildren {
  const text = passage.startsWith(`${title} `) ? passage.slice(title.length + 1) : passage
  const words = wordsOf(query)
  if (words.length === 0) return text
  return text.split(new RegExp(`(${words.join('|')})`, 'giu')).map((part, at) => (at % 2 === 1 ? <b key={at}>{part}</b> : part))
}

function wordsOf(query: string): readonly string[] {
  return query.match(/[\p{L}\p{N}]{2,}/gu) ?? []
}

function lineOf({ passages: [passage] = [] }: Hit, query: string): number | undefined {
  if (passage === undefined) return undefined
  const words = wordsOf(query.toLowerCase())
  const counts = passage.text.split('\n').map((line) => words.filter((word) => line.toLowerCase().includes(word)).length)
  return passage.start_line + counts.indexOf(Math.max(...counts))
}

function combobox(isListed: boolean, list: string, at: number): Record<string, string | undefined> {
  return {
    role: 'combobox',
    'aria-expanded': String(isListed),
    'aria-controls': list,
    'aria-autocomplete': 'list',
    'aria-activedescendant': isListed ? `${list}-${at}` : undefined,
  }
}
