import { test, expect } from 'vitest'
import { writable } from '/work/main/test/support/writable-vault.ts'
import { planOperations } from '/work/main/src/changes/plan/plan-operations.ts'
import { openVaultView } from '/work/main/src/workers/vault-view.ts'
test('perf', async () => {
  const files: Record<string,string> = { 'hub.md': '# Hub' }
  for (let i = 0; i < 2200; i++) files[`notes/${i % 40}/n${i}.md`] = `---\ntags: [a]\n---\n# N ${i}\n\nSee [[hub]] and [[n${(i * 7) % 2200}]] and [x](n${(i+40)%2200}.md)\n\n${'Words of text here. '.repeat(100)}\n`
  const vault = await writable(files)
  await new Promise(r => setTimeout(r, 60)); await vault.service.reconcile()
  const time = async (op: any, label: string) => {
    const times = []
    for (let k = 0; k < 5; k++) {
      const t0 = performance.now()
      let tv = 0
      await vault.service.exclusively(async (access) => {
        const view = await openVaultView(access, { keepsCase: false })
        tv = performance.now() - t0
        const r = await planOperations(view, [op])
        return r.files.length
      })
      times.push([Math.round(performance.now() - t0), Math.round(tv)])
    }
    console.log(label, JSON.stringify(times))
  }
  await time({ kind: 'move', id: 'hub', to: 'f/centre' }, 'hub')
  await time({ kind: 'move', id: 'notes', to: 'texts' }, 'folder')
  await time({ kind: 'create', id: 'new', content: 'x' }, 'create')
  await time({ kind: 'update', id: 'hub', append: 'x', updateLinks: false }, 'append')
  await time({ kind: 'renameTag', tag: 'a', to: 'b' }, 'tag')
  expect(1).toBe(1)
}, 120000)
