import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { MessagePart, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest } from '../engine/signature-values.ts';
import { inSignatureHeaders } from '../engine/signers/task.ts';
import { digestOf, hmacOf, isOneReceived, utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue } from '../engine/verifiers/public-key.ts';
import { verifyHmacOverUrl } from '../engine/verifiers/url.ts';

export const hubspot: Platform = {
  name: 'hubspot',
  title: 'HubSpot',
  docsUrl: 'https://developers.hubspot.com/docs',
  setup: {
    where: 'Settings > Integrations > Private Apps > the app > Webhooks > Target URL',
    url: 'https://developers.hubspot.com/docs/guides/apps/private-apps/create-and-edit-webhook-subscriptions-in-private-apps',
  },
  detect: [{ anyHeader: ['x-hubspot-signature-v3', 'x-hubspot-signature', 'x-hubspot-signature-version'], order: 20 }],
  eventType: ['json:0.subscriptionType', 'json:eventType'],
  preview: ['0.propertyName', '0.propertyValue', '0.changeSource', ['0.objectId', 'objectId']],
  signatures: [
    customScheme('hubspot-v3', verifyV3, {
      header: 'x-hubspot-signature-v3',
      sign: signV3,
      timestamp: { from: 'header:x-hubspot-request-timestamp', unit: 'ms', toleranceSeconds: 300 },
    }),
    customScheme('sha256-concat', verifyV1OrV2, { header: 'x-hubspot-signature', sign: signV1OrV2 }),
  ],
  secretHint: 'The app > Auth > Client secret',
};

/** HubSpot signs the URL with these sequences decoded; its own library signs the URL as it is. */
const decodedSequences = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

function verifyV3(check: SignatureCheck): Outcome {
  const { delivery } = check.reader;
  const time = check.reader.header('x-hubspot-request-timestamp');
  if (time === undefined) return 'malformed';
  const urls = check.urls.flatMap(url => [url, url.replace(decodedSequences, decodeURIComponent)]);
  return verifyHmacOverUrl(check, { encoding: 'base64', hash: 'sha256', urls }, url => [
    utf8(delivery.method + url),
    delivery.body,
    time,
  ]);
}

/** The URL as it is, as HubSpot's own library reads it. */
function signV3(task: SigningTask): SignedParts {
  const { body, method } = task.reader.delivery;
  const time = task.reader.header('x-hubspot-request-timestamp') ?? '';
  const digest = task.seal(hmacOf('sha256', utf8(task.secret), [utf8(method + task.url), body, time]));
  return inSignatureHeaders(task, () => digest.toString('base64'));
}

/** A plain hash that begins with the secret; the version header says what follows. */
function verifyV1OrV2(check: SignatureCheck): Outcome {
  const { delivery } = check.reader;
  const digest = decodeDigest(firstHeaderValue(check), 'hex', 'sha256');
  if (digest === null) return 'malformed';
  const version = check.reader.header('x-hubspot-signature-version')?.trim().toLowerCase();
  const secret = utf8(check.secret);
  const messages: MessagePart[][] = [];
  if (version !== 'v2') messages.push([secret, delivery.body]);
  if (version !== 'v1') messages.push(...check.urls.map(url => [secret, utf8(delivery.method + url), delivery.body]));
  if (messages.length === 0) return 'unsupported';
  const isSigned = messages.some(message =>
    isOneReceived(check, { message, received: [digest], expected: digestOf('sha256', message) }),
  );
  return isSigned ? 'valid' : 'mismatch';
}

/** Version 1 unless the version header says something else. */
function signV1OrV2(task: SigningTask): SignedParts {
  const { body, method } = task.reader.delivery;
  const version = task.reader.header('x-hubspot-signature-version')?.trim().toLowerCase() ?? 'v1';
  const url = version === 'v1' ? '' : method + task.url;
  const digest = task.seal(digestOf('sha256', [utf8(task.secret), utf8(url), body])).toString('hex');
  const { headers = [] } = inSignatureHeaders(task, () => digest);
  return { headers: [...headers, ['x-hubspot-signature-version', version]] };
}
