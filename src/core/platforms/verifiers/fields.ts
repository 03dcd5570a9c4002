/* Schemes that sign some fields of the body rather than its bytes: what is not named here is not covered. */
import { at, field, parseInner, type Reading } from '../reading.ts';
import { halves, keysOf } from '../secrets.ts';
import { decodeDigest, headerValues, isText, namedValues } from '../signature.ts';
import { type Check, digestOf, hmacOf, type Outcome, sameBytes, sameText } from './check.ts';

const MOST_ITEMS = 200;
const ADYEN_FIELDS = [
  'pspReference',
  'originalReference',
  'merchantAccountCode',
  'merchantReference',
  'amount.value',
  'amount.currency',
  'eventCode',
  'success',
] as const;

/** Adyen: eight fields of each item, joined by colons; all items must pass. */
export function checkAdyenItems(check: Check): Outcome {
  const [key] = keysOf('hex', check.secret);
  const items = at(check.reading.json(), 'notificationItems');
  if (key === undefined) return 'unsupported';
  if (!Array.isArray(items) || items.length > MOST_ITEMS) return 'malformed';
  for (const item of items) {
    const request = at(item, 'NotificationRequestItem');
    const told = at(request, 'additionalData.hmacSignature');
    const digest = isText(told) ? decodeDigest(told, 'base64', 'sha256') : null;
    if (digest === null) return 'malformed';
    const message = ADYEN_FIELDS.map(path => textOf(at(request, path))).join(':');
    if (!sameBytes(digest, hmacOf('sha256', key, [utf8(message)]))) return 'mismatch';
  }
  return 'valid';
}

/** Braintree: pairs `publicKey|hex` joined by `&`; the key is the SHA-1 of the private key. */
export function checkBraintree(check: Check): Outcome {
  const pair = halves(check.secret);
  const form = check.reading.form();
  const payload = field(form, 'bt_payload');
  if (pair === null) return 'unsupported';
  if (payload === undefined) return 'malformed';
  const own = (field(form, 'bt_signature') ?? '')
    .split('&', 32)
    .map(text => text.split('|', 2))
    .find(([publicKey]) => publicKey?.trim() === pair.left);
  // A delivery for another key pair: this secret says nothing about it.
  if (own === undefined) return 'mismatch';
  const digest = decodeDigest(own[1]?.trim() ?? '', 'hex', 'sha1');
  if (digest === null) return 'malformed';
  const key = digestOf('sha1', [utf8(pair.right)]);
  return [payload, `${payload}\n`].some(text => sameBytes(digest, hmacOf('sha1', key, [utf8(text)])))
    ? 'valid'
    : 'mismatch';
}

/** Mailgun: timestamp and token; `parent-signature` is made with the key of the parent account. */
export function checkMailgun(check: Check): Outcome {
  const { reading } = check;
  const json = at(reading.json(), 'signature');
  const read = (name: string): unknown => at(json, name) ?? field(reading.form(), name);
  const digests = [read('signature'), read('parent-signature')]
    .map(told => (isText(told) ? decodeDigest(told, 'hex', 'sha256') : null))
    .filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const message = utf8(`${textOf(read('timestamp'))}${textOf(read('token'))}`);
  const expected = hmacOf('sha256', utf8(check.secret), [message]);
  return digests.some(digest => sameBytes(digest, expected)) ? 'valid' : 'mismatch';
}

/** Dropbox Sign: time and type of the event; the key is the API key. */
export function checkDropboxSign(check: Check): Outcome {
  const event = at(dropboxSignJson(check.reading), 'event');
  const told = at(event, 'event_hash');
  const digest = isText(told) ? decodeDigest(told, 'hex', 'sha256') : null;
  if (digest === null) return 'malformed';
  const message = utf8(`${textOf(at(event, 'event_time'))}${textOf(at(event, 'event_type'))}`);
  return sameBytes(digest, hmacOf('sha256', utf8(check.secret), [message])) ? 'valid' : 'mismatch';
}

const dropboxSignJson = (reading: Reading): unknown => {
  const text = field(reading.form(), 'json');
  return text === undefined ? reading.json() : parseInner(text);
};

/** Mercado Pago: id of the query, request id and time; absent parts are left out. */
export function checkMercadoPago(check: Check): Outcome {
  const { reading } = check;
  const named = namedValues(headerValues(check.scheme, reading)[0]?.value ?? '', ',');
  const time = named.get('ts')?.[0];
  const digests = (named.get('v1') ?? []).map(text => decodeDigest(text, 'hex', 'sha256')).filter(one => one !== null);
  if (time === undefined || digests.length === 0) return 'malformed';
  const id = reading.query().get('data.id') ?? reading.query().get('id');
  const requestId = reading.header('x-request-id');
  const message = `${id === undefined ? '' : `id:${id.toLowerCase()};`}${
    requestId === undefined ? '' : `request-id:${requestId};`
  }ts:${time};`;
  const expected = hmacOf('sha256', utf8(check.secret), [utf8(message)]);
  return digests.some(digest => sameBytes(digest, expected)) ? 'valid' : 'mismatch';
}

/** Microsoft Graph: every notification repeats the clientState of the subscription. */
export function checkClientState(check: Check): Outcome {
  const items = at(check.reading.json(), 'value');
  if (!Array.isArray(items) || items.length === 0) return 'malformed';
  let all = true;
  for (const item of items) {
    const state = at(item, 'clientState');
    if (!isText(state) || !sameText(state, check.secret)) all = false;
  }
  return all ? 'valid' : 'mismatch';
}

/** The fields as PHP's serialize() writes them, sorted by name: what Paddle Classic signs. */
export function phpSerialized(reading: Reading, without: string): Buffer | null {
  const form = reading.form();
  if (form === null) return null;
  const names = [...form.keys()].filter(name => name !== without).sort();
  const text = (value: string) => `s:${Buffer.byteLength(value)}:"${value}";`;
  const pairs = names.map(name => text(name) + text(field(form, name) ?? ''));
  return utf8(`a:${names.length}:{${pairs.join('')}}`);
}

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
