/*
 * Runs every command of `hooktape skill` and of `/llms.txt` as it is written there: in a shell, with a read-only key wherever the
 * text does not say that a command needs more. Only the places that a reader fills in are filled in.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { parseFilter } from '../shared/filter/parser.ts';
import { openChannel } from './channel-client.ts';
import { openClientHarness } from './client-commands.ts';
import { freePort } from './free-port.ts';
import { callTool } from './mcp.ts';
import { eventually } from './poll.ts';

setDefaultTimeout(180_000);

const root = join(import.meta.dir, '../..');
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const handler = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') });
const harness = await openClientHarness({
  port,
  env: { HOOKTAPE_BASE_URL: origin, HOOKTAPE_REPLAY_ALLOW: `127.0.0.1:${handler.port}` },
});
const { ada, server, env, directory } = harness;
afterAll(async () => {
  await handler.stop(true);
  await harness.close();
});

const secret = 'whsec_of_the_shop_0123456789abcdef';
const shop = await harness.json<{ id: string; url: string }>('endpoint', 'create', 'shop');
await ada.json(201, 'POST', `/api/endpoints/${shop.id}/secrets`, { platform: 'stripe', secret });
const { key: readOnlyKey } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
const deliverInvoice = async (signedWith: string) => {
  const object = { id: 'in_1', object: 'invoice', customer: 'cus_4711', amount_due: 4200 };
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.payment_failed', data: { object } });
  const { webhooks } = new Stripe('sk_test_x');
  const signature = await webhooks.generateTestHeaderStringAsync({ payload, secret: signedWith });
  return server.deliver(shop, payload, { headers: { 'stripe-signature': signature } });
};
let orders = 0;
/** Each is different: the same again would be a repeat, which wakes nobody. */
const deliverOrder = () => server.deliver(shop, `{"type":"order.created","id":"B-${++orders}"}`);
const unsigned = await deliverInvoice('whsec_of_something_else_0123456');
const invoice = await deliverInvoice(secret);

const bin = join(directory, 'bin');
mkdirSync(bin);
function program(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
program(join(bin, 'hooktape'), `exec '${process.execPath}' '${join(root, 'src/main.ts')}' "$@"`);
const claudeFile = join(directory, 'claude');
program(join(bin, 'claude'), `printf '%s\\0' "$@" > '${claudeFile}'`);
program(join(directory, 'place-order.sh'), `curl -sf '${shop.url}' -d '{"type":"order.created","id":"A-2"}' > placed`);
// `listen` runs until somebody stops it.
program(join(directory, 'handle.sh'), 'cat > handled; kill -INT $PPID');

type Block = { language: string; code: string; mayWrite: boolean; section: string };

function blocksOf(text: string): Block[] {
  const found: Block[] = [];
  for (const part of text.split(/^(?=## )/m)) {
    const section = /^## (.*)/.exec(part)?.[1] ?? '';
    let end = 0;
    for (const match of part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
      const before = part.slice(end, match.index);
      end = match.index + match[0].length;
      const [, language = '', code = ''] = match;
      found.push({ language, code, mayWrite: /\*needs a key that may write\*/.test(before), section });
    }
  }
  return found;
}

/** What a reader fills in. */
const fillIn = (text: string, key: string, event: string): string =>
  text
    .replaceAll('htk_…', key)
    .replaceAll('evt_…', event)
    .replaceAll('ep_…', shop.id)
    .replaceAll('https://hooks.example.com', origin)
    .replaceAll('http://localhost:3000', `http://127.0.0.1:${handler.port}`)
    .replaceAll('https://staging.example.com', `http://127.0.0.1:${handler.port}`);

async function runInShell(script: string) {
  const child = Bun.spawn(['sh', '-ec', script], {
    cwd: directory,
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: directory, STRIPE_SECRET: secret },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  // What waits for an event gets one.
  const waits = /expect shop(?![\s\S]*--count)|listen shop/.test(script);
  let isEnded = false;
  const sending = (async () => {
    while (waits && !isEnded) {
      await deliverOrder();
      await Bun.sleep(200);
    }
  })();
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const exitCode = await child.exited;
  isEnded = true;
  await sending;
  return { exitCode, stdout, stderr };
}

/** What `claude mcp add` was given is started as Claude Code would. */
async function connectAsClaude(): Promise<void> {
  const words = readFileSync(claudeFile, 'utf8').split('\0').slice(0, -1);
  expect(words.slice(0, 2)).toEqual(['mcp', 'add']);
  const end = words.indexOf('--');
  if (end < 0) {
    const url = words.find(word => word.startsWith('http://')) ?? '';
    const authorization = /^Authorization: (.*)$/.exec(words.at(-1) ?? '')?.[1] ?? '';
    expect(url).toBe(`${origin}/mcp`);
    const result = await callTool(server.fetch, authorization.replace('Bearer ', ''), 'list_endpoints', {});
    expect(result.structuredContent).toMatchObject({ endpoints: [{ name: 'shop' }] });
    return;
  }
  const given = words.flatMap((word, at) => (words[at - 1] === '--env' ? [word.split('=') as [string, string]] : []));
  const [command = '', name, ...args] = words.slice(end + 1);
  expect([command, name]).toEqual(['hooktape', 'channel']);
  const client = await openChannel(Object.fromEntries(given), args, [join(bin, command)]);
  const id = await deliverOrder();
  // Events that arrived since an earlier session come first.
  await eventually(() => client.ids().includes(id));
  await client.call('done', { id });
  expect((await client.end()).exitCode).toBe(0);
}

const skill = readFileSync(join(root, 'skills/hooktape/SKILL.md'), 'utf8');
const llms = await (await fetch(`${origin}/llms.txt`)).text();

test('hooktape skill prints the skill byte for byte, without a server', async () => {
  const command = [process.execPath, join(root, 'src/main.ts'), 'skill'];
  const { exitCode, stdout } = Bun.spawnSync(command, { env: { HOOKTAPE_URL: 'http://127.0.0.1:1' } });
  expect([exitCode, Buffer.compare(stdout, Buffer.from(skill))]).toEqual([0, 0]);
  expect(skill).toMatch(/^---\nname: hooktape\ndescription: .{100,1024}\n---\n/);
});

describe('/llms.txt', () => {
  test('is text for everybody, and has the whole skill with links under BASE_URL', async () => {
    const response = await fetch(`${origin}/llms.txt`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect((await fetch(`${origin}/llms.txt`, { method: 'POST' })).status).toBe(405);
    expect(llms).toStartWith('# Hooktape\n\n> ');
    const linked = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, url = '']) => url);
    expect(linked.length).toBeGreaterThan(3);
    for (const url of linked) {
      expect(url).toStartWith(`${origin}/`);
      expect([url, (await fetch(url)).status]).toEqual([url, url.endsWith('/mcp') ? 401 : 200]);
    }
    expect(llms).toEndWith(skill.slice(skill.indexOf('\n## Connect')).replaceAll('https://hooks.example.com', origin));
    expect(llms).not.toContain('hooks.example.com');
  });
});

describe.each([
  ['the skill', skill],
  ['/llms.txt', llms],
])('%s', (_, text) => {
  const blocks = blocksOf(text);
  const connect = blocks[0]?.code ?? '';

  test.each(blocks.filter(({ language }) => language === 'sh').map(block => [block.section, block] as const))(
    '%s: its commands work',
    async (section, { code, mayWrite }) => {
      const key = mayWrite ? (env['HOOKTAPE_KEY'] ?? '') : readOnlyKey;
      const event = section === 'Verify' ? unsigned : invoice;
      const script = fillIn(
        code === connect ? code : `${connect.split('hooktape')[0]}export HOOKTAPE_KEY=htk_…\n${code}`,
        key,
        event,
      );
      const { exitCode, stdout, stderr } = await runInShell(script);
      expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, '']);
      if (section === 'Find') expect(stdout).toContain('invoice.payment_failed');
      if (section === 'Verify')
        expect([stdout, stdout]).toEqual([
          expect.stringContaining('signature  invalid, wrong_secret_or_altered_body'),
          expect.stringContaining('"causes":[{'),
        ]);
      if (code.includes('claude')) await connectAsClaude();
      if (code.includes('handle.sh')) expect(existsSync(join(directory, 'handled'))).toBe(true);
    },
  );

  test('its tools work, and with a read-only key all but replay_event', async () => {
    const lines = blocks.filter(({ language }) => language === 'json').flatMap(({ code }) => code.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      const call = JSON.parse(fillIn(line, '', invoice)) as { name: string; arguments: Record<string, unknown> };
      const key = call.name === 'replay_event' ? (env['HOOKTAPE_KEY'] ?? '') : readOnlyKey;
      const result = callTool(server.fetch, key, call.name, call.arguments);
      if (call.name === 'wait_for_event') await Bun.sleep(300).then(deliverOrder);
      expect([call.name, (await result).isError ?? false, (await result).content[0]?.text]).toEqual([
        call.name,
        false,
        expect.any(String),
      ]);
    }
  });

  test('the commands and options in its sentences exist', () => {
    const manual = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const sentences = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/claude --\S+/g, '');
    for (const [, name = ''] of sentences.matchAll(/`hooktape ([a-z-]+)/g))
      expect(manual).toContain(`hooktape ${name}`);
    for (const [option] of sentences.matchAll(/--[a-z-]+/g)) expect(manual).toContain(option);
  });

  test('the terms in its table are filters', () => {
    const cells = [...text.matchAll(/^\| (`.*?) \| (?:by|of|whose|refused|that contain)/gm)].map(
      ([, cell = '']) => cell,
    );
    expect(cells.length).toBeGreaterThan(6);
    for (const cell of cells)
      for (const [, term = ''] of cell.matchAll(/`([^`]+)`/g)) expect(parseFilter(term).root).toBeDefined();
  });
});
