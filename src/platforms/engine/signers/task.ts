/* The steps that signers share. */

import type { HeaderPair } from '../../../core/headers.ts';
import { lowerName } from '../../../core/headers.ts';
import type { CannotSign, Encoding, Sealed, SignedParts, SignedTimestamp, SigningTask } from '../signature-scheme.ts';
import { headerValues, parseNamedValues } from '../signature-values.ts';
import { parseTimestamp } from '../verifiers/check.ts';

export const cannotSign = (reason: string): CannotSign => ({ cannotSign: `cannot_sign: ${reason}`, reason });

/** Sets a header. It replaces all headers of that name, in the spelling of the first; without one, it is added at the end. */
export function withHeader(headers: readonly HeaderPair[], name: string, value: string): HeaderPair[] {
  const lower = name.toLowerCase();
  const at = headers.findIndex(([other]) => lowerName(other) === lower);
  const spelling =
    headers[at]?.[0] ?? name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
  const others = headers.filter(([other]) => lowerName(other) !== lower);
  return at < 0 ? [...others, [spelling, value]] : others.toSpliced(at, 0, [spelling, value]);
}

export const encodeDigest = (digest: Sealed, encoding: Encoding): string =>
  digest.toString(encoding === 'hex-or-base64' ? 'hex' : encoding);

/** @param like the request's old value, which decides the unit if a platform uses both seconds and milliseconds */
export function formatTimestamp(at: number, unit: SignedTimestamp['unit'], like?: unknown): string {
  switch (unit) {
    case 'rfc3339':
      return new Date(at).toISOString();
    case 'http-date':
      return new Date(at).toUTCString();
    case 'ms':
      return String(Math.floor(at));
    case 's':
      return String(Math.floor(at / 1000));
    case 'auto':
      return formatTimestamp(at, parseTimestamp(like, 'ms') !== null && Number(like) > 1e11 ? 'ms' : 's');
  }
}

/** The headers that get the signature: the scheme's headers that the request already has, or else the first. */
export function signatureHeaders(task: Pick<SigningTask, 'scheme' | 'original'>): { name: string; prefix: string }[] {
  const { scheme, original } = task;
  const { header, prefix = '', alternativeHeaders = [], headerPattern } = scheme;
  if (header === null) return [];
  const all = [
    { name: header, prefix },
    ...alternativeHeaders.map(one => ({ name: one.header, prefix: one.prefix ?? '' })),
  ];
  if (headerPattern) {
    for (const name of original.headers.keys())
      if (name !== header && headerPattern.test(name)) all.push({ name, prefix });
  }
  const present = all.filter(({ name }) => original.header(name) !== undefined);
  return present.length > 0 ? present : all.slice(0, 1);
}

/** Puts the value into every signature header. */
export const inSignatureHeaders = (task: SigningTask, value: (prefix: string) => string): SignedParts => ({
  headers: signatureHeaders(task).map(({ name, prefix }): HeaderPair => [name, value(prefix)]),
});

/** A value from the old signature, which is a list of values. */
export const oldNamedValue = ({ scheme, original }: SigningTask, separator: string, name: string): string | undefined =>
  parseNamedValues(headerValues(scheme, original)[0]?.value ?? '', separator).get(name)?.[0];

/** Changes the last letter or digit: the text keeps its form and is no longer valid. */
export const brokenText = (text: string): string =>
  text.replace(
    /([A-Za-z0-9])([^A-Za-z0-9]*)$/,
    (_, last: string, rest: string) =>
      (last === 'a' ? 'b' : /\d/.test(last) ? String((Number(last) + 1) % 10) : 'a') + rest,
  );

/** A different digest of the same length. */
export function brokenDigest(digest: Buffer): Buffer {
  const broken = Buffer.from(digest);
  broken[0] = (broken[0] ?? 0) ^ 0x55;
  return broken;
}
