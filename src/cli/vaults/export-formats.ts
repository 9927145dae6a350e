import type { SimilarPair } from '../../app/find/similar-nodes.ts'
import type { ExportRow } from '../../core/store.ts'

type NodeRow = ExportRow & { readonly kind: 'node' }
type EdgeRow = ExportRow & { readonly kind: 'edge' }

/** A format. Nodes are written before edges. */
interface Format {
  /** Returns the start of the file. `isSemantic` is true if similar pairs follow the edges. */
  begin(isSemantic: boolean): string
  node?(row: NodeRow, first: boolean): string
  readonly between: string
  edge(row: EdgeRow, first: boolean, isSemantic: boolean): string
  readonly beforeSimilar: string
  similar(pair: SimilarPair, first: boolean): string
  end(unresolved: readonly (ExportRow & { readonly kind: 'unresolved' })[]): string
}

export const EXPORT_FORMATS = ['json', 'graphml', 'gexf', 'dot', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const CHUNK_LENGTH = 64_000

/** Formats an export. Links to missing targets are included only in `json`. */
export async function* formatExport(
  rows: AsyncIterable<ExportRow>,
  name: ExportFormat,
  similar?: AsyncIterable<SimilarPair>,
): AsyncGenerator<string> {
  const format = FORMATS[name]
  const unresolved: (ExportRow & { readonly kind: 'unresolved' })[] = []
  let piece = format.begin(similar !== undefined)
  let last: ExportRow['kind'] | undefined
  for await (const row of rows) {
    if (row.kind === 'unresolved') {
      unresolved.push(row)
      continue
    }
    if (row.kind === 'node' && row.nodeKind === 'missing') continue
    if (row.kind === 'edge' && last !== 'edge') piece += format.between
    piece +=
      row.kind === 'node'
        ? (format.node?.(row, last === undefined) ?? '')
        : format.edge(row, last !== 'edge', similar !== undefined)
    last = row.kind
    if (piece.length > CHUNK_LENGTH) {
      yield piece
      piece = ''
    }
  }
  if (last !== 'edge') piece += format.between
  if (similar !== undefined) {
    piece += format.beforeSimilar
    let isFirst = true
    for await (const pair of similar) {
      piece += format.similar(pair, isFirst)
      isFirst = false
      if (piece.length > CHUNK_LENGTH) {
        yield piece
        piece = ''
      }
    }
  }
  yield piece + format.end(unresolved)
}

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  json: {
    begin: () => '{"nodes":[',
    node: ({ id, path, title, nodeKind, tags, aliases, excluded, communities }, first) =>
      item({ id, path, title, kind: nodeKind, tags, aliases, excluded, ...communityFacts(communities) }, first),
    between: '\n],"edges":[',
    edge: ({ source, target, count, kinds }, first) => item({ source, target, count, kinds }, first),
    beforeSimilar: '\n],"similar":[',
    similar: ({ source, target, score }, first) => item({ source, target, score }, first),
    end: (unresolved) =>
      `\n],"unresolved":[${unresolved.map(({ source, target, count }, at) => item({ source, target, count }, at === 0)).join('')}\n]}\n`,
  },
  graphml: {
    begin: (isSemantic) => `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
${NODE_FACTS.map((name) => graphmlKey(name, 'node', 'string')).join('')}${graphmlKey('excluded', 'node', 'boolean')}${graphmlKey('count', 'edge', 'int')}${graphmlKey('kinds', 'edge', 'string')}${isSemantic ? graphmlKey('score', 'edge', 'double') : ''}<graph edgedefault="directed">
`,
    node: (row) => `<node id="${xml(row.id)}">${graphmlFacts(nodeFacts(row))}</node>\n`,
    between: '',
    edge: ({ source, target, count, kinds }) =>
      `<edge source="${xml(source)}" target="${xml(target)}">${graphmlFacts({ count, kinds: kinds.join(', ') })}</edge>\n`,
    beforeSimilar: '',
    similar: ({ source, target, score }) =>
      `<edge source="${xml(source)}" target="${xml(target)}" directed="false">${graphmlFacts({ kinds: SIMILAR, score })}</edge>\n`,
    end: () => '</graph>\n</graphml>\n',
  },
  gexf: {
    begin: (isSemantic) => `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
<graph defaultedgetype="directed">
<attributes class="node">
${NODE_FACTS.map((name) => gexfKey(name, 'string')).join('')}${gexfKey('excluded', 'boolean')}</attributes>
<attributes class="edge">
${gexfKey('kinds', 'string')}${isSemantic ? gexfKey('score', 'double') : ''}</attributes>
<nodes>
`,
    node: (row) => `<node id="${xml(row.id)}" label="${xml(row.title)}">${gexfFacts(nodeFacts(row))}</node>\n`,
    between: '</nodes>\n<edges>\n',
    edge: ({ source, target, count, kinds }) =>
      `<edge source="${xml(source)}" target="${xml(target)}" weight="${count}">${gexfFacts({ kinds: kinds.join(', ') })}</edge>\n`,
    beforeSimilar: '',
    similar: ({ source, target, score }) =>
      `<edge source="${xml(source)}" target="${xml(target)}" type="undirected">${gexfFacts({ kinds: SIMILAR, score })}</edge>\n`,
    end: () => '</edges>\n</graph>\n</gexf>\n',
  },
  dot: {
    begin: () => 'digraph vault {\n',
    node: ({ id, title, nodeKind, communities }) => {
      const facts = Object.entries({ label: title, kind: nodeKind, ...communityFacts(communities) })
      return `  ${dot(id)} [${facts.map(([name, value]) => `${name}=${dot(value)}`).join(', ')}];\n`
    },
    between: '',
    edge: ({ source, target, count }) => `  ${dot(source)} -> ${dot(target)} [weight=${count}];\n`,
    beforeSimilar: '',
    similar: ({ source, target, score }) => `  ${dot(source)} -> ${dot(target)} [dir=none, style=dashed, score=${score}];\n`,
    end: () => '}\n',
  },
  csv: {
    begin: (isSemantic) => `source,target,count,kinds${isSemantic ? ',score' : ''}\n`,
    between: '',
    edge: ({ source, target, count, kinds }, _, isSemantic) =>
      `${csv(source)},${csv(target)},${count},${kinds.join('|')}${isSemantic ? ',' : ''}\n`,
    beforeSimilar: '',
    similar: ({ source, target, score }) => `${csv(source)},${csv(target)},,${SIMILAR},${score}\n`,
    end: () => '',
  },
}

const NODE_FACTS = ['title', 'path', 'kind', 'tags', 'aliases', 'community', 'community_2']

const SIMILAR = 'similar'

function nodeFacts({ title, path, nodeKind, tags, aliases, excluded, communities }: NodeRow) {
  return {
    title,
    path,
    kind: nodeKind,
    tags: tags.join(', '),
    aliases: aliases.join(', '),
    excluded,
    ...communityFacts(communities),
  }
}

function communityFacts([community, part]: readonly string[] = []): Readonly<Record<string, string>> {
  return { ...(community === undefined ? {} : { community }), ...(part === undefined ? {} : { community_2: part }) }
}

function gexfKey(name: string, type: string): string {
  return `<attribute id="${name}" title="${name}" type="${type}"/>\n`
}

function gexfFacts(facts: Readonly<Record<string, string | number | boolean>>): string {
  const values = Object.entries(facts).map(([name, value]) => `<attvalue for="${name}" value="${xml(String(value))}"/>`)
  return `<attvalues>${values.join('')}</attvalues>`
}

function item(value: object, first: boolean): string {
  return `${first ? '' : ','}\n${JSON.stringify(value)}`
}

function graphmlKey(name: string, owner: 'node' | 'edge', type: string): string {
  return `<key id="${name}" for="${owner}" attr.name="${name}" attr.type="${type}"/>\n`
}

function graphmlFacts(facts: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `<data key="${name}">${xml(String(value))}</data>`)
    .join('')
}

/** Parsers normalize white space in attributes, so it is encoded as character references. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Escapes a text for Graphviz, which keeps doubled backslashes in ids but shows only one in labels. */
function dot(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\0', '\ufffd')}"`
}

function csv(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
