import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { RouxError } from '../core/errors.ts'

/** A file of JSON with optional comments and trailing commas. */
export interface JsonDocument {
  readonly file: string
  /** The byte order mark, or an empty string. */
  readonly mark: string
  /** The text after the byte order mark, to which all offsets refer. */
  readonly text: string
  /** The root value. It is `undefined` if the file contains only white space and comments. */
  readonly root: Node | undefined
}

/** Parses a file. @throws RouxError `INVALID_SETTINGS` with line and column if the file is not JSON */
export function parseDocument(source: string, file: string): JsonDocument {
  const mark = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = source.slice(mark.length)
  const errors: ParseError[] = []
  const root = parseOrRefuse(text, errors, file)
  const [first] = errors
  if (first !== undefined)
    throw notJson(file, `${placeOf(text, first.offset)}: ${WHAT[printParseErrorCode(first.error)] ?? 'it cannot be read'}`)
  return { file, mark, text, root }
}

/**
 * @returns `undefined` if there is none
 * @throws RouxError `INVALID_SETTINGS` for a duplicate, because programs disagree on precedence
 */
export function findProperty({ file, text }: JsonDocument, object: Node, name: string): Node | undefined {
  const [first, second] = (object.children ?? []).filter((property) => property.children?.[0]?.value === name)
  if (second === undefined) return first
  throw new RouxError('INVALID_SETTINGS', `${file}, ${placeOf(text, second.offset)}: "${name}" occurs twice.`, {
    hint: 'Remove one of the two; nothing was written.',
  })
}

export function requireObject({ file, text }: JsonDocument, node: Node, description: string): Node {
  if (node.type === 'object') return node
  throw new RouxError(
    'INVALID_SETTINGS',
    `${file}, ${placeOf(text, node.offset)}: ${description} is ${NAMES[node.type]}, not an object.`,
    {
      hint: 'Correct the file by hand; nothing was written.',
    },
  )
}

export function valueNode(property: Node): Node {
  const [, value] = property.children ?? []
  if (value === undefined) throw new Error('a property of a file without errors has a value')
  return value
}

const NAMES: Readonly<Record<Node['type'], string>> = {
  object: 'an object',
  array: 'a list',
  property: 'a property',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

const WHAT: Readonly<Record<string, string>> = {
  InvalidSymbol: 'invalid keyword',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'missing }',
  CloseBracketExpected: 'missing ]',
  EndOfFileExpected: 'unexpected text after the end',
  UnexpectedEndOfComment: 'unterminated comment',
  UnexpectedEndOfString: 'unterminated string',
  UnexpectedEndOfNumber: 'incomplete number',
  InvalidUnicode: 'invalid escape sequence',
  InvalidEscapeCharacter: 'invalid escape sequence',
  InvalidCharacter: 'invalid character',
}

function parseOrRefuse(text: string, errors: ParseError[], file: string): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (error) {
    // The parser is recursive, so deep nesting overflows the stack.
    if (error instanceof RangeError) throw notJson(file, 'nested too deeply')
    throw error
  }
}

function notJson(file: string, reason: string): RouxError {
  return new RouxError('INVALID_SETTINGS', `${file} is not valid JSON: ${reason}.`, {
    hint: 'Correct it, then run the command again; nothing was written.',
  })
}

/** Returns a place such as `line 3, column 7`. Columns are UTF-16 units. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
