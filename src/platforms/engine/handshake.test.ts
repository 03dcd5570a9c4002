import { describe, expect, test } from 'bun:test';
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { toFieldLines } from '../../core/headers.ts';
import { delivery, formDelivery, jsonDelivery } from '../../testing/deliveries.ts';
import { detect, handshake, mayDefer, platforms } from '../platforms.ts';
import { indexHandshakes } from './handshake-triggers.ts';
import type { HandshakeAnswer, RawDelivery, SigningSecret } from './model.ts';

const now = 1_765_000_000_000;
const url = 'https://tape.example/in/token';

function answer(what: RawDelivery, secrets: SigningSecret[] = []): HandshakeAnswer | null {
  const registered = secrets.map(secret => secret.platform).filter(name => name !== null);
  const urls = [what.query === null ? url : `${url}?${what.query}`];
  const found = handshake({ delivery: what, detection: detect(what, registered), secrets, receivedAt: now, urls });
  // Whatever gets an answer of its own must be recognised before it is answered.
  const fieldLines = Buffer.from(toFieldLines(what.rawHeaders.flat())).toString('latin1');
  expect(found !== null && mayDefer({ ...what, fieldLines }, registered)).toBe(false);
  return found;
}

const get = (query: string, headers: Record<string, string> = {}) => delivery({ method: 'GET', query, headers });
const has = (platform: string, secret: string): SigningSecret[] => [{ platform, secret }];
const bodyOf = (what: HandshakeAnswer | null): unknown => (what === null ? null : JSON.parse(what.body));
const hmac = (hash: string, key: string | Buffer, text: string) => createHmac(hash, key).update(text);

describe('challenges that are sent back', () => {
  const text = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

  for (const [name, what, body] of [
    ['WebSub', get('hub.mode=subscribe&hub.topic=https%3A%2F%2Fx.example&hub.challenge=a%20b'), 'a b'],
    ['Dropbox, Nylas', get('challenge=abc'), 'abc'],
    ['Onfleet', get('check=abc'), 'abc'],
    ['Microsoft Graph', delivery({ query: 'validationToken=Validation%3A+Testing' }), 'Validation: Testing'],
    ['SharePoint', delivery({ query: 'validationtoken=abc' }), 'abc'],
    [
      'Twitch',
      jsonDelivery({ challenge: 'raw' }, { 'Twitch-Eventsub-Message-Type': 'webhook_callback_verification' }),
      'raw',
    ],
  ] as const) {
    test(`${name}: as plain text`, () => {
      expect(answer(what)).toEqual({ status: 200, headers: text, body });
    });
  }

  for (const [name, what, body] of [
    ['Okta', get('', { 'X-Okta-Verification-Challenge': 'abc' }), { verification: 'abc' }],
    ['Slack', jsonDelivery({ type: 'url_verification', challenge: 'abc', token: 't' }), { challenge: 'abc' }],
    ['monday.com', jsonDelivery({ challenge: '<b>' }), { challenge: '<b>' }],
    [
      'Event Grid',
      jsonDelivery([{ data: { validationCode: 'abc' } }], { 'aeg-event-type': 'SubscriptionValidation' }),
      { validationResponse: 'abc' },
    ],
  ] as const) {
    test(`${name}: as JSON`, () => {
      const got = answer(what);
      expect(got?.status).toBe(200);
      expect(got?.headers['content-type']).toBe('application/json');
      expect(bodyOf(got)).toEqual(body);
    });
  }

  test('Smartsheet: in a header', () => {
    const got = answer(jsonDelivery({ challenge: 'abc' }, { 'Smartsheet-Hook-Challenge': 'abc' }));
    expect(got?.headers['smartsheet-hook-response']).toBe('abc');
    expect(bodyOf(got)).toEqual({ smartsheetHookResponse: 'abc' });
  });

  test('a header that is repeated a thousand times is one challenge', () => {
    const rawHeaders = Array.from({ length: 1000 }, () => ['X-Hook-Secret', 'abc'] as const);
    const repeated = { ...delivery(), rawHeaders };
    expect(indexHandshakes(platforms)(repeated, { platform: null, eventType: null }).length).toBe(2);
    expect(answer(repeated)).toBeNull();
  });

  test('CloudEvents: the origin is allowed, at the rate it asked for', () => {
    const headers = { 'WebHook-Request-Origin': 'eventgrid.azure.net', 'WebHook-Request-Rate': '120' };
    expect(answer(delivery({ method: 'OPTIONS', headers }))?.headers).toEqual({
      'webhook-allowed-origin': 'eventgrid.azure.net',
      'webhook-allowed-rate': '120',
      allow: 'POST',
    });
    const odd = answer(delivery({ method: 'OPTIONS', headers: { 'WebHook-Request-Origin': 'a b' } }));
    expect(odd?.headers['webhook-allowed-origin']).toBe('*');
    expect(answer(delivery({ method: 'OPTIONS' }))).toBeNull();
  });

  test('never more than 4 KiB, and never an invalid header value', () => {
    expect(answer(get(`challenge=${'x'.repeat(4096)}`))?.body.length).toBe(4096);
    expect(answer(get(`challenge=${'x'.repeat(4097)}`))).toBeNull();
    expect(answer(jsonDelivery({ challenge: 'x'.repeat(4097) }))).toBeNull();
    expect(answer(delivery({ headers: { 'X-Hook-Secret': 'a\u00e9b' } }))).toBeNull();
    expect(answer(delivery({ headers: { 'X-Hook-Secret': 'x'.repeat(300) } }))).toBeNull();
  });
});

describe('challenges that need a registered secret', () => {
  test('X', () => {
    const got = bodyOf(answer(get('crc_token=abc-_1'), has('x', 'consumer')));
    expect(got).toEqual({ response_token: `sha256=${hmac('sha256', 'consumer', 'abc-_1').digest('base64')}` });
  });

  test('LinkedIn', () => {
    const code = '890e4665-4dfe-4ab1-b689-ed553bceeed0';
    const got = bodyOf(answer(get(`challengeCode=${code}`), has('linkedin', 's')));
    expect(got).toEqual({ challengeCode: code, challengeResponse: hmac('sha256', 's', code).digest('hex') });
  });

  test('eBay: code, verification token and URL without its query', () => {
    const token = 'verification-token-of-32-letters-x';
    const got = bodyOf(answer(get('challenge_code=a1b2c3d4e5f6a7b8'), has('ebay', token)));
    const expected = createHash('sha256').update(`a1b2c3d4e5f6a7b8${token}${url}`).digest('hex');
    expect(got).toEqual({ challengeResponse: expected });
  });

  test('Braintree', () => {
    const challenge = '20f9f8ed05f77439fe955c977e4c8a53';
    const key = createHash('sha1').update('private').digest();
    const got = answer(get(`bt_challenge=${challenge}`), has('braintree', 'public|private'));
    expect(got?.body).toBe(`public|${hmac('sha1', key, challenge).digest('hex')}`);
  });

  test('Zoom: only when the request is signed', () => {
    const body = JSON.stringify({
      event: 'endpoint.url_validation',
      payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' },
    });
    const time = String(now / 1000);
    const signature = `v0=${hmac('sha256', 's', `v0:${time}:${body}`).digest('hex')}`;
    const request = (value: string) =>
      delivery({ headers: { 'x-zm-signature': value, 'x-zm-request-timestamp': time }, body });
    expect(bodyOf(answer(request(signature), [...has('zoom', 'old'), ...has('zoom', 's')]))).toEqual({
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      encryptedToken: hmac('sha256', 's', 'qgg8vlvZRS6UYooatFL8Aw').digest('hex'),
    });
    expect(answer(request(signature.replace(/.$/, 'x')), has('zoom', 's'))).toBeNull();
    expect(answer(request(signature), has('zoom', 'other'))).toBeNull();
    expect(answer(request(signature))).toBeNull();
  });

  test('Discord: PING answered, a wrong signature refused', () => {
    const pair = generateKeyPairSync('ed25519');
    const key = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const request = (value: object, good = true) => {
      const body = JSON.stringify(value);
      const signature = sign(null, Buffer.from(`${good ? '1' : '2'}${body}`), pair.privateKey).toString('hex');
      return delivery({ headers: { 'X-Signature-Ed25519': signature, 'X-Signature-Timestamp': '1' }, body });
    };
    expect(bodyOf(answer(request({ type: 1 }), has('discord', key)))).toEqual({ type: 1 });
    expect(answer(request({ type: 0 }), has('discord', key))).toEqual({ status: 204, headers: {}, body: '' });
    expect(answer(request({ type: 1 }, false), has('discord', key))?.status).toBe(401);
    expect(answer(request({ type: 1, event: { type: 'X' } }), has('discord', key))).toBeNull();
    expect(answer(request({ type: 1 }))).toBeNull();
  });

  test('Xero: intent to receive', () => {
    const body = '{"events":[],"entropy":"x"}';
    const request = (key: string, text = body) =>
      delivery({ headers: { 'x-xero-signature': hmac('sha256', key, text).digest('base64') }, body: text });
    expect(answer(request('k'), has('xero', 'k'))).toEqual({ status: 200, headers: {}, body: '' });
    expect(answer(request('other'), has('xero', 'k'))).toEqual({ status: 401, headers: {}, body: '' });
    expect(answer(request('k', '{"events":[{}]}'), has('xero', 'k'))).toBeNull();
    expect(answer(request('k'))).toBeNull();
  });

  test('Meta and Strava: the platform with that verify token answers', () => {
    const request = get('hub.mode=subscribe&hub.verify_token=t&hub.challenge=42');
    expect(answer(request, has('meta', 't'))?.body).toBe('42');
    expect(bodyOf(answer(request, [...has('meta', 'u'), ...has('strava', 't')]))).toEqual({ 'hub.challenge': '42' });
    expect(answer(request, has('meta', 'other'))?.status).toBe(403);
    expect(answer(request)).toBeNull();
  });

  test('a secret for any platform signs no handshake', () => {
    const any = [{ platform: null, secret: 's' }];
    for (const query of [
      'crc_token=abc',
      'challengeCode=890e4665-4dfe-4ab1-b689-ed553bceeed0',
      'challenge_code=a1b2c3d4e5f6a7b8',
    ]) {
      expect(answer(get(query), any)).toBeNull();
    }
    expect(
      answer(get('bt_challenge=20f9f8ed05f77439fe955c977e4c8a53'), [{ platform: null, secret: 'a|b' }]),
    ).toBeNull();
  });

  test('nothing that could be the body of a delivery is signed', () => {
    for (const token of ['{"a":1}', 'v0:1:{}', 'a b', 'a.b', 'x'.repeat(129), 'a\n']) {
      const encoded = encodeURIComponent(token);
      expect(answer(get(`crc_token=${encoded}`), has('x', 's'))).toBeNull();
      expect(answer(get(`challengeCode=${encoded}`), has('linkedin', 's'))).toBeNull();
      expect(answer(get(`challenge_code=${encoded}`), has('ebay', 'x'.repeat(32)))).toBeNull();
      expect(answer(get(`bt_challenge=${encoded}`), has('braintree', 'a|b'))).toBeNull();
    }
  });
});

describe('secrets that a handshake delivers', () => {
  const asana = delivery({ headers: { 'X-Hook-Secret': 'b537207f20cbfa02357cf448134da559' } });
  const notion = jsonDelivery({ verification_token: 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl' });

  test('Asana: sent back and learned', () => {
    const got = answer(asana);
    expect(got?.headers['x-hook-secret']).toBe('b537207f20cbfa02357cf448134da559');
    expect(got?.learnedSecret).toEqual({ platform: 'asana', secret: 'b537207f20cbfa02357cf448134da559' });
  });

  test('Notion: learned', () => {
    const got = answer(notion);
    expect(got?.status).toBe(200);
    expect(got?.learnedSecret?.platform).toBe('notion');
  });

  test('are learned beside others and not twice once confirmed, with the same answer', () => {
    for (const [sent, platform] of [
      [asana, 'asana'],
      [notion, 'notion'],
    ] as const) {
      const { learnedSecret, ...plain } = answer(sent) ?? {};
      const secret = learnedSecret?.secret ?? '';
      expect(answer(sent, has(platform, 'mine'))).toEqual({ ...plain, learnedSecret } as HandshakeAnswer);
      expect(answer(sent, [{ platform, secret, unconfirmed: true }])?.learnedSecret).toEqual({ platform, secret });
      expect(answer(sent, has(platform, secret))).toEqual(plain as HandshakeAnswer);
    }
  });

  test('an unconfirmed secret answers no handshake', () => {
    const question = delivery({ method: 'GET', query: 'crc_token=abc', body: '' });
    expect(answer(question, has('x', 'mine'))?.status).toBe(200);
    expect(answer(question, [{ platform: 'x', secret: 'planted', unconfirmed: true }])).toBeNull();
  });
});

describe('deliveries', () => {
  test('of Dropbox Sign and Salesforce get the answer that these expect', () => {
    const sign = formDelivery({ json: '{"event":{"event_type":"a","event_hash":"b"}}' });
    expect(answer(sign)?.body).toBe('Hello API Event Received');
    const soap = delivery({ body: '<notifications xmlns="http://soap.sforce.com/2005/09/outbound"/>' });
    expect(answer(soap)?.body).toContain('<Ack>true</Ack>');
  });

  test('of all others get the normal answer', () => {
    for (const what of [
      delivery(),
      delivery({ method: 'GET' }),
      delivery({ method: 'HEAD', query: 'challenge=1' }),
      delivery({ method: 'PUT', body: '{"challenge":"x"}' }),
      get('page=1&check=2'),
      get('hub.mode=denied&hub.topic=x&hub.challenge=1'),
      jsonDelivery({ challenge: 'x', more: 1 }),
      jsonDelivery({ verification_token: 'secret_abcdef', more: 1 }),
      jsonDelivery({ zen: 'x' }, { 'X-GitHub-Event': 'ping' }),
      jsonDelivery({ type: 'charge.succeeded', challenge: 'x' }, { 'Stripe-Signature': 't=1,v1=2' }),
      jsonDelivery({}, { 'X-Amz-Sns-Message-Type': 'SubscriptionConfirmation' }),
      jsonDelivery({ events: [] }, { 'X-Line-Signature': 'x' }),
      jsonDelivery({ event: {}, challenge: 'x' }, { 'X-Slack-Signature': 'v0=1' }),
    ]) {
      expect(answer(what)).toBeNull();
    }
  });

  test('the catalog has the handshakes of these platforms', () => {
    const answered = platforms.filter(row => row.handshakes !== undefined).map(row => row.name);
    for (const name of [
      'asana',
      'braintree',
      'cloudevents',
      'discord',
      'dropbox',
      'dropbox-sign',
      'ebay',
      'linkedin',
      'meta',
      'microsoft-graph',
      'monday',
      'notion',
      'nylas',
      'okta',
      'onfleet',
      'salesforce',
      'slack',
      'smartsheet',
      'strava',
      'twitch',
      'websub',
      'x',
      'xero',
      'youtube',
      'zoom',
      'azure-event-grid',
      'keap',
    ]) {
      expect(answered).toContain(name);
    }
  });
});
