/*
 * The deliveries of one webhook in GitHub's REST API: lists them, and asks for one again. The token is sent to the origin of the
 * API only: another origin in a redirect or a `Link` is an error. GitHub's rate limits are obeyed. Responses are not trusted.
 */

import { tryJson } from '../../core/json/try-json.ts';
import { readBody } from '../../core/network/response-body.ts';
import { withoutProxy } from '../client/api.ts';
import { type Io, OperationError } from '../io.ts';
import { createPause } from '../listen/pause.ts';
import { fetchErrorMessage } from '../system-errors.ts';
import { limitMs, resetMs } from './github-limits.ts';

/** `id` identifies the newest attempt; `guid` all attempts, and is the `X-GitHub-Delivery` of each. */
export type GithubDelivery = { id: string; guid: string };

export type Github = ReturnType<typeof createGithub>;

/** GitHub's rate limit lasts longer than the command may wait. */
export class LimitedError extends OperationError {}

type Method = 'GET' | 'POST';
type Reply = { status: number; headers: Headers; text: string; url: URL };

const timeoutMs = 30_000;
const maxReplyBytes = 8 << 20;
const maxRedirects = 3;
/** GitHub's maximum. */
const pageSize = 100;
const maxPages = 2000;
const pausesAfterFailuresMs = [1000, 2000, 4000];
const maxProblemCharacters = 200;

/** @param api URL of the API @param hook path of the webhook below it @param mayWait for a rate limit, this long */
export function createGithub(options: {
  io: Pick<Io, 'clock' | 'sleep' | 'version' | 'stderr'>;
  api: string;
  hook: string;
  token: string;
  mayWait: (ms: number) => boolean;
  signal: AbortSignal;
}) {
  const { io, api, token, mayWait, signal } = options;
  const pause = createPause(io, signal);
  const { origin } = new URL(api);
  const deliveries = `${api.replace(/\/+$/, '')}${options.hook}/deliveries`;
  /** Monotonic: GitHub accepts no request before this time. */
  let acceptsAt = 0;

  /** @throws OperationError for another origin */
  const ownUrl = (text: string, base: URL, what: string): URL => {
    const url = URL.parse(text, base.href);
    if (url?.origin !== origin || url.username || url.password)
      throw new OperationError(`GitHub's ${what} leads to another server than ${origin}, which must not get the token`);
    return url;
  };

  const fetchOnce = async (method: Method, start: URL): Promise<Reply> => {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': `hooktape/${io.version}`,
      'x-github-api-version': '2022-11-28',
    };
    for (let url = start, redirects = 0; ; redirects++) {
      const limits = { redirect: 'manual', signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) } as const;
      const response = await fetch(url, { method, headers, ...limits, ...withoutProxy(url) });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) {
        const text = String(await readBody(response, maxReplyBytes, tooLong));
        return { status: response.status, headers: response.headers, text, url };
      }
      if (redirects === maxRedirects) throw new OperationError('GitHub redirects too often');
      url = ownUrl(location, url, 'redirect');
    }
  };

  /** Waits for the rate limit, before and again after a request that was refused for it. */
  const send = async (method: Method, url: URL): Promise<Reply> => {
    for (let refusals = 0; ; refusals++) {
      const waitMs = acceptsAt - io.clock.monotonic();
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000);
        if (!mayWait(waitMs)) throw new LimitedError(`GitHub's rate limit allows no request for another ${seconds} s`);
        io.stderr(`GitHub's rate limit is reached; continuing in ${seconds} s.\n`);
        await pause(waitMs);
        signal.throwIfAborted();
      }
      const reply = await fetchOnce(method, url);
      const limit = limitMs(reply, refusals, io.clock.now());
      acceptsAt = io.clock.monotonic() + (limit ?? resetMs(reply.headers, io.clock.now()) ?? 0);
      if (limit === undefined) return reply;
    }
  };

  /** Repeats the request if GitHub cannot be reached or has a problem. */
  const get = async (url: URL): Promise<Reply> => {
    for (let failures = 0; ; failures++) {
      const reply = await send('GET', url).catch(error => asProblem(error));
      if (typeof reply !== 'string' && reply.status < 500) return reply;
      const pauseMs = pausesAfterFailuresMs[failures];
      const problem = typeof reply === 'string' ? `cannot be reached: ${reply}` : `returned ${reply.status}`;
      if (pauseMs === undefined) throw new OperationError(`${origin} ${problem}`);
      await pause(pauseMs);
    }
  };

  return {
    /** The deliveries of GitHub's list that are not older. @throws OperationError, LimitedError */
    async deliveriesSince(since: number): Promise<GithubDelivery[]> {
      const newest = new Map<string, string>();
      const read = new Set<string>();
      for (let url: URL | undefined = new URL(`${deliveries}?per_page=${pageSize}`); url; ) {
        if (read.has(url.href) || read.size === maxPages) throw new OperationError("GitHub's list has no end");
        read.add(url.href);
        const reply = await get(url);
        if (reply.status !== 200) throw new OperationError(refusal(reply));
        const page = readPage(reply.text);
        const wanted = page.filter(({ deliveredAt }) => deliveredAt >= since);
        for (const { guid, id } of wanted) if (!newest.has(guid)) newest.set(guid, id);
        const next = wanted.length < page.length ? undefined : nextLink(reply.headers);
        url = next === undefined ? undefined : ownUrl(next, reply.url, 'next page');
      }
      return [...newest].map(([guid, id]) => ({ guid, id }));
    },

    /** Asks for a delivery again. @returns the problem, if it was refused @throws OperationError, LimitedError */
    async redeliver(id: string): Promise<string | undefined> {
      const reply = await send('POST', new URL(`${deliveries}/${id}/attempts`)).catch(error => asProblem(error));
      if (typeof reply === 'string') return reply;
      if (reply.status === 401 || reply.status === 403) throw new OperationError(refusal(reply));
      return reply.status >= 200 && reply.status <= 299 ? undefined : `${reply.status} ${messageOf(reply)}`.trim();
    },
  };
}

/** The message of an error of `fetch`. @throws errors of this module */
function asProblem(error: unknown): string {
  if (error instanceof OperationError) throw error;
  return (error as Error).name === 'TimeoutError' ? 'no response in time' : fetchErrorMessage(error);
}

const tooLong = (): Error => new OperationError("GitHub's response is too long");

function messageOf({ text }: Pick<Reply, 'text'>): string {
  const { message }: { message?: unknown } = Object(tryJson(text));
  return typeof message === 'string' ? message.slice(0, maxProblemCharacters) : '';
}

function refusal(reply: Reply): string {
  const said = `GitHub returned ${reply.status} ${messageOf(reply)}`.trim();
  if (reply.status === 401) return `${said}: the token is not valid`;
  if (reply.status === 403) return `${said}: the token needs write access to webhooks`;
  if (reply.status === 404) return `${said}: there is no such webhook, or the token has no access to it`;
  return said;
}

/** The `Link` to the next page. */
const nextLink = (headers: Headers): string | undefined =>
  /<([^<>]*)>[^<>,]*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];

/** Ids are 64-bit integers, which JavaScript numbers cannot hold, so their digits are kept. */
function keepIds(key: string, value: unknown, context?: { source?: string }): unknown {
  return key === 'id' && typeof value === 'number' ? context?.source : value;
}

const parseKeepingIds = JSON.parse as (text: string, revive: typeof keepIds) => unknown;

/** @throws OperationError for anything that is not a list of deliveries */
function readPage(text: string): (GithubDelivery & { deliveredAt: number })[] {
  try {
    return (parseKeepingIds(text, keepIds) as Record<string, unknown>[]).map(one => {
      const [id, guid, deliveredAt] = [String(one['id']), String(one['guid']), Date.parse(String(one['delivered_at']))];
      if (!/^\d{1,20}$/.test(id) || !/^[\w-]{1,64}$/.test(guid) || Number.isNaN(deliveredAt)) throw new TypeError();
      return { id, guid, deliveredAt };
    });
  } catch {
    throw new OperationError('the response is not a list of deliveries: is --api the URL of GitHub’s REST API?');
  }
}
