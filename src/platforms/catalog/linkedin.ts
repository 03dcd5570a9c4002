import { json } from '../engine/handshake-answers.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';
import { hmacOf, utf8 } from '../engine/verifiers/check.ts';

export const linkedin: Platform = {
  name: 'linkedin',
  title: 'LinkedIn',
  docsUrl: 'https://learn.microsoft.com/linkedin/',
  detect: [
    { anyHeader: ['x-li-signature'], order: 26 },
    { methods: ['GET'], query: { challengecode: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i }, order: 45 },
  ],
  eventType: ['json:type'],
  preview: ['notifications.0.action', 'notifications.0.organizationalEntity'],
  signatures: [hmac('x-li-signature', { message: 'hmacsha256={body}' })],
  secretHint: 'Developer portal > the app > Auth > Client secret',
  handshakes: [
    {
      description: '`GET ?challengeCode=` (a UUID): Hooktape computes the reply with the saved client secret.',
      when: { method: 'GET', query: ['challengecode'] },
      answer: answerChallenge,
    },
  ],
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function answerChallenge(request: HandshakeRequest): HandshakeReply | null {
  const code = request.query('challengecode') ?? '';
  const secret = request.secrets.at(-1);
  if (secret === undefined || !uuid.test(code)) return null;
  const challengeResponse = hmacOf('sha256', utf8(secret), [code]).toString('hex');
  return json({ challengeCode: code, challengeResponse });
}
