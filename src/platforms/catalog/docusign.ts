import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { textBetween } from '../engine/readers.ts';
import { hmac } from '../engine/schemes.ts';

export const docusign: Platform = {
  name: 'docusign',
  title: 'DocuSign',
  docsUrl: 'https://developers.docusign.com',
  detect: [
    { anyHeader: ['x-docusign-signature-1', 'x-authorization-digest'], order: 20 },
    { json: { 'data.envelopeId': true, event: true }, order: 50 },
    { bodyText: /<DocuSignEnvelopeInformation[\s>]/, order: 50 },
  ],
  eventType: ['json:event', { description: 'XML `EnvelopeStatus/Status`', read: readEnvelopeStatus }],
  preview: [
    ['data.envelopeSummary.sender.email', 'sender.email'],
    'data.envelopeSummary.emailSubject',
    ['data.envelopeSummary.status', 'status'],
    ['data.envelopeId', 'envelopeId'],
  ],
  signatures: [
    hmac('x-docusign-signature-1', { headerPattern: /^x-docusign-signature-[0-9]{1,3}$/, encoding: 'base64' }),
  ],
  secretHint: 'Settings > Connect > Connect Keys (each key has its own header)',
};

function readEnvelopeStatus(reader: DeliveryReader): string | undefined {
  const xml = reader.text();
  const start = xml.indexOf('<EnvelopeStatus>');
  if (start < 0) return undefined;
  // Recipients have a status too, and may come first.
  const recipientsEnd = xml.indexOf('</RecipientStatuses>', start);
  return textBetween(xml, '<Status>', '</Status>', recipientsEnd < 0 ? start : recipientsEnd);
}
