/* `hooktape backup FILE`: writes a consistent, verified copy of the database while capture continues. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, OperationError, type Run } from './io.ts';
import type { BackupResult } from './maintenance.ts';
import { loadConfig } from './settings.ts';

export const runBackup: Run = async (args, io) => {
  const { positionals, envFile, json } = parse(args, ['FILE']);
  const file = resolve(positionals[0] ?? '');
  const done = (await control(io, loadConfig(io, envFile).config, 'backup', { file })) as BackupResult;
  // The server may see different directories: in a container, or as a service with its own /tmp.
  if (!existsSync(file))
    throw new OperationError(
      `the server wrote ${file}, but this command does not see it: the server has another view of the file system`,
    );
  if (json) {
    io.stdout(`${JSON.stringify(done)}\n`);
    return exitCodes.done;
  }
  io.stdout(`${done.file}\n`);
  if (done.secretFile !== null) io.stdout(`${done.secretFile}\n`);
  io.stderr(
    done.secretFile === null
      ? 'The backup does not contain HOOKTAPE_SECRET and cannot be used without it: keep its current value, too.\n'
      : 'Keep both files as safe as the data directory: the second decrypts the secrets in the first.\n',
  );
  return exitCodes.done;
};
