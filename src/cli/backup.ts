/* `hooktape backup FILE`: writes a consistent, verified copy of the database while capture continues. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { exitCodes, OperationError, type Run } from './io.ts';
import type { BackupResult } from './maintenance.ts';
import { loadConfig } from './settings.ts';

export const runBackup: Run = async (args, io, usage) => {
  if (args.find(word => !word.startsWith('-')) === 's3')
    return (await import('./s3/commands.ts')).runBackupS3(args, io, usage);
  const { positionals, envFile, json } = parse(args, ['FILE']);
  const file = resolve(positionals[0] ?? '');
  const done = (await control(io, loadConfig(io, envFile).config, 'backup', { file })) as BackupResult;
  // The server may see different directories: in a container, or as a service with its own /tmp.
  if (!existsSync(file))
    throw new OperationError(
      `the server wrote ${file}, but this command can't see it: they use different file systems (a container?)`,
    );
  if (json) {
    io.stdout(`${JSON.stringify(done)}\n`);
    return exitCodes.done;
  }
  io.stdout(`${done.file}\n`);
  if (done.secretFile !== null) io.stdout(`${done.secretFile}\n`);
  io.stderr(
    done.secretFile === null
      ? 'The backup does not contain HOOKTAPE_SECRET and is useless without it: keep its current value as well.\n'
      : 'Protect both files like the data directory: the second file decrypts the secrets in the first.\n',
  );
  return exitCodes.done;
};
