/*
 * `bun scripts/proofs/gitea.ts`: a test with a foreign sender. Gitea, built from its module with Go, gets a repository with a
 * webhook to a Hooktape endpoint; a push must arrive once, signed, and `hooktape expect` must confirm it. Needs dist/hooktape,
 * go 1.26.2, gcc and git, and the first time some 6 minutes of CPU time and 4 GB of disk for the modules. The build stays in
 * `.test-clients/gitea/`. Ends with `N passed, N failed`.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/testing/free-port.ts';
import { createChecks, ensure } from '../lib/checks.ts';
import { firstKey, startServer } from '../test-clients/server.ts';
import { requirePrograms, run, workspace } from '../test-clients/workspace.ts';

/** The module, and its checksum in Go's public log of modules. */
const version = 'v1.26.0';
const checksum = 'h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA=';
const buildMinutes = 60;
const secret = 'It’s a secret to Gitea';
const owner = { name: 'owner', password: 'a quiet river at noon', email: 'owner@example.com' };

const dir = workspace('gitea');
const source = join(dir, version);
const binary = join(source, 'gitea');

async function build(): Promise<string> {
  requirePrograms(
    { name: 'go', packageName: 'golang' },
    { name: 'gcc', packageName: 'gcc' },
    { name: 'git', packageName: 'git' },
  );
  if (existsSync(binary)) return 'built before';
  const found = await run(['go', 'mod', 'download', '-json', `code.gitea.io/gitea@${version}`], { cwd: dir });
  const { Dir, Sum } = JSON.parse(found) as { Dir: string; Sum: string };
  ensure(Sum === checksum, `the module's checksum is ${Sum}`);
  // Its directory is read-only, and `go install` refuses modules with replacements.
  const part = `${source}.part`;
  rmSync(part, { recursive: true, force: true });
  cpSync(Dir, part, { recursive: true });
  await run(['chmod', '-R', 'u+w', part], { cwd: dir });
  const options = ['-tags', 'sqlite sqlite_unlock_notify', '-ldflags', '-s -w', '-o', 'gitea', '.'];
  await run(['go', 'build', ...options], { cwd: part, minutes: buildMinutes, env: { CGO_ENABLED: '1' } });
  renameSync(part, source);
  return `${Math.round(statSync(binary).size / 1e6)} MB`;
}

type Gitea = { origin: string; token: string; stop: () => Promise<void> };

async function startGitea(): Promise<Gitea> {
  const data = join(dir, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = join(data, 'app.ini');
  writeFileSync(
    settings,
    `WORK_PATH = ${data}
RUN_MODE = prod
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${origin}/
STATIC_ROOT_PATH = ${source}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(data, 'gitea.db')}
[security]
INSTALL_LOCK = true
SECRET_KEY = only for this proof
[webhook]
ALLOWED_HOST_LIST = loopback
[cron]
ENABLED = false
[actions]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
`,
  );
  chmodSync(settings, 0o600);
  const env = { HOME: data, GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: 'true' };
  await run([binary, '--config', settings, 'migrate'], { cwd: data, env });
  const { name, password, email } = owner;
  const create = ['admin', 'user', 'create', '--username', name, '--password', password, '--email', email, '--admin'];
  const token = ['--must-change-password=false', '--access-token', '--access-token-scopes', 'all'];
  const said = await run([binary, '--config', settings, ...create, ...token], { cwd: data, env });
  const child = Bun.spawn([binary, '--config', settings, 'web'], {
    cwd: data,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: Bun.file(join(data, 'gitea.log')),
    stderr: Bun.file(join(data, 'gitea.log')),
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await child.exited;
  };
  const until = performance.now() + 60_000;
  while (
    !(await fetch(`${origin}/api/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    ensure(
      child.exitCode === null && performance.now() < until,
      readFileSync(join(data, 'gitea.log'), 'utf8').slice(-2000),
    );
    await Bun.sleep(50);
  }
  return { origin, token: /\b[0-9a-f]{40}\b/.exec(said)?.[0] ?? '', stop };
}

const checks = createChecks();
let gitea: Gitea | undefined;
const server = await startServer();
try {
  await checks.check(`Gitea ${version} is built from its module`, build);
  await checks.check('Gitea starts', async () => {
    gitea = await startGitea();
    return undefined;
  });
  const key = await firstKey(server);
  const hooktape = (...args: string[]) =>
    server.installation.run(args, { HOOKTAPE_URL: server.origin, HOOKTAPE_KEY: key }, 120_000);
  const call = async (url: string, authorization: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    ensure(response.ok, `${url}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const viaGitea = (path: string, body: object) =>
    call(`${gitea?.origin}/api/v1${path}`, `token ${gitea?.token}`, body);

  /** Creates an endpoint with the secret, a repository with a webhook to it, and a clone. */
  const setUp = async (name: string, hookSecrets: readonly string[]) => {
    const { stdout } = await hooktape('endpoint', 'create', name, '--json');
    const endpoint = JSON.parse(stdout) as { id: string; url: string };
    await call(`${server.origin}/api/endpoints/${endpoint.id}/secrets`, `Bearer ${key}`, { platform: 'gitea', secret });
    await viaGitea('/user/repos', { name, auto_init: true, default_branch: 'main' });
    for (const hookSecret of hookSecrets)
      await viaGitea(`/repos/${owner.name}/${name}/hooks`, {
        type: 'gitea',
        active: true,
        events: ['push'],
        config: { url: endpoint.url, content_type: 'json', secret: hookSecret },
      });
    const clone = join(dir, 'data', `clone-${name}`);
    const url = `${gitea?.origin}/${owner.name}/${name}.git`.replace('//', `//${owner.name}:${gitea?.token}@`);
    await run(['git', 'clone', '--quiet', url, clone], { cwd: dir });
    const push = async (): Promise<void> => {
      const author = ['-c', `user.name=${owner.name}`, '-c', `user.email=${owner.email}`];
      await run(['git', ...author, 'commit', '--quiet', '--allow-empty', '--message', 'a push'], { cwd: clone });
      await run(['git', 'push', '--quiet', 'origin', 'main'], { cwd: clone });
    };
    const mark = (await hooktape('mark', name)).stdout.trim();
    const expectPush = (...args: string[]) =>
      hooktape(
        'expect',
        name,
        '--after',
        mark,
        '--where',
        'platform:gitea type:push body.ref:refs/heads/main',
        ...args,
      );
    return { push, expectPush };
  };

  await checks.check('nothing is pushed: exit code 1 says that nothing arrived', async () => {
    const { expectPush } = await setUp('quiet', [secret]);
    const { exitCode, stderr } = await expectPush('--within', '500ms');
    ensure(exitCode === 1 && stderr.includes('nothing arrived after the mark'), `${exitCode}: ${stderr}`);
    return stderr.trim();
  });
  await checks.check('a push arrives once, signed: expect --count 1 --verdict valid exits with 0', async () => {
    const { push, expectPush } = await setUp('signed', [secret]);
    await push();
    const { exitCode, stdout, stderr } = await expectPush('--count', '1', '--verdict', 'valid', '--within', '60s');
    ensure(exitCode === 0, `${exitCode}: ${stderr}`);
    return stdout.trim().split('\t').slice(0, 5).join(' ');
  });
  await checks.check('two hooks to one URL: exit code 3', async () => {
    const { push, expectPush } = await setUp('doubled', [secret, secret]);
    await push();
    const { exitCode, stderr } = await expectPush(
      '--count',
      '1',
      '--verdict',
      'valid',
      '--within',
      '60s',
      '--settle',
      '20s',
    );
    ensure(exitCode === 3 && stderr.includes('2 events arrived'), `${exitCode}: ${stderr}`);
    return stderr.split('\n')[0];
  });
  await checks.check('a hook with another secret: exit code 1 says that the signature is invalid', async () => {
    const { push, expectPush } = await setUp('forged', ['guessed']);
    await push();
    ensure((await expectPush('--within', '60s')).exitCode === 0, 'the push did not arrive');
    const { exitCode, stderr } = await expectPush('--verdict', 'valid', '--within', '500ms');
    ensure(
      exitCode === 1 && stderr.includes('fails verdict:valid: its signature is invalid'),
      `${exitCode}: ${stderr}`,
    );
    return stderr.trim().split('\n').at(-1)?.trim();
  });
} finally {
  await gitea?.stop();
  await server.remove();
}
process.exit(checks.close());
