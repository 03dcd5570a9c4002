/* The form of redaction rules in requests and files of endpoints, and the checks that no schema can make. */
import { type Static, Type as t } from '@sinclair/typebox';
import { FilterError } from '../../shared/filter/filter.ts';
import {
  anyDepth,
  detections,
  keepOrDrop,
  maxRedactionPathCharacters,
  maxRedactionRules,
  type RedactionPlace,
  redactionPlaces,
  treatments,
} from '../../shared/redaction.ts';
import { invalidFields } from '../errors.ts';
import { collectProblems, type FieldProblem, type Report } from '../field-problems.ts';
import { isToken } from '../headers.ts';
import { literals } from '../schemas.ts';
import { isPlainText } from '../text.ts';
import type { Redaction, RedactionRule } from './model.ts';
import { readFieldName, readRulePath } from './paths.ts';

const closed = { additionalProperties: false };

export const RedactionRuleFields = t.Object(
  {
    in: t.Optional(literals(redactionPlaces, { description: 'where the field is; goes with `path`' })),
    path: t.Optional(
      t.String({
        minLength: 1,
        maxLength: maxRedactionPathCharacters,
        description:
          'a field: `customer.email`, `items[].card`, `"order.id"`, or `*.email` for that key at any depth; a name for a header or a query parameter',
      }),
    ),
    detect: t.Optional(
      literals(detections, {
        description: 'what is looked for in all values and in the path; instead of `in` and `path`',
      }),
    ),
    with: literals(treatments, {
      description:
        '`remove` takes the value away, `mask` leaves its last four characters, `hash` writes a hash that is equal for equal values',
    }),
  },
  { title: 'RedactionRule', ...closed },
);

export const RedactionRules = t.Array(RedactionRuleFields, {
  maxItems: maxRedactionRules,
  description: `at most ${maxRedactionRules}; the first rule for a value counts`,
});
export const OtherBodies = literals(keepOrDrop, {
  description: 'what becomes of bodies that are neither JSON nor a form, if there are rules',
});
const originalHash = literals(keepOrDrop, {
  description: 'whether the SHA-256 of the original body is kept; a short secret can be guessed from it',
});

export const GivenRedaction = t.Object(
  { rules: t.Optional(RedactionRules), otherBodies: t.Optional(OtherBodies), originalHash: t.Optional(originalHash) },
  {
    title: 'RedactionChange',
    examples: [
      {
        rules: [
          { in: 'body', path: 'customer.email', with: 'hash' },
          { detect: 'card', with: 'mask' },
        ],
      },
    ],
    ...closed,
  },
);
export type GivenRedaction = Static<typeof GivenRedaction>;

export const ShownRedaction = t.Object(
  { rules: RedactionRules, otherBodies: OtherBodies, originalHash },
  { title: 'Redaction' },
);

/** @returns the redaction with its defaults, or at least one problem with its fields */
export function checkRedaction(given: GivenRedaction): { redaction: Redaction } | { problems: FieldProblem[] } {
  const { problems, report } = collectProblems();
  const read = (given.rules ?? []).flatMap(
    (rule, i) => readRule(rule, (path, message) => report(['rules', i, ...path], message)) ?? [],
  );
  if (problems.length > 0) return { problems };
  const { otherBodies: others = 'drop', originalHash: hash = 'drop' } = given;
  return { redaction: { rules: read, otherBodies: others, originalHash: hash } };
}

/** @throws invalid, with all problems */
export function readRedaction(given: GivenRedaction): Redaction {
  const checked = checkRedaction(given);
  if ('problems' in checked) throw invalidFields(checked.problems);
  return checked.redaction;
}

function readRule(rule: Static<typeof RedactionRuleFields>, report: Report): RedactionRule | undefined {
  const { in: place, path, detect, with: treatment } = rule;
  if (detect !== undefined) {
    for (const field of ['in', 'path'] as const)
      if (rule[field] !== undefined) report([field], 'must be left out beside detect, which looks everywhere');
    return { detect, with: treatment };
  }
  if (place === undefined && path === undefined)
    return report([], 'must have either in and path, or detect: card, email or ip');
  if (place === undefined) return report(['in'], 'required beside path: body, header or query');
  if (path === undefined) return report(['path'], `required beside in: a field of the ${place}`);
  const problem = problemOfPath(place, path);
  return problem === undefined ? { in: place, path, with: treatment } : report(['path'], problem);
}

function problemOfPath(place: RedactionPlace, path: string): string | undefined {
  if (!isPlainText(path)) return 'must be a text on one line';
  try {
    if (place === 'body') readRulePath(path);
    else if (path.startsWith(anyDepth)) return `must be the name of a ${nameOf[place]}, without ${anyDepth}`;
    else if (place === 'header' && !isToken(readFieldName(path)))
      return 'must be the name of a header, such as X-Customer';
    else readFieldName(path);
    return undefined;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return `must be a ${place === 'body' ? 'path such as customer.email or items[].card' : 'name'}: ${error.message}`;
  }
}

const nameOf = { header: 'header', query: 'query parameter' };
