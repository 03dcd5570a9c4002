/* A part of a body as text, counted in UTF-16 units, without decoding the whole body into one string. */

import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import { type BodyEncoding, encodingOf } from '../../core/json/output.ts';
import type { DetailFields } from './detail-stream.ts';

export type ExcerptRange = { offset: number; characters: number };

export type BodyExcerpt = {
  text: string;
  encoding: BodyEncoding;
  /** The length of the whole body in this encoding. */
  totalCharacters: number;
};

export type EventExcerpt = DetailFields['before'] & DetailFields['after'] & BodyExcerpt;

const sliceBytes = 256 << 10;

export async function excerptOf(
  body: Uint8Array,
  { offset, characters }: ExcerptRange,
  yieldIfDue: YieldIfDue,
): Promise<BodyExcerpt> {
  if (encodingOf(body) === 'base64') return base64Excerpt(body, offset, characters);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let total = 0;
  for (let start = 0; start < body.length; start += sliceBytes) {
    const pause = yieldIfDue();
    if (pause) await pause;
    const part = decoder.decode(body.subarray(start, start + sliceBytes), { stream: true });
    text += part.slice(Math.max(0, offset - total), Math.max(0, offset + characters - total));
    total += part.length;
  }
  return { text, encoding: 'utf8', totalCharacters: total };
}

function base64Excerpt(body: Uint8Array, offset: number, characters: number): BodyExcerpt {
  const first = Math.floor(offset / 4);
  const last = Math.ceil((offset + characters) / 4);
  const text = Buffer.from(body.subarray(first * 3, last * 3)).toString('base64');
  const from = offset - first * 4;
  return {
    text: text.slice(from, from + characters),
    encoding: 'base64',
    totalCharacters: Math.ceil(body.length / 3) * 4,
  };
}
