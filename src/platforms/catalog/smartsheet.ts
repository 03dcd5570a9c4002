import { json, withHeader } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const smartsheet: Platform = {
  name: 'smartsheet',
  title: 'Smartsheet',
  docsUrl: 'https://developers.smartsheet.com',
  detect: [{ anyHeader: ['smartsheet-hmac-sha256', 'smartsheet-hook-challenge'], order: 26 }],
  eventType: ['json:events.0.eventType'],
  action: ['events.0.objectType'],
  preview: ['events.0.objectType', 'events.0.id', 'scopeObjectId'],
  signatures: [hmac('smartsheet-hmac-sha256')],
  secretHint: 'sharedSecret in the answer of the call that created the webhook',
  handshakes: [
    {
      description: '`Smartsheet-Hook-Challenge`: the value is sent back.',
      when: { method: 'POST', header: 'smartsheet-hook-challenge' },
      answer: ({ reader }) => {
        const challenge = reader.header('smartsheet-hook-challenge') ?? '';
        const answer = json({ smartsheetHookResponse: challenge });
        return answer && withHeader('smartsheet-hook-response', challenge, answer);
      },
    },
  ],
};
