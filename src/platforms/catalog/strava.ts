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
  preview: [['updates.title', 'updates.type'], 'object_id', 'owner_id'],
  signatures: [],
  secretHint: 'The verify_token you gave when you created the subscription: for the handshake only',
  takesVerifyToken: true,
  handshakes: [
    checkVerifyToken(
      '`GET ?hub.verify_token=`: Hooktape returns the challenge as JSON if the token is saved as a Strava secret, otherwise 403.',
      challenge => json({ 'hub.challenge': challenge }),
    ),
  ],
  notes:
    'Sends the same registration request as Meta: save the verify token as a secret so that Hooktape can tell them apart.',
};
