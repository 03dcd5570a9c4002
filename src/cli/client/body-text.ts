/* A readable form of a body: JSON is indented without changing a character of its names and values. */
import { tryJson } from '../../core/json/try-json.ts';
import { safeText } from './output.ts';

type Encoding = 'utf8' | 'base64';

/** The text, safe to print; undefined for binary data. */
export function bodyText(body: string, encoding: Encoding): string | undefined {
  return encoding === 'utf8' ? safeText(indentJson(body) ?? body) : undefined;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The two common styles of JSON on one line: without spaces, and Python's. */
const lineStyles = [
  { comma: ',', colon: ':' },
  { comma: ', ', colon: ': ' },
] as const;

const onOneLine = (text: string, { comma, colon }: (typeof lineStyles)[number]): string =>
  (text.match(tokens) ?? []).map(token => (token === ',' ? comma : token === ':' ? colon : token)).join('');

/**
 * A JSON object or list on one line, indented for an editor. `close` turns the saved text into one line again, in the style of
 * `text`; a text that is no longer JSON stays as saved.
 * @returns undefined for any other text
 */
export function openJsonLine(text: string): { indented: string; close: (saved: string) => string } | undefined {
  const line = text.trimEnd();
  const indented = indentJson(line);
  const style = indented === undefined ? undefined : lineStyles.find(one => onOneLine(line, one) === line);
  if (indented === undefined || style === undefined) return undefined;
  const end = text.slice(line.length);
  return { indented, close: saved => (tryJson(saved) !== undefined ? onOneLine(saved, style) + end : saved) };
}

/** undefined if it is not JSON. It does not parse the text, which would change long numbers and repeated names. */
export function indentJson(text: string): string | undefined {
  const value = tryJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const found = text.match(tokens) ?? [];
  const lines: string[] = [];
  let depth = 0;
  let line = '';
  const breakLine = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  for (const [at, token] of found.entries()) {
    const next = found[at + 1];
    if (token === '{' || token === '[') {
      line += token;
      if (next === '}' || next === ']') continue;
      depth++;
      breakLine();
    } else if (token === '}' || token === ']') {
      const before = found[at - 1];
      if (before !== '{' && before !== '[') {
        depth--;
        breakLine();
      }
      line += token;
    } else {
      line += token === ':' ? ': ' : token;
      if (token === ',') breakLine();
    }
  }
  return [...lines, line].join('\n');
}
