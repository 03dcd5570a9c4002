/*
 * `bun scripts/proofs/testing-page.ts [--only shell,actions,playwright,jest,pytest]`: runs the examples of docs/testing.md
 * unchanged, against dist/hooktape and a shop that sends signed webhooks. Installs Playwright, Jest, pytest and the packed
 * client libraries into `.test-clients/testing/`. Needs node, npm, python3, curl, jq and Chromium. Ends with
 * `N passed, N failed`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { YAML } from 'bun';
import { freePort } from '../../src/testing/free-port.ts';
import { type Checks, createChecks, ensure } from '../lib/checks.ts';
import { builtBinary, install } from '../lib/installation.ts';
import { makeClients } from '../release/clients.ts';
import { releaseDir } from '../release/files.ts';
import { requirePrograms, run, workspace } from '../test-clients/workspace.ts';
import { runWorkflow, type Workflow } from './testing-page/workflow.ts';

const npmPackages = ['@playwright/test@1.65.1', 'jest@30.5.2'];
const pythonPackages = ['pytest==9.2.0'];
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const owner = { HOOKTAPE_OWNER_EMAIL: 'owner@example.com', HOOKTAPE_OWNER_PASSWORD: 'a quiet river at noon' };

/** Each example by the file name in its first line. */
const examples = new Map(
  [
    ...readFileSync(join(import.meta.dir, '../../docs/testing.md'), 'utf8').matchAll(/^```\w+\n([\s\S]*?)^```$/gm),
  ].flatMap(([, code = '']) => {
    const name = /^(?:#|\/\/) (\S+\.\w+)\n/.exec(code)?.[1];
    return name === undefined ? [] : [[name, code] as const];
  }),
);
function example(name: string): string {
  const code = examples.get(name);
  ensure(code, `docs/testing.md has no example ${name}`);
  return code;
}

/** Writes an example into a separate folder. @returns the folder */
function write(folder: string, name: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, example(name));
  return folder;
}

const work = mkdtempSync(join(tmpdir(), 'hooktape-testing-'));
const installation = install({ ...owner, HOOKTAPE_LOG_LEVEL: 'warn' });
const shopPort = await freePort();
const shop = Bun.spawn(['node', join(import.meta.dir, 'testing-page/shop.mjs')], {
  env: { ...process.env, PORT: String(shopPort) },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const checks: Checks = createChecks();

async function main(): Promise<void> {
  requirePrograms({ name: 'node', packageName: 'nodejs' }, { name: 'npm', packageName: 'npm' });
  requirePrograms({ name: 'python3', packageName: 'python3-venv' }, { name: 'jq', packageName: 'jq' });
  const server = await installation.start(await freePort());
  const key = (
    await installation.run(['key', 'create', 'testing', '--account', owner.HOOKTAPE_OWNER_EMAIL])
  ).stdout.trim();
  const bin = join(work, 'bin');
  mkdirSync(bin);
  await run(['ln', '-s', builtBinary(), join(bin, 'hooktape')], { cwd: work });
  const path = `${bin}:${process.env['PATH']}`;
  const shopUrl = `http://127.0.0.1:${shopPort}`;
  const env = { PATH: path, HOOKTAPE_URL: server.origin, HOOKTAPE_KEY: key, SHOP_URL: shopUrl, WEBHOOK_SECRET: secret };
  const npm = workspace('testing/npm');
  const python = join(workspace('testing/python'), 'venv/bin/python');

  const parts: Record<string, () => Promise<void>> = {
    shell: async () => {
      for (const [name, seconds] of [
        ['order.sh', 1],
        ['retries.sh', 1],
      ] as const)
        await checks.check(name, async () => {
          await connectShop(env);
          const said = await run(['bash', '-e', name], {
            cwd: write(join(work, 'shell'), name),
            env,
            minutes: seconds,
          });
          return said.trim().split('\n').at(-1);
        });
    },
    actions: () =>
      checks.check('the workflow of GitHub Actions, step by step', async () => {
        const cwd = join(work, 'actions');
        mkdirSync(cwd);
        const [hooktapePort, ownShopPort] = [await freePort(), await freePort()];
        const text = example('.github/workflows/webhooks.yml')
          .replaceAll(':4665', `:${hooktapePort}`)
          .replaceAll(':3000', `:${ownShopPort}`);
        const start = `node ${join(import.meta.dir, 'testing-page/shop.mjs')}`;
        writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, scripts: { start } }));
        // The package is not on npm yet: dist/hooktape is on the PATH.
        const ran = await runWorkflow(YAML.parse(text) as Workflow, {
          cwd,
          env: { PATH: path, HOME: work, HOOKTAPE_PORT: String(hooktapePort), PORT: String(ownShopPort) },
          skipped: ['Install Hooktape'],
        });
        ensure(readFileSync(join(cwd, 'webhooks.xml'), 'utf8').includes('failures="0" errors="0"'), 'no JUnit file');
        ensure(JSON.parse(readFileSync(join(cwd, 'webhooks.har'), 'utf8')).log.entries.length === 1, 'no HAR file');
        return ran.join(', ');
      }),
    playwright: () =>
      checks.check('Playwright', async () => {
        await installNpm(npm);
        const executablePath = ['chromium', 'chromium-browser', 'google-chrome']
          .map(name => Bun.which(name))
          .find(Boolean);
        ensure(executablePath, 'no browser found; install: apt-get install chromium');
        for (const name of ['playwright.config.ts', 'tests/order.spec.ts']) write(npm, name);
        // The page's configuration, with the browser of this machine.
        const launchOptions = JSON.stringify({ executablePath, args: ['--no-sandbox'] });
        writeFileSync(
          join(npm, 'proof.config.ts'),
          `import page from './playwright.config';\nexport default { ...page, use: { ...page.use, launchOptions: ${launchOptions} } };\n`,
        );
        return summary(
          await run(['npx', 'playwright', 'test', '--config', 'proof.config.ts'], { cwd: npm, env, minutes: 3 }),
        );
      }),
    jest: () =>
      checks.check('Jest', async () => {
        await installNpm(npm);
        writeFileSync(join(npm, 'jest.config.mjs'), "export default { testMatch: ['**/*.test.mjs'] };\n");
        const options = { ...env, NODE_OPTIONS: '--experimental-vm-modules' };
        await run(['npx', 'jest'], { cwd: write(npm, 'order.test.mjs'), env: options, minutes: 3 });
        return undefined;
      }),
    pytest: () =>
      checks.check('pytest', async () => {
        const cwd = workspace('testing/python');
        await run(['python3', '-m', 'venv', join(cwd, 'venv')], { cwd });
        const packs = await packed('.whl');
        const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
        await run([...pip, ...pythonPackages], { cwd });
        await run([...pip, '--force-reinstall', '--no-deps', ...packs], { cwd });
        return summary(
          await run([python, '-m', 'pytest', '-q', 'test_order.py'], {
            cwd: write(cwd, 'test_order.py'),
            env,
            minutes: 3,
          }),
        );
      }),
  };
  const { values } = parseArgs({ options: { only: { type: 'string', default: Object.keys(parts).join() } } });
  for (const name of values.only.split(',')) {
    const part = parts[name];
    if (!part) throw new Error(`--only: parts are ${Object.keys(parts).join(', ')}`);
    await part();
  }
}

const summary = (output: string): string | undefined => output.trim().split('\n').at(-1)?.trim();

const packed = async (extension: string): Promise<string[]> => {
  await makeClients();
  const folder = join(releaseDir, 'clients');
  return readdirSync(folder)
    .filter(name => name.endsWith(extension))
    .map(name => join(folder, name));
};

let installed: Promise<string> | undefined;
function installNpm(cwd: string): Promise<string> {
  installed ??= (async () => {
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
    rmSync(join(cwd, 'package-lock.json'), { force: true });
    const client = (await packed('.tgz')).filter(file => !file.includes('testcontainers'));
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
    return run(['npm', 'install', ...options, ...client, ...npmPackages], { cwd });
  })();
  return installed;
}

/** Creates an endpoint `orders` with the secret, and a shop that sends there. */
async function connectShop(env: { HOOKTAPE_URL: string; HOOKTAPE_KEY: string; SHOP_URL: string }): Promise<void> {
  const headers = { authorization: `Bearer ${env.HOOKTAPE_KEY}`, 'content-type': 'application/json' };
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    return (await (await fetch(env.HOOKTAPE_URL + path, init)).json()) as T;
  };
  const { endpoints } = await call<{ endpoints: { name: string }[] }>('/api/endpoints');
  if (endpoints.some(({ name }) => name === 'orders')) return;
  const endpoint = await call<{ id: string; url: string }>('/api/endpoints', { name: 'orders' });
  await call(`/api/endpoints/${endpoint.id}/secrets`, { platform: 'standard-webhooks', secret });
  await fetch(`${env.SHOP_URL}/webhooks`, { method: 'POST', body: JSON.stringify({ url: endpoint.url, secret }) });
}

try {
  await main();
} finally {
  shop.kill();
  await installation.remove();
  rmSync(work, { recursive: true, force: true });
}
process.exit(checks.close());
