// CPU time, memory and handles of a process and its descendants, from /proc. Only on Linux; zeros and NaN elsewhere.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Ticks per second in which the kernel counts CPU time: 100 on every Linux that Node runs on. */
const TICK_MS = 10

/** CPU time of a process tree so far, user and system, in milliseconds. */
export function cpuOf(pid) {
  // A child's time is added to its parent's once the parent has waited for it.
  return sum(
    treeOf(pid),
    (one) =>
      fields(one)
        .slice(11, 15)
        .reduce((all, ticks) => all + Number(ticks), 0) * TICK_MS,
  )
}

/** Milliseconds that the threads of one process were on a processor; finer than `cpuOf`, but without threads that have ended. */
export function busyOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  return sum(threads, (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])) / 1e6
}

/** Sum of the peak resident memory of each process, in MB. */
export const peakOf = (pid) => memory(pid, 'VmHWM')

/** Current resident memory in MB. */
export const residentOf = (pid) => memory(pid, 'VmRSS')

function memory(pid, field) {
  return (
    sum(treeOf(pid), (one) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1])) /
    1024
  )
}

function sum(pids, measure) {
  let all = 0
  for (const pid of pids) {
    try {
      all += measure(pid)
    } catch {
      // The process has ended.
    }
  }
  return all
}

/** The process and its descendants. */
function treeOf(pid) {
  const children = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const parent = Number(fields(name)[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    } catch {
      // The process has ended.
    }
  }
  const tree = [pid]
  for (const one of tree) tree.push(...(children.get(one) ?? []))
  return tree
}

/** The fields of `stat` after the name, which may contain any character: state, parent, … */
function fields(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
}

/** The open handles of one process: how many there are of each file or kind. */
export function handlesOf(pid) {
  const counts = new Map()
  for (const [, target] of openIn(pid)) {
    const kind = target.replace(/^(socket|pipe):.*/, '$1')
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

/**
 * Returns the inodes of the files and folders that a process watches with inotify, sorted. An inode that is watched twice is
 * listed twice.
 */
export function watchesOf(pid) {
  const watched = openIn(pid).flatMap(([handle, target]) => {
    if (target !== 'anon_inode:inotify') return []
    const told = readFileSync(`/proc/${pid}/fdinfo/${handle}`, 'utf8')
    return [...told.matchAll(/^inotify .*\bino:([0-9a-f]+)/gm)].map(([, inode]) => Number.parseInt(inode, 16))
  })
  return watched.sort((a, b) => a - b)
}

function openIn(pid) {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((handle) => {
    try {
      return [[handle, readlinkSync(`${folder}/${handle}`)]]
    } catch {
      // The handle was closed meanwhile.
      return []
    }
  })
}
