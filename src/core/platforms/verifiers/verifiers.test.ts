import { describe, expect, test } from 'bun:test';
import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { delivery, formDelivery, jsonDelivery } from '../../../testing/deliveries.ts';
import { detect } from '../detect.ts';
import type { RawDelivery } from '../model.ts';
import { verify } from '../verify.ts';

const now = 1_765_000_000_000;
const seconds = String(now / 1000);
const url = 'https://tape.example/in/t';
const mac = (hash: string, key: string | Buffer, text: string) => createHmac(hash, key).update(text);
const pemOf = (key: KeyObject) => String(key.export({ format: 'pem', type: 'spki' }));

function verdictOf(
  what: RawDelivery,
  platform: string,
  secret: string,
  urls = [what.query === null ? url : `${url}?${what.query}`],
) {
  return verify({ delivery: what, platform, secrets: [{ platform, secret }], receivedAt: now, urls });
}
const valid = (what: RawDelivery, platform: string, secret: string, proves: 'payload' | 'origin' = 'payload') => {
  expect(detect(what, [platform]).platform).toBe(platform);
  expect(verdictOf(what, platform, secret)).toMatchObject({ platform, verdict: 'valid', reason: null, proves });
};
const invalid = (what: RawDelivery, platform: string, secret: string) =>
  expect(verdictOf(what, platform, secret)).toMatchObject({
    verdict: 'invalid',
    reason: 'wrong_secret_or_altered_body',
  });

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');

describe('the URL is signed', () => {
  test('Square and Trello', () => {
    const square = (text: string) =>
      delivery({
        headers: { 'X-Square-HmacSha256-Signature': mac('sha256', 's', `${url}{}`).digest('base64') },
        body: text,
      });
    valid(square('{}'), 'square', 's');
    invalid(square('{ }'), 'square', 's');
    const trello = delivery({
      headers: { 'X-Trello-Webhook': mac('sha1', 's', `{}${url}`).digest('base64') },
      body: '{}',
    });
    valid(trello, 'trello', 's');
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
    valid(exact(url), 'twilio', 's');
    valid(exact('https://tape.example:443/in/t'), 'twilio', 's');
    invalid(exact('https://other.example/in/t'), 'twilio', 's');
  });

  test('Twilio: any other body only with its hash in the query', () => {
    const query = `bodySHA256=${createHash('sha256').update('{}').digest('hex')}`;
    const headers = { 'X-Twilio-Signature': mac('sha1', 's', `${url}?${query}`).digest('base64') };
    valid(delivery({ headers, query, body: '{}' }), 'twilio', 's');
    invalid(delivery({ headers, query, body: '{ }' }), 'twilio', 's');
    const bare = { 'X-Twilio-Signature': mac('sha1', 's', url).digest('base64') };
    expect(verdictOf(delivery({ headers: bare, body: '{}' }), 'twilio', 's')?.reason).toBe('malformed_header');
    valid(delivery({ method: 'GET', headers: bare }), 'twilio', 's');
  });

  test('Mandrill', () => {
    const signature = mac('sha1', 's', `${url}mandrill_events[]`).digest('base64');
    valid(formDelivery({ mandrill_events: '[]' }, { 'X-Mandrill-Signature': signature }), 'mandrill', 's');
    invalid(formDelivery({ mandrill_events: '[1]' }, { 'X-Mandrill-Signature': signature }), 'mandrill', 's');
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
    valid(what(`${url}?a=b%2Fc`), 'hubspot', 's');
    valid(what(`${url}?a=b/c`), 'hubspot', 's');
    invalid(what(`${url}?a=b%2Fc`, '{ }'), 'hubspot', 's');
    const v2 = createHash('sha256').update(`sPOST${url}{}`).digest('hex');
    valid(
      delivery({ headers: { 'X-HubSpot-Signature': v2, 'X-HubSpot-Signature-Version': 'v2' }, body: '{}' }),
      'hubspot',
      's',
    );
    invalid(
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
    valid(what('1'), 'contentful', 's');
    invalid(what('2'), 'contentful', 's');
  });
});

describe('some fields are signed', () => {
  test('Braintree: the pair of the own public key, payload with a line break or without', () => {
    const key = createHash('sha1').update('private').digest();
    const what = (payload: string) =>
      formDelivery({
        bt_signature: `other|00&public|${mac('sha1', key, 'cGF5\n').digest('hex')}`,
        bt_payload: payload,
      });
    valid(what('cGF5'), 'braintree', 'public|private');
    valid(what('cGF5\n'), 'braintree', 'public|private');
    invalid(what('cGF6'), 'braintree', 'public|private');
    invalid(what('cGF5'), 'braintree', 'stranger|private');
  });

  test("Mailgun: timestamp and token, in JSON and in forms, own key or the parent account's", () => {
    const signature = mac('sha256', 's', `${seconds}tok`).digest('hex');
    const parts = { timestamp: seconds, token: 'tok' };
    const event = { 'event-data': { event: 'opened' } };
    valid(jsonDelivery({ signature: { ...parts, signature }, ...event }), 'mailgun', 's', 'origin');
    const child = { ...parts, signature: 'a'.repeat(64), 'parent-signature': signature };
    valid(jsonDelivery({ signature: child, ...event }), 'mailgun', 's', 'origin');
    valid(formDelivery({ ...parts, signature, event: 'opened' }), 'mailgun', 's', 'origin');
    invalid(jsonDelivery({ signature: { ...parts, token: 'x', signature }, ...event }), 'mailgun', 's');
  });

  test('Dropbox Sign, Mercado Pago, Microsoft Graph', () => {
    const hash = mac('sha256', 's', '1signed').digest('hex');
    const sign = (time: string) =>
      formDelivery({ json: JSON.stringify({ event: { event_time: time, event_type: 'signed', event_hash: hash } }) });
    valid(sign('1'), 'dropbox-sign', 's', 'origin');
    invalid(sign('2'), 'dropbox-sign', 's');

    const digest = mac('sha256', 's', 'id:ab12;request-id:r;ts:1;').digest('hex');
    const pago = (id: string) =>
      delivery({
        query: `data.id=${id}&type=payment`,
        headers: { 'X-Signature': `ts=1,v1=${digest}`, 'X-Request-Id': 'r' },
      });
    valid(pago('AB12'), 'mercadopago', 's', 'origin');
    invalid(pago('AB13'), 'mercadopago', 's');

    const notice = (state: string) => ({ subscriptionId: '1', changeType: 'updated', clientState: state });
    valid(jsonDelivery({ value: [notice('s'), notice('s')] }), 'microsoft-graph', 's', 'origin');
    invalid(jsonDelivery({ value: [notice('s'), notice('t')] }), 'microsoft-graph', 's');
  });
});

describe('other readings of body and header', () => {
  test('Gitea: raw body, or the JSON in the form field', () => {
    const payload = '{"ref":"refs/heads/main"}';
    const headers = { 'X-Gitea-Event': 'push', 'X-Gitea-Signature': mac('sha256', 's', payload).digest('hex') };
    valid(delivery({ headers, body: payload }), 'gitea', 's');
    valid(formDelivery({ payload }, headers), 'gitea', 's');
    invalid(formDelivery({ payload: `${payload} ` }, headers), 'gitea', 's');
  });

  test('Box: non-ASCII escaped; EasyPost: whole weights with a decimal and a normalised secret', () => {
    const time = '2025-12-06T05:46:40Z';
    const signature = mac('sha256', 's', `{"n":"\\u00fc"}${time}`).digest('base64');
    valid(
      delivery({ headers: { 'Box-Signature-Primary': signature, 'Box-Delivery-Timestamp': time }, body: '{"n":"ü"}' }),
      'box',
      's',
    );
    const hmac = mac('sha256', 'sécret'.normalize('NFKD'), '{"weight": 10.0}').digest('hex');
    const parcel = delivery({ headers: { 'X-Hmac-Signature': `hmac-sha256-hex=${hmac}` }, body: '{"weight": 10}' });
    valid(parcel, 'easypost', 'sécret');
  });

  test('Recurly and Hook0', () => {
    const digest = mac('sha256', 's', `${now}.{}`).digest('hex');
    valid(
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
    valid(hook('2'), 'coinbase-cdp', 's');
    invalid(hook('3'), 'coinbase-cdp', 's');
    expect(verdictOf(hook(''), 'coinbase-cdp', 's')?.reason).toBe('malformed_header');
    const v0 = mac('sha256', 's', `${seconds}.{}`).digest('hex');
    valid(delivery({ headers: { 'X-Hook0-Signature': `t=${seconds},v0=${v0}` }, body: '{}' }), 'coinbase-cdp', 's');
  });

  for (const hash of ['sha1', 'sha256', 'sha384', 'sha512']) {
    test(`WebSub with ${hash}`, () => {
      const headers = {
        Link: '<https://hub.example/>; rel="hub"',
        'X-Hub-Signature': `${hash}=${mac(hash, 's', '<feed/>').digest('hex')}`,
      };
      valid(delivery({ headers, body: '<feed/>' }), 'websub', 's');
      invalid(delivery({ headers, body: '<feed />' }), 'websub', 's');
    });
  }
});

describe('public keys that were pasted', () => {
  test('Circle, as PEM or base64', () => {
    const signature = sign('sha256', Buffer.from('{}'), ec.privateKey).toString('base64');
    const what = (body: string) =>
      delivery({ headers: { 'X-Circle-Signature': signature, 'X-Circle-Key-Id': 'k' }, body });
    valid(what('{}'), 'circle', pemOf(ec.publicKey));
    valid(what('{}'), 'circle', ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
    invalid(what('{ }'), 'circle', pemOf(ec.publicKey));
    invalid(what('{}'), 'circle', pemOf(rsa.publicKey));
  });

  test('Standard Webhooks with Ed25519', () => {
    const signature = sign(null, Buffer.from(`m.${seconds}.{}`), ed.privateKey).toString('base64');
    const key = ed.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': seconds, 'webhook-signature': `v1a,${signature}` };
    valid(delivery({ headers, body: '{}' }), 'standard-webhooks', `whpk_${key}`);
    invalid(delivery({ headers, body: '{ }' }), 'standard-webhooks', `whpk_${key}`);
  });

  test('Amazon SNS: both versions, notification and confirmation', () => {
    const base = {
      Type: 'Notification',
      MessageId: '1',
      TopicArn: 'arn',
      Message: 'm',
      Timestamp: 't',
      SignatureVersion: '2',
    };
    const signed = (fields: Record<string, string>, order: string[]) => {
      const text = order.map(name => `${name}\n${fields[name]}\n`).join('');
      const hash = fields['SignatureVersion'] === '1' ? 'sha1' : 'sha256';
      return { ...fields, Signature: createSign(hash).update(text).sign(rsa.privateKey, 'base64') };
    };
    const headers = { 'X-Amz-Sns-Message-Type': 'Notification' };
    const order = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type'];
    const note = signed(base, order);
    valid(jsonDelivery(note, headers), 'aws-sns', pemOf(rsa.publicKey));
    valid(jsonDelivery(signed({ ...base, SignatureVersion: '1' }, order), headers), 'aws-sns', pemOf(rsa.publicKey));
    invalid(jsonDelivery({ ...note, Message: 'n' }, headers), 'aws-sns', pemOf(rsa.publicKey));
    const leave = { ...base, Type: 'UnsubscribeConfirmation', SubscribeURL: 'u', Token: 'k' };
    const all = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    for (const names of [all, all.filter(name => name !== 'Token')]) {
      valid(jsonDelivery(signed(leave, names), headers), 'aws-sns', pemOf(rsa.publicKey));
    }
  });

  test('Travis CI, Paddle Classic, eBay', () => {
    const payload = '{"state":"passed"}';
    const signature = createSign('sha1').update(payload).sign(rsa.privateKey, 'base64');
    valid(formDelivery({ payload }, { Signature: signature }), 'travis', pemOf(rsa.publicKey));
    invalid(formDelivery({ payload: '{}' }, { Signature: signature }), 'travis', pemOf(rsa.publicKey));

    const php = 'a:2:{s:10:"alert_name";s:4:"paid";s:4:"name";s:3:"é!";}';
    const p_signature = createSign('sha1').update(php).sign(rsa.privateKey, 'base64');
    valid(formDelivery({ p_signature, name: 'é!', alert_name: 'paid' }), 'paddle', pemOf(rsa.publicKey));
    invalid(formDelivery({ p_signature, name: 'e!', alert_name: 'paid' }), 'paddle', pemOf(rsa.publicKey));

    const der = sign('sha1', Buffer.from('{}'), ec.privateKey).toString('base64');
    const header = Buffer.from(JSON.stringify({ alg: 'ecdsa', kid: 'k', signature: der, digest: 'SHA1' })).toString(
      'base64',
    );
    valid(delivery({ headers: { 'X-EBAY-SIGNATURE': header }, body: '{}' }), 'ebay', pemOf(ec.publicKey));
    invalid(delivery({ headers: { 'X-EBAY-SIGNATURE': header }, body: '{ }' }), 'ebay', pemOf(ec.publicKey));
  });

  test('PayPal: the webhook id and the key behind its certificate', () => {
    const text = `id|time|WH-1|${crc32('{}') >>> 0}`;
    const headers = {
      'PayPal-Transmission-Id': 'id',
      'PayPal-Transmission-Time': 'time',
      'PayPal-Transmission-Sig': createSign('sha256').update(text).sign(rsa.privateKey, 'base64'),
    };
    valid(delivery({ headers, body: '{}' }), 'paypal', `WH-1|${pemOf(rsa.publicKey)}`, 'origin');
    invalid(delivery({ headers, body: '{ }' }), 'paypal', `WH-1|${pemOf(rsa.publicKey)}`);
    invalid(delivery({ headers, body: '{}' }), 'paypal', `WH-2|${pemOf(rsa.publicKey)}`);
  });
});

describe('JSON Web Tokens', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hs256 = (claims: object, key = 's') => {
    const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
    return `${text}.${mac('sha256', key, text).digest('base64url')}`;
  };
  const with256 = (alg: 'RS256' | 'ES256', claims: object) => {
    const text = `${part({ alg })}.${part(claims)}`;
    const key = alg === 'RS256' ? rsa.privateKey : ec.privateKey;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');

  test('Netlify and Plaid: a hash of the body among the claims', () => {
    const netlify = (body: string) =>
      delivery({ headers: { 'X-Webhook-Signature': hs256({ iss: 'netlify', sha256: sha('{}') }) }, body });
    valid(netlify('{}'), 'netlify', 's');
    invalid(netlify('{ }'), 'netlify', 's');
    const plaid = (body: string, iat = now / 1000) =>
      delivery({ headers: { 'Plaid-Verification': with256('ES256', { iat, request_body_sha256: sha('{}') }) }, body });
    const jwk = JSON.stringify(ec.publicKey.export({ format: 'jwk' }));
    valid(plaid('{}'), 'plaid', jwk);
    invalid(plaid('{ }'), 'plaid', jwk);
    expect(verdictOf(plaid('{}', now / 1000 - 301), 'plaid', jwk)?.reason).toBe('timestamp_out_of_tolerance');
  });

  test('monday.com, Jira Connect and Pub/Sub: the sender only', () => {
    const event = { event: { type: 'create_item', boardId: '1' } };
    valid(jsonDelivery(event, { Authorization: hs256({ exp: now / 1000 + 60 }) }), 'monday', 's', 'origin');
    expect(
      verdictOf(jsonDelivery(event, { Authorization: hs256({ exp: now / 1000 - 61 }) }), 'monday', 's')?.reason,
    ).toBe('timestamp_out_of_tolerance');
    invalid(jsonDelivery(event, { Authorization: hs256({}, 'other') }), 'monday', 's');
    valid(jsonDelivery({ webhookEvent: 'x' }, { Authorization: `JWT ${hs256({})}` }), 'jira', 's', 'origin');
    const push = { message: { messageId: '1', data: '' }, subscription: 'projects/p/subscriptions/s' };
    const keys = JSON.stringify({ keys: [ec, rsa].map(pair => pair.publicKey.export({ format: 'jwk' })) });
    valid(jsonDelivery(push, { Authorization: `Bearer ${with256('RS256', {})}` }), 'google-pubsub', keys, 'origin');
  });

  test('Wix: the body is the token', () => {
    const token = with256('RS256', { data: JSON.stringify({ eventType: 'x' }) });
    valid(delivery({ body: token }), 'wix', pemOf(rsa.publicKey));
    invalid(delivery({ body: `${token.slice(0, -8)}AAAAAAAA` }), 'wix', pemOf(rsa.publicKey));
  });

  test('the token does not choose its algorithm', () => {
    const event = { event: { type: 'create_item', boardId: '1' } };
    const none = `${part({ alg: 'none' })}.${part({})}.c2ln`;
    invalid(jsonDelivery(event, { Authorization: none }), 'monday', 's');
    // The classic forgery: the public key used as an HMAC secret.
    const text = `${part({ alg: 'HS256' })}.${part({ data: '{"eventType":"x"}' })}`;
    const forged = `${text}.${mac('sha256', pemOf(rsa.publicKey), text).digest('base64url')}`;
    invalid(delivery({ body: forged }), 'wix', pemOf(rsa.publicKey));
  });
});
