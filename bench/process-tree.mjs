// What a process and all that it started take, from /proc: on Linux only, zeros and NaN elsewhere.
import { readdirSync, readFileSync } from 'node:fs'

/** Ticks a second in which the kernel counts processor time: 100 on every Linux that Node runs on. */
const TICK_MS = 10

/** Milliseconds of processor time, user and system, of a process tree until now. */
export function cpuOf(pid) {
  // What a child took is its parent's once it was waited for.
  return sum(
    treeOf(pid),
    (one) =>
      fields(one)
        .slice(11, 15)
        .reduce((all, ticks) => all + Number(ticks), 0) * TICK_MS,
  )
}

/** Peak resident memory in MB: of each process its own, added up. */
export const peakOf = (pid) => memory(pid, 'VmHWM')

/** Resident memory in MB now. */
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
      // It ended meanwhile.
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
      // It ended meanwhile.
    }
  }
  const tree = [pid]
  for (const one of tree) tree.push(...(children.get(one) ?? []))
  return tree
}

/** The fields of `stat` after the name, which may hold anything: state, parent, … */
function fields(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
}
