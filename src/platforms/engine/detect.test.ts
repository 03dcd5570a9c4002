import { describe, expect, test } from 'bun:test';
import { delivery, formDelivery, jsonDelivery } from '../../testing/deliveries.ts';
import { detect } from '../platforms.ts';
import type { RawDelivery } from './model.ts';

const sha = 'a'.repeat(64);
const is = (what: RawDelivery, platform: string | null, eventType: string | null = null, registered: string[] = []) =>
  expect(detect(what, registered)).toMatchObject({ platform, eventType });

describe('platforms that share headers', () => {
  test('GitHub, and the forges that send its headers too', () => {
    const github = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${sha}` };
    is(jsonDelivery({}, github), 'github', 'push');
    is(jsonDelivery({}, { ...github, 'X-Gogs-Event': 'create' }), 'gogs', 'create');
    is(jsonDelivery({}, { ...github, 'X-Gogs-Event': 'create', 'X-Gitea-Event': 'create' }), 'gitea', 'create');
    const forgejo = { ...github, 'X-Gogs-Event': 'p', 'X-Gitea-Event': 'p', 'X-Forgejo-Event': 'p' };
    is(jsonDelivery({}, forgejo), 'forgejo', 'p');
  });

  test('x-hub-signature-256 alone identifies no platform; Meta also needs the shape of its body', () => {
    const signed = { 'X-Hub-Signature-256': `sha256=${sha}` };
    is(jsonDelivery({ hello: 1 }, signed), null);
    is(jsonDelivery({ object: 'page', entry: [{ changes: [{ field: 'feed' }] }] }, signed), 'meta', 'feed');
    is(jsonDelivery({ object: 'page', entry: [{ messaging: [{}] }] }, signed), 'meta', 'messaging');
    is(jsonDelivery({ object: 'page', entry: [{ id: '1' }] }, signed), 'meta', 'page');
    is(jsonDelivery({ object: 'list', entry: [{ id: '1' }] }, signed), null);
  });

  test('x-hub-signature: Intercom, Jira, Bitbucket, YouTube', () => {
    const sha1 = { 'X-Hub-Signature': `sha1=${'a'.repeat(40)}` };
    is(
      jsonDelivery({ type: 'notification_event', topic: 'user.created', app_id: 'x' }, sha1),
      'intercom',
      'user.created',
    );
    is(jsonDelivery({ webhookEvent: 'jira:issue_updated' }, sha1), 'jira', 'jira:issue_updated');
    const atom = '<?xml version="1.0"?><feed><entry><yt:videoId>1</yt:videoId></entry></feed>';
    is(delivery({ headers: sha1, body: atom }), 'youtube', 'entry');
    is(delivery({ headers: sha1, body: '<feed><entry/></feed>' }), null);
  });

  test('x-event-key: Bitbucket Cloud with a hook id, Bitbucket Data Center without', () => {
    is(jsonDelivery({}, { 'X-Event-Key': 'repo:push', 'X-Hook-UUID': '1' }), 'bitbucket', 'repo:push');
    is(jsonDelivery({}, { 'X-Event-Key': 'repo:refs_changed' }), 'bitbucket-server', 'repo:refs_changed');
  });

  test('webhook-signature: by its value and other headers', () => {
    const standard = { 'webhook-id': 'm', 'webhook-timestamp': '1', 'webhook-signature': 'v1,abc=' };
    is(jsonDelivery({ type: 'a.b' }, standard), 'standard-webhooks', 'a.b');
    is(jsonDelivery({ object: 'event', type: 'response.completed' }, standard), 'openai', 'response.completed');
    is(jsonDelivery({}, { ...standard, 'X-Gitlab-Event': 'Push Hook' }), 'gitlab', 'Push Hook');
    const store = { scope: 'store/order/created', producer: 'stores/abc' };
    is(jsonDelivery(store, standard), 'bigcommerce', 'store/order/created');
    is(
      jsonDelivery({ status: { state: 'ready' } }, { 'webhook-signature': 'time=1,sig1=a' }),
      'cloudflare-stream',
      'ready',
    );
    const mandate = { events: [{ resource_type: 'mandates', action: 'cancelled' }], meta: { webhook_id: 'WB1' } };
    is(jsonDelivery(mandate, { 'webhook-signature': sha }), 'gocardless', 'mandates');
    is(jsonDelivery({ ...mandate, type: 'a.b' }, standard), 'standard-webhooks', 'a.b');
    is(jsonDelivery({}, { 'webhook-signature': sha }), null);
  });

  test('svix headers: a customer of Svix by the body, else Svix', () => {
    const svix = { 'svix-id': 'm', 'svix-timestamp': '1', 'svix-signature': 'v1,abc=' };
    is(jsonDelivery({ type: 'email.sent', created_at: 'x', data: { email_id: '1' } }, svix), 'resend', 'email.sent');
    is(jsonDelivery({ object: 'event', type: 'user.created', data: {} }, svix), 'clerk', 'user.created');
    is(jsonDelivery({ type: 'invoice.paid' }, svix), 'svix', 'invoice.paid');
  });

  test('x-signature: by another header, its value or the body', () => {
    is(jsonDelivery({}, { 'X-Signature': sha, 'X-Event-Name': 'order_created' }), 'lemonsqueezy', 'order_created');
    is(jsonDelivery({ webhook_id: 'u', event: 'taskCreated' }, { 'X-Signature': sha }), 'clickup', 'taskCreated');
    is(jsonDelivery({ type: 'payment' }, { 'X-Signature': `ts=1,v1=${sha}` }), 'mercadopago', 'payment');
    const track = { type: 'track', messageId: 'm', userId: 'u' };
    is(jsonDelivery(track, { 'X-Signature': 'a'.repeat(40) }), 'segment', 'track');
    is(jsonDelivery({}, { 'X-Signature': sha }), null);
  });

  test('x-webhook-signature: Netlify only with a token that it issued', () => {
    const token = (claims: object) => `eyJhIjoxfQ.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
    is(jsonDelivery({ state: 'ready' }, { 'X-Webhook-Signature': token({ iss: 'netlify' }) }), 'netlify', 'ready');
    is(jsonDelivery({ state: 'ready' }, { 'X-Webhook-Signature': token({ iss: 'me' }) }), null);
    is(jsonDelivery({ state: 'ready' }, { 'X-Webhook-Signature': sha }), null);
  });

  test('x-hook-secret: by a registered secret or the body', () => {
    is(delivery({ headers: { 'X-Hook-Secret': 'abc' } }), null);
    is(delivery({ headers: { 'X-Hook-Secret': 'abc' } }), 'asana', null, ['asana']);
    is(jsonDelivery({ event_key: 'contact.add', object_keys: [] }, { 'X-Hook-Secret': 'abc' }), 'keap', 'contact.add');
  });

  test('the authorization header identifies no platform, except Teams by the form of its value', () => {
    is(jsonDelivery({ a: 1 }, { Authorization: 'Bearer x' }), null);
    is(jsonDelivery({ type: 'message' }, { Authorization: 'HMAC abc=' }), 'microsoft-teams', 'message');
  });

  test('GET with hub.challenge: WebSub by the topic, Meta and Strava by a registered secret', () => {
    const get = (query: string) => delivery({ method: 'GET', query });
    is(get('hub.mode=subscribe&hub.topic=https://x.example/f&hub.challenge=1'), 'websub', 'subscribe');
    const youtube = encodeURIComponent('https://www.youtube.com/xml/feeds/videos.xml?channel_id=1');
    is(get(`hub.mode=subscribe&hub.topic=${youtube}&hub.challenge=1`), 'youtube', 'subscribe');
    const both = 'hub.mode=subscribe&hub.verify_token=t&hub.challenge=1';
    is(get(both), null);
    is(get(both), 'strava', null, ['strava']);
    is(get(both), 'meta', null, ['meta', 'github']);
    is(get(both), null, null, ['meta', 'strava']);
  });

  test('Event Grid comes before CloudEvents, Twilio before both', () => {
    const cloud = { 'content-type': 'application/cloudevents+json' };
    is(delivery({ headers: cloud, body: '{"type":"a.b"}' }), 'cloudevents', 'a.b');
    is(
      delivery({ headers: { ...cloud, 'aeg-event-type': 'Notification' }, body: '{"type":"a.b"}' }),
      'azure-event-grid',
      'a.b',
    );
    is(
      delivery({ headers: { ...cloud, 'X-Twilio-Signature': 'x' }, body: '[{"type":"com.twilio.x"}]' }),
      'twilio',
      'com.twilio.x',
    );
  });

  test('a longer header name does not match', () => {
    is(jsonDelivery([{ event: 'open' }], { 'X-Twilio-Email-Event-Webhook-Signature': 'x' }), 'sendgrid', 'open');
    is(jsonDelivery({}, { 'X-Twilio-Signature-Extra': 'x' }), null);
  });

  test('Shopify sends headers with and without x-', () => {
    is(jsonDelivery({}, { 'X-Shopify-Topic': 'orders/create' }), 'shopify', 'orders/create');
    is(jsonDelivery({}, { 'Shopify-Topic': 'Product', 'Shopify-Action': 'update' }), 'shopify', 'Product/update');
  });

  test('JSON challenge: alone it is monday.com, as url_verification Slack', () => {
    is(jsonDelivery({ challenge: 'x' }), 'monday');
    is(jsonDelivery({ type: 'url_verification', challenge: 'x', token: 't' }), 'slack', 'url_verification');
    is(jsonDelivery({ type: 'url_verification' }), null, 'url_verification');
    const slack = { 'X-Slack-Signature': 'v0=1', 'X-Slack-Request-Timestamp': '1' };
    is(jsonDelivery({ type: 'url_verification', challenge: 'x' }, slack), 'slack', 'url_verification');
  });
});

describe('registered secrets', () => {
  test('decide between senders of a generic envelope', () => {
    const svix = { 'svix-id': 'm', 'svix-timestamp': '1', 'svix-signature': 'v1,abc=' };
    is(jsonDelivery({ type: 'thing' }, svix), 'resend', 'thing', ['resend']);
    is(jsonDelivery({ type: 'thing' }, svix), 'svix', 'thing', ['resend', 'clerk']);
    is(jsonDelivery({ a: 1 }, { 'X-Signature': sha }), 'clickup', null, ['clickup', 'github']);
  });

  test('do not override a specific header, nor claim a delivery that the platform cannot have sent', () => {
    is(jsonDelivery({}, { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${sha}` }), 'github', 'push', [
      'meta',
    ]);
    is(jsonDelivery({ a: 1 }), null, null, ['stripe']);
  });
});

describe('event types', () => {
  const event = (type: unknown) => detect(jsonDelivery({ type }, { 'Stripe-Signature': 't=1,v1=2' }), []).eventType;

  test('are trimmed, cut at 200 characters and freed of control characters', () => {
    expect(event('  charge.succeeded \n')).toBe('charge.succeeded');
    expect(event('a\u0000b\u001b[31m\u0085c')).toBe('ab[31mc');
    expect(event('x'.repeat(5000))).toBe('x'.repeat(200));
    expect(event(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199));
    expect(event('\ud800')).toBe('\ufffd');
    expect(event(7)).toBe('7');
  });

  test('are null when the value is not text', () => {
    for (const type of ['', '   ', '\u0000', null, true, { a: 1 }, ['a']]) expect(event(type)).toBeNull();
  });

  test('come from forms, nested JSON, XML, tokens and keys', () => {
    const slack = { 'X-Slack-Signature': 'v0=1' };
    is(formDelivery({ command: '/deploy' }, slack), 'slack', '/deploy');
    is(formDelivery({ payload: '{"type":"block_actions"}' }, slack), 'slack', 'block_actions');
    is(formDelivery({ mandrill_events: '[{"event":"open"}]' }, { 'X-Mandrill-Signature': 'x' }), 'mandrill', 'open');
    is(formDelivery({ MessageStatus: 'sent' }, { 'X-Twilio-Signature': 'x' }), 'twilio', 'sent');
    const notice = Buffer.from('<notification><kind>subscription_canceled</kind></notification>').toString('base64');
    is(formDelivery({ bt_signature: 'p|1', bt_payload: notice }), 'braintree', 'subscription_canceled');
    is(jsonDelivery({ update_id: 1, callback_query: {} }), 'telegram', 'callback_query');
    is(
      jsonDelivery({ for_user_id: '1', tweet_create_events: [] }, { 'X-Twitter-Webhooks-Signature': 'x' }),
      'x',
      'tweet_create_events',
    );
    is(jsonDelivery({ list_folder: {} }, { 'X-Dropbox-Signature': 'x' }), 'dropbox', 'list_folder');
    const soap =
      '<Envelope><notifications xmlns="http://soap.sforce.com/2005/09/outbound"><Notification><sObject xsi:type="sf:Account" xmlns:sf="x">';
    is(delivery({ body: soap }), 'salesforce', 'Account');
    const sign =
      '<DocuSignEnvelopeInformation xmlns="x"><EnvelopeStatus><RecipientStatuses><Status>Sent</Status></RecipientStatuses><Status>Completed</Status></EnvelopeStatus></DocuSignEnvelopeInformation>';
    is(delivery({ body: sign }), 'docusign', 'Completed');
    const lines = '{"log_id":"1","data":{"type":"s"}}\n{"log_id":"2","data":{"type":"f"}}\n';
    is(delivery({ body: lines }), 'auth0', 's');
  });

  test('multipart forms are read', () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="json"\r\n\r\n{"event":{"event_type":"signature_request_sent","event_hash":"x"}}\r\n--b--\r\n';
    is(
      delivery({ headers: { 'content-type': 'multipart/form-data; boundary=b' }, body }),
      'dropbox-sign',
      'signature_request_sent',
    );
  });
});

describe('bodies', () => {
  test('over 1 MiB are not parsed', () => {
    const filler = 'x'.repeat(1024 * 1024);
    is(jsonDelivery({ type: 'charge.succeeded', filler }, { 'Stripe-Signature': 't=1,v1=2' }), 'stripe');
    is(jsonDelivery({ webhook_type: 'A', webhook_code: 'B', filler }), null);
  });

  test('with too many levels or keys are not parsed', () => {
    const plaid = { webhook_type: 'A', webhook_code: 'B' };
    let nested: unknown[] = [];
    for (let depth = 0; depth < 300; depth += 1) nested = [nested];
    is(jsonDelivery({ ...plaid, nested }), null);
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`k${n}`, 1]));
    is(jsonDelivery({ ...plaid, many }), null);
    is(jsonDelivery({ ...plaid, nested: [[[]]], many: {} }), 'plaid', 'A');
  });

  test('with a byte order mark, white space or escaped quotes are parsed', () => {
    is(delivery({ body: '\ufeff \n{"webhook_type":"A","webhook_code":"B"}' }), 'plaid', 'A');
    is(delivery({ body: '{"a":"\\"webhook_type\\"","webhook_code":{}}' }), null);
  });
});
