import { docusignStatus } from '../engine/event-readers.ts';
import type { Platform } from '../engine/model.ts';
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
  eventType: ['json:event', docusignStatus],
  signatures: [
    hmac('x-docusign-signature-1', { headerPattern: /^x-docusign-signature-[0-9]{1,3}$/, encoding: 'base64' }),
  ],
  secretHint: 'Settings > Connect > Connect Keys (each key has its own header)',
};
