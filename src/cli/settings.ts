/* Where the settings come from: the environment and one env file, never a stray `.env`. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, readConfig, type SettingInForce } from '../config.ts';
import { createLogger, type Logger } from '../log.ts';
import { ConfigurationError, type Io } from './io.ts';

const defaultEnvFile = 'hooktape.env';

/** @param given the value of --env-file @throws ConfigurationError with every problem */
export function loadConfig(io: Io, given: string | undefined): { config: Config; sources: readonly SettingInForce[] } {
  const named = given ?? (io.env['HOOKTAPE_ENV_FILE'] || undefined);
  const path = named ?? (existsSync(defaultEnvFile) ? defaultEnvFile : undefined);
  const result = readConfig({
    env: io.env,
    envFile: path === undefined ? undefined : { path, text: readEnvFile(path) },
    readFile: file => readFileSync(file, 'utf8'),
  });
  if (!result.ok) throw new ConfigurationError(result.problems);
  const config = { ...result.config, dataDir: resolve(result.config.dataDir) };
  return { config, sources: result.sources };
}

function readEnvFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`the env file ${path} cannot be read: ${(error as Error).message}`]);
  }
}

/** The log goes to stderr: stdout is for results. */
export function createLog(io: Io, config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const { logLevel, logFormat } = config;
  const format = logFormat === 'auto' ? (io.isTerminal ? 'pretty' : 'json') : logFormat;
  return createLogger({ level: logLevel, format, write: io.stderr, clock: io.clock });
}
