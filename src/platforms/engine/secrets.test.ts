import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { parseSecret, platforms } from '../platforms.ts';
import { acceptedKeyFormats } from './secrets.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = String(ec.publicKey.export({ format: 'pem', type: 'spki' }));
const spki = ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const privatePem = String(ec.privateKey.export({ format: 'pem', type: 'pkcs8' }));
const jwk = JSON.stringify(ec.publicKey.export({ format: 'jwk' }));
const privateJwk = JSON.stringify(ec.privateKey.export({ format: 'jwk' }));
const certificate = await Bun.file(new URL('../../testing/fixtures/certificate.pem', import.meta.url)).text();
const hexKey = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('parsing a pasted secret', () => {
  for (const [name, platform, pasted, secret] of [
    ['text is trimmed', 'shopify', ' \n hush hush\t\n', 'hush hush'],
    ['text that looks encoded stays text', 'stripe', whsec, whsec],
    ['an alias serves', 'whatsapp', 'app secret', 'app secret'],
    ['whsec keeps its prefix', 'svix', `  ${whsec}\n`, whsec],
    [
      'base64 without prefix is a svix key too',
      'svix',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ],
    ['wrapped hex is joined', 'adyen', `${hexKey.slice(0, 32)}\n  ${hexKey.slice(32)}`, hexKey],
    ['wrapped base64 is joined', 'airtable', 'c2Vj\ncmV0', 'c2VjcmV0'],
    ['text with spaces is not taken for base64', 'gitlab', 'my secret tok', 'my secret tok'],
    ['PEM', 'travis', pem, pem],
    ['PEM with CRLF', 'travis', pem.replaceAll('\n', '\r\n'), pem],
    ['PEM from a JSON string', 'travis', pem.trim().replaceAll('\n', '\\n'), pem],
    ['PEM on one line', 'travis', pem.replaceAll('\n', ' '), pem],
    ['base64 of the DER key', 'sendgrid', `${spki.slice(0, 64)}\n${spki.slice(64)}`, spki],
    ['JWK', 'plaid', jwk, jwk],
    ['a certificate', 'aws-sns', certificate.replaceAll('\n', ' '), certificate],
    ['an id and a certificate', 'paypal', ` WH-1 | ${certificate}`, `WH-1|${certificate}`],
    ['any platform: an id and a certificate', null, `WH-1|${certificate.replaceAll('\n', ' ')}`, `WH-1|${certificate}`],
    ['Ed25519 in hex', 'discord', 'a'.repeat(64), 'a'.repeat(64)],
    ['a key pair', 'braintree', 'public|private', 'public|private'],
    ['a whole Ably key', 'ably', 'app.key:secret', 'app.key:secret'],
    ['eBay takes a key', 'ebay', pem, pem],
    ['eBay takes a verification token', 'ebay', 'token_of_mine', 'token_of_mine'],
    ['Strava has a verify token only', 'strava', 'token', 'token'],
    ['any platform: as it is', null, ' anything at all ', 'anything at all'],
    ['any platform: PEM is restored', null, pem.replaceAll('\n', ' '), pem],
    ['non-ASCII text', 'github', 'ünïcode', 'ünïcode'],
  ] as const) {
    test(name, () => {
      expect(parseSecret(platform, pasted)).toEqual({ secret });
    });
  }

  for (const [name, platform, pasted, error] of [
    ['nothing', 'shopify', ' \n ', /empty/],
    ['too much', null, 'x'.repeat(20_000), /16 KiB/],
    ['an unknown platform', 'nobody', 'x', /unknown platform "nobody"/],
    ['a platform that does not sign', 'zapier', 'x', /Zapier does not sign/],
    ['text for hex', 'adyen', 'not hex', /Adyen must be hexadecimal/],
    ['odd hex', 'onfleet', 'abc', /hexadecimal/],
    ['text for base64', 'airtable', 'no base64!', /base64/],
    ['text for a public key', 'sendgrid', 'hello', /public key/],
    ['text for an Ed25519 key', 'discord', 'hello', /64 hexadecimal digits/],
    ['a private key', 'travis', privatePem, /private key/],
    ['a private JWK', 'plaid', privateJwk, /JWK/],
    ['a cut-off PEM block', 'travis', pem.slice(0, 60), /cut off/],
    ['half a pair', 'braintree', 'public', /PUBLIC_KEY\|PRIVATE_KEY/],
    ['an Ably key without its secret', 'ably', 'app.key', /NAME:SECRET/],
    ['PayPal without its certificate', 'paypal', 'WH-123', /WEBHOOK_ID\|PEM/],
    ['a line break inside', 'shopify', 'one\ntwo', /Shopify must be the text as shown/],
    ['a line break inside, any platform', null, 'one\ntwo', /line breaks/],
    ['a placeholder', 'shopify', '••••••••', /placeholder/],
    ['what a redacted header says', null, '[redacted]', /placeholder/],
  ] as const) {
    test(`refuses ${name}, and says why`, () => {
      expect(parseSecret(platform, pasted)).toEqual({ error: expect.stringMatching(error) });
    });
  }

  test('every platform that signs accepts a format, and strict formats are tried first', () => {
    for (const row of platforms) {
      expect(acceptedKeyFormats(row).length > 0).toBe(row.signatures.length > 0 || row.takesVerifyToken === true);
      expect(acceptedKeyFormats(row).slice(0, -1)).not.toContain('text');
    }
  });
});
