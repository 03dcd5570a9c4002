/* The result of a replay job: printed, and for a comparison written to a file. */
import type { ReplayJob, ReplayJobItemPage } from '../../features/replay-jobs/model.ts';
import { differenceText, type PathGroup, readReport, reportAsMarkdown } from '../../shared/comparison-report.ts';
import { type Arguments, exitCodes, type Io, UsageError } from '../io.ts';
import type { Api } from './api.ts';
import { counted, printResult, printTable, safeLine } from './output.ts';
import { jobPath, outcomesText } from './replay-progress.ts';

const shownFailures = 20;
const pageSize = 100;
/** Readable only by the owner, because responses contain real data. */
const ownerOnly = 0o600;

/** @throws UsageError */
export async function checkReportFile(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  if (!/\.(json|md)$/i.test(file)) throw new UsageError('--report: FILE must end in .json or .md');
  const { checkFile } = await import('../expect/files.ts');
  checkFile('--report', file);
}

/** @returns 0 if the job is done and every event was accepted, skipped, or got equal responses */
export async function showResult(io: Io, api: Api, given: Arguments, job: ReplayJob): Promise<number> {
  const items = (outcome: string, cursor: string | undefined, limit = pageSize) =>
    api.call<ReplayJobItemPage>('GET', `${jobPath(job.id)}/items`, { query: { outcome, limit, cursor } });
  const total = counted(job.matched, 'event');
  printResult(io, given, job, `${safeLine(job.id)} is ${job.state}: ${outcomesText(job)} of ${total}\n`);
  const file = given.option('report');
  if (job.dest2 !== null && (file !== undefined || !given.json)) {
    const report = await readReport(job, items);
    if (!given.json) printPaths(io, report.paths);
    if (file !== undefined) {
      const { writeFile } = await import('../expect/files.ts');
      const text = /\.json$/i.test(file) ? `${JSON.stringify(report, null, 2)}\n` : reportAsMarkdown(report);
      await writeFile(io, { file, mode: ownerOnly }, [Buffer.from(text)]);
    }
  }
  if (!given.json && job.failed > 0) {
    const { items: failed } = await items('failed', undefined, shownFailures);
    printTable(
      io,
      failed.map(({ eventId, status, error }) => [eventId, status === null ? '-' : `${status}`, error ?? '']),
    );
    if (job.failed > failed.length) io.stderr(`and ${counted(job.failed - failed.length, 'more failure')}\n`);
  }
  if (job.state === 'paused')
    io.stderr(`${safeLine(job.id)} is paused. To resume: hooktape job resume ${safeLine(job.id)}\n`);
  return job.state === 'done' && job.failed + job.different === 0 ? exitCodes.done : exitCodes.failed;
}

const printPaths = (io: Io, paths: readonly PathGroup[]): void =>
  printTable(
    io,
    paths.map(({ path, events, examples: [example] }) => [
      path,
      counted(events, 'event'),
      ...(example ? [differenceText(example, 'left'), differenceText(example, 'right'), example.eventId] : []),
    ]),
  );
