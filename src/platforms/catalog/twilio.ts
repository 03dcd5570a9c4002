import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { cannotSign, inSignatureHeaders } from '../engine/signers/task.ts';
import { digestOf, hmacOf, isOneReceived, utf8 } from '../engine/verifiers/check.ts';
import { parseUrl, sortedFormFields, verifyHmacOverUrl } from '../engine/verifiers/url.ts';

export const twilio: Platform = {
  name: 'twilio',
  title: 'Twilio',
  docsUrl: 'https://www.twilio.com/docs',
  setup: {
    where: 'Console > Phone Numbers > Manage > Active numbers > the number > A message comes in, or A call comes in',
    url: 'https://www.twilio.com/docs/usage/webhooks',
  },
  detect: [{ anyHeader: ['x-twilio-signature'], order: 19 }],
  eventType: [
    'form:EventType',
    'form:SmsStatus',
    'form:MessageStatus',
    'form:CallStatus',
    'form:StatusCallbackEvent',
    'json:0.type',
  ],
  deliveryId: [
    {
      header: 'I-Twilio-Idempotency-Token',
      source: 'https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides',
    },
  ],
  preview: ['From', 'Body', 'To', ['MessageSid', 'CallSid']],
  signatures: [customScheme('twilio', verifyUrlAndForm, { header: 'x-twilio-signature', sign: signUrlAndForm })],
  secretHint: 'Console > Account > API keys & tokens > Auth token (primary)',
  notes: "The endpoint's URL must be exactly the URL that is registered with Twilio.",
};

/** HMAC over URL and sorted form fields. With any other body, over the URL, whose `bodySHA256` covers the body. */
function verifyUrlAndForm(check: SignatureCheck): Outcome {
  const { reader } = check;
  const { body } = reader.delivery;
  let fields = '';
  if (isSignedForm(reader)) {
    const form = reader.form();
    if (form === null) return 'unsupported';
    fields = sortedFormFields(form, { distinct: true });
  } else if (body.length > 0) {
    const bodyHash = Buffer.from(reader.query().get('bodysha256') ?? '', 'hex');
    if (bodyHash.length === 0) return 'malformed';
    const hashed = { message: [body], received: [bodyHash], expected: digestOf('sha256', [body]) };
    if (!isOneReceived(check, hashed)) return 'mismatch';
  }
  const urls = check.urls.flatMap(urlSpellings);
  return verifyHmacOverUrl(check, { encoding: 'base64', hash: 'sha1', urls }, url => [utf8(url + fields)]);
}

const isSignedForm = ({ delivery, header }: DeliveryReader): boolean =>
  delivery.body.length > 0 && /^application\/x-www-form-urlencoded/i.test(header('content-type') ?? '');

/** The hash of a body that is not a form goes into the query, so it may change the URL. */
function signUrlAndForm(task: SigningTask): SignedParts | CannotSign {
  const { body } = task.reader.delivery;
  const form = isSignedForm(task.reader) ? task.reader.form() : undefined;
  if (form === null) return cannotSign('the form has too many fields');
  const url = form === undefined && body.length > 0 ? withBodyHash(task.url, body) : task.url;
  const fields = form === undefined ? '' : sortedFormFields(form, { distinct: true });
  const digest = task.seal(hmacOf('sha1', utf8(task.secret), [utf8(url + fields)]));
  return { ...inSignatureHeaders(task, () => digest.toString('base64')), url };
}

function withBodyHash(url: string, body: Uint8Array): string {
  const parameter = `bodySHA256=${digestOf('sha256', [body]).toString('hex')}`;
  const old = /(?<=[?&])bodysha256=[^&]*/i;
  return old.test(url) ? url.replace(old, parameter) : `${url}${url.includes('?') ? '&' : '?'}${parameter}`;
}

/** As given, without and with the default port, and each again as a URL parser and the old query encoder write it. */
function urlSpellings(url: string): string[] {
  const parsed = parseUrl(url);
  if (parsed === null) return [url];
  const scheme = parsed.protocol === 'http:' ? 'http' : 'https';
  const port = scheme === 'http' ? '80' : '443';
  const rest = url.slice(url.indexOf('://') + 3);
  const hostEnd = rest.search(/[/?#]/);
  const host = hostEnd < 0 ? rest : rest.slice(0, hostEnd);
  const tail = hostEnd < 0 ? '' : rest.slice(hostEnd);
  const withoutPort = host.replace(/:\d{1,5}$/, '');
  const withPort = host === withoutPort ? `${host}:${port}` : host;
  const path = `${parsed.pathname}${parsed.search}`;
  const userInfo = parsed.username === '' ? '' : `${parsed.username}:${parsed.password}@`;
  const spellings = [
    url,
    `${scheme}://${withPort}${tail}`,
    `${scheme}://${withoutPort}${tail}`,
    `${scheme}://${userInfo}${parsed.host}${path}`,
    `${scheme}://${userInfo}${parsed.hostname}:${parsed.port || port}${path}`,
  ];
  if (parsed.search === '') return spellings;
  const query = legacyQuery(parsed.search.slice(1));
  return [...spellings, ...spellings.map(spelling => `${spelling.slice(0, spelling.indexOf('?'))}?${query}`)];
}

/** Decoded and encoded again: leaves `!'()*` as they are and turns `+` into `%20`. */
const legacyQuery = (query: string): string =>
  [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');

/** A lone surrogate would make the encoder throw. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
