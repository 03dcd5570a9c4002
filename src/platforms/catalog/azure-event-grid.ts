import { valueAt } from '../engine/delivery-reader.ts';
import { json } from '../engine/handshake-answers.ts';
import { allowOrigin } from '../engine/handshakes.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { ofOnlyItem } from '../engine/readers.ts';
import { isNonEmptyString } from '../engine/signature-values.ts';
import { cloudEventsIds } from '../shared-delivery-ids.ts';

export const azureEventGrid: Platform = {
  name: 'azure-event-grid',
  title: 'Azure Event Grid',
  docsUrl: 'https://learn.microsoft.com/azure/event-grid/',
  detect: [
    { anyHeader: ['aeg-event-type', 'aeg-subscription-name', 'aeg-delivery-count'], order: 21 },
    { methods: ['OPTIONS'], headerValues: { 'webhook-request-origin': /^eventgrid\.azure\.net$/i }, order: 21 },
  ],
  eventType: ['json:0.eventType', 'json:0.type', 'json:type'],
  deliveryId: [
    { body: ofOnlyItem('id'), source: 'https://learn.microsoft.com/azure/event-grid/event-schema' },
    ...cloudEventsIds,
  ],
  preview: [
    ['0.subject', 'subject'],
    ['0.topic', 'source'],
  ],
  signatures: [],
  secretHint: null,
  handshakes: [
    {
      description: '`SubscriptionValidation`: Hooktape returns the validation code.',
      when: { method: 'POST', header: 'aeg-event-type', value: /^subscriptionvalidation$/i },
      answer: answerValidation,
    },
    allowOrigin,
  ],
};

function answerValidation(request: HandshakeRequest): HandshakeReply | null {
  const code = valueAt(request.json(), '0.data.validationCode');
  return isNonEmptyString(code) ? json({ validationResponse: code }) : null;
}
