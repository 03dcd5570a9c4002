/* Splits multipart/* bodies (RFC 2046, RFC 7578). Bare LF line ends and a missing closing boundary are accepted. */

export type MultipartPart = {
  headers: [name: string, value: string][];
  name: string | undefined;
  filename: string | undefined;
  contentType: string | undefined;
  bytes: Uint8Array;
};

const maxParts = 1000;

/** The boundary parameter of a multipart content type, or undefined. */
export const boundaryOf = (contentType: string): string | undefined => {
  if (!/^\s*multipart\//i.test(contentType)) return undefined;
  const found = /;\s*boundary=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(contentType);
  const boundary = found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
  return boundary ? boundary : undefined;
};

/** The parts in order, at most 1000. */
export function parseMultipart(body: Uint8Array, boundary: string): MultipartPart[] {
  const steps = readMultipart(body, boundary, Infinity);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Like `parseMultipart`, in steps. @param stepBytes how much is read between two yields */
export const readMultipart = (
  body: Uint8Array,
  boundary: string,
  stepBytes: number,
): Generator<undefined, MultipartPart[]> => readParts(body, boundary, { stepBytes, readPart });

export function contentsOfParts(body: Uint8Array, boundary: string): Uint8Array[] {
  const steps = readParts(body, boundary, { stepBytes: Infinity, readPart: contentOf });
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

function* readParts<Part>(
  body: Uint8Array,
  boundary: string,
  { stepBytes, readPart: read }: { stepBytes: number; readPart: (part: Uint8Array) => Part },
): Generator<undefined, Part[]> {
  const marker = new TextEncoder().encode(`--${boundary}`);
  const parts: Part[] = [];
  let at = yield* boundaryAt(body, marker, 0, stepBytes);
  let yieldedAt = at;
  while (at >= 0 && parts.length < maxParts) {
    let from = at + marker.length;
    if (body[from] === 0x2d && body[from + 1] === 0x2d) break;
    while (body[from] === 0x20 || body[from] === 0x09) from++;
    from = skipLineEnd(body, from);
    const next = yield* boundaryAt(body, marker, from, stepBytes);
    let to = next < 0 ? body.length : next;
    if (next >= 0 && body[to - 1] === 0x0a) to -= body[to - 2] === 0x0d ? 2 : 1;
    parts.push(read(body.subarray(from, Math.max(from, to))));
    at = next;
    if (at - yieldedAt >= stepBytes) {
      yield;
      yieldedAt = at;
    }
  }
  return parts;
}

/** The next boundary line at or after `from`, or -1. `--cutter` does not match the boundary `cut`. */
function* boundaryAt(
  body: Uint8Array,
  marker: Uint8Array,
  from: number,
  stepBytes: number,
): Generator<undefined, number> {
  let limit = from + stepBytes;
  // Compares only at the beginning of lines: in a body that repeats the marker's first characters, searching for it would be
  // slow.
  let at = from === 0 || body[from - 1] === 0x0a ? from : afterLine(body, from);
  while (at < body.length && !(startsWith(body, marker, at) && endsLine(body, at + marker.length))) {
    at = afterLine(body, at);
    if (at >= limit) {
      yield;
      limit = at + stepBytes;
    }
  }
  return at < body.length ? at : -1;
}

/** Where the next line begins. */
const afterLine = (body: Uint8Array, from: number): number => {
  const end = body.indexOf(0x0a, from);
  return end < 0 ? body.length : end + 1;
};

const startsWith = (body: Uint8Array, wanted: Uint8Array, at: number): boolean => {
  let same = 0;
  while (same < wanted.length && body[at + same] === wanted[same]) same++;
  return same === wanted.length;
};

const endsLine = (body: Uint8Array, at: number): boolean => {
  let after = body[at] === 0x2d && body[at + 1] === 0x2d ? at + 2 : at;
  while (body[after] === 0x20 || body[after] === 0x09) after++;
  return after >= body.length || body[after] === 0x0d || body[after] === 0x0a;
};

const endOfByteOrderMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

const skipLineEnd = (body: Uint8Array, at: number): number => {
  if (body[at] === 0x0d && body[at + 1] === 0x0a) return at + 2;
  return body[at] === 0x0a ? at + 1 : at;
};

/** What follows the first empty line. */
function contentOf(part: Uint8Array): Uint8Array {
  for (let at = endOfByteOrderMark(part); at < part.length; ) {
    const end = part.indexOf(0x0a, at);
    const stop = end < 0 ? part.length : end;
    if (stop === at || (stop === at + 1 && part[at] === 0x0d)) return part.subarray(Math.min(stop + 1, part.length));
    // Decoding a line leaves out a byte order mark.
    at = stop + 1 + endOfByteOrderMark(part.subarray(stop + 1));
  }
  return part.subarray(part.length);
}

const readPart = (part: Uint8Array): MultipartPart => {
  const headers: [string, string][] = [];
  const decoder = new TextDecoder();
  let at = 0;
  while (at < part.length) {
    const end = part.indexOf(0x0a, at);
    const stop = end < 0 ? part.length : end;
    const line = decoder.decode(part.subarray(at, stop)).replace(/\r$/, '');
    at = stop + 1;
    if (line === '') break;
    const colon = line.indexOf(':');
    if (colon > 0) headers.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
  const header = (name: string): string | undefined => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const disposition = header('content-disposition') ?? '';
  return {
    headers,
    name: parameter(disposition, 'name'),
    filename: parameter(disposition, 'filename'),
    contentType: header('content-type'),
    bytes: part.subarray(Math.min(at, part.length)),
  };
};

/** A parameter of Content-Disposition. Browsers percent-encode quotes in it, curl escapes them. */
const parameter = (disposition: string, name: string): string | undefined => {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition);
  return found?.[1]?.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"') ?? found?.[2];
};
