/* Schemes that sign some fields of the body rather than its bytes: what is not named here is not covered. */
import { type DeliveryReader, firstFormValue, parseNestedJson, valueAt } from '../delivery-reader.ts';
import { decodeKeys, splitPair } from '../secrets.ts';
import { decodeDigest, headerValues, isNonEmptyString, parseNamedValues } from '../signature-values.ts';
import { digestOf, hmacOf, type Outcome, type SignatureCheck, sameBytes, sameText } from './check.ts';

const mostItems = 200;
const adyenFields = [
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
export function checkAdyenItems(check: SignatureCheck): Outcome {
  const [key] = decodeKeys('hex', check.secret);
  const items = valueAt(check.reader.json(), 'notificationItems');
  if (key === undefined) return 'unsupported';
  if (!Array.isArray(items) || items.length > mostItems) return 'malformed';
  for (const item of items) {
    const request = valueAt(item, 'NotificationRequestItem');
    const told = valueAt(request, 'additionalData.hmacSignature');
    const digest = isNonEmptyString(told) ? decodeDigest(told, 'base64', 'sha256') : null;
    if (digest === null) return 'malformed';
    const message = adyenFields.map(path => textOf(valueAt(request, path))).join(':');
    if (!sameBytes(digest, hmacOf('sha256', key, [utf8(message)]))) return 'mismatch';
  }
  return 'valid';
}

/** Braintree: pairs `publicKey|hex` joined by `&`; the key is the SHA-1 of the private key. */
export function checkBraintree(check: SignatureCheck): Outcome {
  const pair = splitPair(check.secret);
  const form = check.reader.form();
  const payload = firstFormValue(form, 'bt_payload');
  if (pair === null) return 'unsupported';
  if (payload === undefined) return 'malformed';
  const own = (firstFormValue(form, 'bt_signature') ?? '')
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
export function checkMailgun(check: SignatureCheck): Outcome {
  const { reader } = check;
  const json = valueAt(reader.json(), 'signature');
  const read = (name: string): unknown => valueAt(json, name) ?? firstFormValue(reader.form(), name);
  const digests = [read('signature'), read('parent-signature')]
    .map(told => (isNonEmptyString(told) ? decodeDigest(told, 'hex', 'sha256') : null))
    .filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const message = utf8(`${textOf(read('timestamp'))}${textOf(read('token'))}`);
  const expected = hmacOf('sha256', utf8(check.secret), [message]);
  return digests.some(digest => sameBytes(digest, expected)) ? 'valid' : 'mismatch';
}

/** Dropbox Sign: time and type of the event; the key is the API key. */
export function checkDropboxSign(check: SignatureCheck): Outcome {
  const event = valueAt(dropboxSignJson(check.reader), 'event');
  const told = valueAt(event, 'event_hash');
  const digest = isNonEmptyString(told) ? decodeDigest(told, 'hex', 'sha256') : null;
  if (digest === null) return 'malformed';
  const message = utf8(`${textOf(valueAt(event, 'event_time'))}${textOf(valueAt(event, 'event_type'))}`);
  return sameBytes(digest, hmacOf('sha256', utf8(check.secret), [message])) ? 'valid' : 'mismatch';
}

const dropboxSignJson = (reader: DeliveryReader): unknown => {
  const text = firstFormValue(reader.form(), 'json');
  return text === undefined ? reader.json() : parseNestedJson(text);
};

/** Mercado Pago: id of the query, request id and time; absent parts are left out. */
export function checkMercadoPago(check: SignatureCheck): Outcome {
  const { reader } = check;
  const named = parseNamedValues(headerValues(check.scheme, reader)[0]?.value ?? '', ',');
  const time = named.get('ts')?.[0];
  const digests = (named.get('v1') ?? []).map(text => decodeDigest(text, 'hex', 'sha256')).filter(one => one !== null);
  if (time === undefined || digests.length === 0) return 'malformed';
  const id = reader.query().get('data.id') ?? reader.query().get('id');
  const requestId = reader.header('x-request-id');
  const message = `${id === undefined ? '' : `id:${id.toLowerCase()};`}${
    requestId === undefined ? '' : `request-id:${requestId};`
  }ts:${time};`;
  const expected = hmacOf('sha256', utf8(check.secret), [utf8(message)]);
  return digests.some(digest => sameBytes(digest, expected)) ? 'valid' : 'mismatch';
}

/** Microsoft Graph: every notification repeats the clientState of the subscription. */
export function checkClientState(check: SignatureCheck): Outcome {
  const items = valueAt(check.reader.json(), 'value');
  if (!Array.isArray(items) || items.length === 0) return 'malformed';
  let all = true;
  for (const item of items) {
    const state = valueAt(item, 'clientState');
    if (!isNonEmptyString(state) || !sameText(state, check.secret)) all = false;
  }
  return all ? 'valid' : 'mismatch';
}

/** The fields as PHP's serialize() writes them, sorted by name: what Paddle Classic signs. */
export function phpSerialized(reader: DeliveryReader, without: string): Buffer | null {
  const form = reader.form();
  if (form === null) return null;
  const names = [...form.keys()].filter(name => name !== without).sort();
  const text = (value: string) => `s:${Buffer.byteLength(value)}:"${value}";`;
  const pairs = names.map(name => text(name) + text(firstFormValue(form, name) ?? ''));
  return utf8(`a:${names.length}:{${pairs.join('')}}`);
}

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
