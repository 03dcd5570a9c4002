/*
 * The part of a block's signature about the columns of its events: which platforms, methods and event types occur, and the range
 * of the sizes of bodies. The texts of a block fill much of its filter, so these facts have a filter of their own, which stays
 * sparse: a few tokens for each distinct value, and bits for the size classes of the smallest and the largest body.
 */

/** The size is the same for all blocks. */
export const factBytes = 48;
const tokenBits = 4;

/** The columns from which a block's facts are made. If one is undefined, the facts do not exclude any value of it. */
export type EventFactColumns = {
  eventType: string | null;
  platform?: string | null;
  method?: string;
  path?: string;
  body: { length: number };
};

export type Fact = { bit: number; byte: number };

/** Two classes for each doubling; the last has every larger size. */
const firstThreshold = 256;
const classes = 33;
const thresholds = Array.from({ length: classes - 1 }, (_, i) => Math.round(firstThreshold * 2 ** (i / 2)));

function sizeClass(size: number): number {
  let at = 0;
  while (at < thresholds.length && (thresholds[at] as number) <= size) at++;
  return at;
}

/** Bit `largeAt + c`: some body has class `c` or a larger one. Bit `smallAt + c`: some body has class `c` or a smaller one. */
const largeAt = 0;
const smallAt = classes;
/** Set if the paths are not in the filter of the texts. */
const noPathsAt = 2 * classes;
/** Set if the fields of a body may have texts that are not in the filter. */
const otherBodiesAt = noPathsAt + 1;
const tokensAt = otherBodiesAt + 1;
const tokens = factBytes * 8 - tokensAt;

const kinds = { platform: 0x9e3779b1 | 0, method: 0x85ebca6b | 0, type: 0xc2b2ae35 | 0 } as const;
export type TokenKind = keyof typeof kinds;

/** FNV-1a over UTF-16 units: the texts are short. */
function hashOf(kind: TokenKind, text: string): number {
  let hash = kinds[kind];
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

const setBit = (facts: Uint8Array, bit: number): void => {
  facts[bit >>> 3] = (facts[bit >>> 3] as number) | (1 << (bit & 7));
};

function addToken(facts: Uint8Array, kind: TokenKind, text: string): void {
  let at = hashOf(kind, text);
  const step = Math.imul(at, 0x297a2d39) | 1;
  for (let i = 0; i < tokenBits; i++, at = (at + step) | 0) setBit(facts, tokensAt + ((at >>> 0) % tokens));
}

/** The facts of sizes between two classes, which begin the facts of a block. Made on first use. */
const sizeFacts: (Uint8Array | undefined)[] = new Array(classes * classes);

function factsOfSizes(smallest: number, largest: number): Uint8Array {
  let facts = sizeFacts[smallest * classes + largest];
  if (!facts) {
    facts = new Uint8Array(Math.ceil(noPathsAt / 8));
    for (let c = 0; c <= largest; c++) setBit(facts, largeAt + c);
    for (let c = smallest; c < classes; c++) setBit(facts, smallAt + c);
    sizeFacts[smallest * classes + largest] = facts;
  }
  return facts;
}

export const unknownFacts = (): Uint8Array => new Uint8Array(factBytes).fill(0xff);

/** The facts of a block with these events. @param hasOtherBodies the filter does not have all bodies */
export function factsOf(events: readonly EventFactColumns[], hasOtherBodies: boolean): Uint8Array {
  const facts = new Uint8Array(factBytes);
  let smallest = Number.POSITIVE_INFINITY;
  let largest = 0;
  // Neighbouring events are mostly alike, and most blocks have few values.
  let seen: Set<string> | undefined;
  let last: EventFactColumns | undefined;
  const add = (kind: TokenKind, text: string): void => {
    if (last) {
      seen ??= new Set();
      const key = kind + text;
      if (seen.has(key)) return;
      seen.add(key);
    }
    addToken(facts, kind, tokenText(kind, text));
  };
  for (const event of events) {
    const { eventType, platform, method, path, body } = event;
    if (platform === undefined || method === undefined || path === undefined) return unknownFacts();
    if (body.length < smallest) smallest = body.length;
    if (body.length > largest) largest = body.length;
    if (eventType !== null && eventType !== last?.eventType) add('type', eventType);
    if (platform !== null && platform !== last?.platform) add('platform', platform);
    if (method !== last?.method) add('method', method);
    last = event;
  }
  const sizes = factsOfSizes(sizeClass(smallest), sizeClass(largest));
  for (let i = 0; i < sizes.length; i++) facts[i] = (facts[i] as number) | (sizes[i] as number);
  if (hasOtherBodies) setBit(facts, otherBodiesAt);
  return facts;
}

/** Platforms and methods are compared without regard to case, as filters do. */
function tokenText(kind: TokenKind, text: string): string {
  if (kind === 'type') return text;
  return kind === 'platform' ? text.toLowerCase() : text.toUpperCase();
}

const toFact = (bit: number): Fact => ({ bit: bit & 7, byte: bit >>> 3 });

/** The fact of a block whose filter lacks the paths of its events. */
export const noPaths: Fact = toFact(noPathsAt);
/** The fact of a block whose filter lacks a body. */
export const otherBodies: Fact = toFact(otherBodiesAt);

/** The facts of every block that has an event with this platform, method or type. */
export function factsOfValue(kind: TokenKind, text: string): Fact[] {
  const facts = new Uint8Array(factBytes);
  addToken(facts, kind, tokenText(kind, text));
  return Array.from({ length: factBytes * 8 }, (_, bit) => toFact(bit)).filter(fact => hasFact(facts, fact));
}

/** The fact of every block that has a body of at least, or at most, this many bytes. */
export const factOfSize = (which: 'atLeast' | 'atMost', bytes: number): Fact =>
  toFact((which === 'atLeast' ? largeAt : smallAt) + sizeClass(bytes));

/** Empty facts exclude nothing. */
export const hasFact = (facts: Uint8Array, { bit, byte }: Fact): boolean =>
  facts.length === 0 || (((facts[byte] as number) >>> bit) & 1) === 1;
