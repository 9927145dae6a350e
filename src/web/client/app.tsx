import { useLayoutEffect } from 'preact/hooks'
import { Divider, noteWidth } from './divider.tsx'
import { closeOpen, onPageKey, switchHelp } from './keys.ts'
import { Changes, Gaps, Problems } from './lists.tsx'
import { Card, Depth, GroupPanel, NoteMap } from './map.tsx'
import { PathView } from './path-view.tsx'
import { Guard, Reader } from './reader.tsx'
import { Search } from './search.tsx'
import {
  announcement,
  api,
  COLLATOR,
  connection,
  failure,
  focus,
  folder,
  folders,
  graph,
  hasChoice,
  hasList,
  isFolded,
  map,
  note,
  pane,
  pointed,
  rearrange,
  refresh,
  showVault,
  showView,
  tag,
  type View,
  vault,
  view,
  withAttachments,
  withJournals,
  withOrphans,
  writeAddress,
} from './state.ts'
import { Table } from './table.tsx'
import { isDark, switchTheme } from './theme.ts'

const VIEWS: readonly (readonly [View, string])[] = [
  ['map', 'Map'],
  ['table', 'Table'],
  ['path', 'Path'],
  ['problems', 'Problems'],
  ['gaps', 'Gaps'],
  ['changes', 'Changes'],
]

const LISTS: Readonly<Partial<Record<View, () => preact.JSX.Element>>> = {
  path: PathView,
  problems: Problems,
  gaps: Gaps,
  changes: Changes,
}

export function App() {
  // The effect runs before the first paint, so no early key press is lost.
  useLayoutEffect(() => {
    addEventListener('keydown', onPageKey)
  }, [])
  const List = LISTS[view.value]
  return (
    <div
      class={`app pane-${pane.value}${hasList.value ? ' with-list' : ''}${focus.value === '' ? ' at-start' : ''}${isFolded.value ? ' folded' : ''}`}
      onPointerDown={({ target }) => (target as Element).closest('.filters') ?? closeOpen('.filters')}
      style={noteWidth.value > 0 ? { '--note': `${noteWidth.value}px` } : undefined}
    >
      <header class="bar">
        <h1 class="brand">Roux</h1>
        <Vaults />
        <Search />
        <nav aria-label="Views">
          {VIEWS.map(([name, title]) => (
            <button type="button" key={name} aria-pressed={view.value === name} onClick={() => showView(name)}>
              {title}
            </button>
          ))}
        </nav>
        <Filters />
        <button type="button" class="sign" aria-label={isDark.value ? 'Light theme' : 'Dark theme'} onClick={switchTheme}>
          {isDark.value ? '☀' : '☾'}
        </button>
        <button type="button" class="sign" aria-label="Help" onClick={switchHelp}>
          ?
        </button>
      </header>
      {failure.value !== undefined && (
        <p class="refused" role="alert">
          {failure.value.message} {failure.value.hint}
        </p>
      )}
      {connection.value === 'lost' && <p class="refused">Roux does not answer; this page waits for it.</p>}
      {connection.value === 'ended' && (
        <p class="refused">Roux was started again since, and does not know this page. Run "roux open" again.</p>
      )}
      <main>
        {List !== undefined && (
          <div class="left">
            <Guard key={view.value}>
              <List />
            </Guard>
          </div>
        )}
        <div class="middle">
          <ActiveFilters />
          <Depth />
          {view.value === 'table' ? <Table /> : <NoteMap />}
        </div>
        <Divider />
        <aside class="right" tabIndex={-1} aria-label="Note" data-note={note.value?.id}>
          <Guard key={note.value?.id}>{focus.value === '' && hasChoice.value ? <GroupPanel /> : <Reader />}</Guard>
        </aside>
      </main>
      <nav class="tabs" aria-label="Panes">
        <button type="button" aria-pressed={pane.value === 'map'} onClick={() => (pane.value = 'map')}>
          {view.value === 'table' ? 'Table' : 'Map'}
        </button>
        {hasList.value && (
          <button type="button" aria-pressed={pane.value === 'list'} onClick={() => (pane.value = 'list')}>
            List
          </button>
        )}
        <button type="button" aria-pressed={pane.value === 'note'} onClick={() => (pane.value = 'note')}>
          {focus.value === '' && !hasChoice.value ? 'Start' : 'Note'}
        </button>
      </nav>
      <p class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </p>
      {pointed.value && <Card key={pointed.value.id} of={pointed.value} />}
      <Help />
    </div>
  )
}

function Vaults() {
  const names = api.value?.vaults ?? []
  if (names.length < 2) return null
  return (
    <select aria-label="Vault" value={vault.value} onChange={(event) => showVault(event.currentTarget.value)}>
      <Options names={names} />
    </select>
  )
}

function Options({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ))
}

function setAndFit(change: () => void): void {
  change()
  writeAddress()
  map.view?.fit()
}

function Filters() {
  const { value } = graph
  return (
    <details class="filters">
      <summary>Filter</summary>
      <div>
        <label>
          Folder
          <select value={folder.value} onChange={(event) => setAndFit(() => (folder.value = event.currentTarget.value))}>
            <option value="">all</option>
            <Options names={folders.value} />
          </select>
        </label>
        <label>
          Tag
          <select value={tag.value} onChange={(event) => setAndFit(() => (tag.value = event.currentTarget.value))}>
            <option value="">any</option>
            <Options names={[...(value?.picture.tag_names ?? [])].sort(COLLATOR.compare)} />
          </select>
        </label>
        {(
          [
            ['Journals', withJournals],
            ['Notes without links', withOrphans],
            ['Attachments and canvases', withAttachments],
          ] as const
        ).map(([name, filter]) => (
          <label class="check" key={name}>
            <input
              type="checkbox"
              checked={filter.value}
              onChange={(event) => {
                filter.value = event.currentTarget.checked
                writeAddress()
                if (filter === withAttachments) void refresh()
              }}
            />
            {name}
          </label>
        ))}
        <button type="button" onClick={() => void rearrange()}>
          Rearrange the map
        </button>
      </div>
    </details>
  )
}

function ActiveFilters() {
  const parts: readonly (readonly [is: boolean, what: string, undo: () => void])[] = [
    [folder.value !== '', `Folder ${folder.value}`, () => (folder.value = '')],
    [tag.value !== '', `Tag ${tag.value}`, () => (tag.value = '')],
    [!withJournals.value, 'No journals', () => (withJournals.value = true)],
    [!withOrphans.value, 'No notes without links', () => (withOrphans.value = true)],
  ]
  const active = parts.filter(([is]) => is)
  if (active.length === 0) return null
  return (
    <p class="narrowed">
      {active.map(([, what, undo]) => (
        <button type="button" key={what} title={`Take away: ${what}`} onClick={() => setAndFit(undo)}>
          {what} ✕
        </button>
      ))}
    </p>
  )
}

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['← ↑ → ↓', 'the linked note in that direction'],
  ['Enter', 'on the map: read the note'],
  ['n', 'what is around the note: 1, 2, 3 links, everything'],
  ['p', 'the path from here to another note'],
  ['t', 'table'],
  ['+ − 0', 'nearer, further, everything'],
  ['Esc', 'back'],
]

function Help() {
  return (
    <dialog class="help" aria-label="Help">
      <p>
        Each dot is a note, larger where more links meet. Notes that belong together are of one color; names in capitals, and{' '}
        <i>Colors</i>, say what they are about. Click a note to read it; the map stays as it is.
      </p>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={switchHelp}>
        Close
      </button>
    </dialog>
  )
}
