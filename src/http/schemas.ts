/* Wire shapes that more than one room speaks, and the one way to say which statuses an operation answers. */
import { type Static, type TSchema, Type as t } from '@sinclair/typebox';
import { maxNameCharacters } from '../core/limits.ts';
import { maxPasswordBytes, minPasswordCharacters } from '../core/password.ts';
import { maxEmailCharacters } from '../core/text.ts';

export const ErrorBody = t.Object({ error: t.String() }, { title: 'Error' });
export const Ok = t.Object({ ok: t.Boolean() }, { title: 'Ok' });
export const Timestamp = t.Integer({ description: 'epoch milliseconds', format: 'int64' });
/** Of a body, and of what is kept: more than 32 bits of bytes are no surprise. */
export const ByteCount = t.Integer({ description: 'body bytes', format: 'int64' });
export const HttpStatus = (description: string) => t.Integer({ description, format: 'int32' });
export const nullable = <T extends TSchema>(schema: T) => t.Union([schema, t.Null()]);

/**
 * Text that is checked otherwise than its reader is told, because what checks here counts characters as UTF-16 and reads
 * numbers too freely.
 * @param described what it is: what the interface description says
 * @param checked what of it is checked before it reaches a service
 */
export const described = (schema: TSchema, checked: { description: string; pattern?: string }) =>
  t.String({ ...checked, described: schema });

export const Name = described(t.String({ minLength: 1, maxLength: maxNameCharacters }), {
  description: `1 to ${maxNameCharacters} characters after trimming`,
});

export const Password = described(
  t.String({ minLength: minPasswordCharacters, maxLength: maxPasswordBytes, format: 'password' }),
  { description: `${minPasswordCharacters} characters or more, at most ${maxPasswordBytes} bytes` },
);

export const Email = described(t.String({ minLength: 3, maxLength: maxEmailCharacters, format: 'email' }), {
  description: 'an address like name@example.com; nothing is ever sent to it',
});

export const Sha256 = described(t.String({ pattern: '^[0-9a-f]{64}$' }), { description: 'hex, of the body' });

/** An address of this installation. */
export const OwnUrl = (description: string) => described(t.String({ format: 'uri' }), { description });

export const IdParams = t.Object({ id: t.String() });

export const Plan = t.Union([t.Literal('free'), t.Literal('pro')]);
export type Plan = Static<typeof Plan>;

/** api-contract "Account". */
export const Account = t.Object(
  { id: t.String(), email: t.String(), plan: Plan, createdAt: Timestamp },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

/** api-contract "Endpoint". */
export const Endpoint = t.Object(
  {
    id: t.String(),
    name: t.String(),
    createdAt: Timestamp,
    url: OwnUrl('address to register as the webhook destination on the sending platform'),
    eventCount: t.Integer(),
    lastReceivedAt: nullable(Timestamp),
  },
  { title: 'Endpoint' },
);
export type Endpoint = Static<typeof Endpoint>;

export const Role = t.Union([t.Literal('owner'), t.Literal('member')]);
export type Role = Static<typeof Role>;

type Status = 400 | 403 | 404 | 409 | 502;

/** An operation's answers: its own, the listed refusals, and those that every operation may give. */
export function answers<S extends Record<number, TSchema>>(own: S, ...refusals: Status[]) {
  const errors = Object.fromEntries([...refusals, 401, 429, 503].map(status => [status, ErrorBody]));
  return { ...errors, ...own } as unknown as S & Record<401 | 429 | 503, typeof ErrorBody>;
}

/** An answer that is no JSON, or one of several: a schema for each media type. It is described, and never validated. */
export const files = (mediaTypes: Record<string, TSchema>) => t.Any({ mediaTypes });

export const Bytes = files({ 'application/octet-stream': t.String({ format: 'binary' }) });
