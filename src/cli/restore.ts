/*
 * `hooktape restore FILE`: a backup into an empty data directory. Refused before anything is changed: a directory with
 * something in it, a damaged or newer backup, a backup whose sealed values could not be opened afterwards.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { conflict, invalid, notFound } from '../core/errors.ts';
import { createSealer } from '../core/seal.ts';
import { restoreBackup } from '../db/backup.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { provesSecret, readSecretProof } from '../db/secret-check.ts';
import { parse } from './arguments.ts';
import { openDataDirectory, secretPart, secretPath } from './data-directory.ts';
import { type Command, exitCodes, type Io } from './io.ts';
import { backupSecretPath } from './maintenance.ts';
import { writeSecretFile } from './secret-file.ts';
import { loadConfig } from './settings.ts';

/** The locks, the native library, a restore that was cut off, and what file systems put into an empty volume. */
const doesNotCount =
  /^(?:(?:.*\.)?hooktape\.lock(?:\.holder|-journal)?|hooktape\.unfinished-.*|secret\.tmp|\.libsql-.*|.*\.restoring(?:-wal|-shm)?|lost\+found|\.snapshot)$/;

export const restore: Command = {
  summary: 'bring a backup into an empty data directory',
  usage: 'hooktape restore FILE',
  details: [['FILE', 'a backup, with FILE.secret beside it unless HOOKTAPE_SECRET is what it was']],
  async run(args, io) {
    const { positionals, envFile, json } = parse(args, ['FILE']);
    const { config } = loadConfig(io, envFile, { acceptShortSecret: true });
    const from = resolve(positionals[0] ?? '');
    const file = fromFileUrl(config.databaseUrl);
    if (file === undefined) throw invalid('the database is on a libSQL server: restore it there');
    checkSource(from);
    const kept = secretOf(config, from);
    checkEmpty(config, file, kept);
    const lock = await openDataDirectory(io, config, 'hooktape restore');
    try {
      checkEmpty(config, file, kept);
      await bringBack({ io, config, from, file: resolve(file), kept });
    } finally {
      await lock.release();
    }
    io.stdout(json ? `${JSON.stringify({ dataDir: config.dataDir, file: resolve(file) })}\n` : `${config.dataDir}\n`);
    return exitCodes.done;
  },
};

function checkSource(from: string): void {
  try {
    accessSync(from, constants.R_OK);
    if (existsSync(backupSecretPath(from))) accessSync(backupSecretPath(from), constants.R_OK);
  } catch (error) {
    const { code, message } = error as Error & { code?: unknown };
    if (code === 'ENOENT') throw notFound(`the backup ${from}`);
    throw invalid(
      `the backup cannot be read: ${message}\nMake FILE and FILE.secret readable for the user of the server.`,
    );
  }
  if (!statSync(from).isFile()) throw invalid(`${from} is not a file: name the backup itself`);
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0)
    throw invalid(`${from} is a database in use or cut off (${basename(from)}-wal lies beside it), not a backup`);
}

/** What the backup brings for `DATA_DIR/secret`. */
function secretOf(config: Config, from: string): string | undefined {
  const beside = backupSecretPath(from);
  return config.secret === undefined && existsSync(beside) ? readFileSync(beside, 'utf8') : undefined;
}

/** Its own secret is no obstacle: a restore that was cut off leaves it behind. */
const isThere = (config: Config, kept: string | undefined): boolean =>
  kept !== undefined && existsSync(secretPath(config)) && readFileSync(secretPath(config), 'utf8') === kept;

function checkEmpty(config: Config, file: string, kept: string | undefined): void {
  const { dataDir } = config;
  const inTheWay = existsSync(dataDir)
    ? readdirSync(dataDir).filter(name => !doesNotCount.test(name) && !(name === 'secret' && isThere(config, kept)))
    : [];
  if (inTheWay.length > 0)
    throw conflict(
      `${dataDir} is not empty (${inTheWay.slice(0, 3).join(', ')}): restore into an empty data directory`,
    );
  if (existsSync(file)) throw conflict(`${file} exists, and nothing is ever overwritten`);
}

type Restore = { io: Io; config: Config; from: string; file: string; kept: string | undefined };

async function bringBack({ io, config, from, file, kept }: Restore): Promise<void> {
  const secret = config.secret ?? kept?.trim();
  let wroteSecret = false;
  try {
    await restoreBackup({
      spawn: io.spawn,
      from,
      file,
      accept: async client => {
        const proof = await readSecretProof(client);
        if (!proof) throw invalid(`${from} is not a Hooktape backup`);
        if (secret === undefined || !provesSecret(proof, createSealer(secret, io.random)))
          throw invalid(secretAdvice(config, backupSecretPath(from)));
        if (kept === undefined || isThere(config, kept)) return;
        writeSecretFile(secretPath(config), kept, secretPart(secretPath(config)));
        wroteSecret = true;
      },
    });
  } catch (error) {
    if (wroteSecret) rmSync(secretPath(config), { force: true });
    throw error;
  }
}

function secretAdvice({ secret }: Config, beside: string): string {
  if (secret === undefined)
    return existsSync(beside)
      ? `${beside} is not the secret that this backup was made with`
      : `the secret is missing: put it beside the backup as ${beside}, or set HOOKTAPE_SECRET to what it was`;
  return `HOOKTAPE_SECRET is not the one that this backup was made with${existsSync(beside) ? `; unset it to use ${beside}` : ''}`;
}
