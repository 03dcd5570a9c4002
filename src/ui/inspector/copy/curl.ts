/* Builds a curl command with the method, target, headers and body bytes of a captured request, and without curl's default headers. */

import { type CopyRequest, hasHeader, isToken } from './request.ts';
import { bodyWord, headerWord, shellStdin, shellWord } from './shell.ts';

export function curlCommand(request: CopyRequest): string {
  const { method, url, body } = request;
  const lines: string[] = [];
  const hasBody = body.length > 0;
  const inline = hasBody ? bodyWord(body) : undefined;
  // `-g` and `--path-as-is` keep brackets and dot segments of the target unchanged.
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
    // curl adds Expect to large bodies. --data-raw, because --data would read a file for a body that starts with `@`.
    if (body.length > 1_000_000) lines.push('-H Expect:');
    lines.push(inline === undefined ? '--data-binary @-' : `--data-raw ${inline}`);
  }
  return lines.join(' \\\n  ');
}

/** curl drops a URL's fragment, but a captured target can contain `#`. */
const targetOption = (url: string): string =>
  url.includes('#') ? `--request-target ${shellWord(url.replace(/^[^:]+:\/\/[^/?#]*/, ''))} ` : '';

const methodOption = (method: string, hasBody: boolean): string => {
  if (method === 'HEAD' && !hasBody) return '--head ';
  if (method === (hasBody ? 'POST' : 'GET')) return '';
  return `-X ${shellWord(method)} `;
};
