/* What a running process takes of its machine, and what the machine lets it take. Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const ticksPerSecond = 100;

/** CPU time that a process takes within `ms`, of all its threads, in ms. */
export async function cpuMs(pid: number, ms: number): Promise<number> {
  const used = (): number => {
    // Behind the name, which may have spaces: proc(5), fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
  };
  const before = used();
  await Bun.sleep(ms);
  return used() - before;
}

/** The highest resident memory while `work` runs, MB. */
export async function highestResident(pid: number, work: () => Promise<unknown>): Promise<number> {
  let highest = residentMegabytes(pid);
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMegabytes(pid));
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return highest;
}

/** A command line that gives its command this many open files; undefined when this user may not. */
export function withOpenFiles(limit: number): string[] | undefined {
  const wrap = ['prlimit', `--nofile=${limit}:${limit}`];
  if (!Bun.which('prlimit')) return undefined;
  return Bun.spawnSync([...wrap, 'true'], { stderr: 'ignore' }).exitCode === 0 ? wrap : undefined;
}

/** Gives this very process that many open files. @returns whether it has them now */
export function raiseOwnOpenFiles(limit: number): boolean {
  const set = Bun.spawnSync(['prlimit', `--pid=${process.pid}`, `--nofile=${limit}:${limit}`], { stderr: 'ignore' });
  return set.exitCode === 0;
}

/** @throws when it is not so within the time; says `what` then. */
export async function until(what: string, withinMs: number, probe: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await probe())) {
    if (performance.now() - startedAt > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(20);
  }
  return performance.now() - startedAt;
}
