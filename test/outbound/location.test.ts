import { describe, expect, test } from 'vitest'
import { type Location, locationOf, originOf } from '../../src/outbound/gate.ts'

const LOOPBACK = async () => ['127.0.0.1', '::1']

const PLACES: readonly (readonly [Location, string, string?])[] = [
  ['local', 'http://127.0.0.1:11434/v1'],
  ['local', 'http://127.0.0.1'],
  ['local', 'http://127.255.255.254:1/v1'],
  ['local', 'http://127.1/v1'],
  ['local', 'http://2130706433:8080'],
  ['local', 'http://0x7f.0.0.1/v1'],
  ['local', 'http://0177.0.0.1/v1'],
  ['local', 'http://localhost:1234/v1'],
  ['local', 'http://LOCALHOST:1234/v1'],
  ['local', 'https://localhost/v1'],
  ['local', 'http://[::1]:11434/v1'],
  ['local', 'http://[0:0:0:0:0:0:0:1]/v1'],
  ['local', 'http://[::ffff:127.0.0.1]/v1'],
  ['local', 'http://[::ffff:7f00:1]/v1'],
  ['local', 'http://127.0.0.1:11434/v1', 'cloudy'],
  ['local', 'http://127.0.0.1:11434/v1', 'my-cloud-model:8b'],
  ['remote', 'http://127.0.0.1:11434/v1', 'gpt-oss:120b-cloud'],
  ['remote', 'http://localhost:11434/v1', 'qwen3-coder:480b-CLOUD'],
  ['remote', 'http://[::1]:11434/v1', 'glm-4.6:cloud'],
  ['remote', 'http://127.0.0.1:11434/v1', 'deepseek-v3.1:671b-cloud '],
  ['remote', 'http://0.0.0.0:11434/v1'],
  ['remote', 'http://0/v1'],
  ['remote', 'http://[::]:11434/v1'],
  ['remote', 'http://[::ffff:8.8.8.8]/v1'],
  ['remote', 'http://[::ffff:128.0.0.1]/v1'],
  ['remote', 'http://[::127.0.0.1]/v1'],
  ['remote', 'http://[::2]/v1'],
  ['remote', 'http://[fe80::1]/v1'],
  ['remote', 'http://192.168.1.20:11434/v1'],
  ['remote', 'http://10.0.0.1/v1'],
  ['remote', 'http://172.17.0.1:11434/v1'],
  ['remote', 'http://169.254.169.254/v1'],
  ['remote', 'http://128.0.0.1/v1'],
  ['remote', 'https://api.openai.com/v1'],
  ['remote', 'https://api.anthropic.com/v1'],
  ['remote', 'http://localhost.example.com/v1'],
  ['remote', 'http://ollama.localhost/v1'],
  ['remote', 'http://localhost./v1'],
  ['remote', 'http://127.0.0.1.nip.io/v1'],
  ['remote', 'http://127.0.0.1@evil.example/v1'],
  ['remote', 'http://evil.example/127.0.0.1'],
  ['remote', 'http://host.docker.internal:11434/v1'],
  ['remote', 'http://my-computer:11434/v1'],
]

describe('location', () => {
  for (const [location, baseUrl, model = 'llama3.2'] of PLACES) {
    test(`${baseUrl} with ${model} is ${location}`, async () => {
      expect(await locationOf({ baseUrl, model }, LOOPBACK)).toBe(location)
    })
  }

  test('localhost that resolves to another computer, or to nothing, is remote', async () => {
    const place = { baseUrl: 'http://localhost:11434/v1', model: 'm' }
    expect(await locationOf(place, async () => ['127.0.0.1', '10.0.0.7'])).toBe('remote')
    expect(await locationOf(place, async () => ['::ffff:127.0.0.1'])).toBe('local')
    expect(await locationOf(place, async () => [])).toBe('remote')
    expect(await locationOf(place, () => Promise.reject(new Error('ENOTFOUND')))).toBe('remote')
  })

  test('consent covers scheme, name and port', () => {
    expect(originOf('https://API.openai.com:443/v1/')).toBe('https://api.openai.com')
    expect(originOf('http://api.openai.com/v1')).not.toBe(originOf('https://api.openai.com/v1'))
    expect(originOf('http://10.0.0.7:8080/v1')).toBe('http://10.0.0.7:8080')
  })
})
