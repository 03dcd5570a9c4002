/* The keys of `node:readline`; pasted text is one key. Unknown keys are dropped, not mistaken for letters. */
import { emitKeypressEvents, type Interface, type Key as ReadlineKey } from 'node:readline';
import { Readable } from 'node:stream';

export type Key =
  /** As `node:readline` names it, such as `pageup`; `backtab`, `ctrl-c`. */
  | { readonly kind: 'key'; readonly name: string }
  /** One character. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string };

/** An escape sequence arrives within this time, even over slow connections; users do not notice it. */
const escapeMs = 60;
const maxPasteCharacters = 64 << 10;

/** Replies of the terminal, mouse reports, keys with three numbers: node:readline would see typed letters in them. */
const reports =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
  /\x1b(?:[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\[[<=>?][0-?]*[ -/]*[@-~]|\[\d*;\d*;[\d;]*[@-~])/g;

const withoutReports = (bytes: Uint8Array): Buffer =>
  Buffer.from(Buffer.from(bytes).toString('latin1').replace(reports, ''), 'latin1');

const named = /^(?:up|down|left|right|home|end|page(?:up|down)|delete|enter|tab|backspace|escape)$/;
/** Excludes control characters and bytes that are not UTF-8. */
const isText = /^[^\p{Cc}\ufffd]$/u;

function keyOf({ name, sequence = '', ctrl, shift, meta }: ReadlineKey): Key | undefined {
  if (name === 'return') return { kind: 'key', name: 'enter' };
  if (isText.test(sequence)) return { kind: 'text', text: sequence };
  if (ctrl && sequence.length === 1) return { kind: 'key', name: `ctrl-${name}` };
  if (name === undefined || !named.test(name) || (meta && name !== 'escape')) return undefined;
  return { kind: 'key', name: name === 'tab' && shift ? 'backtab' : name };
}

/** @returns a function that accepts the bytes of the terminal, in any pieces */
export function createKeyReader(onKey: (key: Key) => void): (bytes: Uint8Array) => void {
  const stream = new Readable({ read: () => {} });
  let pasted: string | undefined;
  stream.on('keypress', (_: string | undefined, pressed: ReadlineKey) => {
    if (pressed.name === 'paste-start') pasted = '';
    else if (pressed.name === 'paste-end') {
      if (pasted) onKey({ kind: 'paste', text: pasted.slice(0, maxPasteCharacters) });
      pasted = undefined;
    } else if (pasted !== undefined) {
      if (pasted.length < maxPasteCharacters) pasted += pressed.sequence ?? '';
    } else {
      const key = keyOf(pressed);
      if (key) onKey(key);
    }
  });
  // It reads only one property: how long to wait until an Escape counts as a separate key.
  emitKeypressEvents(stream, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  return bytes => void stream.emit('data', withoutReports(bytes));
}
