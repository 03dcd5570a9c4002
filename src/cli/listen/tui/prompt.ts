/* An input line with the usual keys of shells, which shows the part of the line that fits. */
import type { Key } from './keys.ts';
import { concat, type Line, segments, span, visible, widthOf } from './text.ts';

export type Prompt = {
  /** Graphemes, so that an emoji is one step of the cursor. */
  readonly before: readonly string[];
  readonly after: readonly string[];
};

export const promptOf = (text: string): Prompt => ({ before: segments(text), after: [] });
export const promptText = ({ before, after }: Prompt): string => [...before, ...after].join('');

const maxCharacters = 2048;

/** Line breaks of pasted text become spaces; other controls are left out. */
const typable = (text: string): string => text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '');

function insert({ before, after }: Prompt, text: string): Prompt {
  const joined = [...before, ...segments(typable(text))].join('');
  return joined.length > maxCharacters ? { before, after } : { before: segments(joined), after };
}

/** The prompt after a key; unchanged if the key has no meaning here. */
export function edit(prompt: Prompt, key: Key): Prompt {
  const { before, after } = prompt;
  if (key.kind !== 'key') return insert(prompt, key.text);
  const last = before.at(-1);
  const next = after[0];
  switch (key.name) {
    case 'left':
    case 'ctrl-b':
      return last === undefined ? prompt : { before: before.slice(0, -1), after: [last, ...after] };
    case 'right':
    case 'ctrl-f':
      return next === undefined ? prompt : { before: [...before, next], after: after.slice(1) };
    case 'home':
    case 'ctrl-a':
      return { before: [], after: [...before, ...after] };
    case 'end':
    case 'ctrl-e':
      return { before: [...before, ...after], after: [] };
    case 'backspace':
      return { before: before.slice(0, -1), after };
    case 'delete':
      return { before, after: after.slice(1) };
    case 'ctrl-u':
      return { before: [], after };
    case 'ctrl-k':
      return { before, after: [] };
    case 'ctrl-w':
      return { before: segments(before.join('').replace(/\S+\s*$/, '')), after };
    default:
      return prompt;
  }
}

/** The prompt after a label of printable ASCII, moved to show the cursor. @param wrongAt an invalid character */
export function promptLine(
  prompt: Prompt,
  { label, columns, wrongAt }: { label: string; columns: number; wrongAt: number | undefined },
): { line: Line; cursor: number } {
  const room = Math.max(4, columns - label.length - 1);
  const widths = prompt.before.map(one => widthOf(visible(one)));
  let width = widths.reduce((sum, one) => sum + one, 0);
  let from = 0;
  for (; width > room - 1; from++) width -= widths[from] ?? 0;
  const shown = [...prompt.before.slice(from), ...prompt.after];
  const wrong = wrongAt === undefined ? -1 : indexOfCharacter(prompt, wrongAt) - from;
  return {
    line: concat(
      span(label, 'strong'),
      span(shown.slice(0, Math.max(0, wrong)).join('')),
      span(shown.slice(Math.max(0, wrong), wrong + 1).join(''), 'alarm'),
      span(shown.slice(wrong + 1).join('')),
    ),
    cursor: Math.min(columns - 1, label.length + width),
  };
}

/** The index of the grapheme that contains the nth character. */
function indexOfCharacter({ before, after }: Prompt, n: number): number {
  let characters = 0;
  return [...before, ...after].findIndex(grapheme => {
    characters += [...grapheme].length;
    return characters > n;
  });
}
