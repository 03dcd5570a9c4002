/* The files of `expect`, moved to their path once complete. A file is replaced; a device or a pipe is written to. */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodeBytes } from '../../core/encoding/base32.ts';
import { type Io, OperationError, UsageError } from '../io.ts';
import { fileProblem } from '../system-errors.ts';
import { partialPath } from '../unfinished-files.ts';

/** Readable only by the owner, because a saved event contains real data. */
export const ownerOnly = 0o600;
/** Readable by other users, such as programs that collect test reports. */
export const readable = 0o644;

type Kind = 'file' | 'folder' | 'other' | 'none';

function kindOf(path: string): Kind {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'none';
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}

/** @throws UsageError if the path cannot be accessed */
function kindOfOption(option: string, path: string): Kind {
  try {
    return kindOf(path);
  } catch (error) {
    throw new UsageError(`${option}: ${path} cannot be written: ${fileProblem(error)}`);
  }
}

/** Called before the command starts to wait. @throws UsageError if the file cannot be created */
export function checkFile(option: string, file: string | undefined): void {
  if (file === undefined) return;
  if (kindOfOption(option, file) === 'folder') throw new UsageError(`${option}: ${file} is a folder; name a file`);
  if (kindOfOption(option, dirname(file)) !== 'folder')
    throw new UsageError(`${option}: there is no folder ${dirname(file)}`);
}

/** @throws OperationError if it cannot be written */
export async function writeFile(
  io: Pick<Io, 'random'>,
  { file, mode }: { file: string; mode: number },
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  try {
    if (kindOf(file) === 'other') return await writeChunks(openSync(file, 'w'), chunks);
    // A symbolic link stays, and its target is replaced.
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
