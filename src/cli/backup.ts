/* `hooktape backup FILE`: writes a consistent, verified copy of the database while capture continues. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { printJson } from './client/output.ts';
import { ask } from './control.ts';
import { OperationError, type Run } from './io.ts';

export const runBackup: Run = async (given, io) => {
  if (given.verb === 's3') return (await import('./s3/commands.ts')).runBackupS3(given, io);
  const file = resolve(given.argument(0));
  const done = await ask(io, given, 'backup', { file });
  // The server may see different directories: in a container, or as a service with its own /tmp.
  if (!existsSync(file))
    throw new OperationError(
      `the server wrote ${file}, but this command can't see it: they use different file systems (a container?)`,
    );
  if (given.json) return printJson(io, done);
  io.stdout(`${done.file}\n`);
  if (done.secretFile !== null) io.stdout(`${done.secretFile}\n`);
  io.stderr(
    done.secretFile === null
      ? 'The backup does not contain HOOKTAPE_SECRET and is useless without it: keep its current value as well.\n'
      : 'Protect both files like the data directory: the second file decrypts the secrets in the first.\n',
  );
};
