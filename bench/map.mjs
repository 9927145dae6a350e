// How good communities and gaps are: `npm run bench:map -- <vault>…`, after `npm run build`.
//
// Of each vault: how many communities there are and how large; agreement (adjusted Rand index) with folders, or, where notes called "… by category" are in
// folders of that name, with the categories of notes that are in one; what stays when nothing, one link or a hundredth of all links changes; whether
// two alike communities whose links were all taken out are among the first three gaps; how long an answer is and how fast it comes.
import { runBundled } from './run-bundled.mjs'

await runBundled('insight/map.ts')
