/* Schemas of API keys. The full key appears only in the response that creates it. */
import { type Static, Type as t } from '@sinclair/typebox';
import { Name, nullable } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

const metadata = {
  id: t.String(),
  name: t.String(),
  last4: t.String({ description: 'the last characters of the key' }),
  createdAt: Timestamp,
  lastUsedAt: nullable(Timestamp),
  app: nullable(
    t.Object(
      { id: t.String(), name: t.String() },
      {
        description:
          'the connected app that created the key, which ends with the app; null for a key that a person created',
      },
    ),
  ),
  expiresAt: nullable({
    ...Timestamp,
    description: 'epoch milliseconds; from then on the key is refused with 401. null: never',
  }),
  readOnly: t.Boolean({ description: 'whether the key may only read: every operation that changes something is 403' }),
};

export const ApiKey = t.Object(metadata, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

export const CreatedApiKey = t.Object(
  { ...metadata, key: t.String({ description: 'the full key, shown only now' }) },
  { title: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const ApiKeyList = t.Object({ keys: t.Array(ApiKey) }, { title: 'ApiKeyList' });
export type ApiKeyList = Static<typeof ApiKeyList>;
export const ApiKeyInput = t.Object(
  {
    name: Name,
    expiresAt: t.Optional(nullable(t.Integer({ description: 'epoch milliseconds, in the future; null: never' }))),
    expiresIn: t.Optional(
      nullable(t.String({ description: 'instead of `expiresAt`: a duration such as 30d, 90d or 365d; null: never' })),
    ),
    readOnly: t.Optional(t.Boolean({ default: false, description: 'true: a key that may only read' })),
  },
  { title: 'ApiKeyInput', examples: [{ name: 'laptop', expiresIn: '90d' }] },
);
export type ApiKeyInput = Static<typeof ApiKeyInput>;
