/* What is signed here is accepted by the platforms' own libraries, and refused by them when it is tampered with or old. */
import { describe, expect, test } from 'bun:test';
import { verifyRequest } from '@contentful/node-apps-toolkit';
import { validateSignature as lineAccepts } from '@line/bot-sdk';
import Mux from '@mux/mux-node';
import { verifyWebhookSignature } from '@notionhq/client';
import { verify as verifyGithub } from '@octokit/webhooks-methods';
import { Environment, Paddle } from '@paddle/paddle-node-sdk';
import { isValidSignature } from '@sanity/webhook';
import { WorkOS } from '@workos-inc/node';
import braintree from 'braintree';
import coinbase from 'coinbase-commerce-node';
import { verifySignature as verifyGoCardless } from 'gocardless-nodejs/webhooks';
import { jwtVerify } from 'jose';
import Pusher from 'pusher';
import { validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import twilio from 'twilio';
import type { HeaderPair } from '../core/headers.ts';
import { signedDeliveries } from '../testing/signed-deliveries.ts';
import type { SignRequest } from './engine/sign.ts';
import { sign } from './platforms.ts';

/** `headers`: names in lower case. */
type Sent = { url: string; headers: Record<string, string>; body: string; secret: string };
/** Returns false or throws for what it refuses. */
type Library = (sent: Sent) => unknown;

const header = ({ headers }: Sent, name: string): string => headers[name] ?? '';
const formOf = ({ body }: Sent) => Object.fromEntries(new URLSearchParams(body));

const libraries: Readonly<Record<string, Library>> = {
  stripe: sent =>
    new Stripe('sk').webhooks.constructEventAsync(sent.body, header(sent, 'stripe-signature'), sent.secret),
  github: sent => verifyGithub(sent.secret, sent.body, header(sent, 'x-hub-signature-256')),
  svix: ({ body, headers, secret }) => new SvixWebhook(secret).verify(body, headers),
  'standard-webhooks': ({ body, headers, secret }) => new StandardWebhook(secret).verify(body, headers),
  twilio: sent => twilio.validateRequest(sent.secret, header(sent, 'x-twilio-signature'), sent.url, formOf(sent)),
  mux: ({ body, headers, secret }) =>
    new Mux({ tokenId: 'a', tokenSecret: 'b' }).webhooks.verifySignature(body, headers, secret).then(() => true),
  'coinbase-commerce': sent => {
    coinbase.Webhook.verifySigHeader(sent.body, header(sent, 'x-cc-webhook-signature'), sent.secret);
    return true;
  },
  sanity: sent => isValidSignature(sent.body, header(sent, 'sanity-webhook-signature'), sent.secret),
  contentful: ({ url, headers, body, secret }) => {
    const { pathname, search } = new URL(url);
    return verifyRequest(secret, { method: 'POST', path: pathname + search, headers, body });
  },
  notion: sent =>
    verifyWebhookSignature({
      body: sent.body,
      signature: header(sent, 'x-notion-signature'),
      verificationToken: sent.secret,
    }),
  braintree: sent => {
    const [publicKey = '', privateKey = ''] = sent.secret.split('|');
    const gateway = new braintree.BraintreeGateway({
      environment: braintree.Environment.Sandbox,
      merchantId: 'm',
      publicKey,
      privateKey,
    });
    const { bt_signature = '', bt_payload = '' } = formOf(sent);
    return gateway.webhookNotification.parse(bt_signature, bt_payload);
  },
  pusher: ({ headers, body, secret }) =>
    new Pusher({ appId: '1', key: 'key', secret, cluster: 'eu' }).webhook({ headers, rawBody: body }).isValid(),
  workos: sent =>
    new WorkOS('sk').webhooks.verifyHeader({
      payload: JSON.parse(sent.body),
      sigHeader: header(sent, 'workos-signature'),
      secret: sent.secret,
    }),
  gocardless: sent => {
    verifyGoCardless(sent.body, sent.secret, header(sent, 'webhook-signature'));
    return true;
  },
  paddle: sent =>
    new Paddle('key', { environment: Environment.sandbox }).webhooks.isSignatureValid(
      sent.body,
      sent.secret,
      header(sent, 'paddle-signature'),
    ),
  line: sent => lineAccepts(sent.body, sent.secret, header(sent, 'x-line-signature')),
  razorpay: sent => validateWebhookSignature(sent.body, header(sent, 'x-razorpay-signature'), sent.secret),
  netlify: async sent => {
    const token = header(sent, 'x-webhook-signature');
    const { payload } = await jwtVerify(token, Buffer.from(sent.secret), { issuer: 'netlify', algorithms: ['HS256'] });
    return payload['sha256'] === new Bun.CryptoHasher('sha256').update(sent.body).digest('hex');
  },
  monday: sent => jwtVerify(header(sent, 'authorization'), Buffer.from(sent.secret), { algorithms: ['HS256'] }),
};
/** The libraries look at the clock for these. */
const refuseOldOnes = ['stripe', 'svix', 'standard-webhooks', 'mux', 'contentful', 'workos', 'paddle', 'monday'];

const url = 'https://handler.example/hooks/a?b=c%20d';
const now = Date.now();
const captured = await signedDeliveries('https://tape.example/in/token', now);

/** A delivery to be sent somewhere else. */
function requestFor(platform: string): Omit<SignRequest, 'at'> {
  const sent = captured.find(one => one.platform === platform);
  const headers: HeaderPair[] = Object.entries(sent?.headers ?? { 'Content-Type': 'application/json' });
  const body = Buffer.from(sent?.body ?? '{"a":1}');
  return { platform, secret: sent?.secret ?? 'a secret of the site', method: 'POST', url, headers, body };
}

async function isAccepted(accepts: Library, request: SignRequest): Promise<boolean> {
  const signed = sign(request);
  if ('cannotSign' in signed) throw new Error(signed.cannotSign);
  const headers = Object.fromEntries(signed.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const sent = { url: signed.url, headers, body: Buffer.from(signed.body).toString(), secret: request.secret };
  try {
    return (await accepts(sent)) !== false;
  } catch {
    return false;
  }
}

describe('the library of', () => {
  test.each(Object.entries(libraries))(
    '%s accepts a new signature, and no broken or old one',
    async (platform, accepts) => {
      const request = { ...requestFor(platform), at: now };
      expect(await isAccepted(accepts, request)).toBe(true);
      expect(await isAccepted(accepts, { ...request, tamper: true })).toBe(false);
      const isOldAccepted = await isAccepted(accepts, { ...request, at: now - 600_000 });
      expect(isOldAccepted).toBe(!refuseOldOnes.includes(platform));
    },
  );

  test('Twilio accepts a body that is no form, by the hash in the query', async () => {
    const accepts: Library = sent =>
      twilio.validateRequestWithBody(sent.secret, header(sent, 'x-twilio-signature'), sent.url, sent.body);
    for (const target of [url, 'https://handler.example/hooks', `${url}&bodySHA256=old&e=f`]) {
      const request = {
        ...requestFor('twilio'),
        url: target,
        headers: [['Content-Type', 'application/json']] as HeaderPair[],
        body: Buffer.from('{"a":"ü"}'),
        at: now,
      };
      expect(await isAccepted(accepts, request)).toBe(true);
      expect(await isAccepted(accepts, { ...request, tamper: true })).toBe(false);
    }
  });
});
