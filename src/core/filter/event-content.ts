/* One event as filters read it. Valid JSON counts as JSON whatever its type says; compressed bodies have no fields. */
import { isUtf8 } from 'node:buffer';
import { boundaryOf, type MultipartPart, readMultipart } from '../../shared/multipart.ts';
import { asBuffer } from '../encoding/buffer.ts';
import { type HeaderPair, headerValue } from '../headers.ts';
import { endOfByteOrderMark, openList, openObject, skipSpace } from '../json/bytes.ts';
import { validateJson } from '../json/validator.ts';

export type BodyFields =
  | { readonly kind: 'json' }
  | { readonly kind: 'form'; readonly text: string }
  | { readonly kind: 'multipart'; readonly parts: readonly MultipartPart[] }
  | { readonly kind: 'none' };

export type EventContent = {
  readonly headers: readonly HeaderPair[];
  /** Undecoded, without the `?`. */
  readonly query: string;
  readonly body: Uint8Array;
  /** The fields of the body, which are read once, in steps. */
  readonly bodyFields: (stepBytes: number) => Generator<undefined, BodyFields>;
};

/** @param headers or a function that reads them when they are needed @param query as received; null without one */
export function createEventContent({
  headers: given,
  query,
  body,
}: {
  headers: readonly HeaderPair[] | (() => readonly HeaderPair[]);
  query: Uint8Array | string | null;
  body: Uint8Array;
}): EventContent {
  let headers: readonly HeaderPair[] | undefined;
  let fields: BodyFields | undefined;
  const content: EventContent = {
    get headers() {
      headers ??= typeof given === 'function' ? given() : given;
      return headers;
    },
    query: query === null || typeof query === 'string' ? (query ?? '') : asBuffer(query).toString('latin1'),
    body,
    *bodyFields(stepBytes) {
      fields ??= yield* readBodyFields(content, stepBytes);
      return fields;
    },
  };
  return content;
}

/** RFC 2046, section 5.1.1. */
const maxBoundaryLength = 70;

const none: BodyFields = { kind: 'none' };

function* readBodyFields(content: EventContent, stepBytes: number): Generator<undefined, BodyFields> {
  const { body } = content;
  if (body.length === 0) return none;
  const start = endOfByteOrderMark(body);
  const first = body[skipSpace(body, start)];
  if ((first === openObject || first === openList) && isUtf8(body)) {
    if (yield* validateJson(body, { start, sliceBytes: stepBytes })) return { kind: 'json' };
  }
  const { headers } = content;
  const encoding = headerValue(headers, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return none;
  const type = headerValue(headers, 'content-type') ?? '';
  if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    return { kind: 'form', text: asBuffer(body).toString('utf8') };
  const boundary = boundaryOf(type);
  if (boundary === undefined || boundary.length > maxBoundaryLength) return none;
  return { kind: 'multipart', parts: yield* readMultipart(body, boundary, stepBytes) };
}
