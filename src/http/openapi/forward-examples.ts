/* The examples of forwards, by the names of their schemas. */
const settings = {
  name: 'orders to staging',
  url: 'https://staging.example.com/hook',
  where: 'type:order.*',
  mode: 'ordered',
  orderBy: 'body.order.id',
  sign: 'as-captured',
  headers: [['X-Forwarded-By', 'hooktape']],
  timeoutS: 30,
  retry: { for: '24h', first: '5s', max: '1h' },
  per: 'event',
  enabled: true,
};
const forward = {
  id: 'fwd_01m2ab3cd4ef5gh6jk7mn8pq9r',
  ...settings,
  waiting: 12,
  failed: 1,
  givenUp: 0,
  lagS: 43,
  state: 'ok',
  failingSince: null,
  probeAt: null,
  lastStatus: 503,
  lastError: null,
  createdAt: 1_789_000_000_000,
};

export const forwardExamples: Record<string, unknown> = {
  ForwardInput: settings,
  ForwardChange: { url: 'https://next.example.com/hook' },
  Forward: forward,
  ForwardList: { forwards: [forward] },
  ForwardSelection: { where: 'received>2h' },
  ForwardDryRun: { matched: 17 },
  ForwardAnswer: forward,
  ForwardDeliveryPage: {
    deliveries: [
      {
        eventId: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
        eventType: 'order.created',
        platform: 'shopify',
        receivedAt: 1_789_000_000_000,
        state: 'failed',
        attempts: 3,
        nextAt: 1_789_000_060_000,
        lastStatus: 503,
        lastError: null,
      },
    ],
    nextCursor: null,
  },
};
