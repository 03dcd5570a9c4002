/* `hooktape job list|watch|pause|resume|cancel`: the replay jobs of the team. */
import type { ReplayJob, ReplayJobPage } from '../../features/replay-jobs/model.ts';
import type { Arguments, Io, Run } from '../io.ts';
import { type Api, connect } from './api.ts';
import { printJson, printResult, printTable, safeLine, timeText } from './output.ts';
import { followToEnd } from './replay.ts';
import { jobPath, outcomesText, settledOf } from './replay-progress.ts';

const listed = 100;

export const runJob: Run = async (given, io) => {
  const api = connect(io, given);
  const { verb } = given;
  if (verb === 'list') return list(io, api, given);
  const path = jobPath(given.argument(0));
  if (verb === 'watch') return followToEnd(io, api, given, await api.call<ReplayJob>('GET', path));
  const job = await api.call<ReplayJob>('POST', `${path}/${verb}`);
  return printResult(io, given, job, `${safeLine(job.id)} is ${job.state}: ${outcomesText(job)}\n`);
};

async function list(io: Io, api: Api, { json }: Arguments): Promise<void> {
  const page = await api.call<ReplayJobPage>('GET', '/api/replay-jobs', { query: { limit: listed } });
  if (json) printJson(io, page);
  else
    printTable(
      io,
      page.jobs.map(job => [
        job.id,
        timeText(job.createdAt),
        job.state,
        `${settledOf(job)} of ${job.matched}`,
        outcomesText(job),
        job.dest,
      ]),
    );
  if (page.jobs.length === 0 && !json) io.stderr('No replay jobs.\n');
}
