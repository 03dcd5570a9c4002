/* Example values of replays, for the interface description. */
const eventId = 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r';
const receivedAt = 1_789_000_123_456;
const body = '{"type":"order.paid","id":7,"amount":"12.50","currency":"EUR"}';

export const replayExample = {
  destination: 'https://staging.example.com/hook',
  status: 200,
  ok: true,
  durationMs: 84,
  createdAt: receivedAt + 60_000,
  replayedBy: 'ada@example.com',
  formerMember: false,
  via: 'dashboard',
  signed: true,
  edited: false,
  response: {
    headers: [['Content-Type', 'application/json']],
    body: '{"ok":true}',
    bodyEncoding: 'utf8',
    truncated: false,
  },
};

export const replayExamples: Record<string, unknown> = {
  ReplayAnswer: { ok: true, status: 200, durationMs: 84, responsePreview: 'thanks' },
  ReplayDryRun: {
    dryRun: true,
    method: 'POST',
    url: replayExample.destination,
    headers: [
      ['Content-Type', 'application/json'],
      ['Stripe-Signature', '[signed]'],
      ['x-service-replay', eventId],
    ],
    body,
    bodyEncoding: 'utf8',
  },
  ReplayRequest: {
    url: replayExample.destination,
    edit: { set: { amount: '13.00' } },
    sign: { mode: 'fresh', secret: 'whsec_…' },
    dryRun: false,
  },
  ReplayResult: { ok: true, status: 200, durationMs: 84, responsePreview: 'thanks' },
  AcceptedAttempts: { accepted: 1 },
  ReportedAttempts: {
    attempts: [
      {
        eventId: eventId,
        destination: 'http://localhost:3000/hook',
        status: 200,
        durationMs: 12,
        response: { headers: [], body: 'thanks', bodyEncoding: 'utf8', truncated: false },
      },
    ],
  },
  SecretChange: { maySign: true, destinations: ['https://staging.example.com'] },
};
