/*
 * `bun scripts/proxy-proof.ts [NAME…]`: tests the reverse proxy configurations of docs/installing.md. Runs each installed proxy
 * with its documented configuration in front of the compiled program, and checks what is stored. Loopback only.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import { firstApi } from './lib/api.ts';
import { type Checks, createChecks } from './lib/checks.ts';
import { install } from './lib/installation.ts';
import { until } from './lib/process.ts';
import { checkThrough } from './proxies/checks.ts';
import { proxies, publicHost, type ReverseProxy } from './proxies/programs.ts';

async function checkProxy(proxy: ReverseProxy, program: string, checks: Checks): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-proxy-'));
  const installation = install({ HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1/32' });
  const [upstream, port] = [await freePort(), await freePort()];
  const running = Bun.spawn([program, ...proxy.configure({ directory, port, upstream })], {
    cwd: directory,
    // Caddy stores its state in these directories.
    env: { PATH: process.env['PATH'] ?? '', HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdout: 'ignore',
    stderr: Bun.file(join(directory, 'stderr')),
  });
  try {
    const api = await firstApi(installation, await installation.start(upstream));
    const origin = `http://127.0.0.1:${port}`;
    const headers = { host: publicHost };
    await until(`${proxy.name} forwards requests`, 15_000, () =>
      fetch(`${origin}/healthz`, { headers }).then(
        answer => answer.ok,
        () => false,
      ),
    ).catch(async error => {
      throw new Error(`${error}\n${await Bun.file(join(directory, 'stderr')).text()}`);
    });
    await checkThrough({ proxy, origin, api, installation, checks });
  } finally {
    running.kill();
    await running.exited;
    await installation.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2).map(name => name.toLowerCase());
const checks = createChecks();
for (const proxy of proxies) {
  if (wanted.length > 0 && !wanted.includes(proxy.name.toLowerCase())) continue;
  if (proxy.program === undefined) console.log(`skip  ${proxy.name} is not installed`);
  else await checkProxy(proxy, proxy.program, checks);
}
process.exit(checks.close());
