/*
 * XML and HTML re-indented as text. It only ever splits and indents: no document is built, no entity resolved, nothing loaded.
 * Text inside an element that has no child elements stays on the element's line.
 */

const tokenPattern =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<![^>]*>|<\/[^>]*>|<(?:[^>"']|"[^"]*"|'[^']*')*>|[^<]+|</g;
const maxIndentDepth = 60;

export const looksLikeXml = (text: string): boolean => /^\ufeff?\s*<[?!A-Za-z]/.test(text) && />\s*$/.test(text);

/** One tag per line, two spaces a level. Text without markup comes back trimmed. */
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
