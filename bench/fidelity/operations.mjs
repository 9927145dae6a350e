// The operations on a single note: the call to the server, and the expected file afterwards. `note` has `path`, `raw` (its bytes, one
// character each) and `disk()` (the current bytes, or `undefined`). Each returns one of
// {} the file is as expected
// {skipped} the note has nothing to try this on
// {refused} the server refused, and the file is unchanged
// {lost, outside, more?} what is wrong, and how many bytes outside the intended range changed
import { createHash } from 'node:crypto'
import { anatomy, findProperty, findSection, findText, fromText, toBytes } from './anatomy.mjs'
import { compareInsertion, compareRange } from './compare.mjs'

const ADDED = 'Written by the fidelity suite: größer 🙂.'
const KEY = 'fidelity_suite'
const VALUE = 'kept in order'

export const OPERATIONS = [
  { name: '1. identity: the body as it was read', steps: ['read', 'replace_body'], run: identity },
  { name: '2. append to the body', steps: ['append'], run: append },
  { name: '3. frontmatter: another value', steps: ['set_property'], run: changeProperty },
  { name: '3. frontmatter: a new property', steps: ['set_property'], run: addProperty },
  { name: '3. frontmatter: a new property, removed', steps: ['set_property', 'remove_property'], run: addAndRemoveProperty },
  { name: '4. section: another text', steps: ['replace_section'], run: replaceSection },
  { name: '4. section: append', steps: ['append_section'], run: appendToSection },
  { name: '5. replace text', steps: ['replace_text'], run: replaceText },
  { name: '6. delete, and back', steps: ['delete', 'restore'], run: deleteAndRestore },
  { name: '7. create over it', steps: ['create'], run: createOver },
  { name: '8. stale write', steps: ['stale_write'], run: stale('stale_write') },
  { name: '8. stale move', steps: ['stale_move'], run: stale('stale_move') },
  { name: '8. stale delete', steps: ['stale_delete'], run: stale('stale_delete') },
]

async function identity(server, note) {
  const { text, refused } = await server.read(note.path)
  if (refused !== undefined) return unchanged(note, refused)
  const answer = await server.call('replace_body', { path: note.path, text })
  if (answer.refused !== undefined) return unchanged(note, answer.refused)
  return range(note, { start: note.raw.length, end: note.raw.length }, (middle) => middle === '')
}

async function append(server, note) {
  const { refused } = await server.call('append', { path: note.path, text: ADDED })
  if (refused !== undefined) return unchanged(note, refused)
  return range(note, { start: note.raw.length, end: note.raw.length }, isText(ADDED))
}

async function changeProperty(server, note) {
  const found = findProperty(note.raw)
  if (found === undefined) return { skipped: true }
  const { refused } = await server.call('set_property', { path: note.path, key: found.key, value: VALUE })
  if (refused !== undefined) return unchanged(note, refused)
  return range(
    note,
    { start: found.start, end: found.start + found.length },
    (middle) => middle.replace(/^(['"])(.*)\1$/, '$2') === VALUE,
  )
}

async function addProperty(server, note) {
  const { refused } = await server.call('set_property', { path: note.path, key: KEY, value: VALUE })
  if (refused !== undefined) return unchanged(note, refused)
  const after = note.disk()
  if (after === undefined) return { lost: 'the file is gone', outside: note.raw.length }
  const { start, bodyStart, ending } = anatomy(note.raw)
  const { outside, at, inserted } = compareInsertion(note.raw, after)
  const line = `${KEY}: ${VALUE}${ending}`
  const expected = bodyStart === start ? `---${ending}${line}---${ending}` : line
  const isIn = bodyStart === start ? at <= start : at > start && at < bodyStart
  if (outside > 0 || !isIn || inserted.replace(/(["'])(.*)\1/, '$2') !== expected)
    return { lost: 'the wrong text was inserted', outside, more: JSON.stringify(inserted) }
  return {}
}

async function addAndRemoveProperty(server, note) {
  const added = await server.call('set_property', { path: note.path, key: KEY, value: VALUE })
  if (added.refused !== undefined) return unchanged(note, added.refused)
  const removed = await server.call('remove_property', { path: note.path, key: KEY })
  if (removed.refused !== undefined) return { lost: `it cannot be removed: ${removed.refused}`, outside: 0 }
  return range(note, { start: note.raw.length, end: note.raw.length }, (middle) => middle === '')
}

async function replaceSection(server, note) {
  const found = findSection(note.raw)
  if (found === undefined) return { skipped: true }
  const { refused } = await server.call('replace_section', { path: note.path, heading: found.heading, text: ADDED })
  if (refused !== undefined) return unchanged(note, refused)
  return range(note, found, isText(ADDED))
}

async function appendToSection(server, note) {
  const found = findSection(note.raw)
  if (found === undefined) return { skipped: true }
  const { refused } = await server.call('append_section', { path: note.path, heading: found.heading, text: ADDED })
  if (refused !== undefined) return unchanged(note, refused)
  return range(note, { start: found.textEnd, end: found.end }, isText(ADDED))
}

async function replaceText(server, note) {
  const found = findText(note.raw)
  if (found === undefined) return { skipped: true }
  const { refused } = await server.call('replace_text', { path: note.path, find: found.text, replace: ADDED })
  if (refused !== undefined) return unchanged(note, refused)
  return range(note, { start: found.start, end: found.start + found.text.length }, (middle) => middle === fromText(ADDED))
}

async function deleteAndRestore(server, note) {
  const deleted = await server.call('delete', { path: note.path })
  if (deleted.refused !== undefined) return unchanged(note, deleted.refused)
  if (note.disk() !== undefined) return { lost: 'it is still there', outside: 0 }
  const kept = note.trashed()
  if (kept !== undefined && kept !== note.raw) return { lost: 'the trash has different bytes', outside: note.raw.length }
  const restored = await server.call('restore', { path: note.path })
  if (restored.refused !== undefined) return { lost: `restoring it failed: ${restored.refused}`, outside: note.raw.length }
  return range(note, { start: note.raw.length, end: note.raw.length }, (middle) => middle === '')
}

async function createOver(server, note) {
  const { refused } = await server.call('create', { path: note.path, text: ADDED })
  return mustBeRefused(note, refused)
}

/** Another program changes the note after its hash was read. */
function stale(step) {
  return async (server, note) => {
    const hash = createHash('sha256').update(toBytes(note.raw)).digest('hex')
    const edited = note.replace(`${note.raw}${anatomy(note.raw).ending}Someone else was here.`)
    const { refused } = await server.call(step, { path: edited.path, text: ADDED, hash })
    return mustBeRefused(edited, refused)
  }
}

function mustBeRefused(note, refused) {
  const kept = unchanged(note, refused)
  if (kept.lost !== undefined) return kept
  return refused === undefined ? { lost: 'it was accepted', outside: 0 } : { refused, isRight: true }
}

function unchanged(note, refused) {
  const after = note.disk()
  if (after === note.raw) return { refused }
  const { outside } = compareRange(note.raw, after ?? '', { start: note.raw.length, end: note.raw.length })
  return { lost: `${refused ?? 'accepted'}, but the file changed`, outside: Math.max(1, outside) }
}

function range(note, { start, end }, accepts) {
  const after = note.disk()
  if (after === undefined) return { lost: 'the file is gone', outside: note.raw.length }
  const { outside, middle } = compareRange(note.raw, after, { start, end })
  if (outside > 0) return { lost: 'bytes outside the range changed', outside }
  return accepts(middle) ? {} : { lost: 'the wrong text was inserted', outside: 0, more: JSON.stringify(middle.slice(0, 200)) }
}

/** The text without the separators around it. */
function isText(text) {
  return (middle) => middle.trim() === fromText(text)
}
