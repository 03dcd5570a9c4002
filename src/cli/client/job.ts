/* `hooktape job list|watch|pause|resume|cancel`: the replay jobs of the team. */
import type { ReplayJob, ReplayJobPage } from '../../features/replay-jobs/model.ts';
import { exitCodes, type Io, type Run, UsageError } from '../io.ts';
import { type Api, connect } from './api.ts';
import { type ClientArguments, parseClientArguments } from './client-arguments.ts';
import { printJson, printTable, safeLine, timeText } from './output.ts';
import { followToEnd } from './replay.ts';
import { jobPath, outcomesText, settledOf } from './replay-progress.ts';

const listed = 100;

export const runJob: Run = async (args, io, usage) => {
  const given = parseClientArguments(args, usage);
  const api = connect(io, given);
  const [verb] = args;
  if (verb === 'list') return list(io, api, given);
  const path = jobPath(given.argument(0));
  if (verb === 'watch') return followToEnd(io, api, given, await api.call<ReplayJob>('GET', path));
  if (verb !== 'pause' && verb !== 'resume' && verb !== 'cancel')
    throw new UsageError(`unknown subcommand: job ${verb}`);
  const job = await api.call<ReplayJob>('POST', `${path}/${verb}`);
  if (given.json) printJson(io, job);
  else io.stdout(`${safeLine(job.id)} is ${job.state}: ${outcomesText(job)}\n`);
  return exitCodes.done;
};

async function list(io: Io, api: Api, { json }: ClientArguments): Promise<number> {
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
  return exitCodes.done;
}
