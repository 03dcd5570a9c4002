/* Builds JavaScript code that sends a captured request with fetch (Node, Bun, Deno, browsers). */

import { toBase64, utf8Text } from '../body/bytes.ts';
import type { CopyRequest } from './request.ts';

/** A module-level statement: `const response = await fetch(…)`. */
export function fetchCode(request: CopyRequest): string {
  const { method, url, headers, body } = request;
  const lines = [`  method: ${literal(method)},`];
  if (headers.length > 0) {
    lines.push('  headers: [', ...headers.map(([name, value]) => `    [${literal(name)}, ${literal(value)}],`), '  ],');
  }
  const bodiless = method === 'GET' || method === 'HEAD';
  if (body.length > 0 && !bodiless) lines.push(`  body: ${bodyExpression(body)},`);
  const notes = [
    ...(body.length > 0 && bodiless ? [`// fetch cannot send the ${body.length} byte body of a ${method}`] : []),
    ...rewriteNotes(url),
  ];
  return `${notes.map(note => `${note}\n`).join('')}const response = await fetch(${literal(url)}, {\n${lines.join('\n')}\n});`;
}

/** A comment for when fetch would request another target: it resolves `..` and `%2e%2e`, and encodes some characters. */
const rewriteNotes = (url: string): string[] => {
  if (!URL.canParse(url)) return [];
  const asked = new URL(url);
  asked.hash = '';
  const [sent, given] = [targetOf(asked.href), targetOf(url)];
  return sent === given ? [] : [`// fetch asks for ${literal(sent)}, not for ${literal(given)}`];
};

const targetOf = (url: string): string => url.replace(/^https?:\/\/[^/?#\\]*/i, '').replace(/^(?![/\\])/, '/');

const bodyExpression = (body: Uint8Array): string => {
  const text = utf8Text(body);
  return text === undefined || text.startsWith('\ufeff')
    ? `Uint8Array.from(atob('${toBase64(body)}'), c => c.charCodeAt(0))`
    : literal(text);
};

/** A string literal in printable ASCII that cannot end a script element. */
const literal = (text: string): string =>
  JSON.stringify(text).replace(/[^\x20-\x7e]|<\/|<!/g, found =>
    found.length === 2 ? `\\u003c${found[1]}` : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
