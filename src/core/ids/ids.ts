/* Identifiers: prefixed, time-ordered, 96 random bits. An event's id carries its row number, and a nonce against guessing. */
import {
  decodeBytes,
  decodeNumber,
  encodeBytes,
  encodeNumber,
  lettersFor,
  writeBytes,
  writeNumber,
} from '../encoding/base32.ts';

export type IdPrefix =
  | 'acc'
  | 'team'
  | 'ep'
  | 'key'
  | 'app'
  | 'sec'
  | 'ses'
  | 'dcr'
  | 'grt'
  | 'flt'
  | 'inv'
  | 'url'
  | 'aud'
  | 'job'
  | 'alr'
  | 'alc'
  | 'msg'
  | 'fwd'
  | 'era'
  | 'pky';

/** Fills a fresh array with that many unpredictable bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** 48 bits of time and 96 random bits. @param now epoch ms; a negative clock counts as 0 */
export function newId(prefix: IdPrefix, now: number, random: RandomBytes): string {
  return `${prefix}_${encodeNumber(Math.max(0, now), 10)}${encodeBytes(random(12))}`;
}

export const nonceBytes = 12;
const seqLetters = 11;
const nonceLetters = lettersFor(nonceBytes);
const eventLetters = Buffer.from('evt_'.padEnd(4 + seqLetters + nonceLetters));

/** @param seq the event's row number @param nonces holds its 12 random bytes, from `from` */
export function eventId(seq: number, nonces: Uint8Array, from = 0): string {
  writeNumber(eventLetters, 4, seq, seqLetters);
  writeBytes(eventLetters, 4 + seqLetters, nonces, from, from + nonceBytes);
  return eventLetters.toString('latin1');
}

/** Row numbers of removed attempts are used again, but not for this event: only its older attempts are removed without it. */
export const replayId = (seq: number, eventNonce: Uint8Array): string => `rpl_${eventId(seq, eventNonce).slice(4)}`;

export function parseEventId(id: string): { seq: number; nonce: Uint8Array } | undefined {
  if (id.length !== 4 + seqLetters + nonceLetters || !id.startsWith('evt_')) return undefined;
  const seq = decodeNumber(id.slice(4, 4 + seqLetters));
  const nonce = decodeBytes(id.slice(4 + seqLetters));
  return seq === undefined || nonce === undefined ? undefined : { seq, nonce };
}

/** The row number of an event; 0 for a text that is no id of an event. */
export const seqOf = ({ id }: { id: string }): number => parseEventId(id)?.seq ?? 0;

export const parseReplayId = (id: string): { seq: number; nonce: Uint8Array } | undefined =>
  id.startsWith('rpl_') ? parseEventId(`evt_${id.slice(4)}`) : undefined;

export const newIngestToken = (random: RandomBytes): string => encodeBytes(random(20));

export const newApiKey = (random: RandomBytes): string => `htk_${encodeBytes(random(32))}`;

export const newToken = (random: RandomBytes): string => encodeBytes(random(32));
