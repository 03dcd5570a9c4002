/* The replay of the dialog as a `hooktape send` command, which sends it from the terminal's machine. */

import { bodyWord, shellStdin, shellWord } from '../copy/shell.ts';
import type { UrlRequest } from './request.ts';

const secretVariable = 'WEBHOOK_SECRET';
const localHost =
  /^(localhost|.*\.(localhost|local|test)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|\[(::1|f[cd].*|fe80.*)\])$/i;

/** @param target the URL with path and query appended */
export function sendCommand(eventId: string, target: string, request: UrlRequest): string {
  const { edit, sign } = request;
  const lines = [`hooktape send ${shellWord(eventId)} --to ${shellWord(target)}`];
  const notes: string[] = [];
  if (sign) {
    lines.push(sign.mode === 'tamper' ? '--tamper' : '--resign');
    if (sign.newId) lines.push('--new-id');
    if (sign.secret !== undefined) {
      lines.push(`--secret-env ${secretVariable}`);
      notes.push(`# ${secretVariable} must hold the signing secret`);
    }
  }
  for (const [name, value] of edit?.headers ?? []) {
    if (value === null) notes.push(`# The command line cannot leave out the header ${name.replace(/[^\w-]/g, '?')}`);
    else lines.push(`--header ${shellWord(`${name}: ${value}`)}`);
  }
  if (edit?.body !== undefined) lines.push(`--body ${fileOf(edit.body)}`);
  if (URL.canParse(target) && !localHost.test(new URL(target).hostname)) lines.push('--allow-remote');
  return [...notes, lines.join(' \\\n  ')].join('\n');
}

/** A file that bash and zsh make of the body. */
function fileOf(body: string): string {
  const bytes = new TextEncoder().encode(body);
  const word = bodyWord(bytes);
  return word === undefined ? `<(${shellStdin(bytes).replace(/ \| $/, '')})` : `<(printf %s ${word})`;
}
