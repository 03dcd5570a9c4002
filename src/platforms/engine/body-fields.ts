/* Replaces single fields of a body, for senders that put the signature into the body. No other byte changes. */
import { asBuffer } from '../../core/encoding/buffer.ts';
import { editJson } from '../../core/json/edit.ts';
import { isJson } from '../../core/json/validator.ts';
import type { DeliveryReader } from './delivery-reader.ts';

/** Replaces JSON values by path; null if the body is not JSON or a path does not exist. */
export function replaceJsonValues(body: Uint8Array, values: Readonly<Record<string, unknown>>): Buffer | null {
  if (!isJson(body)) return null;
  const set = Object.entries(values).map(([path, value]) => [path.split('.'), JSON.stringify(value)] as const);
  try {
    return editJson(body, { set, unset: [] });
  } catch {
    return null;
  }
}

/** Replaces the first field of each name in a urlencoded or multipart form; null if a field is missing. */
export function replaceFormFields(reader: DeliveryReader, values: Readonly<Record<string, string>>): Buffer | null {
  const type = reader.header('content-type') ?? '';
  const replace = /^multipart\/form-data/i.test(type) ? inMultipart : inUrlencoded;
  let body: Buffer | null = asBuffer(reader.delivery.body);
  for (const [name, value] of Object.entries(values)) body = body && replace(body, name, value, type);
  return body;
}

/** The most fields read in a form to find one of them. No sender has that many. */
const maxFields = 20_000;

function inUrlencoded(body: Buffer, name: string, value: string): Buffer | null {
  const pairs = body.toString('latin1').split('&', maxFields + 1);
  if (pairs.length > maxFields) return null;
  const at = pairs.findIndex(pair => new URLSearchParams(Buffer.from(pair, 'latin1').toString('utf8')).has(name));
  if (at < 0) return null;
  const key = pairs[at]?.split('=', 1)[0] ?? '';
  return Buffer.from(
    pairs.with(at, `${key}=${new URLSearchParams({ v: value }).toString().slice(2)}`).join('&'),
    'latin1',
  );
}

/** Replaces the part that the reader would find: the first part with that name and without a file name. */
function inMultipart(body: Buffer, name: string, value: string, type: string): Buffer | null {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(type);
  const delimiter = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ''}`, 'latin1');
  let headEnd = -1;
  for (let from = body.indexOf(delimiter); from >= 0; ) {
    const next = body.indexOf(delimiter, from + delimiter.length);
    // The end that was found may belong to a later part, so it is searched only once and not again from every part.
    if (headEnd < from) headEnd = body.indexOf('\r\n\r\n', from);
    if (next < 0 || headEnd < 0) return null;
    if (headEnd < next) {
      const head = body.toString('latin1', from + delimiter.length, headEnd);
      if (/[;\s]name="([^"]{0,200})"/i.exec(head)?.[1] === name && !/filename=/i.test(head))
        return Buffer.concat([body.subarray(0, headEnd + 4), Buffer.from(value, 'utf8'), body.subarray(next - 2)]);
    }
    from = next;
  }
  return null;
}
