/* What comes with a request, read more strictly than the framework would: a guess at what was meant is worse than a 400. */
import { type Static, type TObject, Type as t } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { invalid } from '../core/errors.ts';
import { decodeUtf8 } from '../core/text.ts';
import { validationMessage } from './errors.ts';
import { bodyOf } from './fetch-adapter.ts';

/** One is told; a body can have thousands. */
const mostProblems = 20;

/**
 * A route's body: JSON that is checked here and not by Elysia, whose error text puts the values that came into words, and throws
 * for an object that has a `toString` of its own. What the schema does not name is refused.
 */
export const jsonInput = <T extends TObject>(schema: T) => {
  const closed: TObject = { ...schema, additionalProperties: false };
  return {
    // Destructured, because Elysia reads the source of a hook to find what it uses, and misreads a longer use of its parameter.
    async parse({ request }: { request: Request }): Promise<unknown> {
      const value = await jsonBody(request);
      if (!Value.Check(closed, value))
        throw invalid(
          validationMessage('body', Iterator.from(Value.Errors(closed, value)).take(mostProblems).toArray()),
        );
      return value;
    },
    body: t.Unsafe<Static<T>>({ ...schema }),
  };
};

/**
 * JSON, whatever the content type says. It must be UTF-8: what is not would be kept as U+FFFD.
 * @throws invalid, and what `bodyOf` throws
 */
async function jsonBody(request: Request): Promise<unknown> {
  const text = decodeUtf8(await bodyOf(request));
  if (text === undefined) throw invalid('the body is not valid UTF-8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('the body is not valid JSON');
  }
}

/** A route's query, each parameter at most once: of several the last would count, without a word. @throws invalid */
export const queryOf = <T extends TObject>(query: T) => ({
  query,
  transform({ request }: { request: Request }): void {
    const given = new URL(request.url, 'http://internal').searchParams;
    const repeated = Object.keys(query.properties).find(name => given.getAll(name).length > 1);
    if (repeated !== undefined) throw invalid(`invalid query: ${repeated}: given more than once`);
  },
});
