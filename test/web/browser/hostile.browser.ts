import { expect, test } from 'vitest'
import { look, mapIsStill, openRoux, openWorld } from './support.ts'

const RUN = `(window.ran??=[]).push`
const call = (name: string | number): string => `${RUN}('${name}')`

/** Payloads that have been executed by some Markdown reader. Each one would leave its name in `window.ran`. */
const PAYLOADS: readonly string[] = [
  `<script>${call(1)}</script>`,
  `<img src=x onerror="${call(2)}">`,
  `<svg onload="${call(3)}"></svg>`,
  `<svg><script>${call(4)}</script></svg>`,
  `<iframe src="javascript:${call(5)}"></iframe>`,
  `<iframe srcdoc="<script>parent.${call(6)}</script>"></iframe>`,
  `<object data="javascript:${call(7)}"></object>`,
  `<embed src="javascript:${call(8)}">`,
  `<a href="javascript:${call(9)}">a</a>`,
  `[a](javascript:${call(10)})`,
  `[a](JaVaScRiPt:${call(11)})`,
  `[a](java\tscript:${call(12)})`,
  `[a](&#106;avascript:${call(13)})`,
  `[a](data:text/html,<script>${call(14)}</script>)`,
  `[a](vbscript:${call(15)})`,
  `![a](javascript:${call(16)})`,
  `![a](https://foreign.example/17.png)`,
  `![a](//foreign.example/18.png)`,
  `![[https://foreign.example/19.png]]`,
  `<https://foreign.example/20>`,
  `<javascript:${call(21)}>`,
  `<details open ontoggle="${call(22)}">x</details>`,
  `<video><source onerror="${call(23)}"></video>`,
  `<audio src=x onerror="${call(24)}">`,
  `<body onload="${call(25)}">`,
  `<input autofocus onfocus="${call(26)}">`,
  `<style>@import 'https://foreign.example/27.css';</style>`,
  `<link rel=stylesheet href="https://foreign.example/28.css">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${call(29)}">`,
  `<base href="https://foreign.example/30/">`,
  `<form action="javascript:${call(31)}"><button id=s31>x</button></form>`,
  `<math><mtext></mtext><mglyph><style><img src=x onerror="${call(32)}"></style></mglyph></math>`,
  `<noscript><p title="</noscript><img src=x onerror=${call(33)}>">`,
  `\`\`\`html\n<script>${call(34)}</script>\n\`\`\``,
  `> [!note] <img src=x onerror="${call(35)}">\n> <script>${call(35)}</script>`,
  `| a |\n| - |\n| <img src=x onerror="${call(36)}"> |`,
  `[^1]\n\n[^1]: <img src=x onerror="${call(37)}">`,
  `[x]: javascript:${call(38)}\n\n[x]`,
  `[[a|<img src=x onerror="${call(39)}">]]`,
  `[[<img src=x onerror="${call(40)}">]]`,
  `![[evil.svg]] ![[evil.png]] ![[evil.html]]`,
  `<a id="page" name="page">clobber</a><form id="search"><input name="getElementById"></form>`,
  `&lt;script&gt;${call(43)}&lt;/script&gt; &copy; &amp; &nbsp;&hellip;`,
  `<img src="x" style="background:url(https://foreign.example/44)">`,
  `<p style="background:url(https://foreign.example/45)">x</p>`,
  `$$\\href{javascript:${call(46)}}{x}$$`,
  `\`\`\`mermaid\ngraph TD; A-->B; click A "javascript:${call(47)}"\n\`\`\``,
  `%%<script>${call(48)}</script>%%`,
  `<!--><img src=x onerror="${call(49)}">-->`,
  `{{constructor.constructor('${call(50)}')()}}`,
]

const NAMES: readonly string[] = [
  `<img src=x onerror=${RUN}('t1')>`,
  `"><svg onload=${RUN}('t2')>`,
  `__proto__`,
  `constructor`,
  `' onmouseover='${RUN}(1)`,
  `\u202Egnp.live`,
  `👩‍👩‍👧‍👦`.repeat(8),
  `شبكة الملاحظات`,
  `${'x'.repeat(248)}`,
]

test('nothing from a hostile vault runs, no other server is contacted, and the policy blocks nothing', async () => {
  const world = openWorld()
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${call('svg')}"><script>${call('svg')}</script></svg>`
  world.write('evil.svg', svg)
  world.write('evil.png', svg)
  world.write('evil.html', `<script>${call('html')}</script>`)
  const node = { id: 'n', type: 'text', text: PAYLOADS.slice(0, 12).join('\n\n'), x: 0, y: 0, width: 1, height: 1 }
  const outside = { id: 'o', type: 'link', url: `javascript:${call('canvas')}`, x: 0, y: 0, width: 1, height: 1 }
  world.write('evil.canvas', JSON.stringify({ nodes: [node, outside], edges: [] }))
  for (const [at, payload] of PAYLOADS.entries()) {
    const title = payload.replaceAll('\n', ' ')
    const facts = JSON.stringify({ title, aliases: [title], tags: ['a<b>', `x"onload=${at}`], own: payload, list: [payload] })
    world.write(`bodies/${at}.md`, `---\n${facts.slice(1, -1)}\n---\n${payload}\n\n[[${(at + 1) % PAYLOADS.length}]]\n`)
  }
  for (const name of NAMES) world.write(`names/${name.replaceAll('/', '\u2215')}.md`, `# ${name}\n\n[[0]] [[evil.canvas]]\n`)
  const roux = await openRoux(world)
  const { page, foreign, errors } = await look(roux)
  await mapIsStill(page, PAYLOADS.length + NAMES.length)
  page.on('dialog', (dialog) => void dialog.dismiss())
  const ids = await page.evaluate(() => [
    ...(document.querySelector<HTMLElement & { map: { spots(): Map<string, unknown> } }>('.map .drawing')?.map.spots().keys() ??
      []),
  ])
  const wrong: string[] = []
  for (const id of ids) {
    await page.evaluate((note) => {
      location.hash = new URLSearchParams({ note }).toString()
    }, id)
    const shown = await page
      .waitForFunction((note) => document.querySelector('.right')?.getAttribute('data-note') === note, id, {
        polling: 20,
      })
      .catch(() => undefined)
    if (shown === undefined) wrong.push(id)
    // Links that wait for a click: addresses may only lead to the web, to mail, or into the page.
    const addresses = await page.$$eval('.right a[href]', (links) => links.map((link) => (link as HTMLAnchorElement).href))
    wrong.push(...addresses.filter((address) => !/^(https?|mailto|obsidian):/.test(address)))
  }
  expect(wrong).toEqual([])
  for (const view of ['table', 'problems', 'gaps', 'changes', 'path']) {
    await page.evaluate((name) => {
      location.hash = new URLSearchParams({ view: name, note: 'bodies/1.md' }).toString()
    }, view)
    await page.waitForTimeout(150)
  }
  expect(await page.evaluate(() => window.ran)).toBeUndefined()
  expect(await page.evaluate(() => window.refusals)).toEqual([])
  expect(foreign).toEqual([])
  expect(errors).toEqual([])
})

test('a note that takes minutes to parse is shown as source, and the page keeps working', async () => {
  const world = openWorld()
  world.write('slow.md', `${'*a '.repeat(30_000)}b${' a*'.repeat(30_000)}`)
  world.write('good.md', 'Short and *good*.\n')
  const roux = await openRoux(world)
  const { page, errors } = await look(roux, { hash: '&note=slow.md' })
  await page.waitForSelector('.note h1:text-is("slow")')
  expect(await page.textContent('.note > .empty')).toBe('…')
  await page.keyboard.press('t')
  await page.click('.table a:text-is("good")')
  await page.waitForSelector('.body em:text-is("good")')
  await page.click('.table a:text-is("slow")')
  await page.waitForSelector('.body .empty:has-text("as it is written")')
  expect((await page.textContent('.body pre'))?.length).toBeGreaterThan(180_000)
  await page.click('.table a:text-is("good")')
  await page.waitForSelector('.body em:text-is("good")')
  expect(await page.evaluate(() => window.refusals)).toEqual([])
  expect(errors).toEqual([])
})

test('character references are shown as their characters', async () => {
  const world = openWorld()
  world.write('a.md', '# A\n\n&copy; 2026 &amp; &lt;b&gt; &#65;&#x42; &hellip; &unknown; fish &amp chips\n')
  const roux = await openRoux(world)
  const { page, errors } = await look(roux, { hash: '&note=a.md' })
  await page.waitForSelector('.body p')
  expect(await page.textContent('.body p')).toBe('© 2026 & <b> AB … &unknown; fish &amp chips')
  expect(errors).toEqual([])
})
