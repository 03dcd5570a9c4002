import { plainText } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const onfleet: Platform = {
  name: 'onfleet',
  title: 'Onfleet',
  docsUrl: 'https://docs.onfleet.com',
  detect: [{ anyHeader: ['x-onfleet-signature'], order: 26 }],
  eventType: ['json:triggerName'],
  preview: ['data.task.recipients.0.name', ['data.worker.name', 'workerId'], ['data.task.shortId', 'taskId']],
  signatures: [hmac('x-onfleet-signature', { hash: 'sha512', keyFormat: 'hex' })],
  secretHint: 'Settings > API & Webhooks > Webhook secret',
  handshakes: [
    {
      description: '`GET ?check=`, and nothing else in the query: the value is sent back.',
      when: { method: 'GET', query: ['check'] },
      shared: true,
      // `check` is a common word.
      answer: ({ reader, query }) => (reader.query().size === 1 ? plainText(query('check') ?? '') : null),
    },
  ],
};
