import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { names, World } from './server.mjs'

const MALFORMED = fileURLToPath(new URL('../../fixtures/malformed-frontmatter', import.meta.url))
const MB = 1 << 20

/** Notes that have harmed some program, by name. Each one contains its own word. */
const NOTES = {
  'a line of 5 MB.md': (word) => `${word} ${'x'.repeat(5 * MB)}\n`,
  'nul.md': (word) => `# A\0B\n\n${word}\0\n`,
  'not utf-8.md': (word) => Buffer.concat([Buffer.from(`${word} `), Buffer.from([0xff, 0xc3, 0x28, 0x0a])]),
  'deep.md': (word) => `${'> '.repeat(10_000)}x\n\n${word}\n`,
  'brackets.md': (word) => `${'[['.repeat(50_000)}\n\n${word}\n`,
  'bad yaml.md': (word) => `---\ntags: [a, "b\n  - : :\n---\n${word}\n`,
  'yaml bomb.md': (word) => `---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n---\n${word}\n`,
  'script.md': (word) => `---js\n({ title: process.exit(1) })\n---\n${word}\n`,
  "It's $HOME; `a` & b.md": (word) => `${word}\n`,
  '-rf.md': (word) => `${word}\n`,
  'Cafe\u0301.md': (word) => `${word}\n`,
  'hash # and ? 100%.md': (word) => `${word}\n`,
  '📚.md': (word) => `${word}\n`,
  [`${'long'.repeat(60)}.md`]: (word) => `${word}\n`,
}

/** Asks every server about a vault of hostile notes. Returns the answers by server. */
export async function measureHostile({ servers, places }) {
  const root = mkdtempSync(join(tmpdir(), 'hostile-'))
  const words = writeVault(root)
  const found = {}
  for (const server of servers) {
    console.error(`hostile: ${server.name}`)
    found[server.name] = { hostile: await measureOne(new World(server, join(root, 'vault'), places), words) }
  }
  rmSync(root, { recursive: true })
  return found
}

function writeVault(root) {
  const vault = join(root, 'vault')
  mkdirSync(join(vault, 'notes'), { recursive: true })
  cpSync(MALFORMED, join(vault, 'malformed'), { recursive: true })
  writeFileSync(join(vault, 'notes', 'healthy.md'), '# Healthy\n\nThe word is quokkahealthy.\n')
  const words = Object.keys(NOTES).map((name, at) => [name, `quokka${at}word`])
  for (const [name, word] of words) writeFileSync(join(vault, 'notes', name), NOTES[name](word))
  symlinkSync('.', join(vault, 'loop'))
  symlinkSync('../../outside.md', join(vault, 'notes', 'outside link.md'))
  return words
}

async function measureOne(world, words) {
  // This folder is beside the vault. A link, and a path with dots, would lead there.
  writeFileSync(join(world.root, 'outside.md'), 'The secret is quokkasecret.\n')
  const result = { notes: words.length }
  let asked
  try {
    const prepared = world.prepare()
    if (typeof prepared === 'string') return { ...result, fault: `preparing: ${prepared}` }
    asked = world.start()
    await asked.initialize()
    result.healthy = names(await text(asked, 'search', { query: 'quokkahealthy', path: 'notes/healthy.md' }), 'notes/healthy.md')
    result.missed = []
    for (const [name, word] of words) {
      const answer = await text(asked, 'search', { query: word, path: name })
      if (!hasNote(answer, name)) result.missed.push(name.slice(0, 24))
    }
    const leaks = [
      await text(asked, 'read', { path: '../outside.md' }),
      await text(asked, 'read', { path: 'notes/outside link.md' }),
      await text(asked, 'search', { query: 'quokkasecret' }),
    ]
    result.leaks = ['a path with ..', 'reading a symbolic link', 'searching a symbolic link'].filter((_, at) =>
      leaks[at].includes('The secret is'),
    )
  } catch (error) {
    result.fault = error.message
  } finally {
    await asked?.close()
    result.touched = world.touched()
    world.remove()
  }
  return result
}

async function text(asked, question, words) {
  return (await asked.ask(question, words)).text
}

/**
 * Servers write names in different ways, so every word of the name must occur in the answer. The question contains none of them.
 */
function hasNote(answer, name) {
  const stem = name.replace(/\.md$/, '')
  const letters = stem.normalize('NFC').match(/[\p{L}\p{N}\p{Emoji_Presentation}]+/gu) ?? [stem]
  return letters.every((one) => answer.normalize('NFC').toLowerCase().includes(one.toLowerCase()))
}
