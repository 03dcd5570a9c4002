import { valueAt } from '../engine/delivery-reader.ts';
import { empty, json } from '../engine/handshake-answers.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { publicKey } from '../engine/schemes.ts';

export const discord: Platform = {
  name: 'discord',
  title: 'Discord',
  docsUrl: 'https://discord.com/developers/docs',
  setup: {
    where: 'Developer Portal > the application > Webhooks > Endpoint URL',
    url: 'https://docs.discord.com/developers/events/webhook-events',
  },
  detect: [{ allHeaders: ['x-signature-ed25519', 'x-signature-timestamp'], order: 20 }],
  eventType: ['json:event.type', 'json:type'],
  preview: [
    ['member.user.username', 'user.username', 'event.data.user.username'],
    ['data.name', 'data.custom_id'],
    'event.data.guild.name',
  ],
  signatures: [
    publicKey('x-signature-ed25519', 'ed25519', {
      message: '{x-signature-timestamp}{body}',
      timestamp: { from: 'header:x-signature-timestamp', unit: 's' },
    }),
  ],
  secretHint: 'Developer Portal > the application > General Information > Public Key',
  handshakes: [
    {
      description:
        '`PING` of interactions and of webhook events: Hooktape replies if the signature is valid, otherwise 401; needs the public key.',
      when: { method: 'POST', detected: true },
      answer: answerPing,
    },
  ],
};

/** Type 1 is PING for interactions but EVENT for webhook events, whose PING is type 0. */
function answerPing({ json: body, secrets, signingSecret }: HandshakeRequest): HandshakeReply | null {
  if (secrets.length === 0) return null;
  const type = valueAt(body(), 'type');
  if (type !== 0 && (type !== 1 || valueAt(body(), 'event') !== undefined)) return null;
  // Discord sends a wrong signature on purpose when the URL is saved.
  if (signingSecret() === null) return empty(401);
  return type === 0 ? empty(204) : json({ type: 1 });
}
