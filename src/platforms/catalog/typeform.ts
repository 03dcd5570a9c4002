import type { Platform } from '../engine/platform.ts';
import { hmac } from '../engine/schemes.ts';

export const typeform: Platform = {
  name: 'typeform',
  title: 'Typeform',
  docsUrl: 'https://www.typeform.com/developers/',
  setup: {
    where: 'the form > Connect > Webhooks > Add a webhook > Endpoint',
    url: 'https://www.typeform.com/developers/webhooks/',
  },
  detect: [
    { anyHeader: ['typeform-signature'], order: 20 },
    { json: { form_response: true, event_type: 'form_response' }, order: 50 },
  ],
  eventType: ['json:event_type'],
  deliveryId: [{ body: 'event_id', source: 'https://www.typeform.com/developers/webhooks/example-payload/' }],
  preview: [
    'form_response.definition.title',
    ['form_response.answers.0.text', 'form_response.answers.0.email', 'form_response.answers.0.choice.label'],
    'form_response.token',
  ],
  signatures: [hmac('typeform-signature', { prefix: 'sha256=', encoding: 'base64' })],
  secretHint: 'The form > Connect > Webhooks > the webhook > Secret',
};
