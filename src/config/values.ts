import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseJson } from '../core/quietly.ts'
import type { GivenSetting } from './given.ts'
import type { SettingType } from './settings-schema.ts'

/** The pattern excludes `~someone`, which is neither a supported home folder nor a model id. */
const LOOKS_LIKE_PATH = /^(\.\.?|~)(?=$|[\\/])/

export type ReadResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string; readonly got: string }

/** Checks and converts a value. Relative paths are resolved against the source's folder. */
export function readValue(
  type: SettingType,
  { raw: rawValue, written, base }: Pick<GivenSetting, 'raw' | 'written' | 'base'>,
): ReadResult {
  const raw = written === 'text' ? parseText(type, String(rawValue)) : rawValue
  switch (type.kind) {
    case 'flag':
      return typeof raw === 'boolean' ? ok(raw) : wrong(type, raw)
    case 'integer':
      return isWithin(type, raw) ? ok(raw) : wrong(type, raw)
    case 'number':
      return raw === 'auto' || isWithin(type, raw) ? ok(raw) : wrong(type, raw)
    case 'choice':
      return typeof raw === 'string' && type.values.includes(raw) ? ok(raw) : wrong(type, raw)
    case 'list':
      return readItems(type, raw, (item) => (type.of === 'path' ? expandPath(item, base) : item))
    case 'some':
      return raw === 'auto' ? ok(raw) : readItems(type, raw, (item) => (type.values.includes(item) ? item : ''))
    case 'hosts':
      return typeof raw === 'boolean' ? ok(raw) : readItems(type, raw, hostName)
    case 'path':
      return typeof raw === 'string' ? ok(expandPath(raw, base)) : wrong(type, raw)
    case 'model':
      return typeof raw === 'string' ? ok(LOOKS_LIKE_PATH.test(raw) ? expandPath(raw, base) : raw) : wrong(type, raw)
    case 'text':
      return typeof raw === 'string' ? ok(raw) : wrong(type, raw)
  }
}

function isWithin({ kind, min, max }: Extract<SettingType, { readonly min: number }>, raw: unknown): boolean {
  return typeof raw === 'number' && raw >= min && raw <= max && (kind === 'number' || Number.isInteger(raw))
}

/** Parses text from a variable or `--set`. A list is a JSON array or comma-separated. */
function parseText({ kind }: SettingType, text: string): unknown {
  switch (kind) {
    case 'flag':
      return parseFlag(text) ?? text
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'number':
      return /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : text
    case 'list':
      return splitList(text)
    case 'some':
      return text === 'auto' ? text : splitList(text)
    case 'hosts':
      return parseFlag(text) ?? splitList(text)
    default:
      return text
  }
}

/** Returns a description such as `one of auto, polling, off`. */
export function describeType(type: SettingType): string {
  switch (type.kind) {
    case 'flag':
      return 'true or false'
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}`
    case 'number':
      return `auto, or a number from ${type.min} to ${type.max}`
    case 'choice':
      return `one of ${type.values.join(', ')}`
    case 'list':
      return type.of === 'path' ? 'a list of folders, e.g. ["~/shared"]' : 'a list of strings, e.g. ["a", "b"]'
    case 'some':
      return `auto, or a list of ${type.values.join(', ')}`
    case 'hosts':
      return 'false, true, or a list of host names, e.g. ["api.openai.com"]'
    case 'path':
      return 'a path'
    case 'model':
      return "a name, or a folder's path"
    case 'text':
      return 'a string'
  }
}

/** Expands `~/`, because clients start servers without a shell. An empty path stays empty. */
export function expandPath(path: string, base: string): string {
  if (path === '') return ''
  return /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : resolve(base, path)
}

/** @param readItem returns an empty string for an invalid item */
function readItems(type: SettingType, raw: unknown, readItem: (item: string) => string): ReadResult {
  if (!Array.isArray(raw)) return wrong(type, raw)
  const items = raw.map((item: unknown) => (typeof item === 'string' ? readItem(item) : ''))
  const invalid = items.indexOf('')
  return invalid === -1 ? ok(items) : wrong(type, raw[invalid], 'an item that is ')
}

/** Matches a host name in lower case, optionally with a port. */
const HOST_NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/

function hostName(item: string): string {
  return HOST_NAME.exec(item.toLowerCase())?.[0] ?? ''
}

function parseFlag(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}

function splitList(text: string): unknown {
  if (text.startsWith('[')) return parseJson(text) ?? text
  return text.split(',').flatMap((item) => item.trim() || [])
}

function ok(value: unknown): ReadResult {
  return { ok: true, value }
}

function wrong(type: SettingType, raw: unknown, prefix = ''): ReadResult {
  return { ok: false, expected: describeType(type), got: prefix + describeValue(raw) }
}

function describeValue(raw: unknown): string {
  if (raw === null || raw === undefined) return 'nothing'
  if (Array.isArray(raw)) return 'a list'
  if (typeof raw === 'string')
    return raw === '' ? 'an empty string' : `the string ${JSON.stringify(raw.length > 60 ? `${raw.slice(0, 59)}…` : raw)}`
  if (typeof raw === 'number' || typeof raw === 'bigint') return `the number ${raw}`
  return typeof raw === 'boolean' ? String(raw) : 'a mapping'
}

/** Quotes a path for a shell, if necessary. */
export function shellWord(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
