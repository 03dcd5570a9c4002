/*
 * Turns the bytes of a terminal into keys: UTF-8 and escape sequences in any pieces, pasted text as one, the dialects of xterm, rxvt, the
 * Linux console, the Kitty protocol and Windows. Unknown sequences are dropped, so that none is mistaken for letters.
 */

export const keyNames = [
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
  'pagedown',
  'delete',
  'enter',
  'tab',
  'backtab',
  'backspace',
  'escape',
  'ctrl-a',
  'ctrl-b',
  'ctrl-c',
  'ctrl-d',
  'ctrl-e',
  'ctrl-f',
  'ctrl-k',
  'ctrl-l',
  'ctrl-n',
  'ctrl-p',
  'ctrl-u',
  'ctrl-w',
  'ctrl-z',
] as const;
export type KeyName = (typeof keyNames)[number];

export type Key =
  | { readonly kind: 'key'; readonly name: KeyName }
  /** One character. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string };

export type KeyDecoder = {
  push: (bytes: Uint8Array) => Key[];
  /** Whether an Escape waits to be a key of its own or the beginning of a sequence. */
  isUndecided: () => boolean;
  /** To be called a moment later, when nothing has followed: it was the key. */
  flush: () => Key[];
};

const key = (name: KeyName): Key => ({ kind: 'key', name });
const isKeyName = (name: string): name is KeyName => (keyNames as readonly string[]).includes(name);

const byFinal: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
  Z: 'backtab',
};
const byNumber: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};
/** Virtual key codes of Windows. */
const byVirtualKey: Readonly<Record<string, KeyName>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  33: 'pageup',
  34: 'pagedown',
  35: 'end',
  36: 'home',
  37: 'left',
  38: 'up',
  39: 'right',
  40: 'down',
  46: 'delete',
};
const byControl: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\x7f': 'backspace',
};

/** A character as typed, control characters included. */
function typed(char: string): Key[] {
  const named = byControl[char];
  if (named) return [key(named)];
  const code = char.codePointAt(0) ?? 0;
  if (code === 0x1b) return [key('escape')];
  if (code < 0x20) {
    const name = `ctrl-${String.fromCharCode(code + 0x60)}`;
    return isKeyName(name) ? [key(name)] : [];
  }
  // Invalid UTF-8, and C1 controls, which no key sends.
  return (code >= 0x80 && code < 0xa0) || char === '\ufffd' ? [] : [{ kind: 'text', text: char }];
}

const hasControl = (modifiers: number): boolean => (((modifiers || 1) - 1) & 4) !== 0;
const hasAltOrSuper = (modifiers: number): boolean => (((modifiers || 1) - 1) & 0b101010) !== 0;

/** A code point with xterm's modifiers: Shift is in the code point already. */
function modified(code: number, modifiers: number): Key[] {
  if (!(code > 0 && code <= 0x10ffff) || hasAltOrSuper(modifiers)) return [];
  if (code === 9 && modifiers === 2) return [key('backtab')];
  const isLetter = code >= 0x61 && code <= 0x7a;
  return typed(String.fromCodePoint(hasControl(modifiers) && isLetter ? code - 0x60 : code));
}

/** `Vk;Sc;Uc;Kd;Cs;Rc _`: a key of the Windows console, pressed or released. */
function windowsKey(numbers: readonly number[]): Key[] {
  const [virtualKey = 0, , code = 0, isDown = 0, , repeat = 1] = numbers;
  if (isDown !== 1) return [];
  const named = byVirtualKey[virtualKey];
  const keys = named ? [key(named)] : code > 0 && code <= 0x10ffff ? typed(String.fromCodePoint(code)) : [];
  return Array.from({ length: Math.min(Math.max(repeat, 1), 100) }, () => keys).flat();
}

function control(parameters: string, final: string): Key[] {
  const numbers = parameters.split(';').map(one => Number.parseInt(one, 10) || 0);
  const [first = 0, second = 0, third = 0] = numbers;
  if (final === '_') return windowsKey(numbers);
  if (final === 'u') return modified(first, second);
  if (final === '~' && first === 27) return modified(third, second);
  const named = final === '~' ? byNumber[String(first)] : byFinal[final];
  return named ? [key(named)] : [];
}

const pasteStart = '\x1b[200~';
const pasteEnd = '\x1b[201~';
const maxPasteCharacters = 64 << 10;
/** No sequence of a key is nearly as long. */
const maxSequenceCharacters = 64;

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const controlSequence = /^\x1b\[([0-?]*)([ -/]*)([@-~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const unfinishedSequence = /^\x1b(?:\[\[?|\[[0-?]*[ -/]*|O)?$/;
/** Answers of the terminal to questions that were not asked: they end with BEL or ESC \. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const stringSequence = /^\x1b[\]P^_X][\s\S]*?(?:\x07|\x1b\\)/;

type Step = { keys: Key[]; used: number };

/** The first key of `text`, which begins with Escape; undefined when the rest of it is still to come. */
function escapeStep(text: string): Step | undefined {
  if (text.startsWith(pasteStart)) {
    const end = text.indexOf(pasteEnd);
    if (end < 0) return undefined;
    const pasted = text.slice(pasteStart.length, end).slice(0, maxPasteCharacters);
    return { keys: pasted === '' ? [] : [{ kind: 'paste', text: pasted }], used: end + pasteEnd.length };
  }
  if (text.startsWith('\x1b[[') && text.length > 3) return { keys: [], used: 4 };
  if (unfinishedSequence.test(text))
    return text.length > maxSequenceCharacters ? { keys: [], used: text.length } : undefined;
  const [sequence, parameters = '', , final = ''] = controlSequence.exec(text) ?? [];
  if (sequence !== undefined) return { keys: control(parameters, final), used: sequence.length };
  const second = text[1] ?? '';
  if (second === 'O') {
    const named = byFinal[text[2] ?? ''];
    return { keys: named ? [key(named)] : [], used: 3 };
  }
  if (']P^_X'.includes(second)) {
    const [whole] = stringSequence.exec(text) ?? [];
    return whole === undefined ? undefined : { keys: [], used: whole.length };
  }
  // Escape twice is Escape; with a character it is Alt, which has no meaning here, or a broken sequence.
  if (second === '\x1b') return { keys: [key('escape')], used: 1 };
  return { keys: [], used: second === '[' ? 2 : 1 + ([...text.slice(1)][0]?.length ?? 0) };
}

/** Of a paste that does not end, its beginning is kept, and the end that may be the beginning of the end mark. */
const boundPaste = (text: string): string =>
  text.startsWith(pasteStart) && text.length > 2 * maxPasteCharacters
    ? text.slice(0, pasteStart.length + maxPasteCharacters) + text.slice(-pasteEnd.length)
    : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
const undecided = /^\x1b(?:[\]P^_X]|$)/;

export function createKeyDecoder(): KeyDecoder {
  const decoder = new TextDecoder();
  let pending = '';

  const decode = (): Key[] => {
    const keys: Key[] = [];
    while (pending !== '') {
      if (pending.startsWith('\x1b')) {
        const step = escapeStep(pending);
        if (!step) {
          pending = boundPaste(pending);
          break;
        }
        keys.push(...step.keys);
        pending = pending.slice(step.used);
      } else {
        const [char = ''] = pending;
        keys.push(...typed(char));
        pending = pending.slice(char.length);
      }
    }
    return keys;
  };

  return {
    push: bytes => {
      pending += decoder.decode(bytes, { stream: true });
      return decode();
    },
    isUndecided: () => undecided.test(pending),
    flush: () => {
      if (!undecided.test(pending)) return [];
      const keys = pending === '\x1b' ? [key('escape')] : [];
      pending = '';
      return keys;
    },
  };
}
