/*
 * Identifies deliveries. A delivery is what a sender wants to deliver once, with all its attempts. Each event has the number of
 * its delivery: a hash of the sender's delivery id or, without an id, of the content. Numbers are compared within one endpoint
 * only.
 *
 * The hash is neither secret nor cryptographic. A sender can make two of its own deliveries collide, but sending the same id
 * twice does the same. Joining the delivery of another sender needs its id or content, or about 2^51 requests. Nothing is ever
 * merged, dropped or trusted because of a number: each attempt stays an event with its own verdict.
 */
import { decodeNumber, encodeNumber } from '../encoding/base32.ts';

export type DeliveryBasis = 'header' | 'body' | 'content';

/** Attempts without a sender's id belong together while each follows the one before within this time. */
export const contentGapMs = 72 * 3_600_000;

/** The basis of a number by its two lowest bits. The last: the row number of an event whose delivery is not computed yet. */
const bases = ['content', 'header', 'body', 'content'] as const;
const uncomputed = 3;
const hashBits = 51;

type Identified = { endpoint: number; platform: string | null };
type Content = { method: string; path: string; query: string | null; eventType: string | null; body: Uint8Array };

/** An integer below 2^53. @param endpoint its row number @param path, query bytes as Latin-1 */
export function deliveryNumber(
  event: Identified & Content,
  deliveryId: { id: string; basis: 'header' | 'body' } | undefined,
): number {
  const scope = `${event.endpoint}\n${event.platform ?? ''}\n`;
  if (deliveryId) {
    const { id, basis } = deliveryId;
    return numberOf(scope + id, bases.indexOf(basis));
  }
  const { method, path, query, eventType, body } = event;
  const target = query === null ? path : `${path}?${query}`;
  // The scope is part of the text and not the seed, because Bun uses only 32 bits of a seed.
  return numberOf(`${scope}${method} ${target}\n${eventType ?? ''}\n${Bun.hash.xxHash3(body)}`, 0);
}

const numberOf = (text: string, basis: number): number =>
  Number(BigInt.asUintN(hashBits, Bun.hash.xxHash3(text))) * 4 + basis;

/** The number for queries. @param delivery null if it is not computed; then the event is alone */
export const numberOfRow = ({ seq, delivery }: { seq: number; delivery: number | null }): number =>
  delivery ?? seq * 4 + uncomputed;

export const basisOf = (number: number): DeliveryBasis => bases[number % 4] ?? 'content';

/** The row number, if the number belongs to an event whose delivery is not computed. */
export const uncomputedRow = (number: number): number | undefined =>
  number % 4 === uncomputed ? Math.floor(number / 4) : undefined;

/** Whether several deliveries, one after the other, can have this number. */
export const hasGaps = (number: number): boolean => number % 4 === 0;

/** `since`: for a delivery that is recognised by its content, when its first attempt was received; else undefined. */
export type DeliveryKey = { number: number; since: number | undefined };

const letters = 11;
// A clock that was set before 1970 gives negative times.
const timeOffset = 2 ** 50;

export const encodeDeliveryKey = ({ number, since }: DeliveryKey): string =>
  encodeNumber(number, letters) + (since === undefined ? '' : encodeNumber(since + timeOffset, letters));

/** Undefined for anything that `encodeDeliveryKey` cannot have made. */
export function decodeDeliveryKey(key: string): DeliveryKey | undefined {
  if (key.length !== letters && key.length !== 2 * letters) return undefined;
  const number = decodeNumber(key.slice(0, letters));
  if (number === undefined) return undefined;
  if (key.length === letters) return { number, since: undefined };
  const time = decodeNumber(key.slice(letters));
  return time === undefined ? undefined : { number, since: time - timeOffset };
}
