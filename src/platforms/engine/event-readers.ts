/*
 * Event types (and two detection hints) that no path in the body can name. All of them give undefined where the body is not
 * what they expect; none throws; text is searched by position, never by a pattern that could backtrack.
 */

import { type DeliveryReader, firstFormValue, parseNestedJson, valueAt } from './delivery-reader.ts';
import type { EventTypeSource } from './model.ts';

type Reader = Exclude<EventTypeSource, string>;

/** A path in JSON that a form field carries. */
export const formJson = (name: string, path: string): Reader => ({
  description: `form field \`${name}\`, JSON \`${path}\``,
  read: reader => valueAt(parseNestedJson(firstFormValue(reader.form(), name)), path),
});

export const firstKey: Reader = {
  description: 'first key of the JSON',
  read: reader => keysOf(reader.json())[0],
};

export const keyBesideUpdateId: Reader = {
  description: 'key beside `update_id`',
  read: reader => keysOf(reader.json()).find(key => key !== 'update_id'),
};

export const keyEndingInEvents: Reader = {
  description: 'key that ends in `_events`',
  read: reader => keysOf(reader.json()).find(key => key.endsWith('_events')),
};

/** Messenger entries have no field name of their own. */
export const messaging: Reader = {
  description: '`messaging` when the entry has messages',
  read: reader => (Array.isArray(valueAt(reader.json(), 'entry.0.messaging')) ? 'messaging' : undefined),
};

/** The family of headers without `x-` names topic and action apart. */
export const shopifyEvent: Reader = {
  description: '`shopify-topic` and `shopify-action`',
  read: reader => {
    const parts = [reader.header('shopify-topic'), reader.header('shopify-action')];
    return parts.filter(part => part !== undefined && part !== '').join('/');
  },
};

export const topicOfLink: Reader = {
  description: 'topic in the `Link` header',
  read: reader => {
    const links = (reader.header('link') ?? '').slice(0, 4096).split(',');
    const self = links.find(link => /rel="?self\b/i.test(link));
    return self === undefined ? undefined : between(self, '<', '>');
  },
};

export const docusignStatus: Reader = {
  description: 'XML `EnvelopeStatus/Status`',
  read: reader => {
    const xml = reader.text();
    const start = xml.indexOf('<EnvelopeStatus>');
    if (start < 0) return undefined;
    // Recipients have a status too, and may come first.
    const recipients = xml.indexOf('</RecipientStatuses>', start);
    return between(xml, '<Status>', '</Status>', recipients < 0 ? start : recipients);
  },
};

export const salesforceObject: Reader = {
  description: 'XML `xsi:type` of the `sObject`',
  read: reader => {
    const tag = between(reader.text(), '<sObject', '>');
    const type = tag === undefined ? undefined : between(tag, 'xsi:type="', '"');
    return type?.slice(type.indexOf(':') + 1);
  },
};

export const youtubeEntry: Reader = {
  description: '`entry` or `deleted-entry` of the feed',
  read: reader => {
    const xml = reader.text();
    if (xml.includes('<at:deleted-entry')) return 'deleted-entry';
    return xml.includes('<entry') ? 'entry' : undefined;
  },
};

export const braintreeKind: Reader = {
  description: '`kind` in the XML of `bt_payload`',
  read: reader => {
    const payload = firstFormValue(reader.form(), 'bt_payload');
    return payload === undefined
      ? undefined
      : between(Buffer.from(payload, 'base64').toString('utf8'), '<kind>', '</kind>');
  },
};

export const wixEvent: Reader = {
  description: '`eventType` in the token that is the body',
  read: reader => {
    const data = valueAt(claimsOf(reader.text().trim()), 'data');
    return valueAt(typeof data === 'string' ? parseNestedJson(data) : data, 'eventType');
  },
};

export const wixToken = {
  description: 'the body is a JSON Web Token with `data`',
  test: (reader: DeliveryReader): boolean => {
    const data = valueAt(claimsOf(reader.text().trim()), 'data');
    return typeof data === 'string' && /"(eventType|instanceId)"/.test(data.slice(0, 65_536));
  },
};

export const issuedByNetlify = {
  description: '`x-webhook-signature` is a JSON Web Token issued by netlify',
  test: (reader: DeliveryReader): boolean =>
    valueAt(claimsOf(reader.header('x-webhook-signature') ?? ''), 'iss') === 'netlify',
};

/** The claims of a compact JSON Web Token, unverified; undefined when the text is not one. */
export function claimsOf(token: string): unknown {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first <= 0 || second < 0 || token.indexOf('.', second + 1) >= 0) return undefined;
  return parseNestedJson(Buffer.from(token.slice(first + 1, second), 'base64url').toString('utf8'));
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

function between(text: string, open: string, close: string, from = 0): string | undefined {
  const start = text.indexOf(open, from);
  if (start < 0) return undefined;
  const end = text.indexOf(close, start + open.length);
  return end < 0 || end - start > 1000 ? undefined : text.slice(start + open.length, end);
}
