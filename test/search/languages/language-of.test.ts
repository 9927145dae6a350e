import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/core/languages.ts'
import { FUNCTION_WORDS } from '../../../src/search/languages/function-words.ts'
import { languageOf } from '../../../src/search/languages/language-of.ts'
import { ONLY_LANGUAGE } from '../../../src/search/languages/scripts.ts'

const codeOf = (text: string, among?: readonly string[]) => languageOf(text, among)?.code

describe('the language of a question', () => {
  test.each([
    ['How do I bake bread without yeast?', 'en'],
    ['Wie backe ich Brot ohne Hefe?', 'de'],
    ['Comment faire du pain sans levure ?', 'fr'],
    ['¿Cómo se hace el pan sin levadura?', 'es'],
    ['Come si fa il pane senza lievito?', 'it'],
    ['Como se faz pão sem fermento?', 'pt'],
    ['Hoe bak ik brood zonder gist?', 'nl'],
    ['Hvordan bager jeg brød uden gær?', 'da'],
    ['Hur bakar jag bröd utan jäst?', 'sv'],
    ['Miten leivon leipää ilman hiivaa?', 'fi'],
    ['Jak upiec chleb, jeśli nie ma drożdży?', 'pl'],
    ['Jak upéct chléb, když není droždí?', 'cs'],
    ['Как испечь хлеб без дрожжей, если их нет?', 'ru'],
    ['Як спекти хліб без дріжджів, якщо їх немає?', 'uk'],
    ['Maya olmadan nasıl ekmek yapılır?', 'tr'],
    ['كيف أصنع الخبز بدون خميرة؟', 'ar'],
    ['چگونه می‌توان بدون مخمر نان پخت؟', 'fa'],
    ['Πώς φτιάχνω ψωμί χωρίς μαγιά;', 'el'],
    ['איך אופים לחם בלי שמרים?', 'he'],
    ['ทำขนมปังโดยไม่ใช้ยีสต์อย่างไร', 'th'],
    ['イーストなしでパンを焼く方法', 'ja'],
    ['如何不用酵母做面包', 'zh'],
    ['이스트 없이 빵을 굽는 방법', 'ko'],
    ['कैसे बिना खमीर के रोटी बनाएं', 'hi'],
  ])('%s → %s', (text, code) => expect(codeOf(text)).toBe(code))

  test('is unclear without words that only one language has', () => {
    expect(languageOf('backup plan')).toEqual({ script: 'Latin', code: undefined })
    expect(languageOf('pan')).toEqual({ script: 'Latin', code: undefined })
  })

  test('may be one of several that the vault is written in', () => {
    expect(codeOf('Brot backen', ['de', 'ru'])).toBe('de')
    expect(codeOf('Brot backen', ['de', 'nl'])).toBeUndefined()
    expect(codeOf('The bread of the bakers', ['de', 'fr'])).toBeUndefined()
    expect(codeOf('ทำขนมปัง', ['de', 'en'])).toBeUndefined()
  })
})

describe('the language of a note', () => {
  test('is that of its script, in spite of Latin names and code', () => {
    expect(codeOf('Установка Obsidian Publish: откройте Settings → Community plugins и нажмите на Browse. Это всё.')).toBe('ru')
    expect(codeOf('使用 Obsidian Web Clipper 保存网页内容到你的保管库')).toBe('zh')
  })

  test('is undefined without letters', () => {
    for (const text of ['', '   ', '🎉🎉 🚀', '12:30 – 2024', '\ue000\ue001']) expect(languageOf(text)).toBeUndefined()
  })

  test('does not depend on how accents are stored', () => {
    const text = 'Příliš žluťoučký kůň, že byl který'
    expect(codeOf(text.normalize('NFD'))).toBe(codeOf(text))
  })

  test('depends only on the start of a long text', () => {
    const text = 'Das ist ein Satz, der sich wiederholt und nicht aufhört. '.repeat(200)
    expect(codeOf(text + 'The end of the note is not read. '.repeat(500))).toBe('de')
  })

  test('any text has a language or none', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => (languageOf(text)?.code ?? 'en').length === 2))
  })
})

test('the list of languages contains those that can be distinguished, in order', () => {
  expect(LANGUAGES).toEqual([...new Set([...Object.keys(FUNCTION_WORDS), ...Object.values(ONLY_LANGUAGE)])].sort())
})
