import { isDeepStrictEqual } from 'node:util'
import { editText } from '../../core/text/edit-text.ts'
import { foldName } from '../../core/text/fold.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import { invalid, requireLine, requireText } from './given-text.ts'
import { type Relations, setProperties, setRelations } from './set-properties.ts'
import { listedTags, setTags, TAG_KEY } from './tags.ts'
import { type EditStep, editInSteps } from './text-edits.ts'

export interface NewNote {
  readonly content: string
  readonly title?: string
  /** The file name without `.md`. */
  readonly fileName: string
  /** If not empty, these tags replace those in the content's frontmatter. */
  readonly tags?: readonly string[]
  /** The properties to set. `null` removes a property from the content's frontmatter. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly relations?: Relations
}

/**
 * Returns a new note's text, with the title, tags, properties and relations in its frontmatter.
 * @throws RouxError `INVALID_PARAMS` if the content's frontmatter is malformed or an argument is invalid
 */
export function createText({ content, title, fileName, tags = [], properties = {}, relations = {} }: NewNote): string {
  const text = requireText('content', content).replace(/^\ufeff/, '')
  refuseMalformed(text)
  const steps: EditStep[] = [
    ...(title === undefined ? [] : [withTitle(requireLine('title', title), fileName)]),
    ...(tags.length === 0 ? [] : [(current: string) => setTags(current, tags)]),
    (current) => setProperties(current, properties),
    (current) => setRelations(current, relations),
  ]
  return editText(text, editInSteps(text, steps))
}

/** The frontmatter values that arguments have replaced. */
export interface Overridden {
  readonly tags: readonly string[]
  readonly properties: readonly string[]
}

export function overriddenIn(content: string, text: string): Overridden {
  const missing = new Set(listedTags(text).map(foldName))
  const [before, after] = [content.replace(/^\ufeff/, ''), text].map((each) => readFrontmatter(each).properties) as [
    Properties,
    Properties,
  ]
  const isOther = (key: string) => key in after && !TAG_KEY.test(key) && !isDeepStrictEqual(before[key], after[key])
  return {
    tags: listedTags(content).filter((tag) => !missing.has(foldName(tag))),
    properties: Object.keys(before).filter(isOther),
  }
}

type Properties = Readonly<Record<string, unknown>>

function withTitle(title: string, fileName: string): EditStep {
  return (text) => {
    const { properties } = readFrontmatter(text)
    const hasTitle = Object.keys(properties).some((key) => key.toLowerCase() === 'title')
    return hasTitle || title !== fileName ? setProperties(text, { title }) : []
  }
}

function refuseMalformed(text: string): void {
  const [problem] = readFrontmatter(text).malformed
  if (!problem) return
  throw invalid(
    'content',
    `line ${problem.line}: ${problem.message}`,
    'Fix the frontmatter, or send it as `properties` and `tags`.',
  )
}
