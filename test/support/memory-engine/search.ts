import { RouxError } from '../../../src/core/errors.ts'
import type { NodeId } from '../../../src/core/ids.ts'
import { foldId } from '../../../src/core/ids.ts'
import type { Condition, Lookup, Phrase, WordField, WordTerm } from '../../../src/core/query.ts'
import type { ChunkHit, Found, NameVectorHit, NoteChunks, VectorState, WordHits } from '../../../src/core/search.ts'
import type { NoteVectors } from '../../../src/core/search-writer.ts'
import type { FindOptions, NameOptions, Page, Scope } from '../../../src/core/store.ts'
import { foldName, foldTag } from '../../../src/core/text/fold.ts'
import { compares } from '../../../src/search/query/compare-values.ts'
import { evaluate, KeySet } from '../../../src/search/query/evaluate.ts'
import { DEFAULT_SCORING, FieldScore, inverseDocumentFrequency } from '../../../src/search/words/rank.ts'
import { factsOfFile, type MemoryDocument, type MemoryFile, type MemoryToken, type SearchData } from './data.ts'
import { type MemoryGraph, type MemoryNode, namesOf } from './graph.ts'

type Looked = Pick<WordTerm, 'form' | 'stem' | 'match'>

interface Ranking extends WordHits {
  readonly maxScore: number
  readonly scores: ReadonlyMap<number, number>
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : Number(a.id > b.id))

/** Retrieval over one generation: every question reads every document. */
export class MemorySearch {
  readonly #graph: MemoryGraph
  readonly #data: SearchData

  constructor(graph: MemoryGraph, data: SearchData) {
    this.#graph = graph
    this.#data = data
  }

  /** What was put of the file that the key stands for now. */
  #isCurrent({ key, path }: { readonly key: number; readonly path: string }): boolean {
    return this.#graph.generation.files.get(key)?.record.path === path
  }

  #documents(): readonly MemoryDocument[] {
    return [...this.#data.documents.values()].filter((document) => this.#isCurrent(document))
  }

  words(terms: readonly WordTerm[], scope: Scope, limit: number): WordHits {
    const keys = new Set(this.#graph.inScope(scope).map(({ file }) => file?.record.key))
    const { hits, coverage, terms: used } = this.#rank(terms, (key) => keys.has(key))
    return { hits: hits.slice(0, limit), coverage, terms: used }
  }

  /** BM25 in two fields, each with its own lengths and idf, added up. */
  #rank(query: readonly WordTerm[], accept: (key: number) => boolean): Ranking {
    const documents = this.#documents()
    const average = (length: 'titleLength' | 'bodyLength') =>
      Math.max(
        1,
        documents.reduce((sum, document) => sum + document[length], 0),
      ) / Math.max(1, documents.length)
    const averages = { title: average('titleLength'), body: average('bodyLength') }
    const idf = (count: number) => inverseDocumentFrequency(count, documents.length)
    const scores = new Map<number, number>()
    const masses = new Map<number, number>()
    const used: { readonly word: string; readonly notes: number }[] = []
    let maxScore = 0
    const add = (term: WordTerm): void => {
      const count = (tokens: readonly MemoryToken[]) => tokens.filter((token) => isFoundBy(term, token)).length
      const held = documents
        .map((document) => ({ document, title: count(document.title), body: count(document.body) }))
        .filter(({ title, body }) => title + body > 0)
      if (held.length > 0 || term.parts.length === 0) used.push({ word: term.form, notes: held.length })
      if (held.length === 0) {
        for (const part of term.parts) add(part)
        return
      }
      const inField = (field: 'title' | 'body') => held.filter((one) => one[field] > 0).length
      const scoreOf = (field: 'title' | 'body') =>
        new FieldScore(DEFAULT_SCORING[field], averages[field], term.count * idf(inField(field)))
      const [title, body] = [scoreOf('title'), scoreOf('body')]
      maxScore += (inField('title') > 0 ? title.max : 0) + (inField('body') > 0 ? body.max : 0)
      for (const { document, title: inTitle, body: inBody } of held) {
        const own = title.of(inTitle, document.titleLength) + body.of(inBody, document.bodyLength)
        scores.set(document.key, (scores.get(document.key) ?? 0) + own)
        masses.set(document.key, (masses.get(document.key) ?? 0) + idf(held.length))
      }
    }
    query.forEach(add)
    const massOf = (terms: readonly { readonly notes: number }[]) => terms.reduce((sum, { notes }) => sum + idf(notes), 0)
    const mass = massOf(used)
    const hits = [...scores]
      .filter(([key]) => accept(key))
      .map(([key, score]) => ({ id: this.#idOf(key), score, matched: Math.min(1, (masses.get(key) ?? 0) / mass) }))
      .sort((a, b) => b.score - a.score || byId(a, b))
    const coverage = mass === 0 ? 0 : massOf(used.filter(({ notes }) => notes > 0)) / mass
    return { hits, coverage, terms: used, maxScore, scores }
  }

  #idOf(key: number): NodeId {
    return this.#graph.idOfKey(key) as NodeId
  }

  find(condition: Condition | undefined, { scope, order }: FindOptions, { offset, limit }: Page): Found {
    const files = this.#graph.inScope(scope).flatMap(({ file }) => file ?? [])
    const all = KeySet.of(files.map(({ record }) => record.key))
    const lookUp = (lookup: Lookup) => KeySet.of(files.filter((file) => this.#fits(file, lookup)).map(({ record }) => record.key))
    const matches = condition === undefined ? all : evaluate(condition, { all: () => all, lookUp })
    const isScored = order.terms.length > 0
    const ranking = this.#rank(order.terms, (key) => matches.has(key))
    const scoreOf = (id: NodeId, key: number) =>
      order.first.includes(id) ? 1 : ranking.maxScore === 0 ? 0 : (ranking.scores.get(key) ?? 0) / ranking.maxScore
    const sign = order.direction === 'asc' ? 1 : -1
    const rows = files
      .filter(({ record }) => matches.has(record.key))
      .map((file) => {
        const { key, title } = file.record
        const id = this.#graph.idOf(file)
        const score = isScored ? scoreOf(id, key) : 0
        const by = order.by === 'relevance' ? -score : order.by === 'title' ? foldName(title) : timeOf(file, order.by, sign)
        return { id, title, score, by }
      })
      .sort((a, b) => (order.by === 'relevance' ? 1 : sign) * (a.by < b.by ? -1 : Number(a.by > b.by)) || byId(a, b))
    const items = rows.slice(offset, offset + limit)
    return { items: items.map(({ id, title, score }) => (isScored ? { id, title, score } : { id, title })), total: rows.length }
  }

  #fits(file: MemoryFile, lookup: Lookup): boolean {
    const { record } = file
    const facts = factsOfFile(file)
    const document = this.#documents().find(({ key }) => key === record.key)
    switch (lookup.kind) {
      case 'word':
        return fieldsOf(document, lookup.field).some((tokens) => tokens.some((token) => isFoundBy(lookup.word, token)))
      case 'phrase':
        return fieldsOf(document, lookup.field).some((tokens) => holdsPhrase(tokens, lookup.phrase))
      case 'nothing':
        return false
      case 'tag':
        return record.tags.some((tag) => `${foldTag(tag)}/`.startsWith(`${lookup.name}/`))
      case 'property': {
        const property = facts.properties.get(lookup.name)
        return property !== undefined && (lookup.value === undefined || property.asked.includes(lookup.value))
      }
      case 'comparison':
        return facts.properties.get(lookup.name)?.values.some((value) => compares(value, lookup)) === true
      case 'links':
      case 'linkedfrom': {
        const node = this.#graph.nodes.get(this.#graph.idOf(file)) as MemoryNode
        const others = lookup.kind === 'links' ? node.out : node.in
        return lookup.nodes.some((id) => id !== node.id && others.has(id))
      }
      case 'among':
        return lookup.nodes.includes(this.#graph.idOf(file))
      case 'task':
        return lookup.state === 'any' ? facts.tasks.size > 0 : facts.tasks.has(lookup.state)
      case 'relation':
        return record.links.some((link) => {
          const end = this.#graph.endOf(file, link)
          const isNamed = link.property !== undefined && foldName(link.property) === foldName(lookup.name)
          return isNamed && (lookup.targets === undefined || (end !== undefined && lookup.targets.includes(end)))
        })
      case 'path':
        return foldId(record.path).includes(lookup.text)
      case 'time': {
        const time = facts[lookup.field]
        return time >= lookup.from && time < lookup.to
      }
      case 'has':
        return this.#has(file, lookup.feature)
    }
  }

  #has(file: MemoryFile, feature: Extract<Lookup, { readonly kind: 'has' }>['feature']): boolean {
    const node = this.#graph.nodes.get(this.#graph.idOf(file)) as MemoryNode
    switch (feature) {
      case 'attachment':
        return [...node.out].some((id) => this.#graph.nodes.get(id)?.kind === 'attachment')
      case 'link':
        return this.#graph.degree(node, 'out') > 0
      case 'backlink':
        return this.#graph.degree(node, 'in') > 0
      case 'tag':
        return file.record.tags.length > 0
      case 'alias':
        return file.record.aliases.length > 0
      case 'property':
        return factsOfFile(file).properties.size > 0
    }
  }

  #vectors(embedder: string): readonly NoteVectors[] {
    return [...(this.#data.vectors.get(embedder)?.values() ?? [])].filter((note) => this.#isCurrent(note))
  }

  #inScope(embedder: string, scope: Scope): readonly { readonly node: MemoryNode; readonly note: NoteVectors }[] {
    const nodes = new Map(this.#graph.inScope(scope).map((node) => [node.file?.record.key, node]))
    return this.#vectors(embedder).flatMap((note) => {
      const node = nodes.get(note.key)
      return node === undefined ? [] : [{ node, note }]
    })
  }

  nearest(embedder: string, vector: Float32Array, scope: Scope, limit: number): readonly ChunkHit[] {
    const hits = this.#inScope(embedder, scope).flatMap(({ node, note }) =>
      note.chunks.flatMap((one, chunk) => cosine(one.vector, vector).map((score) => ({ id: node.id, chunk, score }))),
    )
    return hits.sort((a, b) => b.score - a.score || byId(a, b) || a.chunk - b.chunk).slice(0, limit)
  }

  nearestNames(embedder: string, vector: Float32Array, scope: Scope, { limit, minimum }: NameOptions): readonly NameVectorHit[] {
    const hits = this.#inScope(embedder, scope).flatMap(({ node, note }) =>
      note.names.flatMap((one, at) => {
        const name = node.file === undefined ? undefined : namesOf(node.file.record)[at]
        const { id, title } = node
        return name === undefined ? [] : cosine(one.vector, vector).map((score) => ({ id, title, name, score }))
      }),
    )
    return hits
      .filter(({ score }) => score >= minimum)
      .sort((a, b) => b.score - a.score || byId(a, b))
      .slice(0, limit)
  }

  vectors(embedder: string, id: NodeId): NoteChunks | undefined {
    const key = this.#graph.nodes.get(id)?.file?.record.key
    const note = this.#vectors(embedder).find((one) => one.key === key)
    return note === undefined ? undefined : { content: note.content.slice(0, 16), chunks: note.chunks }
  }

  states(): readonly VectorState[] {
    const states = [...this.#data.vectors.keys()].map((embedder) => ({
      embedder,
      notes: this.#vectors(embedder).length,
      index: 'memory',
    }))
    return states.reverse()
  }
}

function isFoundBy({ match, form, stem }: Looked, token: MemoryToken): boolean {
  if (match === 'prefix') return token.form.startsWith(form)
  return match === 'form' ? token.form === form : token.stem === stem
}

function fieldsOf(document: MemoryDocument | undefined, field: WordField): readonly (readonly MemoryToken[])[] {
  if (document === undefined) return []
  return field === 'title' ? [document.title] : [document.title, document.body]
}

function holdsPhrase(tokens: readonly MemoryToken[], { words }: Phrase): boolean {
  const holds = (position: number, { form, isPrefix }: Phrase['words'][number]) =>
    tokens.some((token) => token.position === position && (isPrefix ? token.form.startsWith(form) : token.form === form))
  return words.length > 0 && tokens.some(({ position }) => words.every((word) => holds(position + word.offset, word)))
}

/** Notes without that time come last, in either order. */
function timeOf(file: MemoryFile, by: 'created' | 'modified', sign: number): number {
  const time = factsOfFile(file)[by]
  return Number.isNaN(time) ? sign * Number.POSITIVE_INFINITY : time
}

/** Of what the embedder knows nothing there is none. */
function cosine(stored: Float32Array, asked: Float32Array): readonly number[] {
  if (asked.length !== stored.length) throw new RouxError('INVALID_PARAMS', 'The vector is of another embedder.')
  const lengths = Math.hypot(...stored) * Math.hypot(...asked)
  if (Number.isNaN(lengths)) throw new RouxError('INVALID_PARAMS', 'The vector is no vector.')
  return lengths === 0 ? [] : [stored.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0) / lengths]
}
