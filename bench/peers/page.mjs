import { markdownTable } from '../../scripts/markdown-table.mjs'

const FEATURES = ['tools', 'backlinks', 'paths between notes, hubs', 'search', 'writing', 'undo of a change', 'made for']

/** The text of docs/comparison.md. */
export function comparisonPage({ servers, absent, remark, missing, figures, about }) {
  const peers = servers.filter(({ better }) => better !== undefined)
  const measured = servers.filter(({ name }) => figures[name] !== undefined)
  const vaults = [...new Set(measured.flatMap(({ name }) => Object.keys(figures[name])))].filter((vault) => vault !== 'hostile')
  const notRun = [
    ...absent,
    ...servers.filter(({ name }) => missing[name] !== undefined).map(({ name }) => ({ name, printed: missing[name] })),
  ]
  return `${[
    '# Comparison with other servers',
    INTRODUCTION,
    '## What they do better',
    ...peers.map(({ name, better }) => [`**${name}**`, ...better.map((one) => `- ${one}`)].join('\n')),
    '## What each has',
    markdownTable(
      ['server', ...FEATURES],
      servers.map(({ name, features }) => [name, ...features]),
    ),
    ...vaults.map((vault) => vaultSection(vault, measured, figures)),
    '## Hostile notes',
    HOSTILE,
    hostileTable(measured, figures),
    '## Could not be run here',
    notRun.map(({ name, printed }) => `- ${name}: could not be run here: \`${printed}\``).join('\n'),
    servers.flatMap(({ name, limits }) => (limits === undefined ? [] : [`- ${name}: ${limits}`])).join('\n'),
    '## How it was measured',
    `${METHOD} ${remark} Measured on ${about.date}, Linux, ${about.processor}, Node ${about.node.slice(1)} (22 where a server demands it).`,
    peers.map(({ package: one }) => `- ${one}`).join('\n'),
  ].join('\n\n')}\n`
}

const INTRODUCTION = `Written by \`npm run bench:peers -- --peers <folder>\` from \`bench/peers.json\`. The authors of Roux chose the questions, so read it as theirs, and repeat it on your own notes.
Versions and dates are at the end.`

const HOSTILE = `Fourteen notes with a line of 5 MB, bytes that are not UTF-8, 10,000 levels of quotes, 50,000 open brackets, malformed and exploding YAML, a script as frontmatter, and names such as
\`-rf.md\` or \`It's $HOME; \\\`a\\\` & b.md\`; a folder that links to itself, and a symbolic link to a file outside the vault. A note counts as found if a search for a word that only it has names it.`

const METHOD = `Every server works on its own copy of a vault with its own home folder, with the settings it comes with. Servers take turns within a round; figures are medians of the rounds, with the median of the ratios
to bare \`node -e 0\` of the same round, because the machine may be busy with other work: compare the ratios, not the seconds. *First answer*: a search for a note's title that names the note. *Memory*: peak of all its processes after all questions. *Edit seen*: from
appending a sentence to a note until a search for its word names it. *Links*: the notes that link to each of up to 40 notes, against an extractor that shares no code with Roux (\`bench/oracle\`), for servers
that have backlinks. Notes marked as archived are not asked about, because Roux leaves them out of searches. *Tokens*: o200k, of the text that a model reads; medians of five notes.`

function vaultSection(vault, measured, figures) {
  const shown = measured.filter(({ name }) => figures[name][vault] !== undefined)
  const count = Math.max(...shown.map(({ name }) => figures[name][vault].notes))
  const rows = shown.map(({ name, backlinks }) => {
    const one = figures[name][vault]
    if (one.initialize === undefined)
      return [name, typeof one.prepared === 'string' ? one.prepared : one.fault, ...Array(8).fill('–')]
    return [
      name,
      preparation(one),
      time(one.initialize),
      time(one.firstAnswer),
      time(one.answer),
      one.memory === undefined ? '–' : `${one.memory.toFixed(0)} MB`,
      freshness(one.fresh),
      backlinks === undefined ? 'none' : links(one.links),
      sizes(one.sizes),
      String(one.touched ?? '–'),
    ]
  })
  const head = [
    'server',
    'to prepare',
    '`initialize`',
    'first answer, first start',
    'later starts',
    'memory',
    'edit seen',
    'links: precision, recall',
  ]
  const rounds = Math.max(...shown.map(({ name }) => figures[name][vault].rounds ?? 0))
  return [
    `## ${TITLES[vault] ?? vault} (${count.toLocaleString('en')} notes)`,
    rounds === 0
      ? 'No round was run.'
      : `${rounds} rounds.${rounds < 3 ? ' So few give rough times; the other columns do not depend on them.' : ''}`,
    markdownTable([...head, 'tokens: tools; search, read, backlinks', 'files changed unasked'], rows),
  ].join('\n\n')
}

const TITLES = { demo: 'The demo vault', generated: 'A generated vault', hub: 'obsidian-hub' }

function preparation({ prepared }) {
  if (typeof prepared === 'string') return prepared
  return prepared < 100 ? 'nothing' : seconds(prepared)
}

const seconds = (ms) => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`)

function time(figure) {
  if (figure === null) return '–'
  return figure === undefined
    ? 'not named within 30 s'
    : `${seconds(figure.ms)} (${figure.ratio < 1 ? figure.ratio.toFixed(2) : figure.ratio.toFixed(1)} ×)`
}

function freshness(fresh) {
  if (fresh === undefined) return '–'
  return fresh.ms === undefined ? `not within ${fresh.missed / 1000} s` : seconds(fresh.ms)
}

function links(one) {
  if (one === undefined) return '–'
  const share = (value) => (Number.isFinite(value) ? value.toFixed(3) : '–')
  return `${share(one.precision)}, ${share(one.recall)}`
}

function sizes(one) {
  if (one === undefined) return '–'
  const [tools, ...rest] = [one.tools, one.search, one.read, one.backlinks].map((size) => size?.toLocaleString('en') ?? '–')
  return `${tools}; ${rest.join(', ')}`
}

function hostileTable(measured, figures) {
  const rows = measured.flatMap(({ name }) => {
    const one = figures[name].hostile
    if (one === undefined) return []
    const { notes, healthy, missed, leaks, touched, fault } = one
    if (missed === undefined || leaks === undefined) return [[name, fault ?? '–', '–', '–', '–', '–', String(touched ?? '–')]]
    const found = `${notes - missed.length} of ${notes}`
    return [[name, fault ?? 'answers', healthy ? 'found' : 'not found', found, list(missed), list(leaks), String(touched)]]
  })
  return markdownTable(
    ['server', 'runs', 'healthy note', 'hostile notes found', 'not found', 'reads outside the vault', 'files changed unasked'],
    rows,
  )
}

const list = (items) => (items.length === 0 ? 'none' : items.map((one) => `\`${one.replaceAll('`', '')}\``).join(', '))
