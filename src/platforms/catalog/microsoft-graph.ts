import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const microsoftGraph: Platform = {
  name: 'microsoft-graph',
  title: 'Microsoft Graph',
  docsUrl: 'https://learn.microsoft.com/graph/',
  detect: [
    { json: { 'value.0.subscriptionId': true, 'value.0.changeType': true }, order: 30 },
    { json: { 'value.0.subscriptionId': true, 'value.0.lifecycleEvent': true }, order: 30 },
    { methods: ['POST'], query: { validationtoken: true }, order: 30 },
  ],
  eventType: ['json:value.0.changeType', 'json:value.0.lifecycleEvent', 'json:value.0.resource'],
  signatures: [
    customScheme('client-state', null, {
      proves: 'origin',
      note: 'clientState is a fixed value in each notification',
    }),
  ],
  secretHint: 'The clientState you gave when you created the subscription',
  handshake: '`POST ?validationToken=`: the token is sent back.',
  notes: 'The tokens of rich notifications (`validationTokens`) are not checked.',
};
