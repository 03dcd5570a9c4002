/* Runs the executable in unusual environments: empty directory, foreign configuration files, unusable temp directory. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { version } from '../lib/about.ts';
import { createApi, type Endpoint, firstApi, ingestAddress } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { type Installation, install, withInstallation } from '../lib/installation.ts';
import { connect, deliveryRequest } from '../lib/wire.ts';

export async function checkSurroundings({ check }: Checks): Promise<void> {
  await check('starts in an empty directory, captures and returns a delivery, and stops', async () => {
    await withInstallation(install(), async installation => {
      await captureAndReadBack(installation);
      const names = readdirSync(installation.dir);
      ensure(names.join() === 'data', `the directory contains ${names.join(', ')} afterwards`);
    });
    return undefined;
  });

  await check('prints its version without writing files', async () => {
    await withInstallation(install(), async installation => {
      const printed = await installation.command(['version']);
      ensure(printed.includes(version), `version: ${printed}`);
      ensure(readdirSync(installation.dir).length === 0, 'version wrote files');
    });
    return version;
  });

  await check('ignores a hostile .env and bunfig.toml in its directory', async () => {
    await withInstallation(install(), async installation => {
      const write = (name: string, text: string) => writeFileSync(join(installation.dir, name), text);
      write('.env', 'HOOKTAPE_LOG_LEVEL=nonsense\nHOOKTAPE_BASE_URL=https://evil.example\nHOOKTAPE_MAX_BODY=-1\n');
      write('.env.production', 'HOOKTAPE_DATA_DIR=/proc/evil\n');
      write('bunfig.toml', 'preload = ["./evil.ts"]\n');
      write('evil.ts', 'process.exit(66);\n');
      const endpoint = await captureAndReadBack(installation);
      ensure(!endpoint.url.includes('evil'), `the address is ${endpoint.url}`);
    });
    return undefined;
  });

  await check('starts with a read-only temp directory', async () => {
    const readOnly = mkdtempSync(join(tmpdir(), 'hooktape-ro-'));
    try {
      mkdirSync(join(readOnly, 'tmp'), { mode: 0o555 });
      const temp = join(readOnly, 'tmp');
      await withInstallation(install({ TMPDIR: temp, BUN_TMPDIR: temp, TMP: temp, TEMP: temp }), captureAndReadBack);
      ensure(readdirSync(temp).length === 0, 'files were written there');
    } finally {
      rmSync(readOnly, { recursive: true, force: true });
    }
    return undefined;
  });

  const noexec = noexecPrefix();
  if (!noexec) console.log('skip  starts with a noexec temp directory: mounting one needs root');
  else {
    await check('starts with a noexec temp directory', async () => {
      await withInstallation(install({ TMPDIR: '/mnt', BUN_TMPDIR: '/mnt' }, noexec), captureAndReadBack);
      return undefined;
    });
  }

  await check('refuses a second server on the same data directory, with the reason', async () => {
    let why = '';
    await withInstallation(install(), async installation => {
      const server = await installation.start(await freePort());
      try {
        const second = await installation.start(await freePort()).then(
          other => other.end('SIGKILL').then(() => 'it started'),
          (error: Error) => error.message,
        );
        ensure(second.startsWith('the server ended with'), second);
        ensure(/already|another|in use|locked/i.test(second), `the message has no reason: ${second}`);
        why = second.trim().split('\n').at(-1) ?? '';
      } finally {
        await server.stop();
      }
    });
    return why.slice(0, 160);
  });

  await check('reports a directory that is not writable and what to do, and writes nothing there', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'hooktape-closed-'));
    try {
      chmodSync(closed, 0o555);
      const refused = { [closed]: 'cannot be used', [join(closed, 'data')]: 'cannot be created' };
      for (const [dataDir, words] of Object.entries(refused)) {
        await withInstallation(install({ HOOKTAPE_DATA_DIR: dataDir }), async installation => {
          const { exitCode, stderr } = await installation.run(['serve']);
          ensure(exitCode === 1, `exit code ${exitCode}: ${stderr}`);
          ensure(stderr.startsWith(`hooktape: the data directory ${dataDir} ${words}: permission denied`), stderr);
          ensure(stderr.includes('chown') && !stderr.includes('    at '), stderr);
        });
      }
      ensure(readdirSync(closed).length === 0, 'files were written there');
    } finally {
      rmSync(closed, { recursive: true, force: true });
    }
    return undefined;
  });

  await check('reports all configuration problems at once and exits with 78', async () => {
    const invalid = {
      HOOKTAPE_MAX_BODY: 'much',
      HOOKTAPE_LOG_LEVEL: 'loud',
      HOOKTAPE_TLS_CERT: '/nowhere/cert.pem',
      HOOKTAPE_TLS_KEY: '/nowhere/key.pem',
    };
    await withInstallation(install(invalid), async installation => {
      const { exitCode, stderr } = await installation.run(['serve']);
      ensure(exitCode === 78, `exit code ${exitCode}`);
      ensure(
        Object.keys(invalid).every(name => stderr.includes(name)),
        stderr,
      );
    });
    return undefined;
  });
}

/** Starts the server, creates an account, key and endpoint, sends a delivery, reads it back and stops the server. */
async function captureAndReadBack(installation: Installation): Promise<Endpoint> {
  const server = await installation.start(await freePort());
  try {
    await installation.command(['health']);
    const engines = mappedEngines(server.pid);
    ensure(engines.length === 1, `the database engine is mapped from ${engines.join(', ') || 'nowhere'}`);
    ensure(engines[0]?.startsWith(`${installation.dataDir}/`), `the database engine is at ${engines[0]}`);
    const api = await firstApi(installation, server);
    const endpoint = await api.createEndpoint('smoke');
    const body = new Uint8Array([0xff, 0x00, 0xfe, ...new TextEncoder().encode('{"smoke":true}')]);
    const connection = await connect(server.origin);
    const request = deliveryRequest(`${ingestAddress(server, endpoint)}/deep`, { event: 'smoke', body });
    const answer = await connection.send(request);
    connection.close();
    ensure(answer.status === 200, `capture: ${answer.status} ${answer.body}`);
    const { id } = JSON.parse(answer.body) as { id: string };
    ensure(Buffer.from(await api.raw(id)).equals(body), 'the returned body differs');
    const refused = await createApi(server.origin, 'htk_wrong').get('/api/me').catch(String);
    ensure(String(refused).includes('401'), `an invalid key was answered with ${refused}`);
    return endpoint;
  } finally {
    await server.stop();
    const log = statSync(join(installation.dataDir, 'hooktape.db-wal'), { throwIfNoEntry: false });
    ensure((log?.size ?? 0) === 0, `${log?.size} bytes are left in the write-ahead log`);
    const health = await installation.run(['health']);
    ensure(health.exitCode === 1, `hooktape health exits with ${health.exitCode} after the server has stopped`);
  }
}

/** The addon files that a process has mapped. More than one would break SQLite's file locks. */
function mappedEngines(pid: number): string[] {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
  return [...new Set(maps.match(/\/\S*\.libsql-\S*/g))];
}

/** A command prefix that mounts a noexec /mnt; undefined if mounting is not allowed. */
function noexecPrefix(): string[] | undefined {
  const mount = 'mount -t tmpfs -o noexec,mode=1777 tmpfs /mnt && exec "$@"';
  const wrap = ['unshare', '--mount', 'sh', '-c', mount, 'sh'];
  if (process.getuid?.() !== 0 || !Bun.which('unshare')) return;
  return Bun.spawnSync([...wrap, 'true'], { stderr: 'ignore' }).exitCode === 0 ? wrap : undefined;
}
