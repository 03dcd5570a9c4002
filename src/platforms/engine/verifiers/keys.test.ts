import { describe, expect, test } from 'bun:test';
import { createHash, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { delivery, formDelivery, jsonDelivery } from '../../../testing/deliveries.ts';
import { expectInvalid, expectValid, mac, now, seconds, verdictOf } from '../../../testing/verdicts.ts';

const pemOf = (key: KeyObject) => String(key.export({ format: 'pem', type: 'spki' }));
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');

describe('pasted public keys', () => {
  test('Circle, as PEM or base64', () => {
    const signature = sign('sha256', Buffer.from('{}'), ec.privateKey).toString('base64');
    const what = (body: string) =>
      delivery({ headers: { 'X-Circle-Signature': signature, 'X-Circle-Key-Id': 'k' }, body });
    expectValid(what('{}'), 'circle', pemOf(ec.publicKey));
    expectValid(what('{}'), 'circle', ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
    expectInvalid(what('{ }'), 'circle', pemOf(ec.publicKey));
    expectInvalid(what('{}'), 'circle', pemOf(rsa.publicKey));
  });

  test('Standard Webhooks with Ed25519', () => {
    const signature = sign(null, Buffer.from(`m.${seconds}.{}`), ed.privateKey).toString('base64');
    const key = ed.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': seconds, 'webhook-signature': `v1a,${signature}` };
    expectValid(delivery({ headers, body: '{}' }), 'standard-webhooks', `whpk_${key}`);
    expectInvalid(delivery({ headers, body: '{ }' }), 'standard-webhooks', `whpk_${key}`);
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
    expectValid(jsonDelivery(note, headers), 'aws-sns', pemOf(rsa.publicKey));
    expectValid(
      jsonDelivery(signed({ ...base, SignatureVersion: '1' }, order), headers),
      'aws-sns',
      pemOf(rsa.publicKey),
    );
    expectInvalid(jsonDelivery({ ...note, Message: 'n' }, headers), 'aws-sns', pemOf(rsa.publicKey));
    const leave = { ...base, Type: 'UnsubscribeConfirmation', SubscribeURL: 'u', Token: 'k' };
    const all = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    for (const names of [all, all.filter(name => name !== 'Token')]) {
      expectValid(jsonDelivery(signed(leave, names), headers), 'aws-sns', pemOf(rsa.publicKey));
    }
  });

  test('Travis CI, Paddle Classic, eBay', () => {
    const payload = '{"state":"passed"}';
    const signature = createSign('sha1').update(payload).sign(rsa.privateKey, 'base64');
    expectValid(formDelivery({ payload }, { Signature: signature }), 'travis', pemOf(rsa.publicKey));
    expectInvalid(formDelivery({ payload: '{}' }, { Signature: signature }), 'travis', pemOf(rsa.publicKey));

    const php = 'a:2:{s:10:"alert_name";s:4:"paid";s:4:"name";s:3:"é!";}';
    const p_signature = createSign('sha1').update(php).sign(rsa.privateKey, 'base64');
    expectValid(formDelivery({ p_signature, name: 'é!', alert_name: 'paid' }), 'paddle', pemOf(rsa.publicKey));
    expectInvalid(formDelivery({ p_signature, name: 'e!', alert_name: 'paid' }), 'paddle', pemOf(rsa.publicKey));

    const der = sign('sha1', Buffer.from('{}'), ec.privateKey).toString('base64');
    const header = Buffer.from(JSON.stringify({ alg: 'ecdsa', kid: 'k', signature: der, digest: 'SHA1' })).toString(
      'base64',
    );
    expectValid(delivery({ headers: { 'X-EBAY-SIGNATURE': header }, body: '{}' }), 'ebay', pemOf(ec.publicKey));
    expectInvalid(delivery({ headers: { 'X-EBAY-SIGNATURE': header }, body: '{ }' }), 'ebay', pemOf(ec.publicKey));
  });

  test('PayPal: the webhook id and the key behind its certificate', () => {
    const text = `id|time|WH-1|${crc32('{}') >>> 0}`;
    const headers = {
      'PayPal-Transmission-Id': 'id',
      'PayPal-Transmission-Time': 'time',
      'PayPal-Transmission-Sig': createSign('sha256').update(text).sign(rsa.privateKey, 'base64'),
    };
    expectValid(delivery({ headers, body: '{}' }), 'paypal', `WH-1|${pemOf(rsa.publicKey)}`, 'origin');
    expectInvalid(delivery({ headers, body: '{ }' }), 'paypal', `WH-1|${pemOf(rsa.publicKey)}`);
    expectInvalid(delivery({ headers, body: '{}' }), 'paypal', `WH-2|${pemOf(rsa.publicKey)}`);
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
    expectValid(netlify('{}'), 'netlify', 's');
    expectInvalid(netlify('{ }'), 'netlify', 's');
    const plaid = (body: string, iat = now / 1000) =>
      delivery({ headers: { 'Plaid-Verification': with256('ES256', { iat, request_body_sha256: sha('{}') }) }, body });
    const jwk = JSON.stringify(ec.publicKey.export({ format: 'jwk' }));
    expectValid(plaid('{}'), 'plaid', jwk);
    expectInvalid(plaid('{ }'), 'plaid', jwk);
    expect(verdictOf(plaid('{}', now / 1000 - 301), 'plaid', jwk)?.reason).toBe('timestamp_out_of_tolerance');
  });

  test('monday.com, Jira Connect and Pub/Sub: the token does not cover the body', () => {
    const event = { event: { type: 'create_item', boardId: '1' } };
    expectValid(jsonDelivery(event, { Authorization: hs256({ exp: now / 1000 + 60 }) }), 'monday', 's', 'origin');
    expect(
      verdictOf(jsonDelivery(event, { Authorization: hs256({ exp: now / 1000 - 61 }) }), 'monday', 's')?.reason,
    ).toBe('timestamp_out_of_tolerance');
    expectInvalid(jsonDelivery(event, { Authorization: hs256({}, 'other') }), 'monday', 's');
    expectValid(jsonDelivery({ webhookEvent: 'x' }, { Authorization: `JWT ${hs256({})}` }), 'jira', 's', 'origin');
    const push = { message: { messageId: '1', data: '' }, subscription: 'projects/p/subscriptions/s' };
    const keys = JSON.stringify({ keys: [ec, rsa].map(pair => pair.publicKey.export({ format: 'jwk' })) });
    expectValid(
      jsonDelivery(push, { Authorization: `Bearer ${with256('RS256', {})}` }),
      'google-pubsub',
      keys,
      'origin',
    );
  });

  test('Wix: the body is the token', () => {
    const token = with256('RS256', { data: JSON.stringify({ eventType: 'x' }) });
    expectValid(delivery({ body: token }), 'wix', pemOf(rsa.publicKey));
    expectInvalid(delivery({ body: `${token.slice(0, -8)}AAAAAAAA` }), 'wix', pemOf(rsa.publicKey));
  });

  test('the token does not choose its algorithm', () => {
    const event = { event: { type: 'create_item', boardId: '1' } };
    const none = `${part({ alg: 'none' })}.${part({})}.c2ln`;
    expectInvalid(jsonDelivery(event, { Authorization: none }), 'monday', 's');
    const renamed = `${part({ alg: 'HS512' })}.${part({})}`;
    const other = `${renamed}.${mac('sha256', 's', renamed).digest('base64url')}`;
    expectInvalid(jsonDelivery(event, { Authorization: other }), 'monday', 's');
    // The classic forgery: the public key used as an HMAC secret.
    const text = `${part({ alg: 'HS256' })}.${part({ data: '{"eventType":"x"}' })}`;
    const forged = `${text}.${mac('sha256', pemOf(rsa.publicKey), text).digest('base64url')}`;
    expectInvalid(delivery({ body: forged }), 'wix', pemOf(rsa.publicKey));
  });
});
