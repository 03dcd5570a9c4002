/* Schemas of the explanation of a signature. */
import { type Static, Type as t } from '@sinclair/typebox';
import { signatureCauses } from '../../core/events/signature-causes.ts';
import { maxSigningSecretCharacters } from '../../core/limits.ts';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';

export const SignatureCheckRequest = t.Object(
  {
    secret: t.Optional(
      textDocumentedAs(t.String({ minLength: 1, maxLength: maxSigningSecretCharacters }), {
        description: 'the secret to check with, as the platform shows it; it is not stored, logged or returned',
      }),
    ),
    platform: t.Optional(t.String({ description: 'a platform’s name; absent: the event’s own' })),
    scheme: t.Optional(t.String({ description: 'one of the platform’s schemes; absent: all of them' })),
  },
  { title: 'SignatureCheckRequest', examples: [{ secret: 'whsec_9f2k4t7x1m3p' }] },
);
export type SignatureCheckRequest = Static<typeof SignatureCheckRequest>;

export const SignedPart = t.Object(
  {
    from: literals(['body', 'header', 'url', 'method', 'secret', 'other']),
    name: nullable(t.String({ description: 'the lower-case name of the header' })),
    start: t.Integer({ description: 'offset in bytes' }),
    end: t.Integer(),
  },
  {
    title: 'SignedPart',
    description: '`other`: fixed text, or fields of the body; `secret`: the secret itself is signed, shown as [secret]',
  },
);

export const SignatureExplanation = t.Object(
  {
    verdict: literals(['valid', 'invalid', 'unchecked'], {
      description: 'with the secret in the request, else that of the event',
    }),
    reason: nullable(
      literals([
        'no_signature',
        'no_secret',
        'unconfirmed_secret',
        'wrong_secret_or_altered_body',
        'timestamp_out_of_tolerance',
        'malformed_header',
        'unsupported',
        'redacted',
      ]),
    ),
    proves: nullable(
      literals(['payload', 'origin'], {
        description: 'payload: a valid signature of this scheme covers the body; origin: it only identifies the sender',
      }),
    ),
    checkedWith: nullable(literals(['request', 'stored'], { description: 'whose secrets were used' })),
    platform: nullable(t.String({ description: 'the platform whose schemes were used' })),
    scheme: nullable(t.String({ description: 'the scheme that the explanation is about' })),
    schemes: t.Array(t.String(), { description: 'the platform’s schemes of which the event has a signature' }),
    signedString: nullable(
      t.String({
        description: 'what the signature covers; null for a fixed value, and when it cannot be read without the secret',
      }),
    ),
    signedStringEncoding: literals(['utf8', 'base64'], { description: 'the encoding of `signedString`' }),
    signedBytes: t.Integer({ description: 'its length in bytes; `signedString` has the first 64 KiB' }),
    parts: t.Array(SignedPart, { description: 'where each stretch of the signed string comes from' }),
    received: t.Array(t.String(), { description: 'the signatures in the event' }),
    expected: nullable(
      t.Array(t.String(), {
        description:
          'what the secret in the request gives, in the same encoding; null without one, and where the secret itself is sent or only verifies. Never computed with a stored secret',
      }),
    ),
    signatureEncoding: literals(['hex', 'base64', 'base64url', 'utf8'], {
      description: 'the encoding of `received` and `expected`',
    }),
    timestamp: nullable(t.Integer({ description: 'when it was signed: epoch milliseconds', format: 'int64' })),
    timestampFrom: nullable(
      t.String({ description: 'where the timestamp is: `header:NAME`, `header:NAME KEY` or `json:PATH`' }),
    ),
    skewS: nullable(
      t.Number({ description: 'seconds from the timestamp to the receipt; negative when it lies after it' }),
    ),
    toleranceS: nullable(t.Integer({ description: 'how far the timestamp may be from the receipt' })),
    causes: t.Array(
      t.Object({
        cause: literals(signatureCauses),
        proven: t.Boolean({ description: 'with this undone, the signature is right' }),
      }),
      { description: 'why it is not valid: what is proven, else what is likely' },
    ),
    match: nullable(
      t.Object({
        secretId: t.String(),
        last4: t.String({ description: 'as in the list of its endpoint’s secrets' }),
        endpointId: t.String({ description: 'the event’s endpoint, or another one of the team' }),
      }),
      {
        description:
          'the saved secret that fits the signature, as it was received or, with a proven cause, with that undone; null without one, and with a secret, platform or scheme in the request',
      },
    ),
    tried: nullable(
      t.Object({
        secrets: t.Array(t.Object({ id: t.String(), last4: t.String() }), {
          description: 'the endpoint’s confirmed secrets for the platform',
        }),
        otherSecrets: t.Integer({
          description:
            'how many confirmed secrets of the team’s other endpoints: 200 at most, fewer for a large body, none for one over 4 MiB',
        }),
        changes: t.Array(literals(signatureCauses), {
          description: 'what was undone, with each of `secrets`; empty if another endpoint’s secret fits',
        }),
      }),
      {
        description:
          'the saved secrets that were tried; null unless the reason is `wrong_secret_or_altered_body` or `no_secret`, and with a secret, platform or scheme in the request',
      },
    ),
  },
  {
    title: 'SignatureExplanation',
    description:
      '`checkedWith`: `request` for the secret in the request, `stored` for those of the endpoint, as in the event’s `signature`; null when none was used',
  },
);
export type SignatureExplanation = Static<typeof SignatureExplanation>;
