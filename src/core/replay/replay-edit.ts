/* Changes to an event that is sent again. Bytes without a change stay; Content-Length and digests follow. Pure. */
import { followBody } from '../encoding/body-digests.ts';
import { decodeBody } from '../encoding/body-encoding.ts';
import { type AppError, invalidAt } from '../errors.ts';
import type { FieldPath } from '../field-problems.ts';
import { type HeaderPair, isFieldValue, isToken } from '../headers.ts';
import { editJson, type JsonPath, JsonPathError } from '../json/edit.ts';
import { isJson } from '../json/validator.ts';
import type { ReplayEdit } from './edit-schema.ts';
import { fieldsOfRequest } from './replay-headers.ts';

export type EditedRequest = { headers: HeaderPair[]; body: Uint8Array };

/** A path is looked up by reading the body from its beginning, while everything else waits. */
const maxReadBytes = 32 << 20;
/** For all steps of all paths: each reads the previous step's value again, and hostile JSON can be as deep as it is long. */
const maxReadByStepsBytes = 256 << 20;

const notSettable = new Set<string>([...fieldsOfRequest, 'x-hooktape-edited']);

/** How messages name the fields of an edit. The command line has options in their place. */
export type EditNames = { body: string; headers: string };
const namesOfApi: EditNames = { body: 'edit.body', headers: 'edit.headers' };

export const isEdit = ({ set = {}, unset = [], body, headers = [] }: ReplayEdit): boolean =>
  Object.keys(set).length + unset.length + headers.length > 0 || body !== undefined;

/** @throws invalid, with the path of the field in the API's request, and the names of `names` in the message */
export function applyEdit(
  event: { headers: readonly HeaderPair[]; body: Uint8Array },
  edit: ReplayEdit,
  names: EditNames = namesOfApi,
): EditedRequest {
  const body = editBody(event.body, edit, names);
  return { body, headers: editHeaders(followBody(event.headers, event.body, body), edit.headers ?? [], names) };
}

function editBody(
  before: Uint8Array,
  { set = {}, unset = [], body, bodyEncoding }: ReplayEdit,
  names: EditNames,
): Uint8Array {
  const paths = [...Object.keys(set), ...unset];
  if (body === undefined) {
    if (bodyEncoding !== undefined) throw refusedAt(['bodyEncoding'], 'edit.bodyEncoding goes with edit.body');
    return paths.length === 0 ? before : editPaths(before, { set, unset }, names);
  }
  if (paths.length > 0)
    throw refusedAt(['body'], 'edit.body replaces the whole body: leave out edit.set and edit.unset');
  return decodeBody(body, bodyEncoding ?? 'utf8', 'edit.body');
}

/** The message names the place, because the command line has other names than `path`. */
const refusedAt = (path: FieldPath, message: string): AppError => invalidAt(['edit', ...path], message, message);

function editPaths(
  before: Uint8Array,
  { set, unset }: { set: Readonly<Record<string, unknown>>; unset: readonly string[] },
  names: EditNames,
): Uint8Array {
  const paths = [...Object.keys(set), ...unset];
  const refusedPaths = (message: string): AppError =>
    refusedAt([Object.keys(set).length > 0 ? 'set' : 'unset'], message);
  const steps = paths.reduce((sum, path) => sum + path.split('.').length, 0);
  if (before.length * paths.length > maxReadBytes || before.length * steps > maxReadByStepsBytes)
    throw refusedPaths(
      `the body is too large for so many or such long paths: use fewer, or replace it with ${names.body}`,
    );
  if (paths.includes('')) throw refusedPaths(`a path of the edit is empty: replace the whole body with ${names.body}`);
  if (!isJson(before)) throw refusedPaths(`the body is not JSON, so it has no paths: replace it with ${names.body}`);
  try {
    return editJson(before, {
      set: Object.entries(set).map(([path, value]) => [stepsOf(path), JSON.stringify(value)] as const),
      unset: unset.map(stepsOf),
    });
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    const whole = error.path.join('.');
    const path = whole.slice(0, 200);
    const place = unset.indexOf(whole);
    const at = place >= 0 ? ['unset', place] : ['set', path];
    throw refusedAt(
      at,
      error.message === 'missing'
        ? `the body has nothing at the path "${path}"`
        : `the path "${path}" is inside another path of the edit, or named twice`,
    );
  }
}

const stepsOf = (path: string): JsonPath => path.split('.');

function editHeaders(
  headers: readonly HeaderPair[],
  changes: readonly (readonly [name: string, value: string | null])[],
  names: EditNames,
): HeaderPair[] {
  for (const [i, [name, value]] of changes.entries()) {
    const problem = problemOfHeader(name, value, names);
    if (problem !== undefined) throw refusedAt(['headers', i], problem);
  }
  let edited: HeaderPair[] = [...headers];
  for (const [lower, given] of Map.groupBy(changes, ([name]) => name.toLowerCase())) {
    const added = given.flatMap(([name, value]): HeaderPair[] => (value === null ? [] : [[name, value]]));
    const isSame = ([name]: HeaderPair) => name.toLowerCase() === lower;
    const at = edited.findIndex(isSame);
    const others = edited.filter(pair => !isSame(pair));
    edited = at < 0 ? [...others, ...added] : others.toSpliced(at, 0, ...added);
  }
  return edited;
}

function problemOfHeader(name: string, value: string | null, names: EditNames): string | undefined {
  if (!isToken(name)) return `${names.headers} has a name that no header can have`;
  if (notSettable.has(name.toLowerCase()))
    return `the header ${name} cannot be edited: it belongs to the connection or is set when the event is sent`;
  if (value !== null && !isFieldValue(value))
    return `the value of the header ${name} has line breaks, control characters or characters beyond Latin-1`;
  return undefined;
}
