/*
 * Schemes that sign the URL the delivery was sent to. The URL is tried exactly as given first, then in the other spellings that the
 * senders' own libraries accept; any match is enough.
 */

import type { Fields } from '../delivery-reader.ts';
import { decodeKeys } from '../secrets.ts';
import { decodeDigest, headerValues } from '../signature-values.ts';
import { checkTimestamp, digestOf, hmacOf, type Outcome, type SignatureCheck, sameBytes } from './check.ts';

const urlencoded = /^application\/x-www-form-urlencoded/i;
/** HubSpot signs the URL with these sequences decoded. */
const hubspotDecoded = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** Twilio: URL and sorted form fields; for any other body the URL, whose `bodySHA256` then vouches for the body. */
export function checkTwilio(check: SignatureCheck): Outcome {
  const { reader } = check;
  const { body } = reader.delivery;
  let fields = '';
  if (body.length > 0 && urlencoded.test(reader.header('content-type') ?? '')) {
    const form = reader.form();
    if (form === null) return 'unsupported';
    fields = sortedFields(form, true);
  } else if (body.length > 0) {
    const told = Buffer.from(reader.query().get('bodysha256') ?? '', 'hex');
    if (told.length === 0) return 'malformed';
    if (!sameBytes(told, digestOf('sha256', [body]))) return 'mismatch';
  }
  return anyUrl(check, 'base64', 'sha1', check.urls.flatMap(twilioSpellings), url => [utf8(url + fields)]);
}

/** Mandrill: the URL exactly as configured, then sorted form fields. */
export function checkMandrill(check: SignatureCheck): Outcome {
  const form = check.reader.form();
  if (form === null) return 'unsupported';
  const fields = sortedFields(form, false);
  return anyUrl(check, 'base64', 'sha1', check.urls, url => [utf8(url + fields)]);
}

export function checkHubspotV3(check: SignatureCheck): Outcome {
  const { delivery } = check.reader;
  const time = check.reader.header('x-hubspot-request-timestamp');
  if (time === undefined) return 'malformed';
  const urls = check.urls.flatMap(url => [url, url.replace(hubspotDecoded, decodeURIComponent)]);
  return anyUrl(check, 'base64', 'sha256', urls, url => [utf8(delivery.method + url), delivery.body, time]);
}

/** HubSpot v1 and v2: a plain hash with the secret in front; the version header says which. */
export function checkHubspotHash(check: SignatureCheck): Outcome {
  const { delivery } = check.reader;
  const digest = presentedDigest(check, 'hex', 'sha256');
  if (digest === null) return 'malformed';
  const version = check.reader.header('x-hubspot-signature-version')?.trim().toLowerCase();
  const secret = utf8(check.secret);
  const tries: (string | Uint8Array)[][] = [];
  if (version !== 'v2') tries.push([secret, delivery.body]);
  if (version !== 'v1') tries.push(...check.urls.map(url => [secret, utf8(delivery.method + url), delivery.body]));
  if (tries.length === 0) return 'unsupported';
  return tries.some(parts => sameBytes(digest, digestOf('sha256', parts))) ? 'valid' : 'mismatch';
}

/** Contentful: a canonical request of method, path, the headers it names, and body. */
export function checkContentful(check: SignatureCheck): Outcome {
  const { reader } = check;
  const names = (reader.header('x-contentful-signed-headers') ?? '')
    .split(',', 100)
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '');
  const lines = names.sort().map(name => [name, reader.header(name)]);
  if (names.length === 0 || lines.some(([, value]) => value === undefined)) return 'malformed';
  // Header bytes arrive as latin1 text, the rest of the request is UTF-8.
  const headers = Buffer.from(lines.map(([name, value]) => `${name}:${value?.trim()}`).join(';'), 'latin1');
  const paths = check.urls.flatMap(contentfulPaths);
  return anyUrl(check, 'hex', 'sha256', paths, path => [
    utf8(`${reader.delivery.method}\n${path}\n`),
    headers,
    '\n',
    reader.delivery.body,
  ]);
}

function anyUrl(
  check: SignatureCheck,
  encoding: 'hex' | 'base64',
  hash: 'sha1' | 'sha256',
  urls: readonly string[],
  message: (url: string) => (string | Uint8Array)[],
): Outcome {
  if (urls.length === 0) return 'unsupported';
  const digest = presentedDigest(check, encoding, hash);
  if (digest === null) return 'malformed';
  for (const key of decodeKeys('text', check.secret)) {
    for (const url of new Set(urls)) {
      if (sameBytes(digest, hmacOf(hash, key, message(url)))) return checkTimestamp(check);
    }
  }
  return 'mismatch';
}

const presentedDigest = (check: SignatureCheck, encoding: 'hex' | 'base64', hash: 'sha1' | 'sha256'): Buffer | null =>
  decodeDigest(headerValues(check.scheme, check.reader)[0]?.value ?? '', encoding, hash);

/** Key and value of each field, keys by code unit; `distinct` also sorts repeated values and drops doubles. */
function sortedFields(form: Fields, distinct: boolean): string {
  let text = '';
  for (const name of [...form.keys()].sort()) {
    const values = form.get(name) ?? [];
    for (const value of distinct ? [...new Set(values)].sort() : values) text += name + value;
  }
  return text;
}

/** As given, without and with the default port, and each again as a URL parser and the old query encoder would write it. */
function twilioSpellings(url: string): string[] {
  const parsed = tryUrl(url);
  if (parsed === null) return [url];
  const scheme = parsed.protocol === 'http:' ? 'http' : 'https';
  const port = scheme === 'http' ? '80' : '443';
  const rest = url.slice(url.indexOf('://') + 3);
  const hostEnd = rest.search(/[/?#]/);
  const host = hostEnd < 0 ? rest : rest.slice(0, hostEnd);
  const tail = hostEnd < 0 ? '' : rest.slice(hostEnd);
  const bare = host.replace(/:\d{1,5}$/, '');
  const full = host === bare ? `${host}:${port}` : host;
  const spellings = [url, `${scheme}://${full}${tail}`, `${scheme}://${bare}${tail}`];
  const path = `${parsed.pathname}${parsed.search}`;
  const [hostName, userInfo] = [
    parsed.hostname,
    parsed.username === '' ? '' : `${parsed.username}:${parsed.password}@`,
  ];
  spellings.push(
    `${scheme}://${userInfo}${parsed.host}${path}`,
    `${scheme}://${userInfo}${hostName}:${parsed.port || port}${path}`,
  );
  if (parsed.search !== '') {
    for (const spelling of [...spellings]) {
      const mark = spelling.indexOf('?');
      spellings.push(`${spelling.slice(0, mark)}?${legacyQuery(parsed.search.slice(1))}`);
    }
  }
  return spellings;
}

/** Decoded and encoded again: leaves `!'()*` bare and turns `+` into `%20`. */
const legacyQuery = (query: string): string =>
  [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');

function contentfulPaths(url: string): string[] {
  const parsed = tryUrl(url);
  if (parsed === null) return [];
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const raw = start < 0 ? '/' : url.slice(start);
  const mark = raw.indexOf('?');
  const path = mark < 0 ? raw : raw.slice(0, mark);
  if (mark < 0) return [encodePath(path), path];
  const query = raw.slice(mark + 1);
  return [encodePath(`${path}?${encode(query)}`), raw];
}

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

/** A lone surrogate would make the encoders throw. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
const encodePath = (text: string): string => encodeURI(text.toWellFormed());

function tryUrl(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}
