/*
 * Deliveries signed by the platforms' own libraries. If a library only verifies, the signature is made here and counts only if
 * the library accepts it. Nothing is sent: the caller delivers them, or verifies them at once.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { signRequest } from '@contentful/node-apps-toolkit';
import { validateSignature as lineAccepts } from '@line/bot-sdk';
import Mux from '@mux/mux-node';
import { signWebhookPayload } from '@notionhq/client';
import { sign as signGithub } from '@octokit/webhooks-methods';
import { Environment, Paddle } from '@paddle/paddle-node-sdk';
import { encodeSignatureHeader } from '@sanity/webhook';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { WorkOS } from '@workos-inc/node';
import braintree from 'braintree';
import coinbase from 'coinbase-commerce-node';
import { verifyKey } from 'discord-interactions';
import { verifySignature as verifyGoCardless } from 'gocardless-nodejs/webhooks';
import Pusher from 'pusher';
import { validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import twilio from 'twilio';

/** `url`: where to send it, with its query. Changing a byte of `body` makes it invalid. */
export type SignedDelivery = {
  platform: string;
  secret: string;
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

const whsecSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const sharedSecret = 'a secret of the endpoint';
const hex = (text: string): string => createHmac('sha256', sharedSecret).update(text).digest('hex');

/** `url`: the endpoint's public URL; `now`: epoch ms. */
export async function signedDeliveries(url: string, now: number): Promise<SignedDelivery[]> {
  const s = Math.floor(now / 1000);
  const event = JSON.stringify({ type: 'thing.done', data: { object: 'ünïcode', amount: 2000 } });
  const base = { method: 'POST' as const, url, secret: sharedSecret, body: event };
  const standard = { id: 'msg_1', at: new Date(s * 1000) };

  return Promise.all([
    {
      ...base,
      platform: 'stripe',
      headers: {
        'Stripe-Signature': await new Stripe('sk_test_x').webhooks.generateTestHeaderStringAsync({
          payload: event,
          secret: sharedSecret,
          timestamp: s,
        }),
      },
    },
    {
      ...base,
      platform: 'github',
      headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': await signGithub(sharedSecret, event) },
    },
    {
      ...base,
      platform: 'svix',
      secret: whsecSecret,
      headers: {
        'svix-id': standard.id,
        'svix-timestamp': String(s),
        'svix-signature': new SvixWebhook(whsecSecret).sign(standard.id, standard.at, event),
      },
    },
    {
      ...base,
      platform: 'standard-webhooks',
      secret: whsecSecret,
      headers: {
        'webhook-id': standard.id,
        'webhook-timestamp': String(s),
        'webhook-signature': new StandardWebhook(whsecSecret).sign(standard.id, standard.at, event),
      },
    },
    signTwilio(url),
    signMux(base, s),
    {
      ...base,
      platform: 'coinbase-commerce',
      headers: { 'X-CC-Webhook-Signature': coinbase.Webhook.computeSignature(event, sharedSecret) },
    },
    {
      ...base,
      platform: 'sanity',
      headers: { 'sanity-webhook-signature': await encodeSignatureHeader(event, now, sharedSecret) },
    },
    signContentful(url, now),
    {
      ...base,
      platform: 'notion',
      headers: { 'X-Notion-Signature': await signWebhookPayload({ body: event, verificationToken: sharedSecret }) },
    },
    signBraintree(url),
    signPusher(base),
    {
      ...base,
      platform: 'workos',
      headers: {
        'WorkOS-Signature': `t=${now}, v1=${await new WorkOS('sk').webhooks.computeSignature(now, JSON.parse(event), sharedSecret)}`,
      },
    },
    signDiscord(url, s),
    signSendgrid(url, s),
    signGoCardless(url),
    signPaddle(base, s),
    signLine(base),
    signRazorpay(base),
  ]);
}

type Base = Pick<SignedDelivery, 'method' | 'url' | 'secret' | 'body'>;

const accepted = (yes: boolean, platform: string): void => {
  if (!yes) throw new Error(`the library of ${platform} refuses the delivery`);
};

function signTwilio(url: string): SignedDelivery {
  const params = { CallSid: 'CA123', From: '+14158675309', Body: 'a b&c', MessageStatus: 'sent' };
  return {
    platform: 'twilio',
    secret: sharedSecret,
    method: 'POST',
    url: `${url}?foo=1&bar=2`,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': twilio.getExpectedTwilioSignature(sharedSecret, `${url}?foo=1&bar=2`, params),
    },
    body: new URLSearchParams(params).toString(),
  };
}

async function signMux(base: Base, s: number): Promise<SignedDelivery> {
  const headers = { 'mux-signature': `t=${s},v1=${hex(`${s}.${base.body}`)}` };
  await new Mux({ tokenId: 'a', tokenSecret: 'b' }).webhooks.verifySignature(base.body, headers, sharedSecret);
  return { ...base, platform: 'mux', headers };
}

function signContentful(url: string, now: number): SignedDelivery {
  const secret = 's'.repeat(64);
  const body = '{"sys":{"type":"Entry"}}';
  const headers = { 'content-type': 'application/json', 'x-contentful-topic': 'ContentManagement.Entry.save' };
  const request = { method: 'POST' as const, path: `${new URL(url).pathname}?a=1&b=x%20y`, headers, body };
  return {
    platform: 'contentful',
    secret,
    method: 'POST',
    url: `${url}?a=1&b=x%20y`,
    headers: { ...headers, ...signRequest(secret, request, now) },
    body,
  };
}

async function signBraintree(url: string): Promise<SignedDelivery> {
  const gateway = new braintree.BraintreeGateway({
    environment: braintree.Environment.Sandbox,
    merchantId: 'm',
    publicKey: 'public',
    privateKey: 'private',
  });
  const sample = await gateway.webhookTesting.sampleNotification('subscription_canceled', 'id');
  return {
    platform: 'braintree',
    secret: 'public|private',
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ bt_signature: sample.bt_signature, bt_payload: sample.bt_payload }).toString(),
  };
}

function signPusher(base: Base): SignedDelivery {
  const headers = { 'X-Pusher-Key': 'key', 'X-Pusher-Signature': hex(base.body), 'content-type': 'application/json' };
  const pusher = new Pusher({ appId: '1', key: 'key', secret: sharedSecret, cluster: 'eu' });
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  accepted(pusher.webhook({ headers: lowered, rawBody: base.body }).isValid(), 'pusher');
  return { ...base, platform: 'pusher', headers };
}

async function signDiscord(url: string, s: number): Promise<SignedDelivery> {
  const pair = generateKeyPairSync('ed25519');
  const secret = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const body = '{"id":"1","type":2,"data":{"name":"roll"}}';
  const signature = sign(null, Buffer.from(`${s}${body}`), pair.privateKey).toString('hex');
  accepted(await verifyKey(body, signature, String(s), secret), 'discord');
  const headers = { 'X-Signature-Ed25519': signature, 'X-Signature-Timestamp': String(s) };
  return { platform: 'discord', secret, method: 'POST', url, headers, body };
}

function signSendgrid(url: string, s: number): SignedDelivery {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const body = '[{"email":"a@example.com","event":"processed","sg_event_id":"1"}]\r\n';
  const signature = sign('sha256', Buffer.from(`${s}${body}`), pair.privateKey).toString('base64');
  const library = new EventWebhook();
  accepted(library.verifySignature(library.convertPublicKeyToECDSA(secret), body, signature, String(s)), 'sendgrid');
  const headers = {
    'X-Twilio-Email-Event-Webhook-Signature': signature,
    'X-Twilio-Email-Event-Webhook-Timestamp': String(s),
  };
  return { platform: 'sendgrid', secret, method: 'POST', url, headers, body };
}

function signGoCardless(url: string): SignedDelivery {
  const body = '{"events":[{"id":"EV1","resource_type":"mandates","action":"created"}],"meta":{"webhook_id":"WB1"}}';
  verifyGoCardless(body, sharedSecret, hex(body));
  return {
    platform: 'gocardless',
    secret: sharedSecret,
    method: 'POST',
    url,
    headers: { 'Webhook-Signature': hex(body) },
    body,
  };
}

async function signPaddle(base: Base, s: number): Promise<SignedDelivery> {
  const signature = `ts=${s};h1=${hex(`${s}:${base.body}`)}`;
  const paddle = new Paddle('key', { environment: Environment.sandbox });
  accepted(await paddle.webhooks.isSignatureValid(base.body, sharedSecret, signature), 'paddle');
  return { ...base, platform: 'paddle', headers: { 'Paddle-Signature': signature } };
}

function signLine(base: Base): SignedDelivery {
  const signature = createHmac('sha256', sharedSecret).update(base.body).digest('base64');
  accepted(lineAccepts(base.body, sharedSecret, signature), 'line');
  return { ...base, platform: 'line', headers: { 'X-Line-Signature': signature } };
}

function signRazorpay(base: Base): SignedDelivery {
  accepted(validateWebhookSignature(base.body, hex(base.body), sharedSecret), 'razorpay');
  return { ...base, platform: 'razorpay', headers: { 'X-Razorpay-Signature': hex(base.body) } };
}
