/*
 * `bun scripts/compose-proof.ts`: runs packaging/compose without a container engine. The executable gets the environment and the mounted
 * files of the service `hooktape`, and curl runs the command of the service `shop`. Needs the built executable and curl. Loopback only.
 */
import { cpSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../src/testing/free-port.ts';
import { createChecks } from './lib/checks.ts';
import { type Env, install } from './lib/installation.ts';

type Service = { environment: Record<string, string>; volumes: string[]; command: string[] };

const folder = join(import.meta.dir, '../packaging/compose');
const { services } = Bun.YAML.parse(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
  services: { hooktape: Service; shop: Service };
};

const installation = install();
/** Path in the container -> path here. */
const mounts = services.hooktape.volumes.flatMap(volume => {
  const [source = '', target = ''] = volume.split(':');
  if (!source.startsWith('.')) return [];
  const here = join(installation.dir, basename(target));
  cpSync(join(folder, source), here, { recursive: true });
  return [{ target, here }];
});
const local = (text: string): string =>
  mounts.reduce((path, { target, here }) => (path === target ? here : path), text);
const environment: Env = Object.fromEntries(
  Object.entries(services.hooktape.environment).map(([name, value]) => [name, local(String(value))]),
);
const file = environment['HOOKTAPE_ENDPOINTS_FILE'] ?? '';

function equal(actual: unknown, expected: unknown): undefined {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** Runs the command of the service `shop` against this machine. */
async function shop(origin: string): Promise<string> {
  const args = services.shop.command.map(word => word.replace('http://hooktape:4665', origin));
  const child = Bun.spawn(['curl', ...args], { stdout: 'pipe', stderr: 'inherit' });
  const said = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`curl: ${said}`);
  return said;
}

const post = async (url: string): Promise<number> => (await fetch(url, { method: 'POST', body: '{"id":1}' })).status;
const apply = (...options: string[]) => installation.run(['apply', file, ...options], environment);

const { check, close } = createChecks();
try {
  const port = await freePort();
  let server = await installation.start(port, environment);
  await check('the service sends to the URL that it knew beforehand', async () => {
    const answer = JSON.parse(await shop(server.origin)) as { ok: boolean };
    return equal(answer.ok, true);
  });
  await check('a sender without the token is refused', async () =>
    equal(await post(`${server.origin}/in/orders`), 401),
  );
  await check('the other endpoint fails twice and then takes the delivery', async () =>
    equal(
      [
        await post(`${server.origin}/in/flaky`),
        await post(`${server.origin}/in/flaky`),
        await post(`${server.origin}/in/flaky`),
      ],
      [503, 503, 200],
    ),
  );
  await check('apply, while it runs: no changes', async () => equal((await apply()).stdout, 'no changes\n'));
  await server.end('SIGTERM');
  await check('apply, while it does not run: no changes', async () => equal((await apply()).stdout, 'no changes\n'));
  server = await installation.start(port, environment);
  await check('a second start changes nothing, and recorded events are kept', async () => {
    await shop(server.origin);
    equal(JSON.parse((await apply('--json')).stdout), { created: 0, changed: 0, removed: 0, unchanged: 2 });
    return equal(await post(`${server.origin}/in/flaky`), 200);
  });
  await server.end('SIGTERM');
  await check('without the switch for fixed addresses it does not start, and says where', async () => {
    const { exitCode, stderr } = await installation.run(['serve'], { ...environment, HOOKTAPE_FIXED_ADDRESSES: 'off' });
    if (!stderr.includes('line 6, endpoints[0].address: fixed addresses need HOOKTAPE_FIXED_ADDRESSES=on'))
      throw new Error(stderr);
    return equal(exitCode, 78);
  });
} finally {
  await installation.remove();
}
process.exit(close());
