/*
 * Redaction of random JSON with every kind of white space, escape, repeated key and nesting. The generator knows what is to be
 * written, so that the expected bytes do not come from the code under test.
 */
import { expect, test } from 'bun:test';
import { isJson } from '../json/validator.ts';
import { deriveRedactionKey, hashOf } from './key.ts';
import type { RedactionRule } from './model.ts';
import { compileRedaction } from './redact.ts';

const key = deriveRedactionKey('a secret of at least 32 characters', 'acc_1');

/** A linear congruential generator: failures can be repeated by their seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Treatment = RedactionRule['with'];
/** `after`: null for a member that is removed. */
type Text = { before: string; after: string | null };

const keys = ['a', 'secret', 'b.c', 'é', '', '__proto__', 'secrets', '0'];
const scalars = [
  '1',
  '-0.0',
  '1e400',
  '12345678901234567890',
  'true',
  'false',
  'null',
  '""',
  '"x\\n\\u00e9é😀\\ud800"',
];

/**
 * Members are cut up to the next one that stays, and at the end from the value before.
 * @param parts four for each member: white space, key and value, white space, comma
 */
function withoutCuts(parts: readonly string[], isCut: readonly boolean[]): string[] {
  const kept = [...parts];
  for (let i = 0; i < isCut.length; i++) {
    if (!isCut[i]) continue;
    const first = i;
    while (i + 1 < isCut.length && isCut[i + 1]) i++;
    const isAtEnd = i === isCut.length - 1;
    const from = isAtEnd && first > 0 ? 4 * first - 2 : 4 * first + 1;
    const to = isAtEnd ? 4 * i + 2 : 4 * i + 5;
    kept.fill('', from, to);
  }
  return kept;
}

function generator(random: (below: number) => number, treatment: Treatment) {
  let serial = 0;
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const space = (): string => pick(['', '', '', ' ', '\n\t', '\r\n  ']);
  const escaped = (text: string): string =>
    [...JSON.stringify(text).slice(1, -1)]
      .map(character =>
        /[a-z0-9é]/.test(character) && random(5) === 0
          ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
          : character,
      )
      .join('');

  /** A value that no other value contains. */
  const secret = (): { json: string; hashed: string; mask: string } => {
    const text = `planted-${serial++}-${'z'.repeat(random(4))}!`;
    const kind = random(4);
    const number = `${random(2) === 0 ? '-' : ''}9${String(serial).padStart(9, '7')}.50`;
    if (kind === 0) return { json: number, hashed: number, mask: `****${number.slice(-4)}` };
    if (kind === 1) {
      const json = `{${space()}"x":["${text}"${space()}]}`;
      return { json, hashed: json, mask: '****' };
    }
    return { json: `"${escaped(text)}"`, hashed: text, mask: `****${text.slice(-4)}` };
  };

  const planted: string[] = [];
  const plant = (isItem: boolean): Text => {
    const { json, hashed, mask } = secret();
    planted.push(json, hashed);
    if (treatment === 'remove') return { before: json, after: isItem ? 'null' : null };
    return { before: json, after: treatment === 'mask' ? JSON.stringify(mask) : `"${hashOf(key, hashed)}"` };
  };

  const list = (depth: number): { before: string; after: string } => {
    const open = `[${space()}`;
    const items = Array.from({ length: random(4) }, () => {
      const end = space();
      const { before, after } = value(depth + 1);
      return { before: before + end, after: after + end };
    });
    const text = (of: 'before' | 'after'): string => `${open}${items.map(item => item[of]).join(',')}]`;
    return { before: text('before'), after: text('after') };
  };

  const object = (depth: number): { before: string; after: string } => {
    const count = random(5);
    const before: string[] = [];
    const after: string[] = [];
    const isCut: boolean[] = [];
    for (let i = 0; i < count; i++) {
      const name = pick(keys);
      const head = `"${escaped(name)}"${space()}:${space()}`;
      const inner = name === 'secret' ? plant(false) : value(depth + 1);
      const [lead, tail, separator] = [space(), space(), i === count - 1 ? '' : ','];
      before.push(lead, head + inner.before, tail, separator);
      after.push(lead, head + (inner.after ?? ''), tail, separator);
      isCut.push(inner.after === null);
    }
    return { before: `{${before.join('')}}`, after: `{${withoutCuts(after, isCut).join('')}}` };
  };

  const value = (depth: number): { before: string; after: string } => {
    const kind = depth > 5 ? 0 : random(5);
    if (kind === 1) return list(depth);
    if (kind >= 3) return object(depth);
    const text = pick(scalars);
    return { before: text, after: text };
  };

  return {
    planted,
    document: () => {
      const [start, end] = [random(4) === 0 ? `\ufeff${space()}` : space(), space()];
      const { before, after } = random(2) === 0 ? list(0) : object(0);
      return { before: start + before + end, after: start + after + end };
    },
  };
}

const rounds = 700;

test.each([
  ['mask', '*.secret'],
  ['hash', '*.secret'],
  ['remove', '*.secret'],
] as const)('%s writes the expected bytes for random JSON, and the value is nowhere in them', (treatment, path) => {
  const redact = compileRedaction(
    { rules: [{ in: 'body', path, with: treatment }], otherBodies: 'drop', originalHash: 'drop' },
    key,
  );
  for (let seed = 1; seed <= rounds; seed++) {
    const { document, planted } = generator(createRandom(seed), treatment);
    const { before, after } = document();
    expect(isJson(Buffer.from(before))).toBe(true);
    const { event, redacted } = redact({
      path: '/',
      query: null,
      headers: [],
      body: Buffer.from(before),
      sourceIp: '',
    });
    const text = Buffer.from(event.body).toString();
    expect({ seed, text }).toEqual({ seed, text: after });
    expect(isJson(event.body)).toBe(true);
    expect(redacted !== null).toBe(planted.length > 0);
    for (const value of planted) expect(text).not.toContain(value);
  }
});

test('what is detected is nowhere in random JSON, and what is left is JSON', () => {
  const wanted = ['4111111111111111', 'jo.planted@example.com', '2001:db8::7e57'];
  const rules = (['card', 'email', 'ip'] as const).map(detect => ({ detect, with: 'remove' as const }));
  const redact = compileRedaction({ rules, otherBodies: 'drop', originalHash: 'drop' }, key);
  for (let seed = 1; seed <= rounds; seed++) {
    const random = createRandom(seed);
    // The text goes through some encodings, as senders nest them.
    let text = `${['', 'see ', '<', '["'][random(4)]}${wanted[random(3)]}${['', ' now', '>', '."]'][random(4)]}`;
    for (let depth = random(4); depth > 0; depth--)
      text = random(2) === 0 ? JSON.stringify({ a: text }) : encodeURIComponent(text);
    const json = JSON.stringify([text, { b: text }]).replaceAll(/[a-z0-9@.:]/g, character =>
      random(6) === 0 ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character,
    );
    const body = isJson(Buffer.from(json)) ? json : JSON.stringify([text]);
    const { event } = redact({ path: '/', query: null, headers: [], body: Buffer.from(body), sourceIp: '' });
    expect(isJson(event.body)).toBe(true);
    let left = Buffer.from(event.body).toString();
    for (let depth = 0; depth < 5; depth++) {
      for (const value of wanted) expect({ seed, isLeft: left.includes(value) }).toEqual({ seed, isLeft: false });
      left = left
        .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll(/\\(["\\/])/g, '$1');
    }
  }
});
