import type { Diagnosis, IndexDiagnosis } from '../../compose/index.ts'
import type { Finding } from './checks.ts'

/** What the adapters found, as findings: the database, the indexes, the embedder. */
export function checkDiagnosis({ sqlite, index, searchIndex, embedder, hnsw, database }: Diagnosis): readonly Finding[] {
  const loads: Finding =
    sqlite.message === undefined
      ? { check: 'sqlite', state: 'ok', message: `SQLite ${sqlite.version ?? ''} loads`.replace('  ', ' ') }
      : {
          check: 'sqlite',
          state: 'fail',
          message: `SQLite does not load: ${sqlite.message}`,
          hint: 'Install again, for this platform and this Node: npm install.',
        }
  return [
    loads,
    ...(database === undefined
      ? [indexFinding('index', index), indexFinding('search', searchIndex)]
      : database.map((finding): Finding => ({ check: 'database', ...finding }))),
    ...embedder.map(
      ({ works, message, hint }): Finding => ({
        check: 'embedder',
        state: works ? 'ok' : 'fail',
        message: works ? message : `${message} Until then notes are found by words only.`,
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
    ...(hnsw === undefined ? [] : [hnswFinding(hnsw)]),
  ]
}

/** What does not fit is replaced when it is next used. */
const REBUILT = 'It is rebuilt by itself: "roux index" does it now.'

function indexFinding(check: 'index' | 'search', { file, state, message }: IndexDiagnosis): Finding {
  const because = message === undefined ? '' : ` (${message})`
  const name = check === 'index' ? 'index' : 'search index'
  switch (state) {
    case 'absent':
      return { check, state: 'ok', message: 'none yet; it is made when it is first needed' }
    case 'present':
      return { check, state: 'ok', message: file }
    case 'damaged':
      return {
        check,
        state: 'warn',
        message: `${file} is damaged${because}`,
        hint: REBUILT,
      }
    case 'foreign':
      return {
        check,
        state: 'warn',
        message: `${file} is no ${name} of Roux${because}`,
        hint: REBUILT,
      }
    case 'newer':
    case 'older':
      return {
        check,
        state: 'warn',
        message: `${file} was written by ${state === 'newer' ? 'a newer' : 'an older'} version of Roux${because}`,
        hint: REBUILT,
      }
  }
}

function hnswFinding(reason: string): Finding {
  return {
    check: 'vectors',
    state: 'warn',
    message: `vectors.index is hnsw, but ${reason}`,
    hint: 'With Python and a C++ compiler, "npm rebuild hnswlib-node --ignore-scripts=false" builds it where Roux is installed ("npm install -g hnswlib-node@3.0.0" first if it is not there); or set vectors.index to auto.',
  }
}
