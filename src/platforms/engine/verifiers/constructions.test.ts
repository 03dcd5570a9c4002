import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { delivery, formDelivery, jsonDelivery } from '../../../testing/deliveries.ts';
import { expectInvalid, expectValid, mac, now, seconds, url, verdictOf } from '../../../testing/verdicts.ts';

describe('schemes that sign the URL', () => {
  test('Square and Trello', () => {
    const square = (text: string) =>
      delivery({
        headers: { 'X-Square-HmacSha256-Signature': mac('sha256', 's', `${url}{}`).digest('base64') },
        body: text,
      });
    expectValid(square('{}'), 'square', 's');
    expectInvalid(square('{ }'), 'square', 's');
    const trello = delivery({
      headers: { 'X-Trello-Webhook': mac('sha1', 's', `{}${url}`).digest('base64') },
      body: '{}',
    });
    expectValid(trello, 'trello', 's');
    expect(verdictOf(trello, 'trello', 's', ['https://wrong.example', url])?.verdict).toBe('valid');
    expect(verdictOf(trello, 'trello', 's', [])?.reason).toBe('unsupported');
  });

  test('Twilio: form fields by name, repeated values once; with the port or without', () => {
    const exact = (base: string) =>
      delivery({
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'X-Twilio-Signature': mac('sha1', 's', `${base}Aa1b2b3c1`).digest('base64'),
        },
        body: 'c=1&b=3&A=a1&b=2&b=3',
      });
    expectValid(exact(url), 'twilio', 's');
    expectValid(exact('https://tape.example:443/in/t'), 'twilio', 's');
    expectInvalid(exact('https://other.example/in/t'), 'twilio', 's');
  });

  test('Twilio: another body needs its hash in the query', () => {
    const query = `bodySHA256=${createHash('sha256').update('{}').digest('hex')}`;
    const headers = { 'X-Twilio-Signature': mac('sha1', 's', `${url}?${query}`).digest('base64') };
    expectValid(delivery({ headers, query, body: '{}' }), 'twilio', 's');
    expectInvalid(delivery({ headers, query, body: '{ }' }), 'twilio', 's');
    const bare = { 'X-Twilio-Signature': mac('sha1', 's', url).digest('base64') };
    expect(verdictOf(delivery({ headers: bare, body: '{}' }), 'twilio', 's')?.reason).toBe('malformed_header');
    expectValid(delivery({ method: 'GET', headers: bare }), 'twilio', 's');
  });

  test('Mandrill', () => {
    const signature = mac('sha1', 's', `${url}mandrill_events[]`).digest('base64');
    expectValid(formDelivery({ mandrill_events: '[]' }, { 'X-Mandrill-Signature': signature }), 'mandrill', 's');
    expectInvalid(formDelivery({ mandrill_events: '[1]' }, { 'X-Mandrill-Signature': signature }), 'mandrill', 's');
  });

  test('HubSpot: v3 with the URL as given or decoded, v2, v1', () => {
    const what = (signedUrl: string, body = '{}') =>
      delivery({
        query: 'a=b%2Fc',
        headers: {
          'X-HubSpot-Signature-v3': mac('sha256', 's', `POST${signedUrl}{}${now}`).digest('base64'),
          'X-HubSpot-Request-Timestamp': String(now),
        },
        body,
      });
    expectValid(what(`${url}?a=b%2Fc`), 'hubspot', 's');
    expectValid(what(`${url}?a=b/c`), 'hubspot', 's');
    expectInvalid(what(`${url}?a=b%2Fc`, '{ }'), 'hubspot', 's');
    const v2 = createHash('sha256').update(`sPOST${url}{}`).digest('hex');
    expectValid(
      delivery({ headers: { 'X-HubSpot-Signature': v2, 'X-HubSpot-Signature-Version': 'v2' }, body: '{}' }),
      'hubspot',
      's',
    );
    expectInvalid(
      delivery({ headers: { 'X-HubSpot-Signature': v2, 'X-HubSpot-Signature-Version': 'v1' }, body: '{}' }),
      'hubspot',
      's',
    );
  });

  test('Contentful: method, path, named headers, body', () => {
    const named = 'x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic,x-mine';
    const lines = `x-contentful-signed-headers:${named};x-contentful-timestamp:${now};x-contentful-topic:T;x-mine:1`;
    const what = (mine: string) =>
      delivery({
        headers: {
          'X-Contentful-Topic': 'T',
          'X-Contentful-Timestamp': String(now),
          'X-Mine': mine,
          'X-Contentful-Signed-Headers': named,
          'X-Contentful-Signature': mac('sha256', 's', `POST\n/in/t\n${lines}\n{}`).digest('hex'),
        },
        body: '{}',
      });
    expectValid(what('1'), 'contentful', 's');
    expectInvalid(what('2'), 'contentful', 's');
  });
});

describe('schemes that sign some fields', () => {
  test('Braintree: the pair of the own public key, payload with a line break or without', () => {
    const key = createHash('sha1').update('private').digest();
    const what = (payload: string) =>
      formDelivery({
        bt_signature: `other|00&public|${mac('sha1', key, 'cGF5\n').digest('hex')}`,
        bt_payload: payload,
      });
    expectValid(what('cGF5'), 'braintree', 'public|private');
    expectValid(what('cGF5\n'), 'braintree', 'public|private');
    expectInvalid(what('cGF6'), 'braintree', 'public|private');
    expectInvalid(what('cGF5'), 'braintree', 'stranger|private');
  });

  test("Mailgun: timestamp and token, in JSON and in forms, own key or the parent account's", () => {
    const signature = mac('sha256', 's', `${seconds}tok`).digest('hex');
    const parts = { timestamp: seconds, token: 'tok' };
    const event = { 'event-data': { event: 'opened' } };
    expectValid(jsonDelivery({ signature: { ...parts, signature }, ...event }), 'mailgun', 's', 'origin');
    const child = { ...parts, signature: 'a'.repeat(64), 'parent-signature': signature };
    expectValid(jsonDelivery({ signature: child, ...event }), 'mailgun', 's', 'origin');
    expectValid(formDelivery({ ...parts, signature, event: 'opened' }), 'mailgun', 's', 'origin');
    expectInvalid(jsonDelivery({ signature: { ...parts, token: 'x', signature }, ...event }), 'mailgun', 's');
  });

  test('Dropbox Sign, Mercado Pago, Microsoft Graph', () => {
    const hash = mac('sha256', 's', '1signed').digest('hex');
    const sign = (time: string) =>
      formDelivery({ json: JSON.stringify({ event: { event_time: time, event_type: 'signed', event_hash: hash } }) });
    expectValid(sign('1'), 'dropbox-sign', 's', 'origin');
    expectInvalid(sign('2'), 'dropbox-sign', 's');

    const digest = mac('sha256', 's', 'id:ab12;request-id:r;ts:1;').digest('hex');
    const pago = (id: string) =>
      delivery({
        query: `data.id=${id}&type=payment`,
        headers: { 'X-Signature': `ts=1,v1=${digest}`, 'X-Request-Id': 'r' },
      });
    expectValid(pago('AB12'), 'mercadopago', 's', 'origin');
    expectInvalid(pago('AB13'), 'mercadopago', 's');

    const notice = (state: string) => ({ subscriptionId: '1', changeType: 'updated', clientState: state });
    expectValid(jsonDelivery({ value: [notice('s'), notice('s')] }), 'microsoft-graph', 's', 'origin');
    expectInvalid(jsonDelivery({ value: [notice('s'), notice('t')] }), 'microsoft-graph', 's');
  });
});

describe('schemes with other forms of body and header', () => {
  test('Gitea: raw body, or the JSON in the form field', () => {
    const payload = '{"ref":"refs/heads/main"}';
    const headers = { 'X-Gitea-Event': 'push', 'X-Gitea-Signature': mac('sha256', 's', payload).digest('hex') };
    expectValid(delivery({ headers, body: payload }), 'gitea', 's');
    expectValid(formDelivery({ payload }, headers), 'gitea', 's');
    expectInvalid(formDelivery({ payload: `${payload} ` }, headers), 'gitea', 's');
  });

  test('Box: non-ASCII escaped; EasyPost: whole weights with a decimal and a normalised secret', () => {
    const time = '2025-12-06T05:46:40Z';
    const signature = mac('sha256', 's', `{"n":"\\u00fc"}${time}`).digest('base64');
    expectValid(
      delivery({ headers: { 'Box-Signature-Primary': signature, 'Box-Delivery-Timestamp': time }, body: '{"n":"ü"}' }),
      'box',
      's',
    );
    const hmac = mac('sha256', 'sécret'.normalize('NFKD'), '{"weight": 10.0}').digest('hex');
    const parcel = delivery({ headers: { 'X-Hmac-Signature': `hmac-sha256-hex=${hmac}` }, body: '{"weight": 10}' });
    expectValid(parcel, 'easypost', 'sécret');
  });

  test('Recurly and Hook0', () => {
    const digest = mac('sha256', 's', `${now}.{}`).digest('hex');
    expectValid(
      delivery({ headers: { 'Recurly-Signature': `${now},${'0'.repeat(64)},${digest}` }, body: '{}' }),
      'recurly',
      's',
    );
    const v1 = mac('sha256', 's', `${seconds}.x-a x-b.1.2.{}`).digest('hex');
    const hook = (b: string) =>
      delivery({
        headers: { 'X-Hook0-Signature': `t=${seconds},h=x-a x-b,v1=${v1}`, 'X-A': '1', ...(b && { 'X-B': b }) },
        body: '{}',
      });
    expectValid(hook('2'), 'coinbase-cdp', 's');
    expectInvalid(hook('3'), 'coinbase-cdp', 's');
    expect(verdictOf(hook(''), 'coinbase-cdp', 's')?.reason).toBe('malformed_header');
    const v0 = mac('sha256', 's', `${seconds}.{}`).digest('hex');
    expectValid(
      delivery({ headers: { 'X-Hook0-Signature': `t=${seconds},v0=${v0}` }, body: '{}' }),
      'coinbase-cdp',
      's',
    );
  });

  for (const hash of ['sha1', 'sha256', 'sha384', 'sha512']) {
    test(`WebSub with ${hash}`, () => {
      const headers = {
        Link: '<https://hub.example/>; rel="hub"',
        'X-Hub-Signature': `${hash}=${mac(hash, 's', '<feed/>').digest('hex')}`,
      };
      expectValid(delivery({ headers, body: '<feed/>' }), 'websub', 's');
      expectInvalid(delivery({ headers, body: '<feed />' }), 'websub', 's');
    });
  }
});
