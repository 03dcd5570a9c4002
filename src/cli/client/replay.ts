/* `hooktape replay`: starts a job on the server that sends many events again, and shows its progress and its result. */
import type { ReplayJob, ReplayJobDryRun, ReplayJobInput } from '../../features/replay-jobs/model.ts';
import { withScheme } from '../../shared/typed-url.ts';
import { type Arguments, exitCodes, type Io, type Run, UsageError } from '../io.ts';
import { wholeNumber } from '../parse-arguments.ts';
import { type Api, connect, whenRefused, wrongUsage } from './api.ts';
import { findEndpointId } from './find.ts';
import { counted, printJson, printResult, safeLine, sizeText } from './output.ts';
import { followJob } from './replay-progress.ts';
import { checkReportFile, showResult } from './replay-result.ts';

const maxConcurrency = 32;
const maxStopAfter = 100_000;

export const runReplay: Run = async (given, io) => {
  const wanted = readWanted(given);
  const file = given.option('report');
  await checkReportFile(file);
  if (file !== undefined && wanted.dest2 === undefined) throw new UsageError('--report needs --dest2');
  const api = connect(io, given);
  const endpointId = await findEndpointId(api, given.argument(0));
  const body: ReplayJobInput = { ...wanted, endpointId };
  const created = await api
    .call<ReplayJob | ReplayJobDryRun>('POST', '/api/replay-jobs', { body })
    .catch(whenRefused(400, wrongUsage));
  if (!('id' in created)) {
    printResult(io, given, created, `${counted(created.matched, 'event')}, ${sizeText(created.bytes)}\n`);
    return exitCodes.done;
  }
  io.stderr(`${safeLine(created.id)}: ${counted(created.matched, 'event')}, ${sizeText(created.bytes)}\n`);
  return followToEnd(io, api, given, created);
};

/** Follows the job until it has ended or is paused, or until the user stops waiting. @returns the exit code */
export async function followToEnd(io: Io, api: Api, given: Arguments, job: ReplayJob): Promise<number> {
  const { job: seen, isLeft } = await followJob(io, api, job);
  if (isLeft) {
    if (given.json) printJson(io, seen);
    io.stderr(
      `${safeLine(seen.id)} continues on the server. To watch it: hooktape job watch ${safeLine(seen.id)}; to pause or cancel it: hooktape job pause|cancel ${safeLine(seen.id)}, or ${safeLine(new URL(`/app/jobs/${seen.id}`, api.server.url).href)}\n`,
    );
    return exitCodes.failed;
  }
  return showResult(io, api, given, seen);
}

/** @throws UsageError */
function readWanted(given: Arguments): Omit<ReplayJobInput, 'endpointId'> {
  const [where, from, to, pace, per] = ['where', 'from', 'to', 'pace', 'per'].map(given.option);
  const dest2 = given.option('dest2');
  const ignore = given.options('ignore');
  const compareHeaders = given.options('compare-header');
  if (dest2 === undefined && ignore.length + compareHeaders.length > 0)
    throw new UsageError('--ignore and --compare-header need --dest2');
  const concurrency = wholeNumber(given, 'concurrency', { least: 1, most: maxConcurrency });
  const stopAfter = wholeNumber(given, 'stop-after', { least: 1, most: maxStopAfter });
  return {
    ...(where !== undefined && { where }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    dest: withScheme(given.option('dest') ?? ''),
    ...(dest2 !== undefined && { dest2: withScheme(dest2) }),
    ...(ignore.length > 0 && { ignore }),
    ...(compareHeaders.length > 0 && { compareHeaders }),
    ...(pace !== undefined && { pace }),
    ...(concurrency !== undefined && { concurrency }),
    ...((per === 'event' || per === 'delivery') && { per }),
    ...(given.flag('skip-ok') && { skipOk: true }),
    ...(stopAfter !== undefined && { stopAfter }),
    ...(given.flag('resign') && { sign: { mode: 'fresh' as const } }),
    ...(given.flag('dry-run') && { dryRun: true }),
  };
}
