/* The kinds of values of a file's fields. */
import type { FieldPath, Fields, Report } from '../../core/field-problems.ts';

export type Kind = { is: (value: unknown) => boolean; mustBe: string };

export const text: Kind = { is: value => typeof value === 'string', mustBe: 'a text' };
export const textOrNull: Kind = { is: value => value === null || text.is(value), mustBe: 'a text, or null' };
export const number: Kind = { is: value => typeof value === 'number', mustBe: 'a number' };
export const flag: Kind = { is: value => typeof value === 'boolean', mustBe: 'true or false' };
export const oneOf = (values: readonly string[]): Kind => ({
  is: value => values.some(one => one === value),
  mustBe: `one of ${values.join(', ')}`,
});
export const pairs: Kind = {
  is: value =>
    Array.isArray(value) &&
    value.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(one => typeof one === 'string')),
  mustBe: 'a list of pairs, a name and a value each',
};

/** The known fields that have their kind. The others are reported. */
export function ofTheirKinds(fields: Fields, kinds: Record<string, Kind>, path: FieldPath, report: Report): Fields {
  const right: Fields = {};
  for (const [name, kind] of Object.entries(kinds)) {
    if (fields[name] === undefined) continue;
    if (kind.is(fields[name])) right[name] = fields[name];
    else report([...path, name], `must be ${kind.mustBe}`);
  }
  return right;
}

/** Whether every field that is known has its kind: `readObject` has reported the others. */
export function hasKinds(fields: Fields, kinds: Record<string, Kind>, path: FieldPath, report: Report): boolean {
  const right = ofTheirKinds(fields, kinds, path, report);
  return Object.keys(kinds).every(name => fields[name] === undefined || right[name] !== undefined);
}
