/* Schemas of signing secrets. Responses never contain a secret. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxOriginCharacters, maxSigningSecretCharacters } from '../../core/limits.ts';
import { nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

export const Secret = t.Object(
  {
    id: t.String(),
    platform: nullable(t.String({ description: 'null applies to any platform' })),
    last4: t.String({ description: 'the last characters of the secret; empty for a short secret' }),
    createdAt: Timestamp,
    confirmed: t.Boolean({
      description:
        'false for a secret that a handshake delivered: until a person confirms it, verdicts that depend on it are `unchecked`',
    }),
    maySign: t.Boolean({
      description:
        'whether the server may sign replays with it: only of valid events, unchanged, to loopback or allow-listed destinations and to `destinations`',
    }),
    destinations: t.Array(t.String(), { description: 'origins, such as `https://staging.example.com`' }),
    test: t.Boolean({
      description:
        'true for a secret that was made to sign test events: it has no part in the verdicts of events without `x-hooktape-test`',
    }),
  },
  { title: 'Secret' },
);
export type Secret = Static<typeof Secret>;

export const SecretList = t.Object(
  {
    secrets: t.Array(Secret),
    learnSecretsUntil: nullable(
      t.Integer({
        description:
          'epoch ms until which the next secret that a handshake delivers is confirmed at once; null when no window is open',
      }),
    ),
  },
  { title: 'SecretList' },
);
export type SecretList = Static<typeof SecretList>;

export const SecretInput = t.Object(
  {
    platform: t.Optional(
      nullable(t.String({ description: 'a platform’s name; null or absent applies to any platform' })),
    ),
    secret: textDocumentedAs(t.String({ minLength: 1, maxLength: maxSigningSecretCharacters }), {
      description: 'as the platform shows it',
    }),
  },
  { title: 'SecretInput', examples: [{ platform: 'stripe', secret: 'whsec_9f2k4t7x1m3p' }] },
);

export type SecretInput = Static<typeof SecretInput>;

export const maxSigningDestinations = 20;

export const SecretChange = t.Object(
  {
    maySign: t.Optional(t.Boolean({ description: 'whether the server may sign replays with it' })),
    destinations: t.Optional(
      t.Array(
        textDocumentedAs(t.String({ format: 'uri', maxLength: maxOriginCharacters }), {
          description: 'an origin: scheme, host and port',
        }),
        {
          maxItems: maxSigningDestinations,
          description: 'in place of the earlier ones',
        },
      ),
    ),
  },
  { title: 'SecretChange', examples: [{ maySign: true, destinations: ['https://staging.example.com'] }] },
);
export type SecretChange = Static<typeof SecretChange>;

export const SecretParams = t.Object({ id: t.String(), secretId: t.String() });
