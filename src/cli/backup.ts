/* `hooktape backup FILE`: a consistent copy of the database, checked, while capture goes on. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from './arguments.ts';
import { control } from './control.ts';
import { type Command, exitCodes, OperationError } from './io.ts';
import type { BackupResult } from './maintenance.ts';
import { loadConfig } from './settings.ts';

export const backup: Command = {
  summary: 'copy the database to a new file, also while the server runs',
  usage: 'hooktape backup FILE',
  details: [['FILE', 'is not there yet; FILE.secret comes beside it, unless HOOKTAPE_SECRET is set']],
  async run(args, io) {
    const { positionals, envFile, json } = parse(args, ['FILE']);
    const file = resolve(positionals[0] ?? '');
    const done = (await control(io, loadConfig(io, envFile).config, 'backup', { file })) as BackupResult;
    // The server may see other directories than this command: a container, or a service with a /tmp of its own.
    if (!existsSync(file)) throw new OperationError(`the server wrote ${file}, but it is not there for this command`);
    if (json) {
      io.stdout(`${JSON.stringify(done)}\n`);
      return exitCodes.done;
    }
    io.stdout(`${done.file}\n`);
    if (done.secretFile !== null) io.stdout(`${done.secretFile}\n`);
    io.stderr(
      done.secretFile === null
        ? 'The backup needs the HOOKTAPE_SECRET that is set now, which is not in it: keep that, too.\n'
        : 'Keep both files, and keep them as safe as the data directory: the second opens what is sealed in the first.\n',
    );
    return exitCodes.done;
  },
};
