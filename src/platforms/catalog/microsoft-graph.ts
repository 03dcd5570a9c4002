import { replaceJsonValues } from '../engine/body-fields.ts';
import { type DeliveryReader, valueAt } from '../engine/delivery-reader.ts';
import { plainText } from '../engine/handshake-answers.ts';
import type { Platform } from '../engine/platform.ts';
import { customScheme } from '../engine/schemes.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { isNonEmptyString } from '../engine/signature-values.ts';
import { cannotSign } from '../engine/signers/task.ts';
import { sameText, utf8 } from '../engine/verifiers/check.ts';

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
  preview: ['value.0.resource', 'value.0.subscriptionId'],
  signatures: [
    customScheme('client-state', verifyClientState, {
      sign: setClientState,
      isPresent: hasClientState,
      proves: 'origin',
      note: 'clientState is a fixed value in each notification',
    }),
  ],
  secretHint: 'The clientState you gave when you created the subscription',
  handshakes: [
    {
      description: '`POST ?validationToken=`: Hooktape returns the token.',
      when: { method: 'POST', query: ['validationtoken'] },
      answer: ({ query }) => plainText(query('validationtoken') ?? ''),
    },
  ],
  notes: 'The tokens of rich notifications (`validationTokens`) are not checked.',
};

function hasClientState(reader: DeliveryReader): boolean {
  return isNonEmptyString(valueAt(reader.json(), 'value.0.clientState'));
}

function verifyClientState(check: SignatureCheck): Outcome {
  const items = valueAt(check.reader.json(), 'value');
  if (!Array.isArray(items) || items.length === 0) return 'malformed';
  let areAllEqual = true;
  for (const item of items) {
    const state = valueAt(item, 'clientState');
    if (isNonEmptyString(state)) check.observe?.({ message: null, received: [utf8(state)], expected: null });
    if (!isNonEmptyString(state) || !sameText(state, check.secret)) areAllEqual = false;
  }
  return areAllEqual ? 'valid' : 'mismatch';
}

function setClientState({ secret, reader, sealText }: SigningTask): SignedParts | CannotSign {
  const items = valueAt(reader.json(), 'value');
  const paths = Array.isArray(items) ? items.map((_, n) => `value.${n}.clientState`) : [];
  const values = Object.fromEntries(paths.map(path => [path, sealText(secret)]));
  const body = paths.length === 0 ? null : replaceJsonValues(reader.delivery.body, values);
  return body === null ? cannotSign('a notification in the body has no clientState') : { body };
}
