/* Senders on Standard Webhooks. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, jsonRequest, type Sample } from '../engine/sample.ts';

const clerkEvent = (fresh: Fresh, type: string, data: object) =>
  jsonRequest(
    { 'User-Agent': 'Svix-Webhooks/1.62.0', 'svix-id': `msg_${fresh.text(27)}` },
    { data, instance_id: 'ins_123', object: 'event', timestamp: fresh.now, type },
  );

const clerkUser = (fresh: Fresh) => {
  const emailId = `idn_${fresh.text(27)}`;
  return {
    id: `user_${fresh.text(27)}`,
    object: 'user',
    first_name: 'Example',
    last_name: 'Example',
    username: null,
    primary_email_address_id: emailId,
    email_addresses: [
      {
        id: emailId,
        object: 'email_address',
        email_address: 'example@example.org',
        verification: { status: 'verified', strategy: 'ticket' },
      },
    ],
    external_id: '567772',
    password_enabled: true,
    created_at: fresh.now - 2000,
    updated_at: fresh.now - 1000,
  };
};

export const clerk: readonly Sample[] = [
  { name: 'user.created', title: 'User created', build: fresh => clerkEvent(fresh, 'user.created', clerkUser(fresh)) },
  { name: 'user.updated', title: 'User updated', build: fresh => clerkEvent(fresh, 'user.updated', clerkUser(fresh)) },
  {
    name: 'session.created',
    title: 'Session created',
    build: fresh =>
      clerkEvent(fresh, 'session.created', {
        id: `sess_${fresh.text(27)}`,
        object: 'session',
        client_id: `client_${fresh.text(27)}`,
        user_id: `user_${fresh.text(27)}`,
        status: 'active',
        created_at: fresh.now - 1000,
        expire_at: fresh.now + 604_800_000,
        last_active_at: fresh.now - 1000,
      }),
  },
];

export const openai: readonly Sample[] = [
  {
    name: 'response.completed',
    title: 'Response completed',
    build: fresh =>
      jsonRequest(
        {
          'User-Agent': 'OpenAI/1.0 (+https://platform.openai.com/docs/webhooks)',
          'webhook-id': `wh_${fresh.hex(32)}`,
        },
        {
          object: 'event',
          id: `evt_${fresh.hex(48)}`,
          type: 'response.completed',
          created_at: fresh.seconds,
          data: { id: `resp_${fresh.hex(48)}` },
        },
      ),
  },
];

const contact = (fresh: Fresh) => ({
  id: fresh.uuid(),
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
});

export const standardWebhooks: readonly Sample[] = [
  {
    name: 'contact.created',
    title: 'Contact created',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Standard-Webhooks', 'webhook-id': `msg_${fresh.text(27)}` },
        { type: 'contact.created', timestamp: fresh.iso(-1), data: contact(fresh) },
      ),
  },
];

export const svix: readonly Sample[] = [
  {
    name: 'invoice.paid',
    title: 'Invoice paid',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Svix-Webhooks/1.62.0', 'svix-id': `msg_${fresh.text(27)}` },
        { type: 'invoice.paid', id: `in_${fresh.text(14)}`, status: 'paid', timestamp: fresh.iso(-1) },
      ),
  },
];

export const bigcommerce: readonly Sample[] = [
  {
    name: 'store/order/created',
    title: 'Order created',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'BigCommerce', 'webhook-id': fresh.uuid() },
        {
          scope: 'store/order/created',
          store_id: '1025646',
          data: { type: 'order', id: fresh.number(6) },
          hash: fresh.hex(40),
          created_at: fresh.seconds,
          producer: 'stores/a1b2c3',
        },
      ),
  },
];
