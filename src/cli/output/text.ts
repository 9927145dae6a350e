import { localDate, twoDigits } from '../../core/text/format.ts'
import { graphemes } from '../../core/text/graphemes.ts'

export type Style = 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'cyan' | 'mark'

export type Paint = (style: Style, text: string) => string

export const PLAIN: Paint = (_, text) => text

export interface Look {
  /** The width in columns. If omitted, the text is not truncated. */
  readonly width?: number | undefined
  readonly paint?: Paint
}

/** Removes terminal escape sequences, which titles of notes may contain. */
export function printable(text: string): string {
  return printableText(text).replace(/[\n\t]+/g, ' ')
}

export function printableText(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
}

/** Width in terminal columns. Segmenting one long string takes quadratic time, so words are measured separately. */
export function textWidth(text: string): number {
  const words = text.split(' ')
  return words.reduce((width, word) => width + wordWidth(word), words.length - 1)
}

function wordWidth(painted: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Colors have no width.
  const word = painted.includes('\u001b') ? painted.replace(/\u001b\[[\d;]*m/g, '') : painted
  if (/^[\x20-\x7e]*$/.test(word)) return word.length
  return characters(word).reduce((width, character) => width + graphemeWidth(character), 0)
}

export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let result = ''
  let remaining = width - 1
  for (const character of characters(text)) {
    remaining -= graphemeWidth(character)
    if (remaining < 0) break
    result += character
  }
  return `${result}…`
}

interface WrapOptions {
  readonly breaks?: boolean
  readonly words?: readonly string[]
}

export function wrapWords(
  text: string,
  room: number,
  { breaks = true, words = text.split(' ') }: WrapOptions = {},
): readonly string[] {
  // A string of more characters is too wide or consists mostly of combining marks.
  if (text.length <= 4 * room && textWidth(text) <= room) return text === '' ? [] : [text]
  const lines: string[] = []
  let line = ''
  let remaining = room
  const end = (): void => {
    if (line !== '') lines.push(line)
    line = ''
    remaining = room
  }
  const add = (part: string, width: number): void => {
    line += part
    remaining -= width
  }
  for (const word of words.filter((each) => each !== '')) {
    const width = word.length > 4 * room ? Number.POSITIVE_INFINITY : textWidth(word)
    if (line !== '' && width + 1 > remaining) end()
    if (line !== '') add(' ', 1)
    if (!breaks || width <= room) {
      add(word, width)
      continue
    }
    for (const part of characters(word)) {
      if (graphemeWidth(part) > remaining) end()
      add(part, graphemeWidth(part))
    }
  }
  end()
  return lines
}

/** Wraps a sentence. Words and quoted commands stay whole, so they can be copied. */
export function wrapSentence(text: string, width: number | undefined, indent: string): string {
  if (!width) return text
  const words = text.match(/"[^"]*"[^\s"]*|\S+/g) ?? []
  return wrapWords(text, width - indent.length, { breaks: false, words }).join(`\n${indent}`)
}

/** Wraps a line. An id after two spaces or an arrow stays whole, so it can be copied. */
export function wrapParts(line: string, room: number | undefined, indent: string): string {
  if (!room || textWidth(line) <= room) return line
  const [first = '', ...parts] = line.split(/ (?= |→ )/)
  const lines = wrapWords(line, room, { breaks: false, words: [...first.split(' '), ...parts] })
  return lines.map((wrapped) => wrapped.trimStart()).join(`\n${indent}`)
}

function characters(text: string): readonly string[] {
  return [...graphemes().segment(text)].map(({ segment }) => segment)
}

// Matches East Asian wide and full-width blocks, and characters displayed as emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds < 90) return `about ${Math.max(1, seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`
}

export function localTime(iso: string): string {
  const time = new Date(iso)
  return `${localDate(time)} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`
}

export function section(heading: string, lines: readonly string[], { paint = PLAIN, width }: Look): readonly string[] {
  return [
    paint('bold', wrapSentence(heading, width, '  ')),
    ...lines.map((line) => `  ${wrapParts(line, width && width - 4, '    ')}`),
    '',
  ]
}

export function coloredDiff(diff: string, paint: Paint): readonly string[] {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      const text = printableText(line.replace(/\r$/, ''))
      if (/^(?:---|\+\+\+|diff |rename )/.test(line)) return paint('bold', text)
      if (line.startsWith('@@')) return paint('cyan', text)
      if (line.startsWith('+')) return paint('green', text)
      return line.startsWith('-') ? paint('red', text) : text
    })
}
