import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const twilio: Platform = {
  name: 'twilio',
  title: 'Twilio',
  docsUrl: 'https://www.twilio.com/docs',
  detect: [{ anyHeader: ['x-twilio-signature'], order: 19 }],
  eventType: [
    'form:EventType',
    'form:SmsStatus',
    'form:MessageStatus',
    'form:CallStatus',
    'form:StatusCallbackEvent',
    'json:0.type',
  ],
  signatures: [customScheme('twilio', 'x-twilio-signature')],
  secretHint: 'Console > Account > API keys & tokens > Auth token (primary)',
  notes: "The endpoint's URL must be the one that Twilio was given.",
};
