// Asks a chat model about the demo vault through the built program. A fake model in this process returns scripted answers and inserts the
// markers of the passages they cite, so the page is the same each time. `docs.mjs` writes the result into docs/transcript-ask.md.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

/** Questions for a real model. Its answers differ from run to run. */
const QUESTIONS = [['why is my bread so dense?'], ['when is the dough ready?', '--note-id', 'techniques/proofing']]

/** Each question with the model's scripted answer; `{text}` becomes the marker of the passage that contains the text. */
const CONVERSATION = {
  good: {
    words: ['why is my bread so dense?'],
    says: 'Most often it is under-fermented: the bulk fermentation was too short or too cold {Tight everywhere}. If the loaf is flat as well, acid had worn the gluten out {Even and tight}. If the leaven could not double in its jar, look at the starter first {could not double}.',
  },
  bad: {
    words: ['why is my bread so dense?'],
    says: 'You wrote that it is "always the fault of the oven and never of the dough" {Tight everywhere}. Gas was made and lost in exactly 47 minutes {Even and tight}. Every baker knows that [S42]. More is on [this page](https://collect.example/?q=secret) ![](https://collect.example/p.png).',
  },
  note: {
    words: ['when is the dough ready?', '--note-id', 'techniques/proofing'],
    says: 'Press a floured finger into it: if the dent comes back slowly, bake {Press a floured finger}.',
  },
  none: { words: ['what did I write about glaciers?'], says: 'NOT FOUND' },
}

/** @returns the parts of the page by name, each with its text blocks */
export async function askModel({ root, folder }) {
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'fixtures/demo'), join(folder, 'bread'), { recursive: true })
  let says = ''
  let written = ''
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const prompt = JSON.parse(Buffer.concat(parts).toString()).messages.at(-1).content
    written = says.replace(/\{([^}]*)\}/g, (_, text) => markerOf(prompt, text))
    const values = [
      { choices: [{ delta: { content: written }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 900, completion_tokens: 60 } },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const settings = { XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const env = {
    ...process.env,
    ...settings,
    ROUX_AI_ENABLED: 'true',
    ROUX_AI_PROVIDER: 'openai',
    ROUX_AI_MODEL: 'demo-model',
    ROUX_AI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
    ROUX_AI_CONTEXT: '3000',
  }
  const parts = {}
  try {
    for (const [name, exchange] of Object.entries(CONVERSATION)) {
      says = exchange.says
      written = ''
      const args = ['ask', ...exchange.words, '--vault', join(folder, 'bread')]
      const shown = await run([join(root, 'dist/cli/main.js'), ...args, '--json'], { cwd: folder, env })
      const model = written === '' ? 'is not asked' : `writes\n\n${written}`
      parts[name] = block(`$ ${commandOf(exchange.words)}`) + block(`The model ${model}`) + block(readable(JSON.parse(shown)))
    }
  } finally {
    server.close()
  }
  return parts
}

/** @returns a real model's answers about the demo vault, as one part of the page */
export async function askRealModel({ root, folder, url, model }) {
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'fixtures/demo'), join(folder, 'bread'), { recursive: true })
  const settings = { XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const asked = { ROUX_AI_ENABLED: 'true', ROUX_AI_PROVIDER: 'openai', ROUX_AI_MODEL: model, ROUX_AI_BASE_URL: url }
  const bounds = { ROUX_AI_CONTEXT: '1600', ROUX_AI_MAX_TOKENS: '150', ROUX_AI_TIMEOUT: '500' }
  const env = { ...process.env, ...settings, ...asked, ...bounds }
  let part = ''
  for (const words of QUESTIONS) {
    const args = ['ask', ...words, '--vault', join(folder, 'bread')]
    const shown = await run([join(root, 'dist/cli/main.js'), ...args, '--json'], { cwd: folder, env })
    part += block(`$ ${commandOf(words)}`) + block(readable(JSON.parse(shown)))
  }
  return part
}

function commandOf(words) {
  return `roux ask ${words.map((word) => (/[ ?]/.test(word) ? JSON.stringify(word) : word)).join(' ')} --json`
}

function markerOf(prompt, text) {
  const at = prompt.indexOf(text)
  if (at < 0) throw new Error(`No passage contains "${text}".`)
  return [...prompt.slice(0, at).matchAll(/^\[S\d+\]/gm)].at(-1)[0]
}

async function run(args, options) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(err)
  return out
}

function block(text) {
  return `\`\`\`text\n${text}\n\`\`\`\n\n`
}

/** Formats an answer, one line per citation. */
function readable({ citations, ...answer }) {
  const { answer: text, status, uncited, removed, ...rest } = answer
  const lines = citations.map((citation) => `    ${JSON.stringify(citation)}`).join(',\n')
  const members = { status, answer: text, uncited, removed, ...rest }
  const others = Object.entries(members).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{\n${others.join(',\n')},\n  "citations": [${lines === '' ? '' : `\n${lines}\n  `}]\n}`
}
