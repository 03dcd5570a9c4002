import { salesforceObject } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';

export const salesforce: Platform = {
  name: 'salesforce',
  title: 'Salesforce outbound messages',
  docsUrl: 'https://developer.salesforce.com/docs',
  detect: [{ bodyText: /http:\/\/soap\.sforce\.com\/2005\/09\/outbound/, order: 45 }],
  eventType: [salesforceObject],
  signatures: [],
  secretHint: null,
  handshake: 'Every delivery: the SOAP acknowledgement.',
  notes: 'Authenticated by client certificate only.',
};
