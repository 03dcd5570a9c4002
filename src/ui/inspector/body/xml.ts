/* Indents XML and HTML as text: it does not build a document, resolve entities or load anything. */

const tokenPattern =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<![^>]*>|<\/[^>]*>|<(?:[^>"']|"[^"]*"|'[^']*')*>|[^<]+|</g;
/** Of HTML: elements whose white space matters or that are not markup inside are kept as they are. */
const keptPattern = /<(pre|script|style|textarea)\b[\s\S]*?<\/\1\s*>/gi;
const maxIndentDepth = 60;
const voidElements = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i;
const htmlStart =
  /^\ufeff?\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html\b|(?:html|head|body|div|p|span|table|h[1-6]|ul|ol|br|img|script|style|meta|form|center|font)\b[^>]*>)/i;

export const looksLikeXml = (text: string): boolean => /^\ufeff?\s*<[?!A-Za-z]/.test(text) && />\s*$/.test(text);

/** @param type the content type in lower case; without a telling one, the first element decides */
export function isHtml(text: string, type: string): boolean {
  if (/\btext\/html\b/.test(type)) return true;
  return !/[/+]xml\b/.test(type) && htmlStart.test(text);
}

/** One tag per line, indented by two spaces per level. Text without markup is only trimmed. */
export function indentMarkup(text: string, { html = false } = {}): string {
  const tokens = html ? htmlTokens(text) : tokensOf(text);
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
    } else if (isOpening(token) && !(html && (voidElements.test(token) || isKept(token)))) {
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

const tokensOf = (text: string): string[] =>
  (text.match(tokenPattern) ?? []).map(token => token.trim()).filter(token => token !== '');

function htmlTokens(text: string): string[] {
  const tokens: string[] = [];
  let from = 0;
  for (const kept of text.matchAll(keptPattern)) {
    tokens.push(...tokensOf(text.slice(from, kept.index)), kept[0]);
    from = kept.index + kept[0].length;
  }
  return [...tokens, ...tokensOf(text.slice(from))];
}

const isMarkup = (token: string): boolean => token.startsWith('<') && !token.startsWith('<![CDATA[');
const isOpening = (token: string): boolean => /^<[^!?/]/.test(token) && !token.endsWith('/>');
const isKept = (token: string): boolean => /^<(pre|script|style|textarea)\b[\s\S]*<\/\1\s*>$/i.test(token);
