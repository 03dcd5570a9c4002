/* Opens a body in $VISUAL or $EDITOR. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJson } from '../../core/json/validator.ts';
import { type Io, OperationError } from '../io.ts';
import { variable } from '../parse-arguments.ts';
import { fileProblem, startProblem } from '../system-errors.ts';
import { openJsonLine } from './body-text.ts';

/** @returns the edited body, or `body` itself if it is unchanged @throws OperationError: then nothing should be sent */
export async function editBody(io: Io, body: Uint8Array): Promise<Uint8Array> {
  const text = Buffer.from(body).toString();
  // Binary data would not survive the conversion to text and back.
  const line = Buffer.from(text).equals(body) ? openJsonLine(text) : undefined;
  const shown = line ? Buffer.from(line.indented) : body;
  const saved = withoutAddedLineBreak(shown, await openEditor(io, shown));
  if (Buffer.compare(saved, shown) === 0) return body;
  const edited = line ? Buffer.from(line.close(Buffer.from(saved).toString())) : saved;
  return Buffer.compare(edited, body) === 0 ? body : edited;
}

async function openEditor(io: Io, body: Uint8Array): Promise<Uint8Array> {
  const editor = variable(io, 'VISUAL') ?? variable(io, 'EDITOR') ?? 'vi';
  // A separate directory that only its owner can enter, because editors write backup and swap files beside the file.
  const directory = attempt(`no file for the editor can be made in ${tmpdir()}`, () =>
    mkdtempSync(join(tmpdir(), 'hooktape-edit-')),
  );
  try {
    io.ignoreInterrupts(true);
    const file = join(directory, isJson(body) ? 'body.json' : 'body.txt');
    attempt(`${file} cannot be written`, () => writeFileSync(file, body, { mode: 0o600 }));
    const exitCode = await run(io, editor, file);
    if (exitCode !== 0) throw new OperationError(`the editor (${editor}) exited with ${exitCode}: nothing was sent`);
    return attempt('the file that the editor has left cannot be read', () => readFileSync(file));
  } finally {
    io.ignoreInterrupts(false);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** $EDITOR may have arguments (`code --wait`). No shell is used, so quotes have no meaning. @returns the exit code */
async function run(io: Io, editor: string, file: string): Promise<number> {
  try {
    const child = Bun.spawn([...editor.trim().split(/\s+/), file], {
      stdio: ['inherit', 'inherit', 'inherit'],
      env: { ...io.env } as Record<string, string>,
    });
    return await child.exited;
  } catch (error) {
    throw new OperationError(`the editor (${editor}) cannot be started: ${startProblem(error)}; set $EDITOR`);
  }
}

/** @throws OperationError that begins with `problem`, followed by the reason */
function attempt<T>(problem: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new OperationError(`${problem}: ${fileProblem(error)}`);
  }
}

const lineFeed = 0x0a;

/** Removes the line break that editors add at the end of a body, because the signature would no longer match. */
function withoutAddedLineBreak(before: Uint8Array, after: Uint8Array): Uint8Array {
  return after.at(-1) === lineFeed && before.at(-1) !== lineFeed ? after.subarray(0, -1) : after;
}
