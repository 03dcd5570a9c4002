/* The value of one field, named as in a filter. Of repeated headers and parameters the first counts, of keys the last. */

import { FilterError, type HasTerm } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { invalid } from '../errors.ts';
import { headerValue } from '../headers.ts';
import { textAt } from '../json/bytes.ts';
import type { ContentTest } from './content-test.ts';
import type { EventContent } from './event-content.ts';
import { findParameter, someParameter, somePart } from './form-fields.ts';
import { countMatches, createJsonPaths } from './json-fields.ts';
import { stepBytes } from './steps.ts';

/** Works in steps. @returns undefined when the field is missing, or is an object or a list */
export type ReadField = (content: EventContent) => Generator<undefined, string | undefined>;

/** @param name such as `body.order.id`, `header.x-shop`, `query.page` @throws invalid, without the name of the field */
export function createFieldReader(name: string): ReadField {
  const term = fieldOf(name);
  if (term.field === 'body' && term.path.some(step => 'anyItem' in step))
    throw invalid('must lead to one value: [] stands for many');
  return function* read(content) {
    let found: string | undefined;
    const test: ContentTest = {
      isPresence: false,
      matchesText: text => {
        found = text;
        return true;
      },
      matchesJson: (body, start, end) => {
        found = textAt(body, start, end);
        return true;
      },
    };
    if (term.field === 'header') return headerValue(content.headers, term.key);
    if (term.field === 'query') return someParameter(content.query, term.key, test) ? found : undefined;
    const fields = yield* content.bodyFields(stepBytes);
    if (fields.kind === 'none') return undefined;
    if (fields.kind === 'json') {
      const [count = 0] = yield* countMatches(content.body, createJsonPaths([{ path: term.path, test }]), stepBytes);
      return count > 0 ? found : undefined;
    }
    const isThere =
      fields.kind === 'form'
        ? yield* findParameter(fields.text, term.name, test, stepBytes)
        : somePart(fields.parts, term.name, test);
    return isThere ? found : undefined;
  };
}

/** @throws invalid */
function fieldOf(name: string): HasTerm {
  try {
    const { root } = parseFilter(`has:${name}`);
    if (root?.kind === 'term' && root.on === 'has') return root;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
  }
  throw invalid('must be a field of the filter language, such as body.order.id, header.x-shop or query.page');
}
