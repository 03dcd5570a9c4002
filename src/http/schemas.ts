/* Building blocks for the schemas of the features, and the responses of an operation by status. */

import { type Static, type TSchema, Type as t } from '@sinclair/typebox';
import { literals, textDocumentedAs } from '../core/schemas.ts';
import { maxEmailCharacters } from '../core/text.ts';
import { maxPasswordBytes, minPasswordCharacters } from '../shared/limits.ts';
import { problemCodes } from '../shared/problem-codes.ts';

export const ErrorBody = t.Object({ error: t.String() }, { title: 'Error' });
/** The problems of an `invalid` error. Absent in the 400 for a request that is not valid HTTP. */
const problems = t.Optional(
  t.Array(
    t.Object(
      {
        path: t.String({
          description:
            'the field, such as `channel.to` or `rules[0].status`, or the query parameter; empty: the input as a whole',
        }),
        message: t.String({ description: 'what is wrong with it, without its name' }),
        code: t.Optional(
          literals(problemCodes, {
            description:
              '`not_public`, `port_not_allowed`: the operator can allow the destination; `cannot_sign`: the request cannot be re-signed',
          }),
        ),
      },
      { title: 'Problem' },
    ),
    { description: 'what is wrong with the input, by field' },
  ),
);
export const InvalidBody = t.Object({ error: t.String(), problems }, { title: 'Invalid' });
/** The error of operations with a filter: `position` and `nearest` locate the error. */
export const FilterErrorBody = t.Object(
  {
    error: t.String(),
    problems,
    position: t.Optional(
      t.Integer({ description: 'of a filter that cannot be read: where in its text, in characters from 0' }),
    ),
    nearest: t.Optional(
      t.Union([t.String(), t.Null()], { description: 'with `position`: the field that was probably meant' }),
    ),
  },
  { title: 'FilterError' },
);
/** The 403 of what changes how a person signs in. */
export const RecentSignInError = t.Object(
  {
    error: t.String(),
    needs: t.Optional(t.Literal('recent_sign_in', { description: 'sign in again, and repeat the request' })),
  },
  { title: 'RecentSignInError' },
);
export const Ok = t.Object({ ok: t.Boolean() }, { title: 'Ok' });
/** The answer `Ok`, once the work is done. */
export const done = async (work: Promise<unknown>): Promise<Static<typeof Ok>> => {
  await work;
  return { ok: true };
};
export const Timestamp = t.Integer({
  description: 'epoch milliseconds',
  format: 'int64',
  examples: [1_789_000_000_000],
});
/** A time in a query. Services read it; the pattern allows no other notation. */
export const Moment = (description: string) =>
  t.Optional(
    textDocumentedAs(t.Integer({ minimum: 0, format: 'int64' }), { pattern: '^(?:0|[1-9][0-9]{0,14})$', description }),
  );
/** How many entries a page has. t.Integer would accept 1e1, 0x10 and ' 5'. */
export const PageSize = (usual: number, note = '') =>
  t.Optional(
    textDocumentedAs(t.Integer({ minimum: 1, maximum: 100, default: usual }), {
      pattern: '^(?:[1-9][0-9]?|100)$',
      description: `1 to 100, default ${usual}${note}`,
    }),
  );
/** int64: totals can exceed 32 bits. */
export const ByteCount = t.Integer({ description: 'body bytes', format: 'int64' });
export const HttpStatus = (description: string) => t.Integer({ description, format: 'int32' });

export const Password = textDocumentedAs(
  t.String({ minLength: minPasswordCharacters, maxLength: maxPasswordBytes, format: 'password' }),
  { description: `${minPasswordCharacters} characters or more, at most ${maxPasswordBytes} bytes` },
);

export const Email = textDocumentedAs(t.String({ minLength: 3, maxLength: maxEmailCharacters, format: 'email' }), {
  description: 'an address like name@example.com; nothing is ever sent to it',
});

export const Sha256 = textDocumentedAs(t.String({ pattern: '^[0-9a-f]{64}$' }), { description: 'hex, of the body' });

/** A URL of this installation. */
export const OwnUrl = (description: string) => textDocumentedAs(t.String({ format: 'uri' }), { description });

export const IdParams = t.Object({ id: t.String() });

type ErrorStatus = 400 | 403 | 404 | 409 | 410 | 412 | 502;

/** The responses of an operation: its own, the listed errors, and the errors that every operation can answer. */
export function responses<S extends Record<number, TSchema>>(own: S, ...errors: ErrorStatus[]) {
  const described = Object.fromEntries(
    [...errors, 401, 429, 503].map(status => [status, status === 400 ? InvalidBody : ErrorBody]),
  );
  return { ...described, ...own } as unknown as S & Record<401 | 429 | 503, typeof ErrorBody>;
}

/** A response that is not JSON, or has one of several media types. It is documented, but not validated. */
export const byMediaType = (mediaTypes: Record<string, TSchema>) => t.Any({ mediaTypes });

/** A JSON response that can have other media types instead. The JSON is validated. */
export const jsonOr = <T extends TSchema>(json: T, others: Record<string, TSchema>): T => ({
  ...json,
  mediaTypes: { 'application/json': json, ...others },
});

export const Bytes = byMediaType({ 'application/octet-stream': t.String({ format: 'binary' }) });
