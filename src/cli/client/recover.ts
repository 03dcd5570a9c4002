/*
 * `hooktape recover github`: finds deliveries that GitHub lists and the endpoint does not have, asks GitHub to deliver them again,
 * and waits until they are stored. A second run continues where the first one ended, because only the events count.
 */

import { isLoopbackHost } from '../../core/network/hosts.ts';
import type { FeedPage } from '../../features/feed/model.ts';
import { hostOfUrl } from '../../shared/addresses.ts';
import { type Arguments, exitCodes, type Io, type Run, UsageError } from '../io.ts';
import { createPause } from '../listen/pause.ts';
import { duration, variable } from '../parse-arguments.ts';
import { createGithub, type GithubDelivery } from '../recover/github.ts';
import { findErased, findRecorded } from '../recover/recorded.ts';
import { noRecovery, type Recovery, requestMissing } from '../recover/request-missing.ts';
import { connect } from './api.ts';
import { findEndpointId } from './find.ts';
import { printJson, safeLine } from './output.ts';

const defaultSinceMs = 3 * 86_400_000;
const defaultWithinMs = 15 * 60_000;
/** The time limits of timers are 32-bit integers. */
const mostMs = 20 * 86_400_000;
const publicApi = 'https://api.github.com';

export const runRecover: Run = async (given, io) => {
  const hook = readHook(given);
  const token = readToken(io, given);
  const apiUrl = readApi(given.option('api') ?? publicApi);
  const withinMs = readDuration(given, 'within') ?? defaultWithinMs;
  const since = io.clock.now() - (readDuration(given, 'since') ?? defaultSinceMs);
  const api = connect(io, given);
  const endpointId = await findEndpointId(api, given.option('endpoint') ?? '');

  const end = new AbortController();
  const pause = createPause(io, end.signal);
  const deadline = { at: io.clock.monotonic() + withinMs };
  const mayWait = (ms: number): boolean => io.clock.monotonic() + ms <= deadline.at;
  const github = createGithub({ io, api: apiUrl, hook, token, mayWait, signal: end.signal });
  const listed = await github.deliveriesSince(since);
  // The feed has the events that arrive during the search.
  const path = `/api/endpoints/${encodeURIComponent(endpointId)}/feed`;
  const { cursor: after } = await api.call<FeedPage>('GET', path, { query: { after: 'now', limit: 1 } });
  const recorded = await findRecorded(api, { endpointId, guids: listed.map(({ guid }) => guid), since });
  const absent = listed.filter(({ guid }) => !recorded.has(guid));
  const erased = await findErased(api, { endpointId, guids: absent.map(({ guid }) => guid) });
  const missing = absent.filter(({ guid }) => !erased.has(guid));
  const plan: Plan = {
    listed: listed.length,
    recorded: listed.length - absent.length,
    missing,
    isDryRun: given.flag('dry-run'),
  };
  if (plan.isDryRun || missing.length === 0) return report(io, given, plan, noRecovery());

  announce(io, missing.length);
  deadline.at = io.clock.monotonic() + withinMs;
  const notify = (text: string): void => io.stderr(`${safeLine(text)}\n`);
  const task = { api, endpointId, pause, signal: end.signal, notify };
  const recovery = requestMissing({ io, task, github, missing, after, withinMs, deadline });
  return report(io, given, plan, await recovery.finally(() => end.abort()));
};

type Plan = { listed: number; recorded: number; missing: readonly GithubDelivery[]; isDryRun: boolean };

function announce(io: Io, count: number): void {
  const minutes = Math.round(count / 60);
  const time = minutes > 0 ? `, one a second: about ${minutes} min` : '';
  io.stderr(`Requesting ${count === 1 ? '1 delivery' : `${count} deliveries`}${time}.\n`);
}

function report(
  io: Io,
  { json }: Arguments,
  { listed, recorded, missing, isDryRun }: Plan,
  recovery: Recovery,
): number {
  const { recovered, problems } = recovery;
  const counts = {
    listed,
    recorded,
    missing: missing.length,
    requested: recovery.requested.size,
    recovered: recovered.size,
  };
  const left = missing.flatMap(({ guid }) => (recovered.has(guid) ? [] : guid));
  if (json) printJson(io, { ...counts, failed: isDryRun ? [] : left });
  else {
    io.stdout(
      `${Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}\n`,
    );
    for (const guid of left) io.stdout(`${guid}\t${safeLine(problems.get(guid) ?? '')}\n`);
  }
  return left.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** @returns the webhook's path in GitHub's API @throws UsageError */
function readHook(given: Arguments): string {
  const [repo, org, hook = ''] = [given.option('repo'), given.option('org'), given.option('hook')];
  if ((repo === undefined) === (org === undefined)) throw new UsageError('give either --repo or --org');
  if (repo !== undefined && !/^[\w.-]*\w[\w.-]*\/[\w.-]*\w[\w.-]*$/.test(repo))
    throw new UsageError('--repo must be OWNER/NAME');
  if (org !== undefined && !/^[\w.-]*\w[\w.-]*$/.test(org))
    throw new UsageError('--org must be the name of an organization');
  if (!/^\d{1,20}$/.test(hook)) throw new UsageError('--hook must be the number at the end of the webhook’s URL');
  return `${repo === undefined ? `/orgs/${org}` : `/repos/${repo}`}/hooks/${hook}`;
}

/** @throws UsageError */
function readToken(io: Io, given: Arguments): string {
  const name = given.option('token-env') ?? 'GITHUB_TOKEN';
  const token = variable(io, name)?.trim();
  if (!token) throw new UsageError(`--token-env: the environment variable ${name} is not set`);
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`--token-env: ${name} is not a token`);
  return token;
}

/** @throws UsageError, also for a host to which the token would be sent unencrypted */
function readApi(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError(`--api must be a URL such as ${publicApi} or https://HOST/api/v3`);
  if (url.protocol === 'http:' && !isLoopbackHost(hostOfUrl(url)))
    throw new UsageError('--api must be https, because the token is sent there');
  return url.href;
}

function readDuration(given: Arguments, name: string): number | undefined {
  const ms = duration(given, name);
  if (ms !== undefined && ms > mostMs) throw new UsageError(`--${name} must be at most 20d`);
  return ms;
}
