/* Signing secrets on the wire (interface "API beyond the contract"). A secret goes in and never comes out. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxSigningSecretCharacters } from '../../core/limits.ts';
import { described, nullable, Timestamp } from '../../http/schemas.ts';

export const Secret = t.Object(
  {
    id: t.String(),
    platform: nullable(t.String({ description: 'null serves any platform' })),
    last4: t.String({ description: 'last characters of the secret; empty for a short one' }),
    createdAt: Timestamp,
    confirmed: t.Boolean({
      description:
        'false: a handshake delivered it, and no verdict is valid or invalid because of it until a person confirms it',
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
        description: 'epoch ms until which the next learned secret is taken as confirmed; null: no window is open',
      }),
    ),
  },
  { title: 'SecretList' },
);
export type SecretList = Static<typeof SecretList>;

export const NewSecret = t.Object(
  {
    platform: t.Optional(nullable(t.String({ description: 'a platform’s name; null or absent serves any platform' }))),
    secret: described(t.String({ minLength: 1, maxLength: maxSigningSecretCharacters }), {
      description: 'as the platform shows it',
    }),
  },
  { title: 'NewSecret' },
);

export const SecretParams = t.Object({ id: t.String(), secretId: t.String() });
