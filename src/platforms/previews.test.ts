/* What lists show of deliveries as the platforms send them. */
import { describe, expect, test } from 'bun:test';
import examples from '@octokit/webhooks-examples';
import { highlightsOf, platforms } from './platforms.ts';

const of = (platform: string, body: unknown): string[] =>
  highlightsOf(platform, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))).highlights;

const stripeEvent = (object: object) => ({ id: 'evt_1', object: 'event', type: 'x', data: { object } });

describe('a preview', () => {
  test.each<[platform: string, body: unknown, shown: string[]]>([
    [
      'stripe',
      stripeEvent({ id: 'ch_1', amount: 2000, currency: 'usd', status: 'succeeded', receipt_email: 'ada@example.com' }),
      ['2000 usd', 'ada@example.com', 'succeeded'],
    ],
    // Yen have no cents: an amount is shown as it was sent.
    ['stripe', stripeEvent({ id: 'pi_1', amount: 500, currency: 'jpy', status: 'x' }), ['500 jpy', 'x']],
    ['stripe', stripeEvent({ id: 'cs_1', amount_total: 999, currency: 'eur' }), ['999 eur']],
    ['stripe', { id: 'evt_2', object: 'v2.core.event', related_object: { id: 'mtr_1' } }, ['mtr_1']],
    [
      'shopify',
      {
        id: 820982911946154500,
        name: '#9999',
        total_price: '398.00',
        currency: 'USD',
        financial_status: 'voided',
        email: 'jon@example.com',
      },
      ['398.00 USD', 'jon@example.com', '#9999', 'voided'],
    ],
    [
      'paypal',
      {
        id: 'WH-1',
        summary: 'Payment completed',
        resource: { id: '5O19', status: 'COMPLETED', amount: { value: '30.00', currency_code: 'USD' } },
      },
      ['30.00 USD', 'Payment completed', 'COMPLETED'],
    ],
    [
      'slack',
      { type: 'event_callback', event_id: 'Ev1', event: { type: 'message', text: 'Hi', user: 'U1', channel: 'C1' } },
      ['Hi', 'U1', 'C1'],
    ],
    [
      'slack',
      'command=%2Fweather&text=Paris&user_name=ada&channel_name=general',
      ['Paris', 'ada', 'general', '/weather'],
    ],
    ['twilio', 'From=%2B1555&To=%2B1556&Body=Hello+there&MessageSid=SM1', ['+1555', 'Hello there', '+1556']],
    [
      'jira',
      {
        webhookEvent: 'jira:issue_updated',
        issue: { key: 'ABC-1', fields: { summary: 'It breaks', status: { name: 'Open' } } },
        user: { displayName: 'Ada' },
      },
      ['Ada', 'It breaks', 'ABC-1', 'Open'],
    ],
    [
      'linear',
      { action: 'update', type: 'Issue', data: { identifier: 'ENG-7', title: 'Fix it', state: { name: 'Done' } } },
      ['Fix it', 'ENG-7', 'update', 'Done'],
    ],
    [
      'gitlab',
      {
        object_kind: 'merge_request',
        project: { path_with_namespace: 'a/b' },
        object_attributes: { iid: 3, title: 'Add x', action: 'open' },
      },
      ['Add x', '#3', 'a/b', 'open'],
    ],
    [
      'telegram',
      { update_id: 1, message: { text: 'hello', from: { username: 'ada' }, chat: { id: 5, title: 'Team' } } },
      ['ada', 'hello', 'Team'],
    ],
    [
      'mailgun',
      {
        signature: {},
        'event-data': { recipient: 'a@example.com', severity: 'permanent', message: { headers: { subject: 'Hi' } } },
      },
      ['a@example.com', 'Hi', 'permanent'],
    ],
    [
      'adyen',
      {
        notificationItems: [
          {
            NotificationRequestItem: {
              pspReference: 'P1',
              merchantReference: 'O1',
              amount: { value: 1000, currency: 'EUR' },
              success: 'true',
            },
          },
        ],
      },
      ['1000 EUR', 'O1', 'success true'],
    ],
    [
      'razorpay',
      {
        event: 'payment.captured',
        payload: {
          payment: {
            entity: { id: 'pay_1', amount: 50000, currency: 'INR', status: 'captured', email: 'a@example.com' },
          },
        },
      },
      ['50000 INR', 'a@example.com', 'captured'],
    ],
    [
      'sendgrid',
      [{ email: 'a@example.com', event: 'bounce', reason: '550 no such user' }],
      ['a@example.com', '550 no such user'],
    ],
    ['svix', { type: 'user.created', data: { id: 'u1', email: 'a@example.com' } }, ['a@example.com']],
    ['mollie', 'id=tr_7UhSN1zuXS', ['tr_7UhSN1zuXS']],
  ])('of %s', (platform, body, shown) => {
    expect(of(platform, body)).toEqual(shown);
  });

  test("of GitHub shows whose event it is, and what happened, for all of GitHub's examples", () => {
    const texts = new Set<string>();
    for (const { name, examples: payloads } of examples)
      for (const payload of payloads) {
        const shown = of('github', payload);
        texts.add(`${name} ${shown.join(' ')}`);
        const { repository, organization, action, ref } = payload as unknown as Record<string, unknown>;
        const owner = (repository as { full_name?: string } | undefined)?.full_name;
        const group = (organization as { login?: string } | undefined)?.login;
        if (owner ?? group) expect([name, shown]).toEqual([name, expect.arrayContaining([owner ?? group])]);
        if (action ?? ref) expect([name, shown]).toEqual([name, expect.arrayContaining([action ?? ref])]);
      }
    expect(texts.size).toBeGreaterThan(180);
    expect(of('github', examples.find(({ name }) => name === 'issues')?.examples[0])).toEqual([
      'Spelling error in the README file',
      '#1',
      'edited',
      'Codertocat/Hello-World',
    ]);
  });
});

describe('the action', () => {
  const actionOf = (platform: string, body: object): string | null =>
    highlightsOf(platform, Buffer.from(JSON.stringify(body))).action;

  test.each<[platform: string, body: object, action: string | null]>([
    ['github', { action: 'opened', pull_request: {} }, 'opened'],
    ['github', { ref: 'refs/heads/main' }, null],
    ['gitlab', { object_kind: 'pipeline', object_attributes: { status: 'failed' } }, 'failed'],
    ['linear', { action: 'update', type: 'Issue' }, 'update'],
    ['slack', { event: { type: 'message', subtype: 'message_changed' } }, 'message_changed'],
    ['sendgrid', [{ event: 'bounce', type: 'blocked' }], 'blocked'],
    ['stripe', { type: 'charge.succeeded', action: 'x' }, null],
  ])('of %s %j is %j', (platform, body, action) => {
    expect(actionOf(platform, body)).toBe(action);
  });

  test.each(platforms.flatMap(({ name, action = [] }) => action.map((path): [string, string] => [name, path])))(
    '%s: %s can be found',
    (name, path) => {
      const body = /^\d/.test(path) ? [] : {};
      put(body, path.split('.'), 'shown');
      expect(actionOf(name, body)).toBe('shown');
    },
  );
});

describe('the preview of each row', () => {
  const texts = platforms.flatMap(({ name, preview = [] }) =>
    preview.map((text): [string, string[]] => [name, [text].flat()]),
  );

  test.each(texts)('%s: %j can be found', (name, alternatives) => {
    for (const text of alternatives) {
      const paths = text.includes('{') ? [...text.matchAll(/\{([^{}]+)\}/g)].map(([, path = '']) => path) : [text];
      expect(paths.every(path => /^[\w@[\]-]+(\.[\w@[\]-]+)*$/.test(path))).toBe(true);
      // An id, so that what is missing is not read from the well-known fields.
      const body: Record<string, unknown> = {};
      const list: unknown[] = [];
      for (const path of paths) put(/^\d/.test(path) ? list : body, path.split('.'), 'shown');
      expect([name, text, of(name, list.length > 0 ? list : body)]).toEqual([
        name,
        text,
        [expect.stringContaining('shown')],
      ]);
    }
  });
});

function put(into: object, [step = '', ...rest]: string[], value: string): void {
  const here = into as Record<string, unknown>;
  if (rest.length === 0) here[step] = value;
  else {
    here[step] ??= /^\d+$/.test(rest[0] ?? '') ? [] : {};
    put(here[step] as object, rest, value);
  }
}
