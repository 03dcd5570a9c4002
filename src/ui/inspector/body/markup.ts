/* Colours XML and HTML: splits a text into pieces of one kind each. It does not build a document, resolve entities or load anything. */

type MarkupKind = 'tag' | 'attribute' | 'string' | 'comment' | 'declaration' | 'entity';

/** A coloured piece of the text; what is between pieces is plain text. */
export type MarkupToken = { start: number; end: number; kind: MarkupKind };
type Add = (start: number, end: number, kind: MarkupKind) => unknown;

const tokenPattern =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<[?!][^>]*>?|<\/?[A-Za-z_:][^\s/>]*|&[#\w]+;|</g;
const attributePattern = /([^\s=/>"']+)|("[^"]*"?|'[^']*'?)|(\/?>)|=\s*([^\s"'>]+)?/g;
/** The content of these HTML elements is not markup. */
const rawElements = /^<(script|style|textarea|title)$/i;

/** The coloured pieces in order. A text that begins inside a tag is coloured from the next one on. */
export function markupTokens(text: string, isHtml: boolean): MarkupToken[] {
  const tokens: MarkupToken[] = [];
  const add: Add = (start, end, kind) => tokens.push({ start, end, kind });
  tokenPattern.lastIndex = 0;
  for (let found = tokenPattern.exec(text); found; found = tokenPattern.exec(text)) {
    const [written] = found;
    const start = found.index;
    let end = start + written.length;
    if (written.startsWith('<!--')) add(start, end, 'comment');
    else if (/^<[!?]/.test(written)) add(start, end, 'declaration');
    else if (written.startsWith('&')) add(start, end, 'entity');
    else if (written !== '<') {
      add(start, end, 'tag');
      end = addAttributes(text, end, add);
      const raw = isHtml ? rawElements.exec(written)?.[1] : undefined;
      if (raw !== undefined) {
        const close = text.slice(end).search(new RegExp(`</${raw}`, 'i'));
        end = close < 0 ? text.length : end + close;
      }
    }
    tokenPattern.lastIndex = end;
  }
  return tokens;
}

/** Colours a tag after its name. @returns where the tag ends */
function addAttributes(text: string, from: number, add: Add): number {
  attributePattern.lastIndex = from;
  for (let found = attributePattern.exec(text); found; found = attributePattern.exec(text)) {
    const [written, name, value, close, bare] = found;
    const { index: start } = found;
    const end = start + written.length;
    if (name !== undefined) {
      // The tag is not closed, and another tag follows.
      if (name.startsWith('<')) return start;
      add(start, end, 'attribute');
    } else if (value !== undefined) add(start, end, 'string');
    else if (bare !== undefined) add(end - bare.length, end, 'string');
    else if (close !== undefined) {
      add(start, end, 'tag');
      return end;
    }
  }
  return text.length;
}
