/* A body for people to read: JSON is indented without changing a character of its names and values. */
import { safeText } from './output.ts';

type Encoding = 'utf8' | 'base64';

/** Safe to print; undefined for bytes that are not text. */
export function bodyText(body: string, encoding: Encoding): string | undefined {
  return encoding === 'utf8' ? safeText(indentJson(body) ?? body) : undefined;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** undefined when it is not JSON. Numbers of any length and repeated names stay as they are, which parsing would change. */
export function indentJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
  } catch {
    return undefined;
  }
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
