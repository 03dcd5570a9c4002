/* Signs according to Standard Webhooks: `v1,<base64>` over id, timestamp and body. */
import type { HeaderPair } from '../../../core/headers.ts';
import type { DeliveryReader } from '../delivery-reader.ts';
import { decodeKeys } from '../secrets.ts';
import type { Signer, SigningTask } from '../signature-scheme.ts';
import { decodeDigest, headerValues, versionedSignatures } from '../signature-values.ts';
import { hmacOf, sameBytes } from '../verifiers/check.ts';
import type { StandardWebhooksVariant } from '../verifiers/standard-webhooks.ts';
import { cannotSign, formatTimestamp } from './task.ts';

export const signStandardWebhooks =
  ({ headerPrefix }: StandardWebhooksVariant): Signer =>
  task => {
    const key = chooseKey(task, headerPrefix);
    if (key === undefined) return cannotSign("the secret is not in the sender's format");
    const old = task.reader.header(`${headerPrefix}-id`);
    const id = old === undefined || old === '' || task.isNewId ? task.newId(old || 'msg_') : old;
    const time = formatTimestamp(task.at, 's');
    const digest = task.seal(hmacOf('sha256', key, [`${id}.${time}.`, task.reader.delivery.body]));
    const headers: HeaderPair[] = [
      [`${headerPrefix}-id`, id],
      [`${headerPrefix}-timestamp`, time],
      [`${headerPrefix}-signature`, `v1,${digest.toString('base64')}`],
    ];
    return { headers };
  };

/** A secret can be text or base64. Chooses the reading that the old signature matches, else the first. */
function chooseKey(task: SigningTask, headerPrefix: string): Buffer | undefined {
  const keys = decodeKeys(task.scheme.keyFormat, task.secret);
  return keys.find(key => hasSigned(task, key, headerPrefix)) ?? keys[0];
}

function hasSigned({ scheme, original }: SigningTask, key: Buffer, headerPrefix: string): boolean {
  const read = (reader: DeliveryReader, name: string) => reader.header(`${headerPrefix}-${name}`) ?? '';
  const expected = hmacOf('sha256', key, [
    `${read(original, 'id')}.${read(original, 'timestamp').trim()}.`,
    original.delivery.body,
  ]);
  return headerValues(scheme, original)
    .flatMap(({ value }) => versionedSignatures(value))
    .some(([, text]) => {
      const digest = decodeDigest(text.replace(/,$/, ''), 'base64', 'sha256');
      return digest !== null && sameBytes(digest, expected);
    });
}
