/* Reads a file of endpoints, with line numbers, and the values of its secrets. features/apply checks its fields. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type FieldPath, type FieldProblem, pathText } from '../../core/field-problems.ts';
import { decodeUtf8 } from '../../core/text.ts';

const maxBytes = 16 << 20;
const maxDepth = 100;

export type EndpointsFile = {
  /** The document with `value` instead of `valueFrom`. */
  document: unknown;
  problems: FileProblem[];
  /** A problem with its line and column, for a message. */
  describe: (problem: FileProblem) => DescribedProblem;
};

/** `offset`: the position of the problem, if the path does not give it. */
type FileProblem = FieldProblem & { offset?: number };

/** `field`: such as `endpoints[0].guard.cidrs[1]`; empty for the whole file. */
export type DescribedProblem = { line: number; column: number; field: string; message: string };

/** Thrown if the file itself cannot be read. */
export class UnreadableFileError extends Error {}

/** @throws UnreadableFileError */
export function readEndpointsFile(file: string, env: Readonly<Record<string, string | undefined>>): EndpointsFile {
  const text = readText(file);
  const errors: ParseError[] = [];
  const root = depthOf(text) > maxDepth ? undefined : parseTree(text, errors, { disallowComments: true });
  const placeOf = places(text);
  const [error] = errors;
  if (!root || error) {
    const message = error ? syntaxMessage(error) : 'not JSON, or nested too deeply';
    const place = placeOf(error?.offset ?? 0);
    return {
      document: null,
      problems: [{ path: [], message }],
      describe: problem => ({ ...place, field: '', message: problem.message }),
    };
  }
  const problems = duplicates(root);
  const document: unknown = JSON.parse(text);
  resolveValues(document, { folder: dirname(resolve(file)), env, problems });
  return {
    document,
    problems,
    describe: ({ path, message, offset }) => ({
      ...placeOf(offset ?? offsetOf(root, path)),
      field: pathText(path),
      message,
    }),
  };
}

function readText(file: string): string {
  let bytes: Uint8Array;
  try {
    if (statSync(file).size > maxBytes) throw new UnreadableFileError('larger than 16 MiB');
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    const { code, message } = error as Error & { code?: unknown };
    throw new UnreadableFileError(typeof code === 'string' ? code : message);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UnreadableFileError('not valid UTF-8');
  return text.replace(/^\ufeff/, '');
}

/** An upper bound for the nesting of brackets, including brackets in strings. It is limited because the parser is recursive. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** `CommaExpected` -> `not JSON: comma expected` */
const syntaxMessage = ({ error }: ParseError): string =>
  `not JSON: ${printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()}`;

/** Line and column of an offset, counted from 1. */
function places(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return offset => {
    const line = starts.findLastIndex(start => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** The offset of the field or, if it is missing, of the nearest enclosing field in the file. */
function offsetOf(root: Node, path: FieldPath): number {
  for (let end = path.length; end > 0; end--) {
    const node = findNodeAtLocation(root, path.slice(0, end));
    // The line of a field is the line of its name.
    if (node) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return root.offset;
}

/** Finds duplicate keys, of which JSON.parse would silently use the last. */
function duplicates(node: Node, path: FieldPath = []): FileProblem[] {
  const children = node.children ?? [];
  if (node.type === 'array') return children.flatMap((child, index) => duplicates(child, [...path, index]));
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return children.flatMap(property => {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const at = [...path, name];
    const repeated = seen.has(name) ? [{ path: at, message: 'is given twice', offset: property.offset }] : [];
    seen.add(name);
    return [...repeated, ...(value ? duplicates(value, at) : [])];
  });
}

type Values = { folder: string; env: Readonly<Record<string, string | undefined>>; problems: FileProblem[] };
type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces a value that cannot be read, so that it is not also reported as missing. A file with problems is not applied. */
const instead = 'unreadable';

/** Replaces the sources of secrets, and of a guard's password and token, by their values. */
function resolveValues(document: unknown, values: Values): void {
  const endpoints = isFields(document) ? document['endpoints'] : undefined;
  if (!Array.isArray(endpoints)) return;
  for (const [index, endpoint] of endpoints.entries()) {
    if (!isFields(endpoint)) continue;
    const path = ['endpoints', index];
    const { secrets, guard } = endpoint;
    for (const [i, secret] of (Array.isArray(secrets) ? secrets : []).entries()) {
      if (!isFields(secret)) continue;
      const at = [...path, 'secrets', i];
      if (secret['value'] !== undefined)
        values.problems.push({
          path: [...at, 'value'],
          message: 'secrets must not be in the file: use valueFrom',
        });
      else if (secret['valueFrom'] === undefined)
        values.problems.push({ path: [...at, 'valueFrom'], message: 'is missing' });
      replace(secret, { from: 'valueFrom', to: 'value' }, at, values);
    }
    if (!isFields(guard)) continue;
    const { basic, token } = guard;
    if (isFields(basic))
      replace(basic, { from: 'passwordFrom', to: 'password', instead }, [...path, 'guard', 'basic'], values);
    if (isFields(token))
      replace(token, { from: 'valueFrom', to: 'value', instead }, [...path, 'guard', 'token'], values);
  }
}

function replace(
  fields: Fields,
  { from, to, instead }: { from: string; to: string; instead?: string },
  path: FieldPath,
  values: Values,
): void {
  const source = fields[from];
  if (source === undefined) return;
  delete fields[from];
  const at = [...path, from];
  if (fields[to] !== undefined) values.problems.push({ path: at, message: `give ${to} or ${from}, not both` });
  const read = readValue(source, values);
  if (typeof read === 'string') {
    fields[to] = read;
    return;
  }
  values.problems.push({ path: at, message: read.problem });
  if (instead !== undefined) fields[to] ??= instead;
}

function readValue(source: unknown, { folder, env }: Values): string | { problem: string } {
  const wrong = { problem: 'must be { "env": "NAME" } or { "file": "PATH" }' };
  if (!isFields(source) || Object.keys(source).length !== 1) return wrong;
  const { env: name, file } = source;
  if (typeof name === 'string') return env[name] || { problem: `the variable ${JSON.stringify(name)} is not set` };
  if (typeof file !== 'string' || file === '') return wrong;
  try {
    const text = readFileSync(resolve(folder, file), 'utf8').replace(/\r?\n$/, '');
    return text || { problem: `the file ${JSON.stringify(file)} is empty` };
  } catch (error) {
    return {
      problem: `the file ${JSON.stringify(file)} cannot be read (${String((error as { code?: unknown }).code)})`,
    };
  }
}
