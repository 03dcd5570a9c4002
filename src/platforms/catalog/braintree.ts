import { replaceFormFields } from '../engine/body-fields.ts';
import { type DeliveryReader, firstFormValue } from '../engine/delivery-reader.ts';
import { plainText } from '../engine/handshake-answers.ts';
import type { HandshakeReply, HandshakeRequest, Platform } from '../engine/platform.ts';
import { textBetween } from '../engine/readers.ts';
import { customScheme } from '../engine/schemes.ts';
import { splitPair } from '../engine/secrets.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { decodeDigest, isNonEmptyString } from '../engine/signature-values.ts';
import { cannotSign } from '../engine/signers/task.ts';
import { digestOf, hmacOf, isMacReceived, utf8 } from '../engine/verifiers/check.ts';

export const braintree: Platform = {
  name: 'braintree',
  title: 'Braintree',
  docsUrl: 'https://developer.paypal.com/braintree/docs',
  detect: [
    { form: { bt_signature: true, bt_payload: true }, order: 35 },
    { methods: ['GET'], query: { bt_challenge: /^[0-9a-f]{20,32}$/i }, order: 35 },
  ],
  eventType: [{ description: '`kind` in the XML of `bt_payload`', read: readKind }],
  signatures: [
    customScheme('braintree', verifyPayload, { sign: signPayload, isPresent: hasSignature, keyFormat: 'pair' }),
  ],
  secretHint: 'Control Panel > API: public and private key, joined by a bar',
  handshakes: [
    {
      description: '`GET ?bt_challenge=`: Hooktape computes the reply with the saved key pair.',
      when: { method: 'GET', query: ['bt_challenge'] },
      answer: answerChallenge,
    },
  ],
};

function readKind(reader: DeliveryReader): string | undefined {
  const payload = firstFormValue(reader.form(), 'bt_payload');
  return payload === undefined
    ? undefined
    : textBetween(Buffer.from(payload, 'base64').toString('utf8'), '<kind>', '</kind>');
}

function hasSignature(reader: DeliveryReader): boolean {
  return isNonEmptyString(firstFormValue(reader.form(), 'bt_signature'));
}

/** The signature is a list of `publicKey|hex`, joined by `&`. */
function verifyPayload(check: SignatureCheck): Outcome {
  const pair = splitPair(check.secret);
  const form = check.reader.form();
  const payload = firstFormValue(form, 'bt_payload');
  if (pair === null) return 'unsupported';
  if (payload === undefined) return 'malformed';
  const own = (firstFormValue(form, 'bt_signature') ?? '')
    .split('&', 32)
    .map(text => text.split('|', 2))
    .find(([publicKey]) => publicKey?.trim() === pair.left);
  // Signed with another key pair: the secret does not belong to this delivery.
  if (own === undefined) return 'mismatch';
  const digest = decodeDigest(own[1]?.trim() ?? '', 'hex', 'sha1');
  if (digest === null) return 'malformed';
  const key = signingKey(pair.right);
  const isSigned = [payload, `${payload}\n`].some(text =>
    isMacReceived(check, { hash: 'sha1', key, message: [utf8(text)], received: [digest] }),
  );
  return isSigned ? 'valid' : 'mismatch';
}

function signPayload({ secret, reader, seal }: SigningTask): SignedParts | CannotSign {
  const pair = splitPair(secret);
  const payload = firstFormValue(reader.form(), 'bt_payload');
  if (pair === null || payload === undefined) return cannotSign('the body has no bt_payload');
  const digest = seal(hmacOf('sha1', signingKey(pair.right), [utf8(payload)]));
  const body = replaceFormFields(reader, { bt_signature: `${pair.left}|${digest.toString('hex')}` });
  return body === null ? cannotSign('the body has no bt_signature') : { body };
}

function answerChallenge(request: HandshakeRequest): HandshakeReply | null {
  const challenge = request.query('bt_challenge') ?? '';
  const pair = splitPair(request.secrets.at(-1) ?? '');
  if (pair === null || !/^[0-9a-f]{20,32}$/i.test(challenge)) return null;
  const digest = hmacOf('sha1', signingKey(pair.right), [challenge]).toString('hex');
  return plainText(`${pair.left}|${digest}`);
}

const signingKey = (privateKey: string): Buffer => digestOf('sha1', [utf8(privateKey)]);
