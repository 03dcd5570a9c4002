/* Loads the settings from the environment and one env file. A file named `.env` is never read. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Config, cannotBeRead, type Places, readConfig, type SettingInForce } from '../config/config.ts';
import { isShortSecret, secretMustBe } from '../core/secrets/secret-length.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { createLogger, type Logger } from '../log.ts';
import { ConfigurationError, type Io } from './io.ts';

const defaultEnvFile = 'hooktape.env';

export type LoadOptions = {
  /** Checks the certificate files; only `serve` uses them. */
  certificateProblems?: (files: Places) => readonly string[];
  /** Accepts a short secret although there is no database yet, for a restore. */
  acceptShortSecret?: boolean;
};

/** @param given the value of --env-file @throws ConfigurationError with every problem */
export function loadConfig(
  io: Io,
  given: string | undefined,
  { certificateProblems = () => [], acceptShortSecret = false }: LoadOptions = {},
): { config: Config; sources: readonly SettingInForce[] } {
  const named = given ?? (io.env['HOOKTAPE_ENV_FILE'] || undefined);
  const path = named ?? (existsSync(defaultEnvFile) ? defaultEnvFile : undefined);
  const problems: string[] = [];
  const result = readConfig({
    env: io.env,
    envFile: path === undefined ? undefined : { path, text: readEnvFile(path, problems) },
    readFile: file => readFileSync(file, 'utf8'),
    placeProblems: places => [
      ...dataDirProblems(places.dataDir),
      ...(acceptShortSecret ? [] : secretProblems(places)),
      ...certificateProblems(places),
    ],
  });
  if (!result.ok) problems.push(...result.problems);
  if (!result.ok || problems.length > 0) throw new ConfigurationError(problems);
  const config = { ...result.config, dataDir: resolve(result.config.dataDir) };
  return { config, sources: result.sources };
}

function readEnvFile(path: string, problems: string[]): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    problems.push(`the env file: ${cannotBeRead(path, error)}`);
    return '';
  }
}

/** A missing directory can be created, but not below something that is not a directory. */
function dataDirProblems(dataDir: string | undefined): string[] {
  if (dataDir === undefined) return [];
  for (let at = resolve(dataDir); ; at = dirname(at)) {
    try {
      return statSync(at).isDirectory() ? [] : [`HOOKTAPE_DATA_DIR: ${JSON.stringify(at)} is not a directory`];
    } catch (error) {
      // Other problems are reported when the directory is opened.
      if (!['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code)) || at === dirname(at)) return [];
    }
  }
}

/** A short secret is refused for a new database; for an existing one, db/secret-check.ts decides. */
function secretProblems({ secret, dataDir, databaseUrl }: Places): string[] {
  if (secret === undefined || !isShortSecret(secret) || dataDir === undefined) return [];
  const database = databaseUrl === undefined ? join(dataDir, 'hooktape.db') : fromFileUrl(databaseUrl);
  return database === undefined || existsSync(database) ? [] : [`HOOKTAPE_SECRET: ${secretMustBe}`];
}

/** The log is written to stderr, because stdout is for results. */
export function createLog(io: Io, config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const { logLevel, logFormat } = config;
  const format = logFormat === 'auto' ? (io.isTerminal ? 'pretty' : 'json') : logFormat;
  return createLogger({ level: logLevel, format, write: io.stderr, clock: io.clock });
}
