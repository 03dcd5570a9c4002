/* What is written in the place of a value: `****` and its last four characters, a hash, or `[removed]`. */
import type { Treatment } from '../../shared/redaction.ts';
import { decodeUtf8 } from '../text.ts';
import { hashOf } from './key.ts';

export const removedText = '[removed]';
const mask = '****';
/** A value of fewer characters is masked as a whole. */
const minShownCharacters = 8;
const shownCharacters = 4;

export type Value = string | Uint8Array;

/** @param isWhole for objects and lists, of which a mask shows nothing */
export function replacementOf(treatment: Treatment, value: Value, key: Uint8Array, isWhole = false): string {
  if (treatment === 'remove') return removedText;
  if (treatment === 'hash') return hashOf(key, value);
  return isWhole ? mask : mask + endOf(typeof value === 'string' ? value : textOf(value));
}

/** Bytes that are not UTF-8 are Latin-1. */
export const textOf = (bytes: Uint8Array): string => decodeUtf8(bytes) ?? Buffer.from(bytes).toString('latin1');

function endOf(text: string): string {
  // A character has at most two units.
  const last = [...text.slice(-2 * minShownCharacters)].slice(-minShownCharacters);
  return last.length < minShownCharacters ? '' : last.slice(-shownCharacters).join('');
}

/** Matches what a redaction has written earlier. */
export const isReplacement = (text: string): boolean =>
  text.length <= 24 && /^(?:\*{4}(?:.{4})?|hash_[A-Za-z0-9_-]{16}|\[removed\])$/su.test(text);
