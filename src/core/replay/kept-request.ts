/* How a sent request differs from the captured event, as JSON without credentials and secrets; its body is made again. Pure. */
import type { YieldIfDue } from '../concurrency/time-slices.ts';
import { asBuffer } from '../encoding/buffer.ts';
import { sha256InSlices } from '../encoding/sha256.ts';
import type { AppError } from '../errors.ts';
import { gone } from '../errors.ts';
import { type HeaderPair, isCredentialHeader, redacted } from '../headers.ts';
import { parseExactJson } from '../json/exact.ts';
import { type HiddenText, hideIn, hideInHeaders } from '../secrets/hidden-text.ts';
import type { ReplayEdit } from './edit-schema.ts';
import { applyEdit, isEdit } from './replay-edit.ts';

type Captured = { headers: readonly HeaderPair[]; body: Uint8Array };
type Run = [start: number, count: number];

/** `sha256`: hex, of a body that differs from the captured body. `method`: only if it differs. */
type KeptRequest = {
  method?: string;
  /** Captured headers that were sent as they came, and others. */
  headers: (Run | [name: string, value: string])[];
  edit?: ReplayEdit;
  sha256?: string;
  /** The change that the signature made to the edited body: bytes from `start` on, in base64, in place of `removed` bytes. */
  signed?: { start: number; removed: number; bytes: string };
};

export type SentRequest = {
  headers: HeaderPair[];
  body: Uint8Array;
  unsignedBody: Uint8Array;
  /** False if a stored secret made a signature in the body. */
  mayKeepBody: boolean;
  hidden: readonly HiddenText[];
};

const maxEditBytes = 64 << 10;
/** The most characters in which a character of a hidden text is written: percent-encoded. */
const maxSpelling = 9;

/** @param ownHeaders names of headers that a forward adds, whose values are not kept @param method if it differs from the captured one */
export async function keepRequest(
  event: Captured,
  sent: SentRequest,
  {
    edit = {},
    ownHeaders = [],
    method,
    yieldIfDue,
  }: {
    edit?: ReplayEdit | undefined;
    ownHeaders?: readonly string[];
    method?: string | undefined;
    yieldIfDue: YieldIfDue;
  },
): Promise<Buffer> {
  const { headers, body, unsignedBody, mayKeepBody, hidden } = sent;
  const secretNames = new Set(ownHeaders.map(name => name.toLowerCase()));
  const isSecret = (name: string): boolean =>
    secretNames.has(name.toLowerCase()) || isCredentialHeader(name.toLowerCase());
  const shown = headers.map(([name, value]): HeaderPair => {
    // Texts of less than four characters are not looked for in other texts.
    const whole = hidden.find(({ text }) => text === value)?.shownAs ?? value;
    return [name, isSecret(name) ? redacted : whole];
  });
  const kept: KeptRequest = {
    headers: toRuns(event.headers, hideInHeaders(shown, hidden)),
    ...(method !== undefined && { method }),
  };
  const editJson = isEdit(edit) ? JSON.stringify(edit) : '';
  if (editJson !== '' && Buffer.byteLength(editJson) <= maxEditBytes) {
    const changes = edit.headers?.map(([name, value]): [string, string | null] => [
      name,
      value !== null && isSecret(name) ? redacted : value,
    ]);
    const shownEdit = { ...edit, ...(changes && { headers: changes }) };
    const visible = withoutHidden(shownEdit, unsignedBody, hidden);
    if (isEdit(visible)) kept.edit = visible;
  }
  if (!isSame(body, event.body)) {
    kept.sha256 = await hexHash(body, yieldIfDue);
    const change = mayKeepBody && !isSame(body, unsignedBody) ? changeOf(unsignedBody, body) : undefined;
    if (change && change.bytes.length <= maxEditBytes && !isHiddenAround(body, change, hidden))
      kept.signed = { ...change, bytes: change.bytes.toString('base64') };
  }
  return Buffer.from(JSON.stringify(kept), 'utf8');
}

/** The parts of `ReplayAttempt.request` that were kept. @param bodyHash the SHA-256 of the captured body, hex */
export function readKeptRequest(
  kept: Uint8Array,
  { method: captured, headers, bodyHash }: { method: string; headers: readonly HeaderPair[]; bodyHash: string },
): { method: string; headers: [string, string][]; edit: ReplayEdit | null; sha256: string } {
  const { method = captured, headers: parts, edit = null, sha256: hash = bodyHash } = parse(kept);
  const pairs = parts.flatMap(part => (isRun(part) ? headers.slice(part[0], part[0] + part[1]) : [part]));
  return { method, headers: pairs.map(([name, value]) => [name, value]), edit, sha256: hash };
}

/** The body that was sent instead of this captured one. @throws gone when what was changed was not kept */
export async function bodyOfRequest(kept: Uint8Array, body: Uint8Array, yieldIfDue: YieldIfDue): Promise<Uint8Array> {
  const { edit, sha256: hash, signed } = parse(kept);
  if (hash === undefined) return body;
  const { headers: _headers, ...bodyEdit } = edit ?? {};
  const edited = remake(() => applyEdit({ headers: [], body }, bodyEdit).body);
  const sent = signed
    ? Buffer.concat([
        edited.subarray(0, signed.start),
        Buffer.from(signed.bytes, 'base64'),
        edited.subarray(signed.start + signed.removed),
      ])
    : edited;
  if ((await hexHash(sent, yieldIfDue)) !== hash) throw notKept();
  return sent;
}

const notKept = (): AppError =>
  gone('what was changed in this body was not kept: it was too large, or had a secret in it');

/** An edit whose texts were hidden may no longer be one. */
function remake(make: () => Uint8Array): Uint8Array {
  try {
    return make();
  } catch {
    throw notKept();
  }
}

const parse = (kept: Uint8Array): KeptRequest => parseExactJson(asBuffer(kept).toString('utf8')) as KeptRequest;
const hexHash = async (body: Uint8Array, yieldIfDue: YieldIfDue): Promise<string> =>
  asBuffer(await sha256InSlices(body, yieldIfDue)).toString('hex');
const isSame = (one: Uint8Array, other: Uint8Array): boolean => one === other || Buffer.compare(one, other) === 0;
const isRun = (part: KeptRequest['headers'][number] | undefined): part is Run => typeof part?.[0] === 'number';

function toRuns(captured: readonly HeaderPair[], sent: readonly HeaderPair[]): KeptRequest['headers'] {
  const parts: KeptRequest['headers'] = [];
  let next = 0;
  for (const [name, value] of sent) {
    const at = captured.findIndex((pair, i) => i >= next && pair[0] === name && pair[1] === value);
    const last = parts.at(-1);
    if (at < 0) parts.push([name, value]);
    else if (isRun(last) && last[0] + last[1] === at) last[1]++;
    else parts.push([at, 1]);
    if (at >= 0) next = at + 1;
  }
  return parts;
}

/** The edit without the hidden texts, and without its change of the body if that has one in another form. */
function withoutHidden(edit: ReplayEdit, body: Uint8Array, hidden: readonly HiddenText[]): ReplayEdit {
  const visible = hideIn(Buffer.from(JSON.stringify(edit)), hidden);
  const { headers, ...change } = parseExactJson(asBuffer(visible).toString('utf8')) as ReplayEdit;
  const texts = textsIn([change, edit.bodyEncoding === 'base64' ? asBuffer(body).toString('utf8') : '']);
  return { ...(!isHiddenIn(Buffer.from(texts.join('\n')), hidden) && change), ...(headers && { headers }) };
}

/** All texts in a JSON value, and in JSON that is in its texts. */
function textsIn(given: unknown): string[] {
  const texts: string[] = [];
  const open = [given];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      texts.push(value);
      if (/^\s*[{[]/.test(value)) open.push(parsedLeniently(value));
    } else if (typeof value === 'object' && value !== null) {
      for (const entry of Object.entries(value)) open.push(...entry);
    }
  }
  return texts;
}

function parsedLeniently(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isHiddenIn = (bytes: Uint8Array, hidden: readonly HiddenText[]): boolean => hideIn(bytes, hidden) !== bytes;

/** Whether a hidden text is in the change or ends in it: captured bytes beside the change may complete the text. */
function isHiddenAround(
  body: Uint8Array,
  { start, bytes }: { start: number; bytes: Uint8Array },
  hidden: readonly HiddenText[],
): boolean {
  const longest = maxSpelling * Math.max(0, ...hidden.map(({ text }) => text.length));
  return isHiddenIn(body.subarray(Math.max(0, start - longest), start + bytes.length + longest), hidden);
}

function changeOf(before: Uint8Array, after: Uint8Array): { start: number; removed: number; bytes: Buffer } {
  const start = sameBytes(before, after, 'start');
  const end = sameBytes(before.subarray(start), after.subarray(start), 'end');
  return {
    start,
    removed: before.length - end - start,
    bytes: asBuffer(after.subarray(start, after.length - end)),
  };
}

/** How many bytes are the same, counted from this side. Large pieces are compared at once, which is much faster. */
function sameBytes(one: Uint8Array, other: Uint8Array, side: 'start' | 'end'): number {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  const piece = (bytes: Uint8Array, length: number): Uint8Array => {
    const from = side === 'start' ? same : bytes.length - same - length;
    return bytes.subarray(from, from + length);
  };
  for (const length of [64 << 10, 256, 1])
    while (same + length <= shorter && isSame(piece(one, length), piece(other, length))) same += length;
  return same;
}
