/* The edits that the options of a command ask for, and editing a body in the person's editor. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { parseExactJson } from '../../core/json/exact.ts';
import { applyEdit, type EditedRequest, isEdit } from '../../core/replay-edit.ts';
import { type Io, OperationError, UsageError } from '../io.ts';
import { type Given, variable } from './given.ts';

export type Edits = {
  set: Record<string, unknown>;
  unset: string[];
  body: Uint8Array | undefined;
  headers: [name: string, value: string | null][];
};

/** @throws UsageError for an option that means nothing, OperationError for a file that cannot be read */
export async function readEdits(io: Io, given: Given): Promise<Edits> {
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

/** `PATH=V`: V as JSON when it is JSON, else as text. */
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
    throw new OperationError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Headers do not depend on the event, so wrong ones are wrong usage. */
function checkHeaders({ headers }: Edits): void {
  try {
    applyEdit({ headers: [], body: new Uint8Array() }, { headers });
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(`--header: ${error.message}`);
    throw error;
  }
}

const encoded = (body: Uint8Array) => ({ body: Buffer.from(body).toString('base64'), bodyEncoding: 'base64' }) as const;

/** @throws AppError when the event has nothing at a path */
export function applyEdits(request: EditedRequest, { set, unset, body, headers }: Edits): EditedRequest {
  const replaced = body === undefined ? request : applyEdit(request, encoded(body));
  return applyEdit(replaced, { set, unset, headers });
}

/** Whether the options ask for any change. */
export const hasEdits = ({ body, ...edits }: Edits): boolean => body !== undefined || isEdit(edits);

/** The request with the body as the person leaves it. @throws OperationError when the editor fails: nothing is to be sent then */
export async function editInEditor(io: Io, request: EditedRequest): Promise<EditedRequest> {
  const body = await openEditor(io, request.body);
  return Buffer.compare(body, request.body) === 0 ? request : applyEdit(request, encoded(body));
}

async function openEditor(io: Io, body: Uint8Array): Promise<Uint8Array> {
  const editor = variable(io, 'VISUAL') ?? variable(io, 'EDITOR') ?? 'vi';
  // A directory of its own, which nobody else may enter: editors write backup and swap files beside the file.
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-edit-'));
  try {
    io.ignoreInterrupts(true);
    const file = join(directory, isJsonText(body) ? 'body.json' : 'body.txt');
    writeFileSync(file, body, { mode: 0o600 });
    // $EDITOR may have arguments (`code --wait`). There is no shell, so quotes mean nothing.
    const child = Bun.spawn([...editor.trim().split(/\s+/), file], {
      stdio: ['inherit', 'inherit', 'inherit'],
      env: { ...io.env } as Record<string, string>,
    });
    const exitCode = await child.exited;
    if (exitCode !== 0) throw new OperationError(`the editor (${editor}) ended with ${exitCode}: nothing was sent`);
    return withoutAddedLineBreak(body, readFileSync(file));
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`the editor (${editor}) cannot be started: ${(error as Error).message}; set $EDITOR`);
  } finally {
    io.ignoreInterrupts(false);
    rmSync(directory, { recursive: true, force: true });
  }
}

const lineFeed = 0x0a;

/** Editors end the last line, also in a body that had no line break there, and a signature would no longer fit. */
function withoutAddedLineBreak(before: Uint8Array, after: Uint8Array): Uint8Array {
  return after.at(-1) === lineFeed && before.at(-1) !== lineFeed ? after.subarray(0, -1) : after;
}

function isJsonText(body: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(body).toString());
    return true;
  } catch {
    return false;
  }
}
