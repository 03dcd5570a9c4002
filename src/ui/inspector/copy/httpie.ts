/* Builds an HTTPie command for a captured request. HTTPie items (`Name:value`) have their own escaping rules. */

import { headerText } from '../../kit/format/visible.ts';
import { type CopyRequest, hasHeader, isToken } from './request.ts';
import { bodyWord, headerWord, shellStdin, shellWord } from './shell.ts';

/** A multi-line command for POSIX shells. Headers that HTTPie cannot express are listed in a comment. */
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

/** `Name:value`. A separator at the start of the value is escaped, because it would make another kind of item. */
const headerItem = (name: string, value: string): string | undefined => {
  // HTTPie reads a backslash before a separator as an escape, and has no way to write both literally.
  if (!isToken(name) || /\\[:;=@]/.test(value)) return undefined;
  // HTTPie sends headers as UTF-8 and cannot send other bytes.
  if (/[\x80-\xff]/.test(value) && headerText(value) === value) return undefined;
  if (value === '') return `${name};`;
  return `${name}:${value.replace(/^[:;=@]/, '\\$&')}`;
};
