import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, parseNamedValues } from '../engine/signature-values.ts';
import { formatTimestamp, inSignatureHeaders, oldNamedValue } from '../engine/signers/task.ts';
import { checkTimestamp, hmacOf, isMacReceived, utf8 } from '../engine/verifiers/check.ts';
import { firstHeaderValue } from '../engine/verifiers/public-key.ts';

export const coinbaseCdp: Platform = {
  name: 'coinbase-cdp',
  title: 'Coinbase Developer Platform',
  docsUrl: 'https://docs.cdp.coinbase.com',
  detect: [{ anyHeader: ['x-hook0-signature'], order: 20 }],
  eventType: ['json:type', 'json:eventType'],
  signatures: [
    customScheme('hook0', verifyHook0, {
      header: 'x-hook0-signature',
      sign: signHook0,
      timestamp: { from: 'value:t', unit: 's', toleranceSeconds: 300 },
    }),
  ],
  secretHint: 'metadata.secret in the answer of the call that created the subscription',
  notes: 'Every sender hosted on Hook0 uses this header.',
};

const maxSignedHeaders = 64;

/** `v1` covers the headers it lists as well and is preferred; `v0` covers timestamp and body. */
function verifyHook0(check: SignatureCheck): Outcome {
  const { reader } = check;
  const named = parseNamedValues(firstHeaderValue(check), ',');
  const time = named.get('t')?.[0];
  const headerList = named.get('h')?.[0];
  if (time === undefined) return 'malformed';
  const parts: string[] = [time];
  let texts = named.get('v0') ?? [];
  if (named.has('v1') && headerList !== undefined) {
    const names = headerList.split(' ', maxSignedHeaders + 1).filter(name => name !== '');
    const values = names.map(name => reader.header(name.toLowerCase()));
    if (names.length > maxSignedHeaders || values.includes(undefined)) return 'malformed';
    parts.push(headerList, values.join('.'));
    texts = named.get('v1') ?? [];
  }
  const digests = texts.map(text => decodeDigest(text, 'hex', 'sha256')).filter(digest => digest !== null);
  if (digests.length === 0) return 'malformed';
  const message = [`${parts.join('.')}.`, reader.delivery.body];
  return isMacReceived(check, { hash: 'sha256', key: utf8(check.secret), message, received: digests })
    ? checkTimestamp(check, { named })
    : 'mismatch';
}

/** `v1` with the headers that the old signature lists, as far as the request has them; `v0` where it lists none. */
function signHook0(task: SigningTask): SignedParts {
  const { secret, reader, at, seal } = task;
  const time = formatTimestamp(at, 's');
  const names = (oldNamedValue(task, ',', 'h') ?? '')
    .split(' ', maxSignedHeaders)
    .filter(name => name !== '' && reader.header(name.toLowerCase()) !== undefined);
  const parts = [time];
  if (names.length > 0) parts.push(names.join(' '), names.map(name => reader.header(name.toLowerCase())).join('.'));
  const digest = seal(hmacOf('sha256', utf8(secret), [`${parts.join('.')}.`, reader.delivery.body])).toString('hex');
  const list = names.length > 0 ? `,h=${names.join(' ')},v1=${digest}` : `,v0=${digest}`;
  return inSignatureHeaders(task, () => `t=${time}${list}`);
}
