import { replaceFormFields, replaceJsonValues } from '../engine/body-fields.ts';
import { type DeliveryReader, firstFormValue, parseNestedJson, valueAt } from '../engine/delivery-reader.ts';
import { plainText } from '../engine/handshake-answers.ts';
import { answerEveryDelivery } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { formJson } from '../engine/readers.ts';
import { customScheme } from '../engine/schemes.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, isNonEmptyString } from '../engine/signature-values.ts';
import { cannotSign } from '../engine/signers/task.ts';
import { hmacOf, isMacReceived, scalarText, utf8 } from '../engine/verifiers/check.ts';

export const dropboxSign: Platform = {
  name: 'dropbox-sign',
  title: 'Dropbox Sign',
  docsUrl: 'https://developers.hellosign.com',
  detect: [
    { form: { json: /"event_hash"/ }, order: 45 },
    { json: { 'event.event_hash': true, 'event.event_type': true }, order: 45 },
  ],
  eventType: [formJson('json', 'event.event_type'), 'json:event.event_type'],
  signatures: [
    customScheme('dropbox-sign', verifyEvent, {
      sign: signEvent,
      isPresent: hasEventHash,
      proves: 'origin',
      note: 'only time and type of the event are signed',
    }),
  ],
  secretHint: 'API settings > API key',
  handshakes: [
    answerEveryDelivery('Every delivery: `Hello API Event Received`.', plainText('Hello API Event Received')),
  ],
};

function hasEventHash(reader: DeliveryReader): boolean {
  return (
    isNonEmptyString(valueAt(reader.json(), 'event.event_hash')) ||
    isNonEmptyString(firstFormValue(reader.form(), 'json'))
  );
}

/** HMAC over time and type of the event; the key is the API key. */
function verifyEvent(check: SignatureCheck): Outcome {
  const event = readEvent(check.reader);
  const eventHash = valueAt(event, 'event_hash');
  const digest = isNonEmptyString(eventHash) ? decodeDigest(eventHash, 'hex', 'sha256') : null;
  if (digest === null) return 'malformed';
  const message = [messageOfEvent(event)];
  const isSigned = isMacReceived(check, { hash: 'sha256', key: utf8(check.secret), message, received: [digest] });
  return isSigned ? 'valid' : 'mismatch';
}

function readEvent(reader: DeliveryReader): unknown {
  const text = firstFormValue(reader.form(), 'json');
  return valueAt(text === undefined ? reader.json() : parseNestedJson(text), 'event');
}

const messageOfEvent = (event: unknown): Buffer =>
  utf8(`${scalarText(valueAt(event, 'event_time'))}${scalarText(valueAt(event, 'event_type'))}`);

/** The time of the event stays: it is part of what happened. */
function signEvent({ secret, reader, seal }: SigningTask): SignedParts | CannotSign {
  const values = {
    'event.event_hash': seal(hmacOf('sha256', utf8(secret), [messageOfEvent(readEvent(reader))])).toString('hex'),
  };
  const text = firstFormValue(reader.form(), 'json');
  const json = replaceJsonValues(text === undefined ? reader.delivery.body : utf8(text), values);
  const body = json && (text === undefined ? json : replaceFormFields(reader, { json: json.toString('utf8') }));
  return body === null ? cannotSign('the body has no event_hash') : { body };
}
