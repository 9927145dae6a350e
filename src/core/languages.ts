/** The supported languages as ISO 639-1 codes, in alphabetical order. The search index stores positions in this list. */
export const LANGUAGES: readonly string[] = (
  'am ar bg bn ca cs da de el en es et fa fi fr gu he hi hr hu hy id it ja ka km kn ' +
  'ko lo lt lv ml my nl no pa pl pt ro ru si sk sl sr sv ta te th tr uk ur vi zh'
).split(' ')
