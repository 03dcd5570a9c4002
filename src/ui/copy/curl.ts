/* A curl command that repeats a captured request: same method, target, headers and body bytes, nothing that curl adds by itself. */

import { type CopyRequest, hasHeader, isToken } from './request.ts';
import { bodyWord, headerWord, shellStdin, shellWord } from './shell.ts';

/** One command over several lines for POSIX shells. */
export function curlCommand(request: CopyRequest): string {
  const { method, url, body } = request;
  const lines: string[] = [];
  const hasBody = body.length > 0;
  const inline = hasBody ? bodyWord(body) : undefined;
  // `-g` and `--path-as-is`: brackets and dot segments in the target are the sender's, not patterns for curl.
  const start = `curl -g --path-as-is ${targetOption(url)}${methodOption(method, hasBody)}${shellWord(url)}`;
  lines.push(hasBody && inline === undefined ? shellStdin(body) + start : start);
  for (const [name, value] of request.headers) {
    if (isToken(name)) lines.push(`-H ${headerWord(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  for (const added of ['Accept', 'User-Agent']) {
    if (!hasHeader(request, added.toLowerCase())) lines.push(`-H ${added}:`);
  }
  if (hasBody) {
    if (!hasHeader(request, 'content-type')) lines.push('-H Content-Type:');
    // A header of their own for large bodies, and `@` must not read a file.
    if (body.length > 1_000_000) lines.push('-H Expect:');
    lines.push(inline === undefined ? '--data-binary @-' : `--data-raw ${inline}`);
  }
  return lines.join(' \\\n  ');
}

/** From a `#` on, an address is nothing that curl would send; a captured target may have one all the same. */
const targetOption = (url: string): string =>
  url.includes('#') ? `--request-target ${shellWord(url.replace(/^[^:]+:\/\/[^/?#]*/, ''))} ` : '';

const methodOption = (method: string, hasBody: boolean): string => {
  if (method === 'HEAD' && !hasBody) return '--head ';
  if (method === (hasBody ? 'POST' : 'GET')) return '';
  return `-X ${shellWord(method)} `;
};
