/* `hooktape send --edit`: the file that the editor gets and leaves; on a pseudo-terminal, Ctrl+C in the editor is the editor's. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape } from '../../testing/command.ts';
import { eventually } from '../../testing/poll.ts';
import { recordRequests } from '../../testing/request-recorder.ts';

let client: ClientHarness;
let target: Awaited<ReturnType<typeof recordRequests>>;
beforeAll(async () => {
  client = await openClientHarness();
  target = await recordRequests();
});
afterAll(async () => {
  target.close();
  await client.close();
});

const main = join(import.meta.dir, '../../main.ts');

/** Sends an event of a new endpoint with an editor that is a shell script. */
async function sendEdited(script: string, url: string) {
  const inbox = await client.json<{ id: string; url: string }>('endpoint', 'create', crypto.randomUUID());
  const id = await client.server.deliver(inbox, '{"a":1}');
  const editor = join(client.directory, `editor-${Bun.hash(script)}`);
  writeFileSync(editor, `#!/bin/sh\n${script}\n`);
  chmodSync(editor, 0o755);
  let screen = '';
  const program = Bun.spawn([process.execPath, main, 'send', id, '--to', url, '--edit'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...client.env, VISUAL: editor },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, data) => {
        screen += Buffer.from(data).toString();
      },
    },
  });
  return {
    program,
    shows: (text: string) => eventually(() => screen.includes(text) || undefined, 15_000),
    press: (keys: string) => program.terminal?.write(keys),
  };
}

test('Ctrl+C in the editor is the editor’s', async () => {
  // Like an editor, it takes the key for itself and goes on.
  const script = `trap 'echo interrupted' INT; echo editing; while ! read -r line; do :; done; echo '{"a":2}' > "$1"`;
  const { program, shows, press } = await sendEdited(script, `${target.origin}/hook`);
  await shows('editing');
  press('\x03');
  await shows('interrupted');
  press('go on\r');
  expect(await program.exited).toBe(0);
  expect(target.requests.map(request => request.body.toString())).toEqual(['{"a":2}']);
}, 120_000);

test('after the editor, Ctrl+C ends the command', async () => {
  const { promise: isConnected, resolve: connected } = Promise.withResolvers<void>();
  using silent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      connected();
      return new Promise<Response>(() => {});
    },
  });
  const { program, press } = await sendEdited(':', `http://127.0.0.1:${silent.port}/`);
  await isConnected;
  press('\x03');
  await program.exited;
  expect(program.signalCode).toBe('SIGINT');
}, 120_000);

describe('the file', () => {
  const body = '{"type":"invoice.paid","data":{"amount":12345678901234567890,"sku":"A-1"}}';
  let id: string;
  beforeAll(async () => {
    id = await client.server.deliver(
      await client.json<{ id: string; url: string }>('endpoint', 'create', 'inbox'),
      body,
    );
  });
  beforeEach(() => void target.requests.splice(0));

  const editor = (script: string): Record<string, string> => {
    const file = join(client.directory, `editor-${Bun.hash(script)}`);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return { ...client.env, VISUAL: file, EDITOR: 'false' };
  };
  const left = () => readdirSync(tmpdir()).filter(name => name.startsWith('hooktape-edit-'));

  test('--edit opens a private file with the body, and takes what the editor leaves', async () => {
    const facts = join(client.directory, 'facts');
    const script = `stat -c '%a %n' "$1" > '${facts}'; cat "$1" > '${facts}.body'; sed -i 's/A-1/C-3/' "$1"`;
    const { exitCode } = await hooktape(editor(script), 'send', id, '--to', target.origin, '--edit');
    expect(exitCode).toBe(0);
    // One line of JSON is indented in the editor, and one line again on its way.
    expect(target.requests[0]?.body.toString()).toBe(body.replace('A-1', 'C-3'));
    expect(readFileSync(`${facts}.body`, 'utf8')).toContain('\n    "amount": 12345678901234567890,\n');
    const [mode, file = ''] = readFileSync(facts, 'utf8').trim().split(' ');
    expect([mode, file.endsWith('.json'), existsSync(file), left()]).toEqual(['600', true, false, []]);
  });

  test('a line break that the editor adds at the end is no edit, and a failing editor sends nothing', async () => {
    await hooktape(editor('echo >> "$1"'), 'send', id, '--to', target.origin, '--edit');
    const [request] = target.requests.splice(0);
    expect(request?.body.toString()).toBe(body);
    expect(request?.headers.map(([name]) => name)).not.toContain('x-hooktape-edited');
    const failed = await hooktape(editor('exit 3'), 'send', id, '--to', target.origin, '--edit');
    expect([failed.exitCode, target.requests, left()]).toEqual([1, [], []]);
    for (const [env, said] of [
      [
        { ...client.env, VISUAL: '/no/editor' },
        'the editor (/no/editor) cannot be started: there is no such program; set $EDITOR',
      ],
      [editor('rm "$1"'), 'the file that the editor has left cannot be read: there is no such file or folder'],
    ] as const) {
      const ended = await hooktape(env, 'send', id, '--to', target.origin, '--edit');
      expect([ended.exitCode, ended.stderr, target.requests]).toEqual([1, `hooktape: ${said}\n`, []]);
    }
  });
});
