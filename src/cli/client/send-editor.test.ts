/* `hooktape send --edit` as a program on a pseudo-terminal: Ctrl+C in the editor is the editor's. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
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
}, 20_000);

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
}, 20_000);
