/* Reads the forwards of a file, and compares them with the endpoint's. Forwards are identified by their names. */

import { AppError } from '../../core/errors.ts';
import { type FieldPath, type Report, readObject } from '../../core/field-problems.ts';
import { type GivenForward, readForward } from '../../core/forward.ts';
import {
  type ForwardSettings,
  forwardModes,
  forwardPers,
  forwardSigns,
  maxForwardsPerEndpoint,
} from '../../shared/forwards.ts';
import { flag, hasKinds, number, oneOf, pairs, text, textOrNull } from './kinds.ts';

export type CurrentForward = ForwardSettings & { id: string; declared: boolean };

/** `set`: the former settings, with the file's in their place. */
export type ForwardDifference = {
  add: ForwardSettings[];
  set: { id: string; settings: ForwardSettings; before: ForwardSettings }[];
  remove: string[];
};

const kinds = {
  name: text,
  url: text,
  where: textOrNull,
  mode: oneOf(forwardModes),
  orderBy: textOrNull,
  sign: oneOf(forwardSigns),
  headers: pairs,
  timeoutS: number,
  per: oneOf(forwardPers),
  enabled: flag,
};
const retryKinds = { for: text, first: text, max: text };

/** @returns the forwards with defaults filled in; undefined when they cannot be used */
export function readForwards(given: unknown, path: FieldPath, report: Report): ForwardSettings[] | undefined {
  if (!Array.isArray(given)) return report(path, 'must be a list');
  if (given.length > maxForwardsPerEndpoint) report(path, `must have at most ${maxForwardsPerEndpoint} forwards`);
  const names = new Set<string>();
  const forwards = given.slice(0, maxForwardsPerEndpoint).map((one, index) => {
    const at = [...path, index];
    const read = readOne(one, at, report);
    if (read && names.has(read.name)) report([...at, 'name'], 'another forward of this endpoint has this name');
    if (read) names.add(read.name);
    return read;
  });
  return forwards.every(one => one !== undefined) ? forwards : undefined;
}

function readOne(given: unknown, path: FieldPath, report: Report): ForwardSettings | undefined {
  const fields = readObject(given, path, [...Object.keys(kinds), 'retry'], report);
  if (!fields) return undefined;
  const { retry } = fields;
  const inner = retry === undefined ? {} : readObject(retry, [...path, 'retry'], Object.keys(retryKinds), report);
  const isWellFormed = [
    hasKinds(fields, kinds, path, report),
    inner !== undefined && hasKinds(inner, retryKinds, [...path, 'retry'], report),
    ...['name', 'url'].map(name => fields[name] !== undefined || report([...path, name], 'is missing')),
  ];
  if (isWellFormed.some(one => !one)) return undefined;
  try {
    // `hasKinds` has checked that each field has its type.
    return readForward(fields as GivenForward);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const problem of error.problems) report([...path, ...problem.path], problem.message);
    return undefined;
  }
}

/** Only forwards that a file gave are removed. A forward of that name that a person made is taken over. */
export function compareForwards(
  declared: readonly ForwardSettings[],
  current: readonly CurrentForward[],
): ForwardDifference {
  const difference: ForwardDifference = { add: [], set: [], remove: [] };
  for (const settings of declared) {
    const same = current.find(({ name }) => name === settings.name);
    if (!same) difference.add.push(settings);
    else {
      const { id, declared: isDeclared, ...before } = same;
      if (!isDeclared || !Bun.deepEquals(before, settings)) difference.set.push({ id, settings, before });
    }
  }
  const names = declared.map(({ name }) => name);
  for (const one of current) if (one.declared && !names.includes(one.name)) difference.remove.push(one.id);
  return difference;
}
