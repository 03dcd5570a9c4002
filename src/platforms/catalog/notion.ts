import { valueAt } from '../engine/delivery-reader.ts';
import { json } from '../engine/handshake-answers.ts';
import { hasOneKey } from '../engine/handshakes.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { isNonEmptyString } from '../engine/signature-values.ts';

export const notion: Platform = {
  name: 'notion',
  title: 'Notion',
  docsUrl: 'https://developers.notion.com',
  setup: {
    where: 'the settings of the integration > Webhooks > Create a subscription > Webhook URL',
    url: 'https://developers.notion.com/reference/webhooks',
  },
  detect: [
    { anyHeader: ['x-notion-signature'], order: 20 },
    { json: { verification_token: true }, keyCount: 1, order: 50 },
  ],
  eventType: ['json:type'],
  deliveryId: [{ body: 'id', source: 'https://developers.notion.com/reference/webhooks' }],
  preview: ['entity.type', 'workspace_name', 'entity.id'],
  signatures: [hmac('x-notion-signature', { prefix: 'sha256=' })],
  secretHint:
    'Learned from the handshake: the verification_token of the first delivery, which you also paste into Notion',
  handshakes: [
    {
      description:
        "JSON `verification_token`: Hooktape adds the token as the endpoint's Notion secret, which you must confirm.",
      when: { method: 'POST', jsonKey: 'verification_token' },
      deliversSecret: true,
      answer: learnToken,
    },
  ],
};

/** The answer is the same for every token of the expected form: it tells a stranger nothing about the endpoint's secrets. */
function learnToken({ json: body }: HandshakeRequest): HandshakeReply | null {
  const token = valueAt(body(), 'verification_token');
  if (!hasOneKey(body()) || !isNonEmptyString(token) || !/^[\w-]{8,256}$/.test(token)) return null;
  const answer = json({ ok: true });
  return answer && { ...answer, deliveredSecret: token };
}
