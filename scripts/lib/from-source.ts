/* Runs the server from source, in this process or in a new one, with options that the compiled program does not have. */
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createFront } from '../../src/front.ts';
import type { Logger } from '../../src/log.ts';
import { createServices, type Services } from '../../src/wiring.ts';

const print =
  (level: string) =>
  (message: string, fields: object = {}): void =>
    console.error(level, message, fields);
const ignore = (): void => {};
const log: Logger = { debug: ignore, info: ignore, warn: print('warn'), error: print('error'), child: () => log };

const secret = 'a secret for benchmarks that is long enough';
const threadFiles = { writer: '../../src/wiring/writer-thread.ts', reader: '../../src/db/threads/reader-thread.ts' };
const settings = (dataDir: string) => ({
  HOOKTAPE_DATA_DIR: dataDir,
  HOOKTAPE_RATE_LIMIT: '1000000',
  HOOKTAPE_PRO_RETENTION: '0',
});

/** Environment with which the compiled program can open a database that was created here. */
export const dataSetEnv = (dataDir: string) => ({ ...settings(dataDir), HOOKTAPE_SECRET: secret });

/** @param searchIndex false turns the search index off */
export function openServices(dataDir: string, searchIndex = true): Promise<Services> {
  const result = readConfig({ env: settings(dataDir), readFile: () => '' });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return createServices({
    config: result.config,
    secret,
    log,
    clock: systemClock,
    random: length => crypto.getRandomValues(new Uint8Array(length)),
    spawn: name => new Worker(new URL(threadFiles[name], import.meta.url).href),
    version: 'bench',
    usage: () => ({ residentBytes: 0, cpuSeconds: 0 }),
    onFatal: error => {
      throw error;
    },
    searchIndex,
  });
}

/** `from-source.ts DATA_DIR PORT [without-index]`: serves until SIGTERM. */
if (import.meta.main) {
  const [dataDir = '', port = '0', withoutIndex] = process.argv.slice(2);
  const services = await openServices(dataDir, withoutIndex === undefined);
  const { ingest, clientAddress, onError } = services;
  const front = createFront({ ingest, fetch: createApp(services).fetch, clientAddress, onError });
  await front.listen(Number(port), '127.0.0.1');
  process.once('SIGTERM', async () => {
    await front.close(1000);
    await services.close();
    process.exit(0);
  });
}
