/* The examples of alerts, by the names of their schemas. */
const createdAt = 1_789_000_000_000;
const url = 'https://alerts.example.com/hooktape';
const alert = {
  id: 'alr_01m2ab3cd4ef5gh6jk7mn8pq9r',
  name: 'No orders',
  kind: 'silence',
  where: 'type:order.*',
  minutes: 30,
  count: null,
  channel: { type: 'webhook', url, to: null, secret: null },
  enabled: true,
  firing: false,
  changedAt: null,
  lastSentAt: null,
  lastError: null,
  createdAt,
};

export const alertExamples: Record<string, unknown> = {
  AlertInput: {
    name: alert.name,
    kind: alert.kind,
    where: alert.where,
    minutes: alert.minutes,
    channel: { type: 'webhook', url },
  },
  AlertChange: { minutes: 60 },
  AlertChannel: { type: 'ntfy', url: 'https://ntfy.sh/a-topic-that-nobody-guesses' },
  Alert: alert,
  AlertList: { alerts: [alert], canEmail: false },
  AlertTest: { ok: false, status: 404, error: 'the receiver answered 404' },
};
