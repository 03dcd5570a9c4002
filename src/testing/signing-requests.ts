/* Requests to sign, for tests over the whole table of platforms: the secrets, bodies and headers that the schemes need. */
import fc from 'fast-check';
import type { HeaderPair } from '../core/headers.ts';
import type { KeyFormat } from '../platforms/engine/signature-scheme.ts';

const bytes = fc.uint8Array({ minLength: 3, maxLength: 48 }).map(array => Buffer.from(array));
const printable = fc
  .string({ unit: 'grapheme-ascii', minLength: 2, maxLength: 40 })
  .map(text => `s${text.replace(/\s/g, '_')}e`);
export const secretOf: Partial<Record<KeyFormat, fc.Arbitrary<string>>> = {
  text: printable,
  nfkd: printable.map(text => `ﬁ${text}é`),
  hex: bytes.map(key => key.toString('hex')),
  base64: bytes.map(key => key.toString('base64')),
  whsec: bytes.map(key => `whsec_${key.toString('base64')}`),
  'whsec-or-text': fc.oneof(
    printable,
    bytes.map(key => `whsec_${key.toString('base64')}`),
  ),
  'after-colon': printable.map(text => `app.key:${text}`),
  pair: printable.map(text => `public_key|${text}`),
};

export const json: HeaderPair = ['Content-Type', 'application/json'];
export const urlencoded: HeaderPair = ['Content-Type', 'application/x-www-form-urlencoded'];
const multipart: HeaderPair = ['Content-Type', 'multipart/form-data; boundary=xyz'];
const part = (name: string, value: string) =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
export const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

/** Bodies for platforms that sign inside the body or read a field of it; all other platforms get random bytes. */
export const bodiesOf: Readonly<Record<string, fc.Arbitrary<[HeaderPair, string | Uint8Array]>>> = {
  linear: fc.json().map(value => [json, `{"data":${value}, "webhookTimestamp" : 1 }`]),
  adyen: fc
    .array(fc.record({ pspReference: fc.string(), amount: fc.record({ value: fc.nat(), currency: fc.string() }) }), {
      minLength: 1,
      maxLength: 3,
    })
    .map(items => [
      json,
      JSON.stringify({
        notificationItems: items.map(item => ({
          NotificationRequestItem: { ...item, eventCode: 'AUTHORISATION', additionalData: { hmacSignature: 'old' } },
        })),
      }),
    ]),
  mailgun: fc.oneof(
    fc
      .string()
      .map((id): [HeaderPair, string] => [
        json,
        JSON.stringify({ signature: { timestamp: '1', token: 'ab12', signature: 'old' }, 'event-data': { id } }),
      ]),
    fc
      .string()
      .map((text): [HeaderPair, string] => [urlencoded, form({ text, timestamp: '1', token: 'ab', signature: 'old' })]),
    fc
      .string({ unit: fc.constantFrom('a', 'ü', ' ') })
      .map((text): [HeaderPair, string] => [
        multipart,
        `${part('text', text)}${part('timestamp', '1')}${part('token', 'ab')}${part('signature', 'old')}--xyz--\r\n`,
      ]),
  ),
  'dropbox-sign': fc.string().map((note): [HeaderPair, string] => {
    const event = JSON.stringify({
      event: { event_time: '1348177752', event_type: 'a', event_hash: 'old' },
      note: note.replace(/--xyz/g, ''),
    });
    return [multipart, `${part('json', event)}--xyz--\r\n`];
  }),
  braintree: fc
    .string()
    .map(text => [
      urlencoded,
      form({ bt_signature: 'public_key|00', bt_payload: btoa(encodeURIComponent(text) || 'x') }),
    ]),
  mandrill: fc
    .array(fc.string(), { minLength: 1, maxLength: 3 })
    .map(values => [urlencoded, form(Object.fromEntries(values.map((v, n) => [`f${n}`, v])))]),
  twilio: fc.oneof(
    fc
      .array(fc.string(), { minLength: 1, maxLength: 3 })
      .map((values): [HeaderPair, string] => [
        urlencoded,
        form(Object.fromEntries(values.map((v, n) => [`f${n}`, v]))),
      ]),
    fc.json().map((text): [HeaderPair, string] => [json, text]),
  ),
  'microsoft-graph': fc
    .array(fc.string(), { minLength: 1, maxLength: 3 })
    .map(ids => [json, JSON.stringify({ value: ids.map(id => ({ id, clientState: 'old' })) })]),
  gitea: fc.oneof(
    fc.json().map((text): [HeaderPair, string] => [json, text]),
    fc.json().map((text): [HeaderPair, string] => [urlencoded, form({ payload: text })]),
  ),
};
export const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((body): [HeaderPair, Uint8Array] => [json, body]),
  fc.json().map((text): [HeaderPair, string] => [json, text]),
);
export const anyUrl = fc.webUrl({ withQueryParameters: true });
export const anyTime = fc.integer({ min: 1_500_000_000_000, max: 2_500_000_000_000 });

/** Headers that the signature covers and that the request must contain. */
export const signedHeaders: Readonly<Record<string, readonly HeaderPair[]>> = {
  twitch: [['Twitch-Eventsub-Message-Id', 'befa7b53-d79d-478f-86b9-120f112b044e']],
  mercadopago: [['X-Request-Id', 'bb56a2f1-6aae-46ac-982e-9dcd3581d08e']],
};
