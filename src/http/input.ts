/* What comes with a request, read more strictly than the framework would: a guess at what was meant is worse than a 400. */
import type { TObject } from '@sinclair/typebox';
import { invalid } from '../core/errors.ts';
import { decodeUtf8 } from '../core/text.ts';
import { bodyOf } from './bridge.ts';

/**
 * A route's `parse`: JSON, whatever the content type says. It must be UTF-8: what is not would be kept as U+FFFD.
 * @throws invalid, and what `bodyOf` throws
 */
export async function jsonBody({ request }: { request: Request }): Promise<unknown> {
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
