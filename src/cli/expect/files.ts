/*
 * The files of `expect`: written beside their place, and moved there when they are complete, so that no reader sees half a file. An
 * existing file is replaced; a device or a pipe is written to.
 */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodeBytes } from '../../core/encoding/base32.ts';
import { fileProblem } from '../file-problem.ts';
import { type Io, OperationError, UsageError } from '../io.ts';
import { partialPath } from '../unfinished-files.ts';

/** Only the owner: a saved event holds real data. */
export const ownerOnly = 0o600;
/** Others may read it, as the programs that collect test reports do. */
export const readable = 0o644;

type Kind = 'file' | 'folder' | 'other' | 'none';

function kindOf(path: string): Kind {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'none';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}

/** @throws UsageError when the path cannot be looked at */
function kindOfOption(option: string, path: string): Kind {
  try {
    return kindOf(path);
  } catch (error) {
    throw new UsageError(`${option}: ${path} cannot be written: ${fileProblem(error)}`);
  }
}

/** Before anything is waited for. @throws UsageError when the file cannot be made */
export function checkFile(option: string, file: string | undefined): void {
  if (file === undefined) return;
  if (kindOfOption(option, file) === 'folder')
    throw new UsageError(`${option}: ${file} is a folder; give the name of a file`);
  if (kindOfOption(option, dirname(file)) !== 'folder')
    throw new UsageError(`${option}: there is no folder ${dirname(file)}`);
}

/** @throws OperationError when it cannot be written */
export async function writeFile(
  io: Pick<Io, 'random'>,
  { file, mode }: { file: string; mode: number },
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  try {
    if (kindOf(file) === 'other') return await writeChunks(openSync(file, 'w'), chunks);
    // A link stays, and its target is replaced.
    const place = kindOf(file) === 'file' ? realpathSync(file) : file;
    const part = partialPath(place, encodeBytes(io.random(5)));
    try {
      await writeChunks(openSync(part, 'wx', mode), chunks);
      renameSync(part, place);
    } finally {
      rmSync(part, { force: true });
    }
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
    throw new OperationError(`${file} could not be written: ${fileProblem(error)}`);
  }
}

async function writeChunks(
  descriptor: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
    try {
      fsyncSync(descriptor);
    } catch (error) {
      // A pipe or a terminal cannot be synced.
      if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  } finally {
    closeSync(descriptor);
  }
}
