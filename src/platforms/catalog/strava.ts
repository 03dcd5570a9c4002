import { json } from '../engine/handshake-answers.ts';
import { checkVerifyToken } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';

export const strava: Platform = {
  name: 'strava',
  title: 'Strava',
  docsUrl: 'https://developers.strava.com',
  detect: [{ json: { aspect_type: true, object_type: true, subscription_id: true }, order: 71 }],
  eventType: ['json:object_type', 'json:aspect_type'],
  action: ['aspect_type'],
  preview: ['object_id', ['updates.title', 'updates.type'], 'owner_id'],
  signatures: [],
  secretHint: 'The verify_token you gave when you created the subscription: for the handshake only',
  takesVerifyToken: true,
  handshakes: [
    checkVerifyToken({
      description:
        '`GET ?hub.verify_token=`: the challenge is sent back as JSON when the token is registered as a Strava secret, 403 when it is another.',
      accept: challenge => json({ 'hub.challenge': challenge }),
    }),
  ],
  notes: 'Sends the same registration request as Meta: register the verify token to tell them apart.',
};
