import { join } from 'node:path'
import type { GraphCore } from '../app/graph-core.ts'
import { openInsightState } from '../changes/insight-state.ts'
import { userFolders } from '../config/environment.ts'
import { languagesOf, type Settings } from '../config/settings.ts'
import type { Decisions, InsightState } from '../core/insight/insight-state.ts'
import type { Store } from '../core/store.ts'
import type { Texts } from '../core/texts.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'
import { openGlobs } from '../vault/ignore-rules.ts'
import type { ComputeClient } from '../workers/compute-client.ts'
import { InsightClient } from '../workers/insight-client.ts'
import { type OpenChat, openChat } from '../workers/open-chat.ts'
import type { OpenOptions } from './open-options.ts'

export interface WholeVaultParts {
  readonly name: string | undefined
  /** Key under which labels and decisions are stored. */
  readonly root: string
  readonly store: Store
  readonly texts: Texts
  readonly runs: ComputeClient
  readonly file: string
  /** Returns whether another process is about to update the stored results. */
  readonly isKeptElsewhere?: () => boolean
}

/** Opens the whole-vault analyses, regardless of where the index is stored. */
export function openWholeVault(
  settings: Settings,
  { root, ...parts }: WholeVaultParts,
): Pick<GraphCore, 'insights' | 'linkInsights' | 'insightState' | 'updateInsights' | 'isIgnored'> & { close(): void } {
  const isIgnored = openGlobs(settings.insight.ignore)
  const stored = openInsightState({ path: join(userFolders().state, 'insight.db'), root, openDatabase: openSqlite })
  const insightState: InsightState = stateWith(stored, parts.store.decisions)
  const ofBoth = { ...parts, isIgnored, ignored: settings.insight.ignore.join('\n'), languages: languagesOf(settings.search) }
  const insights = new InsightClient({ ...ofBoth, kind: 'whole', state: insightState })
  const linkInsights = new InsightClient({ ...ofBoth, kind: 'links' })
  return {
    insights,
    linkInsights,
    insightState,
    async updateInsights() {
      await insights.update()
      await linkInsights.update()
    },
    ...(settings.insight.ignore.length === 0 ? undefined : { isIgnored }),
    close() {
      insights.close()
      linkInsights.close()
      insightState.close()
    },
  }
}

/** Stores decisions in the shared index, if there is one, so all of its users see them. */
function stateWith(stored: InsightState, decisions: Decisions | undefined): InsightState {
  if (decisions === undefined) return stored
  return {
    ...decisions,
    communities: () => stored.communities(),
    keepCommunities: (bytes) => stored.keepCommunities(bytes),
    close: () => stored.close(),
  }
}

/** Opens the configured chat model on first use. `now` is `undefined` while AI is disabled. */
export function chatOf(
  settings: Settings,
  { aiKey, ai = () => settings.ai }: Pick<OpenOptions, 'aiKey' | 'ai'>,
): { readonly now: OpenChat | undefined; close(): void } {
  let chat: OpenChat | undefined
  return {
    get now() {
      if (!ai().enabled) return undefined
      chat ??= openChat(ai, aiKey)
      return chat
    },
    close: () => chat?.close(),
  }
}
