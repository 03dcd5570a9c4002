/* `hooktape backup s3 status|now|verify`: the continuous backup to an object store, seen from the command line. */
import type { Config } from '../../config/config.ts';
import type { BackupStatus } from '../../core/backup/status.ts';
import { printResult } from '../client/output.ts';
import { askRunningServer, control } from '../control.ts';
import { ConfigurationError, exitCodes, type Io, type Run, UsageError } from '../io.ts';
import { loadConfig } from '../settings.ts';
import { statusInStore } from './status-in-store.ts';
import { openStoredBackup } from './stored-backup.ts';
import { type Verified, verifyBackup } from './verify.ts';

type Command = (io: Io, config: Config, backup: NonNullable<Config['backup']>, json: boolean) => Promise<boolean>;

export const runBackupS3: Run = async ({ argument, envFile, json }, io) => {
  const verb = argument(0);
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!command) throw new UsageError(`unknown subcommand: backup s3 ${verb}`);
  const { config } = loadConfig(io, envFile, { acceptShortSecret: true });
  if (!config.backup) throw new ConfigurationError(['HOOKTAPE_BACKUP_S3 is not set: there is no continuous backup']);
  return (await command(io, config, config.backup, json)) ? exitCodes.done : exitCodes.failed;
};

const status: Command = async (io, config, backup, json) => {
  const asked = await askRunningServer(config, 'backup-s3.status');
  const found = asked ? asked.result : await statusInStore(io, openStoredBackup(io, config, backup.location));
  printStatus(io, found, json);
  return found.state === 'ok';
};

const now: Command = async (io, config, _backup, json) => {
  printStatus(io, await control(io, config, 'backup-s3.now', {}), json);
  return true;
};

const verify: Command = async (io, config, backup, json) => {
  // A server puts back what it still has.
  const repair = (objects: readonly string[]) => askRunningServer(config, 'backup-s3.repair', { objects });
  const stored = openStoredBackup(io, config, backup.location);
  const found = await verifyBackup(io, stored, config.secret ?? '').catch(async error => {
    await repair([]).catch(() => {});
    throw error;
  });
  printVerified(io, found, json);
  const objects = found.problems.flatMap(({ object }) => object ?? []);
  if (objects.length > 0 && (await repair(objects)))
    io.stderr('The running server has written the pages that were in these objects again.\n');
  return found.problems.length === 0;
};

const commands: Readonly<Record<string, Command>> = { status, now, verify };

function printStatus(io: Io, found: BackupStatus, json: boolean): void {
  const { state, store, ageS, pendingBytes, oldest, problem } = found;
  const lines = [
    ['state', state],
    ['store', store],
    ['not in the store', ageS === 0 ? 'nothing' : `changes of the last ${ageS} s, ${pendingBytes} bytes`],
    ['oldest state', oldest === null ? 'none' : new Date(oldest).toISOString()],
    ...(problem === null ? [] : [['problem', problem]]),
  ];
  printResult(io, { json }, found, lines.map(([name = '', value]) => `${`${name}:`.padEnd(18)}${value}\n`).join(''));
}

function printVerified(io: Io, { at, objects, bytes, problems }: Verified, json: boolean): void {
  const when = new Date(at).toISOString();
  const text =
    problems.map(({ object, problem }) => `${object === null ? '' : `${object}: `}${problem}\n`).join('') ||
    `no problems found: the state of ${when} was restored from ${objects} objects, ${bytes} bytes\n`;
  printResult(io, { json }, { ok: problems.length === 0, at, objects, bytes, problems }, text);
}
