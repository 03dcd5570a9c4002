/* Resource usage and limits of a running process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const ticksPerSecond = 100;

/** CPU time that all threads of a process have used, in ms. */
export function totalCpuMs(pid: number): number {
  // Fields 14 and 15 in proc(5). The name before them may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** CPU time that all threads of a process use within `ms`, in ms. */
export async function cpuMs(pid: number, ms: number): Promise<number> {
  const before = totalCpuMs(pid);
  await Bun.sleep(ms);
  return totalCpuMs(pid) - before;
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

/** A command prefix that sets the limit of open files; undefined if the user may not set it. */
export function withOpenFiles(limit: number): string[] | undefined {
  const wrap = ['prlimit', `--nofile=${limit}:${limit}`];
  if (!Bun.which('prlimit')) return undefined;
  return Bun.spawnSync([...wrap, 'true'], { stderr: 'ignore' }).exitCode === 0 ? wrap : undefined;
}

/** Sets this process's limit of open files. @returns whether that succeeded */
export function raiseOwnOpenFiles(limit: number): boolean {
  const set = Bun.spawnSync(['prlimit', `--pid=${process.pid}`, `--nofile=${limit}:${limit}`], { stderr: 'ignore' });
  return set.exitCode === 0;
}

/** Polls until `probe` is true. @returns the elapsed ms @throws after `timeoutMs`, naming `what` */
export async function until(what: string, timeoutMs: number, probe: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await probe())) {
    if (performance.now() - startedAt > timeoutMs)
      throw new Error(`timed out after ${timeoutMs} ms waiting until ${what}`);
    await Bun.sleep(20);
  }
  return performance.now() - startedAt;
}
