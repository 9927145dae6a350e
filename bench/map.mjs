// Measures communities and gaps: `npm run bench:map -- <vault>…`, after `npm run build`.
//
// For each vault: number and sizes of communities; agreement (adjusted Rand index) with folders, or, if a folder has notes named "… by
// category", with the categories of notes that are in exactly one; stability when nothing, one link or a hundredth of all links changes;
// whether two similar communities are among the first three gaps after all links between them were removed; size and latency of an answer.
import { runBundled } from './run-bundled.mjs'

await runBundled('insight/map.ts')
