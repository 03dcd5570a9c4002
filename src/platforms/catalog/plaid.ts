import type { Platform } from '../engine/platform.ts';
import { jwtBodyHash } from '../engine/schemes.ts';

export const plaid: Platform = {
  name: 'plaid',
  title: 'Plaid',
  docsUrl: 'https://plaid.com/docs',
  detect: [
    { anyHeader: ['plaid-verification'], order: 20 },
    { json: { webhook_type: true, webhook_code: true }, order: 50 },
  ],
  eventType: ['json:webhook_type', 'json:webhook_code'],
  action: ['webhook_code'],
  preview: ['webhook_code', 'error.error_code', 'environment', 'item_id'],
  signatures: [
    jwtBodyHash('plaid-verification', 'jwt-es256', {
      claim: 'request_body_sha256',
      keyFormat: 'public-key',
      timestamp: { from: 'claim:iat', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'The JWK that /webhook_verification_key/get returns for the kid in the Plaid-Verification header',
};
