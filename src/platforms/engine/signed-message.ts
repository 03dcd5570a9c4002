/* Describes the signed bytes, and where each stretch comes from. A secret among them is replaced, and never shown. */
import { asBuffer } from '../../core/encoding/buffer.ts';
import type { DeliveryReader } from './delivery-reader.ts';
import type { MessagePart, SignatureScheme } from './signature-scheme.ts';
import { headerValues, parseNamedValues } from './signature-values.ts';

/** `other`: fixed text, or fields taken out of the body. `start` and `end` count bytes. */
export type SignedPart = {
  from: 'body' | 'header' | 'url' | 'method' | 'secret' | 'other';
  /** The name of a header, in lower case. */
  name: string | null;
  start: number;
  end: number;
};

export type SignedMessage = { bytes: Buffer; parts: SignedPart[] };

/** Replaces the secret if the scheme signs it together with the rest. */
const secretMark = Buffer.from('[secret]');
const maxParts = 200;
/** Longer stretches are not searched for known values. */
const maxSearchedBytes = 64 * 1024;
/** Shorter values are recognised only if they are a separate part. Elsewhere, they would be found by chance. */
const minFoundBytes = 4;

type Origin = Pick<SignedPart, 'from' | 'name'>;
type Known = Origin & { bytes: Buffer };

const other: Origin = { from: 'other', name: null };

/** @param secrets texts that must not be repeated */
export function describeMessage(
  message: readonly MessagePart[],
  from: { scheme: SignatureScheme; reader: DeliveryReader; urls: readonly string[]; secrets: readonly string[] },
): SignedMessage {
  const known = knownValues(from);
  const pieces: Known[] = [];
  for (const part of message) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : asBuffer(part);
    if (part === from.reader.delivery.body) pieces.push({ from: 'body', name: null, bytes });
    else pieces.push(...splitByOrigin(bytes, known));
  }
  return join(pieces);
}

function knownValues({ scheme, reader, urls, secrets }: Parameters<typeof describeMessage>[1]): Known[] {
  const { delivery } = reader;
  const text = (origin: Origin, value: string, encoding: 'utf8' | 'latin1' = 'utf8'): Known => ({
    ...origin,
    bytes: Buffer.from(value, encoding),
  });
  const inSignatureHeader = headerValues(scheme, reader).flatMap(({ value }) =>
    [...parseNamedValues(value, scheme.list?.separator ?? ',').values()].flat(),
  );
  return [
    ...secrets.map(secret => text({ from: 'secret', name: null }, secret)),
    ...urls.map(url => text({ from: 'url', name: null }, url)),
    ...inSignatureHeader.map(value => text({ from: 'header', name: scheme.header }, value, 'latin1')),
    ...[...reader.headers].map(([name, value]) => text({ from: 'header', name }, value.trim(), 'latin1')),
    text({ from: 'method', name: null }, delivery.method),
    { from: 'body', name: null, bytes: asBuffer(delivery.body) } as const,
  ].filter(({ bytes }) => bytes.length > 0);
}

/** Splits `bytes` into known values, the leftmost and longest first, and the stretches between them. */
function splitByOrigin(bytes: Buffer, known: readonly Known[]): Known[] {
  const whole = known.find(one => one.bytes.equals(bytes));
  if (whole) return [whole];
  if (bytes.length > maxSearchedBytes) return [{ ...other, bytes }];
  const pieces: Known[] = [];
  let at = 0;
  while (at < bytes.length && pieces.length < maxParts) {
    const next = nextKnown(bytes, at, known);
    if (!next) break;
    if (next.index > at) pieces.push({ ...other, bytes: bytes.subarray(at, next.index) });
    pieces.push(next.value);
    at = next.index + next.value.bytes.length;
  }
  return at < bytes.length ? [...pieces, { ...other, bytes: bytes.subarray(at) }] : pieces;
}

function nextKnown(bytes: Buffer, from: number, known: readonly Known[]): { index: number; value: Known } | undefined {
  let best: { index: number; value: Known } | undefined;
  for (const value of known) {
    if (value.bytes.length < minFoundBytes) continue;
    const index = bytes.indexOf(value.bytes, from);
    if (value.from === 'header' && isInsideWord(bytes, index, value.bytes.length)) continue;
    if (index < 0 || (best && index > best.index)) continue;
    if (!best || index < best.index || value.bytes.length > best.value.bytes.length) best = { index, value };
  }
  return best;
}

/** A short header value is also found by chance in a longer number or word. */
const isInsideWord = (bytes: Buffer, index: number, length: number): boolean =>
  [bytes[index - 1], bytes[index + length]].some(
    byte => byte !== undefined && /[0-9a-z]/i.test(String.fromCharCode(byte)),
  );

function join(pieces: readonly Known[]): SignedMessage {
  const parts: SignedPart[] = [];
  const chunks: Buffer[] = [];
  let start = 0;
  for (const { from, name, bytes } of pieces) {
    const chunk = from === 'secret' ? secretMark : bytes;
    const end = start + chunk.length;
    chunks.push(chunk);
    const last = parts.at(-1);
    if (last && from === 'other' && last.from === 'other') last.end = end;
    else if (end > start) parts.push({ from, name, start, end });
    start = end;
  }
  return { bytes: Buffer.concat(chunks), parts };
}
