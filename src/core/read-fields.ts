/* Reads input by its schema. The texts of problems name what was expected, never the value that was sent. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { didYouMean } from '../shared/suggest.ts';
import type { FieldPath, FieldProblem } from './field-problems.ts';

/** An invalid value can have thousands of problems. */
const maxProblems = 20;

/** @returns the value, or at least one problem with its fields */
export function readFields<T extends TSchema>(
  schema: T,
  value: unknown,
): { value: Static<T> } | { problems: FieldProblem[] } {
  if (Value.Check(schema, value)) return { value };
  return { problems: problemsOf(Value.Errors(schema, value), value) };
}

/**
 * The part of a value that fits the schema: without the fields that have a problem, and without the objects that lack a required
 * field. A list with a problem is left out as a whole, so that all indexes stay true.
 * @returns undefined if nothing fits
 */
export function fittingPart<T extends TSchema>(schema: T, value: unknown): Static<T> | undefined {
  const part: unknown = structuredClone(value);
  for (;;) {
    const read = readFields(schema, part);
    if ('value' in read) return read.value;
    // One at a time, because the next problem may be in what was left out.
    const path = read.problems[0]?.path ?? [];
    const firstIndex = path.findIndex(step => typeof step === 'number');
    const fields = firstIndex < 0 ? path : path.slice(0, firstIndex);
    if (!leaveOut(part, fields) && !leaveOut(part, fields.slice(0, -1))) return undefined;
  }
}

/** @returns false if there is no such field */
function leaveOut(value: unknown, path: FieldPath): boolean {
  const name = path.at(-1);
  let parent = value;
  for (const step of path.slice(0, -1)) parent = (parent as Record<string | number, unknown> | undefined)?.[step];
  if (name === undefined || typeof parent !== 'object' || parent === null || !(name in parent)) return false;
  delete (parent as Record<string | number, unknown>)[name];
  return true;
}

/** Like the errors of `Value.Errors`, also where Elysia has copied them. */
export type SchemaError = Pick<ValueError, 'type' | 'schema' | 'path' | 'message'> &
  Partial<Pick<ValueError, 'errors'>>;

/** At most one problem for each field: a missing field is reported again as one of the wrong type. */
export function problemsOf(errors: Iterable<SchemaError>, value: unknown): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const given of errors) {
    const error = besidesNull(given);
    if (!problems.has(error.path))
      problems.set(error.path, { path: pathOf(error.path, value), message: messageOf(error) });
    if (problems.size === maxProblems) break;
  }
  return [...problems.values()];
}

/** For a value that may also be null: what is wrong with it as the other type. */
function besidesNull(error: SchemaError): SchemaError {
  const options = (error.schema['anyOf'] ?? []) as TSchema[];
  const [place, ...others] = options.keys().filter(i => options[i]?.['type'] !== 'null');
  if (place === undefined || others.length > 0) return error;
  const inner = error.errors?.[place]?.First();
  return inner ? besidesNull(inner) : error;
}

/** @param pointer as JSON pointers are (RFC 6901) @param value tells indexes from the names of fields */
function pathOf(pointer: string, value: unknown): FieldPath {
  const path: (string | number)[] = [];
  let current = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(current) ? Number(name) : name);
    current = typeof current === 'object' && current !== null ? (current as Record<string, unknown>)[name] : undefined;
  }
  return path;
}

/** A schema may have the text for a value that it does not accept in `problem`. */
function messageOf({ type, schema, path, message }: SchemaError): string {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'required';
    case ValueErrorType.ObjectAdditionalProperties:
      return `no such field${didYouMean(path.slice(path.lastIndexOf('/') + 1), Object.keys(schema['properties'] ?? {}))}`;
    default:
      return typeof schema['problem'] === 'string' ? schema['problem'] : expectation(type, schema, message);
  }
}

function expectation(type: ValueErrorType, schema: TSchema, message: string): string {
  const { minLength, maxLength, minItems, maxItems, description } = schema;
  switch (type) {
    case ValueErrorType.String:
      return 'must be a text';
    case ValueErrorType.StringMinLength:
      return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${maxLength} characters`;
    case ValueErrorType.StringPattern:
      return description === undefined ? 'has a wrong form' : `expected ${description}`;
    case ValueErrorType.Integer:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
      return `must be a whole number${rangeOf(schema)}`;
    case ValueErrorType.Number:
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
      return `must be a number${rangeOf(schema)}`;
    case ValueErrorType.Boolean:
      return 'must be true or false';
    case ValueErrorType.Object:
      return 'must be an object';
    case ValueErrorType.Array:
      return 'must be a list';
    case ValueErrorType.ArrayMinItems:
      return minItems === 1 ? 'must not be empty' : `must have at least ${minItems} elements`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${maxItems} elements`;
    case ValueErrorType.Tuple:
    case ValueErrorType.TupleLength:
      return `must be a list of ${maxItems} elements`;
    case ValueErrorType.Literal:
      return `must be ${String(schema['const'])}`;
    case ValueErrorType.Union:
      return choiceOf(schema);
    default:
      return message;
  }
}

function rangeOf({ minimum, maximum }: TSchema): string {
  if (minimum === undefined) return maximum === undefined ? '' : `, at most ${maximum}`;
  return maximum === undefined ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function choiceOf({ anyOf = [] }: TSchema): string {
  const texts = (anyOf as TSchema[]).map(option => (option['type'] === 'null' ? 'null' : option['const']));
  const last = texts.pop();
  if (last === undefined || texts.includes(undefined)) return 'has none of the accepted forms';
  return `must be ${texts.length === 0 ? '' : `${texts.join(', ')} or `}${String(last)}`;
}
