/* GET requests with `If-None-Match` (RFC 9110 section 13.1.2), which are answered without computing an answer that has not changed. */
import type { AnswerVersion } from '../core/answer-version.ts';
import { etagOf } from './preconditions.ts';

type Context = { request: Request; set: { headers: Record<string, unknown> } };
/** `until`: from when on time alone may have changed the answer, epoch ms. */
type Versioned<T> = { answer: T; until: number };

/** @returns the answer, or 304 if the client has it. The ETag does not depend on how the answer is encoded. */
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
