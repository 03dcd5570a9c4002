/* An HTTPie command that repeats a captured request. HTTPie reads items like `Name:value`, with its own escapes inside them. */

import { headerText } from '../format/visible.ts';
import { type CopyRequest, hasHeader, isToken } from './request.ts';
import { bodyWord, headerWord, shellStdin, shellWord } from './shell.ts';

/** One command over several lines for POSIX shells; headers that HTTPie's item syntax cannot say are named in a comment. */
export function httpieCommand(request: CopyRequest): string {
  const { method, url, body } = request;
  const lines: string[] = [];
  const skipped: string[] = [];
  const hasBody = body.length > 0;
  const inline = hasBody ? bodyWord(body) : undefined;
  const raw = inline === undefined ? '' : ` --raw=${inline}`;
  const piped = hasBody && inline === undefined;
  const start = `http --path-as-is${piped ? '' : ' --ignore-stdin'}${raw} ${shellWord(method)} ${shellWord(url)}`;
  lines.push(piped ? shellStdin(body) + start : start);
  for (const [name, value] of request.headers) {
    const item = headerItem(name, value);
    if (item === undefined) skipped.push(name);
    else lines.push(headerWord(item));
  }
  for (const added of ['Accept', 'Accept-Encoding', 'User-Agent']) {
    if (!hasHeader(request, added.toLowerCase())) lines.push(`${added}:`);
  }
  if (hasBody && !hasHeader(request, 'content-type')) lines.push('Content-Type:');
  const note = skipped.filter(isToken).map(name => `# HTTPie cannot send this ${name} header\n`);
  return note.join('') + lines.join(' \\\n  ');
}

/** `Name:value`; a value that starts with a separator character would make another kind of item and is escaped. */
const headerItem = (name: string, value: string): string | undefined => {
  // A backslash before a separator character is always an escape to HTTPie; there is no way to write the two literally.
  if (!isToken(name) || /\\[:;=@]/.test(value)) return undefined;
  // It sends header text as UTF-8 and has no way to send other bytes.
  if (/[\x80-\xff]/.test(value) && headerText(value) === value) return undefined;
  if (value === '') return `${name};`;
  return `${name}:${value.replace(/^[:;=@]/, '\\$&')}`;
};
