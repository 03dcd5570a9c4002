/* The edits that the options of a command define. */
import { readFileSync } from 'node:fs';
import { AppError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact.ts';
import { applyEdit, type EditedRequest, type EditNames, isEdit } from '../../core/replay/replay-edit.ts';
import { type Arguments, type Io, OperationError, UsageError } from '../io.ts';
import { fileProblem } from '../system-errors.ts';

export type Edits = {
  set: Record<string, unknown>;
  unset: string[];
  body: Uint8Array | undefined;
  headers: [name: string, value: string | null][];
};

/** The options that correspond to the fields of the API's edit. */
const names: EditNames = { body: '--body or --edit', headers: '--header' };

/** @throws UsageError for an invalid option, OperationError for a file that cannot be read */
export async function readEdits(io: Io, given: Arguments): Promise<Edits> {
  const file = given.option('body');
  const edits: Edits = {
    set: Object.fromEntries(given.options('set').map(readSet)),
    unset: given.options('unset'),
    body: file === undefined ? undefined : await readBody(io, file),
    headers: given.options('header').map(readHeader),
  };
  checkHeaders(edits);
  return edits;
}

/** `PATH=V`: V as JSON if it is JSON, else as text. */
function readSet(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--set takes PATH=V, such as data.amount=100, not ${text}`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), parseExactJson(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}

/** `Name: value`; `Name:` removes the header. */
function readHeader(text: string): [string, string | null] {
  const [, name, value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--header takes 'Name: value', not ${text}`);
  return [name.trim(), value.trim() || null];
}

async function readBody(io: Io, file: string): Promise<Uint8Array> {
  if (file === '-') return Buffer.concat(await Array.fromAsync(io.stdin()));
  try {
    return readFileSync(file);
  } catch (error) {
    throw new OperationError(`--body: ${file} cannot be read: ${fileProblem(error)}`);
  }
}

/** Headers do not depend on the event, so invalid headers are wrong usage. */
function checkHeaders({ headers }: Edits): void {
  try {
    applyEdit({ headers: [], body: new Uint8Array() }, { headers }, names);
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(error.message);
    throw error;
  }
}

/** An edit that replaces the body. */
export const wholeBody = (body: Uint8Array) =>
  ({ body: Buffer.from(body).toString('base64'), bodyEncoding: 'base64' }) as const;

/** @throws AppError if a path does not exist in the event */
export function applyEdits(request: EditedRequest, { set, unset, body, headers }: Edits): EditedRequest {
  const replaced = body === undefined ? request : applyEdit(request, wholeBody(body));
  return applyEdit(replaced, { set, unset, headers }, names);
}

/** Whether the options change the event. */
export const hasEdits = ({ body, ...edits }: Edits): boolean => body !== undefined || isEdit(edits);
