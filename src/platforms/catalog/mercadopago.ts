import type { DeliveryReader } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, parseNamedValues } from '../engine/signature-values.ts';
import { formatTimestamp, inSignatureHeaders, oldNamedValue } from '../engine/signers/task.ts';
import { hmacOf, isMacReceived, utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue } from '../engine/verifiers/public-key.ts';

export const mercadopago: Platform = {
  name: 'mercadopago',
  title: 'Mercado Pago',
  docsUrl: 'https://www.mercadopago.com/developers',
  setup: {
    where: 'Your integrations > the application > Webhooks > Configure notifications > URL',
    url: 'https://www.mercadopago.com/developers/en/docs/your-integrations/notifications/webhooks',
  },
  detect: [{ headerValues: { 'x-signature': /^ts=/ }, order: 34 }],
  eventType: ['json:type', 'json:action'],
  deliveryId: [
    { body: 'id', source: 'https://www.mercadopago.com/developers/en/docs/your-integrations/notifications/webhooks' },
  ],
  action: ['action'],
  preview: ['action', 'data.id', 'user_id'],
  signatures: [
    customScheme('mercadopago', verifyManifest, {
      header: 'x-signature',
      sign: signManifest,
      proves: 'origin',
      note: 'only the id, the request id and the time are signed',
    }),
  ],
  secretHint: 'Your integrations > the application > Webhooks > Secret signature',
};

/** HMAC over the id in the query, the request id and the timestamp; absent parts are left out. */
function verifyManifest(check: SignatureCheck): Outcome {
  const { reader } = check;
  const named = parseNamedValues(firstHeaderValue(check), ',');
  const time = named.get('ts')?.[0];
  const digests = (named.get('v1') ?? [])
    .map(text => decodeDigest(text, 'hex', 'sha256'))
    .filter(digest => digest !== null);
  if (time === undefined || digests.length === 0) return 'malformed';
  const message = [utf8(manifest(reader, time))];
  return isMacReceived(check, { hash: 'sha256', key: utf8(check.secret), message, received: digests })
    ? 'valid'
    : 'mismatch';
}

function manifest(reader: DeliveryReader, time: string): string {
  const id = reader.query().get('data.id') ?? reader.query().get('id');
  const requestId = reader.header('x-request-id');
  const idPart = id === undefined ? '' : `id:${id.toLowerCase()};`;
  const requestIdPart = requestId === undefined ? '' : `request-id:${requestId};`;
  return `${idPart}${requestIdPart}ts:${time};`;
}

function signManifest(task: SigningTask): SignedParts {
  // Older integrations get seconds, newer ones milliseconds.
  const time = formatTimestamp(task.at, 'auto', oldNamedValue(task, ',', 'ts') ?? task.at);
  const digest = task.seal(hmacOf('sha256', utf8(task.secret), [utf8(manifest(task.reader, time))]));
  return inSignatureHeaders(task, () => `ts=${time},v1=${digest.toString('hex')}`);
}
