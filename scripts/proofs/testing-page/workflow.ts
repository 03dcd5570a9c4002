/* Runs the `run` steps of a GitHub Actions workflow one after another, like a runner. Steps that use actions are skipped. */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensure } from '../../lib/checks.ts';

type Step = { name?: string; run?: string; uses?: string; if?: string };
export type Workflow = { jobs: Record<string, { env?: Record<string, string>; steps: Step[] }> };

type Options = { cwd: string; env: Record<string, string>; skipped: readonly string[] };
const stepTimeoutMs = 120_000;

/** @returns the names of the executed steps @throws with the output of a failed step */
export async function runWorkflow({ jobs }: Workflow, { cwd, env, skipped }: Options): Promise<string[]> {
  const ran: string[] = [];
  const groups: number[] = [];
  try {
    for (const job of Object.values(jobs)) {
      const variables = { ...job.env, ...env };
      for (const [index, { name = `step ${index + 1}`, run, uses }] of job.steps.entries()) {
        ensure((run === undefined) !== (uses === undefined), `${name} has neither or both of run and uses`);
        if (run === undefined || skipped.includes(name)) continue;
        const script = join(cwd, `step-${index}.sh`);
        const [output, exported] = [`${script}.log`, `${script}.env`];
        writeFileSync(script, run);
        writeFileSync(exported, '');
        // Writes to a file, because processes that a step leaves running would keep a pipe open.
        const log = openSync(output, 'w');
        const child = Bun.spawn(['setsid', '--wait', 'bash', '--noprofile', '--norc', '-eo', 'pipefail', script], {
          cwd,
          env: { ...variables, GITHUB_ENV: exported },
          stdio: ['ignore', log, log],
          timeout: stepTimeoutMs,
        });
        closeSync(log);
        groups.push(child.pid);
        const exitCode = await child.exited;
        ensure(exitCode === 0, `${name}: exit code ${exitCode}\n${readFileSync(output, 'utf8').slice(-3000)}`);
        for (const line of readFileSync(exported, 'utf8').split('\n')) {
          const [, variable, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
          if (variable !== undefined) variables[variable] = value;
        }
        ran.push(name);
      }
    }
    return ran;
  } finally {
    for (const group of groups) endGroup(group);
  }
}

/** Ends the processes that a step has left running. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGTERM');
  } catch {
    // The group has no processes any more.
  }
}
