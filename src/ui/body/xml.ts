/*
 * Indents XML and HTML as text. It does not build a document, resolve entities or load anything. The text of an element without child
 * elements stays on the element's line.
 */

const tokenPattern =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<![^>]*>|<\/[^>]*>|<(?:[^>"']|"[^"]*"|'[^']*')*>|[^<]+|</g;
const maxIndentDepth = 60;

export const looksLikeXml = (text: string): boolean => /^\ufeff?\s*<[?!A-Za-z]/.test(text) && />\s*$/.test(text);

/** One tag per line, indented by two spaces per level. Text without markup is only trimmed. */
export function indentXml(text: string): string {
  const tokens = (text.match(tokenPattern) ?? []).map(token => token.trim()).filter(token => token !== '');
  const lines: string[] = [];
  let depth = 0;
  const push = (line: string): unknown => lines.push('  '.repeat(Math.min(depth, maxIndentDepth)) + line);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    const next = tokens[at + 1];
    const afterNext = tokens[at + 2];
    if (token.startsWith('</')) {
      depth = Math.max(0, depth - 1);
      push(token);
    } else if (isOpening(token)) {
      if (next?.startsWith('</')) {
        push(token + next);
        at += 1;
      } else if (next !== undefined && !isMarkup(next) && afterNext?.startsWith('</')) {
        push(token + next + afterNext);
        at += 2;
      } else {
        push(token);
        depth++;
      }
    } else push(token);
  }
  return lines.join('\n');
}

const isMarkup = (token: string): boolean => token.startsWith('<') && !token.startsWith('<![CDATA[');
const isOpening = (token: string): boolean => /^<[^!?/]/.test(token) && !token.endsWith('/>');
