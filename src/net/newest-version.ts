/* Asks for the newest version of Hooktape. The response is not trusted: only three numbers are taken from it. */
import { readBody } from '../core/network/response-body.ts';

const longestMs = 10_000;
const maxBytes = 1 << 20;

/** @returns a version such as `1.2.3` @throws if the response has no version: JSON with `tag_name` or `version`, or text */
export async function fetchNewestVersion(url: string, timeoutMs = longestMs): Promise<string> {
  const headers = { accept: 'application/json', 'user-agent': 'hooktape' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the response has the status ${response.status}`);
  const body = await readBody(response, maxBytes, () => new Error('the response is too long'));
  const version = versionIn(body.toString());
  if (version === undefined) throw new Error('the response has no version');
  return version;
}

function versionIn(text: string): string | undefined {
  const name = nameIn(text);
  return typeof name === 'string' ? /^v?(\d{1,5}\.\d{1,5}\.\d{1,5})$/.exec(name.trim())?.[1] : undefined;
}

function nameIn(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null) return json;
    const { tag_name, version } = json as Record<string, unknown>;
    return tag_name ?? version;
  } catch {
    return text;
  }
}

/** Whether to tell users of a version about this one. A version that is no number is older. */
export function isNewer(newest: string, own: string): boolean {
  try {
    return Bun.semver.order(newest, own) > 0;
  } catch {
    return true;
  }
}
