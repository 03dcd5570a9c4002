import type { Platform } from '../engine/model.ts';

export const azureEventGrid: Platform = {
  name: 'azure-event-grid',
  title: 'Azure Event Grid',
  docsUrl: 'https://learn.microsoft.com/azure/event-grid/',
  detect: [
    { anyHeader: ['aeg-event-type', 'aeg-subscription-name', 'aeg-delivery-count'], order: 21 },
    { methods: ['OPTIONS'], headerValues: { 'webhook-request-origin': /^eventgrid\.azure\.net$/i }, order: 21 },
  ],
  eventType: ['json:0.eventType', 'json:0.type', 'json:type'],
  signatures: [],
  secretHint: null,
  handshake:
    '`SubscriptionValidation`: the validation code is sent back; for the CloudEvents schema, `OPTIONS` with `WebHook-Request-Origin`.',
};
