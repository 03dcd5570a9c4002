import type { Platform } from '../engine/model.ts';

export const strava: Platform = {
  name: 'strava',
  title: 'Strava',
  docsUrl: 'https://developers.strava.com',
  detect: [{ json: { aspect_type: true, object_type: true, subscription_id: true }, order: 71 }],
  eventType: ['json:object_type', 'json:aspect_type'],
  signatures: [],
  secretHint: 'The verify_token you gave when you created the subscription: for the handshake only',
  takesVerifyToken: true,
  handshake:
    '`GET ?hub.verify_token=`: the challenge is sent back as JSON when the token is registered as a Strava secret, 403 when it is another.',
  notes: 'Sends the same registration request as Meta: register the verify token to tell them apart.',
};
