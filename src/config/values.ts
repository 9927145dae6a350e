import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { SettingType } from './settings-schema.ts'

/** `~someone` is no home folder that we know, and no id of a model either. */
const LOOKS_LIKE_PATH = /^(\.\.?|~)(?=$|[\\/])/

export type Reading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string; readonly got: string }

/** Reads a value that a file gives; `base` is the folder that relative paths start from. */
export function readValue(type: SettingType, raw: unknown, base: string): Reading {
  switch (type.kind) {
    case 'flag':
      return typeof raw === 'boolean' ? ok(raw) : wrong(type, raw)
    case 'integer':
      return Number.isInteger(raw) && Number(raw) >= type.min && Number(raw) <= type.max ? ok(raw) : wrong(type, raw)
    case 'number':
      return raw === 'auto' || (typeof raw === 'number' && raw >= type.min && raw <= type.max) ? ok(raw) : wrong(type, raw)
    case 'choice':
      return typeof raw === 'string' && type.values.includes(raw) ? ok(raw) : wrong(type, raw)
    case 'list':
      return readList(type, raw, base)
    case 'hosts':
      return typeof raw === 'boolean' ? ok(raw) : readHosts(type, raw)
    case 'path':
      return typeof raw === 'string' ? ok(expandPath(raw, base)) : wrong(type, raw)
    case 'model':
      return typeof raw === 'string' ? ok(LOOKS_LIKE_PATH.test(raw) ? expandPath(raw, base) : raw) : wrong(type, raw)
    case 'text':
      return typeof raw === 'string' ? ok(raw) : wrong(type, raw)
  }
}

/** Reads a value that a variable or `--set` gives: a list is a JSON array or names with commas between them. */
export function readText(type: SettingType, text: string, base: string): Reading {
  switch (type.kind) {
    case 'flag':
      return readFlag(type, text)
    case 'integer':
      return readValue(type, /^-?\d+$/.test(text) ? Number(text) : text, base)
    case 'number':
      return readValue(type, /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : text, base)
    case 'list':
      return readValue(type, splitList(text), base)
    case 'hosts': {
      const flag = readFlag(type, text)
      return flag.ok ? flag : readValue(type, splitList(text), base)
    }
    default:
      return readValue(type, text, base)
  }
}

/** Describes a type as a phrase: `one of auto, polling, off`. */
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
      return type.of === 'path' ? 'a list of folders, e.g. ["~/shared"]' : 'a list of texts, e.g. ["a", "b"]'
    case 'hosts':
      return 'false, true, or a list of names of computers, e.g. ["api.openai.com"]'
    case 'path':
      return 'a path'
    case 'model':
      return 'a name, or the path of a folder'
    case 'text':
      return 'a text'
  }
}

/** A path made absolute; an empty one stays empty. Clients start servers without a shell, so `~/` is understood here. */
export function expandPath(path: string, base: string): string {
  if (path === '') return ''
  return /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : resolve(base, path)
}

function readList(type: SettingType & { readonly kind: 'list' }, raw: unknown, base: string): Reading {
  if (!Array.isArray(raw)) return wrong(type, raw)
  const items: string[] = []
  for (const item of raw) {
    if (typeof item !== 'string' || item === '') return wrong(type, item, 'an item that is ')
    items.push(type.of === 'path' ? expandPath(item, base) : item)
  }
  return ok(items)
}

/** The host part of an address, in lower case. */
const HOST_NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/

function readHosts(type: SettingType, raw: unknown): Reading {
  if (!Array.isArray(raw)) return wrong(type, raw)
  const hosts: string[] = []
  for (const item of raw) {
    const host = typeof item === 'string' ? item.toLowerCase() : ''
    if (!HOST_NAME.test(host)) return wrong(type, item, 'an item that is ')
    hosts.push(host)
  }
  return ok(hosts)
}

function readFlag(type: SettingType, text: string): Reading {
  const word = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return ok(true)
  return ['false', '0', 'no', 'off'].includes(word) ? ok(false) : wrong(type, text)
}

function splitList(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return text.split(',').flatMap((item) => item.trim() || [])
}

function ok(value: unknown): Reading {
  return { ok: true, value }
}

function wrong(type: SettingType, raw: unknown, prefix = ''): Reading {
  return { ok: false, expected: describeType(type), got: prefix + describeValue(raw) }
}

function describeValue(raw: unknown): string {
  if (raw === null || raw === undefined) return 'nothing'
  if (Array.isArray(raw)) return 'a list'
  if (typeof raw === 'string')
    return raw === '' ? 'an empty text' : `the text ${JSON.stringify(raw.length > 60 ? `${raw.slice(0, 59)}…` : raw)}`
  if (typeof raw === 'number' || typeof raw === 'bigint') return `the number ${raw}`
  return typeof raw === 'boolean' ? String(raw) : 'a mapping'
}
