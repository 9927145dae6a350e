// A fake engine with the interface of @huggingface/transformers: each letter is a token, and its vector depends on the letter. `fake` in the
// model folder's `config.json` chooses how it misbehaves.

const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const env = { allowRemoteModels: true, allowLocalModels: true, cacheDir: null, remoteHost: 'https://hub.invalid', logLevel: 30 }
const FILES = {
  'config.json': '{"fake":{}}',
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{}',
  'onnx/model_int8.onnx': 'weights',
}

class Tensor {
  constructor(type, data, dims) {
    Object.assign(this, { type, data, dims })
  }
}

function read(name) {
  const folder = env.allowRemoteModels ? join(env.cacheDir, name) : name
  if (env.allowRemoteModels) {
    if (name.includes('absent')) throw new Error('Could not locate file: "config.json".')
    mkdirSync(join(folder, 'onnx'), { recursive: true })
    for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text)
  }
  if (!existsSync(folder)) throw new Error(`no ${folder}`)
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).fake ?? {}
}

const AutoTokenizer = {
  async from_pretrained(name, { progress_callback } = {}) {
    read(name)
    for (const loaded of [10, 50, 100]) progress_callback?.({ status: 'progress', file: 'tokenizer.json', loaded, total: 100 })
    const tokenizer = (text) => {
      const input_ids = [1, ...Array.from(text, (letter) => letter.codePointAt(0)), 2]
      return { input_ids, attention_mask: input_ids.map(() => 1) }
    }
    return Object.assign(tokenizer, { pad_token_id: 0 })
  },
}

// The sign must occur three times in a row, so that random texts of property tests do not end the worker.
const END = '\u{1f4a5}'.codePointAt(0)
const isEnd = (ids) => ids.some((id, at) => id === END && ids[at + 1] === END && ids[at + 2] === END)

const AutoModel = {
  async from_pretrained(name, { dtype, progress_callback } = {}) {
    const fake = read(name)
    if (fake.failsToLoad) throw new Error('Load model failed: Protobuf parsing failed.')
    progress_callback?.({ status: 'progress', file: `onnx/${dtype}`, loaded: 900, total: 900 })
    const dimensions = fake.dimensions ?? 8
    let calls = 0
    return async ({ input_ids }) => {
      const [texts, tokens] = input_ids.dims
      const ids = Array.from(input_ids.data, Number)
      if (isEnd(ids)) process.exit(7)
      if (ids.includes('\u{1f422}'.codePointAt(0))) await new Promise((resolve) => setTimeout(resolve, 200))
      if (fake.failsToRun && calls++ > 0) throw new Error('out of range')
      const width = fake.changesDimensions && calls++ > 0 ? dimensions + 1 : dimensions
      const data = new Float32Array(texts * tokens * width)
      for (const [at, id] of ids.entries()) {
        for (let i = 0; i < width; i++) data[at * width + i] = fake.answersNaN ? Number.NaN : Math.sin((id + 1) * (i + 1))
      }
      return { last_hidden_state: new Tensor('float32', data, [texts, tokens, width]) }
    }
  },
}

const ModelRegistry = {
  get_available_dtypes: async (name) => (name.includes('weightless') ? [] : ['fp32', 'int8']),
  get_files: async () => ['tokenizer.json', 'onnx/model_int8.onnx'],
  get_file_metadata: async (_, file) => ({ size: file === 'tokenizer.json' ? 100 : 900 }),
}

module.exports = { env, Tensor, AutoTokenizer, AutoModel, ModelRegistry }
