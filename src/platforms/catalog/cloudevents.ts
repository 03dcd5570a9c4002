import type { Platform } from '../engine/model.ts';

export const cloudevents: Platform = {
  name: 'cloudevents',
  title: 'CloudEvents',
  docsUrl: 'https://cloudevents.io',
  detect: [
    { anyHeader: ['ce-specversion'], order: 84 },
    { headerValues: { 'content-type': /^application\/cloudevents(-batch)?\+json/i }, order: 84 },
    { methods: ['OPTIONS'], allHeaders: ['webhook-request-origin'], order: 84 },
  ],
  eventType: ['header:ce-type', 'json:type', 'json:0.type'],
  signatures: [],
  secretHint: null,
  handshake: '`OPTIONS` with `WebHook-Request-Origin`: allowed.',
};
