/* Example values of listeners, for the interface description. */
const connectedAt = 1_789_000_123_456;
const destination = 'http://localhost:3000/webhooks';
const replayId = '7d2k9m4p1q8r5s0t3v6w9x2y5z8a1b4c7d0e3f6g9h2j5k8m1n4p';

export const listenerExamples = ({
  event,
  body,
  email,
}: {
  event: { id: string };
  body: string;
  email: string;
}): Record<string, unknown> => ({
  ListenerList: {
    listeners: [{ name: 'laptop-shop', targets: [destination], connectedBy: email, connectedAt, connections: 1 }],
  },
  ListenerCall: {
    instance: '5f0c1f3e-2a7b-4c59-9f0e-3d1b7a2c4e68',
    targets: [destination],
    answers: [
      {
        id: replayId,
        destination,
        status: 200,
        durationMs: 12,
        response: { headers: [], body: 'thanks', bodyEncoding: 'utf8', truncated: false },
      },
    ],
    running: [],
    wait: 25,
  },
  ListenerReplays: {
    replays: [
      {
        id: replayId,
        event,
        query: null,
        method: 'POST',
        headers: [
          ['Content-Type', 'application/json'],
          ['x-service-replay', event.id],
        ],
        body,
        bodyEncoding: 'utf8',
        signed: false,
        edited: false,
        timeoutMs: 29_000,
      },
    ],
  },
});
