/* Runs the commands of docs/recipes.md, as they stand there, against a server and a receiver that takes the place of n8n and Jenkins. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { freePort } from './free-port.ts';
import { eventually } from './poll.ts';
import { startServerProcess } from './server-process.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../..');
const directory = mkdtempSync(join(tmpdir(), 'hooktape-recipes-'));
const manual = readFileSync(join(root, 'docs/recipes.md'), 'utf8');
const account = { HOOKTAPE_OWNER_EMAIL: 'you@example.com', HOOKTAPE_OWNER_PASSWORD: 'a wide meadow at dawn' };
const received: { path: string; body: string }[] = [];
let server: Subprocess;
let receiver: Bun.Server<undefined>;
let env: Record<string, string>;

/** The shell commands below a heading, up to the next one of any level. */
const commandsOf = (heading: string): string => {
  const section = manual.split(/^#+ /m).find(text => text.startsWith(heading)) ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  return blocks.join('').replace(/localhost:(5678|8080)|jenkins\.internal:8080/g, `localhost:${receiver.port}`);
};

const start = (script: string, own: Record<string, string> = {}): Subprocess<'ignore', 'pipe', 'pipe'> =>
  Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    env: { ...env, ...own },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });

/** @returns what the commands print @throws if one of them fails */
async function run(script: string, own: Record<string, string> = {}): Promise<string> {
  const child = start(script, own);
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

beforeAll(async () => {
  const program = [process.execPath, join(root, 'src/main.ts')];
  writeFileSync(join(directory, 'hooktape'), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`);
  chmodSync(join(directory, 'hooktape'), 0o755);
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      received.push({ path: new URL(request.url).pathname, body: await request.text() });
      return Response.json({ message: 'Workflow was started' });
    },
  });
  const port = await freePort();
  server = await startServerProcess(program, join(directory, 'data'), port, account);
  env = { PATH: `${directory}:${process.env['PATH']}`, HOME: directory, HOOKTAPE_URL: `http://localhost:${port}` };
  const made = await run('hooktape key create recipes --account you@example.com --json', {
    HOOKTAPE_DATA_DIR: join(directory, 'data'),
  });
  env['HOOKTAPE_KEY'] = JSON.parse(made).key;
});
afterAll(async () => {
  server?.kill('SIGTERM');
  await server?.exited;
  await receiver?.stop(true);
  rmSync(directory, { recursive: true, force: true });
});

/** A new endpoint's id. */
const createEndpoint = async (name: string): Promise<string> =>
  (await run(`hooktape endpoint create ${name} --json | jq -r .id`)).trim();

test('in front of n8n or Zapier', async () => {
  const endpoint = await createEndpoint('Orders');
  const printed = await run(commandsOf('In front of n8n'), { ENDPOINT: endpoint });
  expect(printed).toContain('"name": "workflow"');
  expect(printed).toContain('"responsePreview":"{\\"message\\":\\"Workflow was started\\"}"');
  expect(printed).toContain('1 event');
  expect(printed).toContain('1 ok of 1 event');
  // The forward, the replay of one event, and the replay job.
  await eventually(() => received.length === 3);
  expect(new Set(received.map(({ path }) => path))).toEqual(new Set(['/webhook/orders']));
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test('in front of a private service, with listen', async () => {
  received.length = 0;
  const endpoint = await createEndpoint('Jenkins');
  const listener = start(`exec ${commandsOf('With `listen`')}`, { ENDPOINT: endpoint });
  let printed = '';
  void listener.stderr.pipeTo(
    new WritableStream({
      write: chunk => {
        printed += new TextDecoder().decode(chunk);
      },
    }),
  );
  await eventually(() => printed.includes('behind'));
  await run('hooktape test-event "$ENDPOINT" github', { ENDPOINT: endpoint });
  await eventually(() => received.some(({ path }) => path === '/github-webhook/'));
  listener.kill('SIGINT');
  expect(await listener.exited).toBe(0);
});

test('in front of a private service, with a forward', async () => {
  received.length = 0;
  const endpoint = await createEndpoint('Private');
  const [, forward = ''] = /(curl [\s\S]*)/.exec(commandsOf('With a forward')) ?? [];
  expect(await run(forward, { ENDPOINT: endpoint })).toContain('"mode":"ordered"');
  await run('hooktape test-event "$ENDPOINT" github', { ENDPOINT: endpoint });
  await eventually(() => received.some(({ path }) => path === '/github-webhook/'));
});
