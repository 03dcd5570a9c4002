/*
 * Event types (and two detection hints) that no path in the body can name. All of them give undefined where the body is not
 * what they expect; none throws; text is searched by position, never by a pattern that could backtrack.
 */
import type { EventSource } from './model.ts';
import { at, field, parseInner, type Reading } from './reading.ts';

type Reader = Exclude<EventSource, string>;

/** A path in JSON that a form field carries. */
export const formJson = (name: string, path: string): Reader => ({
  says: `form field \`${name}\`, JSON \`${path}\``,
  read: reading => at(parseInner(field(reading.form(), name)), path),
});

export const firstKey: Reader = {
  says: 'first key of the JSON',
  read: reading => keysOf(reading.json())[0],
};

export const keyBesideUpdateId: Reader = {
  says: 'key beside `update_id`',
  read: reading => keysOf(reading.json()).find(key => key !== 'update_id'),
};

export const keyEndingInEvents: Reader = {
  says: 'key that ends in `_events`',
  read: reading => keysOf(reading.json()).find(key => key.endsWith('_events')),
};

/** Messenger entries have no field name of their own. */
export const messaging: Reader = {
  says: '`messaging` when the entry has messages',
  read: reading => (Array.isArray(at(reading.json(), 'entry.0.messaging')) ? 'messaging' : undefined),
};

/** The family of headers without `x-` names topic and action apart. */
export const shopifyEvent: Reader = {
  says: '`shopify-topic` and `shopify-action`',
  read: reading => {
    const parts = [reading.header('shopify-topic'), reading.header('shopify-action')];
    return parts.filter(part => part !== undefined && part !== '').join('/');
  },
};

export const topicOfLink: Reader = {
  says: 'topic in the `Link` header',
  read: reading => {
    const links = (reading.header('link') ?? '').slice(0, 4096).split(',');
    const self = links.find(link => /rel="?self\b/i.test(link));
    return self === undefined ? undefined : between(self, '<', '>');
  },
};

export const docusignStatus: Reader = {
  says: 'XML `EnvelopeStatus/Status`',
  read: reading => {
    const xml = reading.text();
    const start = xml.indexOf('<EnvelopeStatus>');
    if (start < 0) return undefined;
    // Recipients have a status too, and may come first.
    const recipients = xml.indexOf('</RecipientStatuses>', start);
    return between(xml, '<Status>', '</Status>', recipients < 0 ? start : recipients);
  },
};

export const salesforceObject: Reader = {
  says: 'XML `xsi:type` of the `sObject`',
  read: reading => {
    const tag = between(reading.text(), '<sObject', '>');
    const type = tag === undefined ? undefined : between(tag, 'xsi:type="', '"');
    return type?.slice(type.indexOf(':') + 1);
  },
};

export const youtubeEntry: Reader = {
  says: '`entry` or `deleted-entry` of the feed',
  read: reading => {
    const xml = reading.text();
    if (xml.includes('<at:deleted-entry')) return 'deleted-entry';
    return xml.includes('<entry') ? 'entry' : undefined;
  },
};

export const braintreeKind: Reader = {
  says: '`kind` in the XML of `bt_payload`',
  read: reading => {
    const payload = field(reading.form(), 'bt_payload');
    return payload === undefined
      ? undefined
      : between(Buffer.from(payload, 'base64').toString('utf8'), '<kind>', '</kind>');
  },
};

export const wixEvent: Reader = {
  says: '`eventType` in the token that is the body',
  read: reading => {
    const data = at(claimsOf(reading.text().trim()), 'data');
    return at(typeof data === 'string' ? parseInner(data) : data, 'eventType');
  },
};

export const wixToken = {
  says: 'the body is a JSON Web Token with `data`',
  test: (reading: Reading): boolean => {
    const data = at(claimsOf(reading.text().trim()), 'data');
    return typeof data === 'string' && /"(eventType|instanceId)"/.test(data.slice(0, 65_536));
  },
};

export const issuedByNetlify = {
  says: '`x-webhook-signature` is a JSON Web Token issued by netlify',
  test: (reading: Reading): boolean => at(claimsOf(reading.header('x-webhook-signature') ?? ''), 'iss') === 'netlify',
};

/** The claims of a compact JSON Web Token, unverified; undefined when the text is not one. */
export function claimsOf(token: string): unknown {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first <= 0 || second < 0 || token.indexOf('.', second + 1) >= 0) return undefined;
  return parseInner(Buffer.from(token.slice(first + 1, second), 'base64url').toString('utf8'));
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
