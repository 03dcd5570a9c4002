/* `If-Match` and `If-None-Match` (RFC 9110 section 13.1): of a request that changes something, and of GET. */
import type { AnswerVersion } from '../core/answer-version.ts';
import { invalid } from '../core/errors.ts';

/** Versions, or `*` for any. */
export type VersionList = '*' | readonly string[];

/** The resource must exist in one of the first versions, and in none of the second. */
export type Preconditions = Record<'ifMatch' | 'ifNoneMatch', VersionList | undefined>;

const list = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e]*")*$/;

function read(name: string, value: string | null, withWeak: boolean): VersionList | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (text === '*') return '*';
  if (!list.test(text)) throw invalid(`${name} must be \`*\` or an ETag as it was given, in quotes`);
  return [...text.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter(([, isWeak]) => withWeak || !isWeak)
    .map(([, , version]) => version ?? '');
}

/** A weak ETag never matches in `If-Match`; this server sends none. @throws invalid */
export const preconditionsOf = ({ headers }: Request): Preconditions => ({
  ifMatch: read('If-Match', headers.get('if-match'), false),
  ifNoneMatch: read('If-None-Match', headers.get('if-none-match'), true),
});

export const etagOf = (version: string): string => `"${version}"`;

type Context = { request: Request; set: { headers: Record<string, unknown> } };
/** `until`: from when on time alone may have changed the answer, epoch ms. */
type Versioned<T> = { answer: T; until: number };

/** For GET. @returns the answer, or 304, without computing the answer, if the client has it. The ETag does not depend on how the answer is encoded. */
export async function unlessUnchanged<T>(
  { request, set }: Context,
  version: AnswerVersion,
  compute: () => Promise<Versioned<T>>,
): Promise<T> {
  // What is no ETag is ignored: these requests change nothing.
  const given = request.headers.get('if-none-match') ?? '';
  const known = [...given.matchAll(/"([\x21\x23-\x7e]*)"/g)].map(([, tag = '']) => tag).find(version.isCurrent);
  // Elysia sends a Response as it is, but its types expect the schema's type.
  if (known !== undefined) return new Response(null, { status: 304, headers: { etag: etagOf(known) } }) as T;
  const { answer, until } = await compute();
  set.headers['etag'] = etagOf(version.tag(until));
  return answer;
}
