/* `hooktape listen` as a program on a pseudo-terminal, whose screen an emulator reads back: from the server to the target, every way out. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../../testing/client-commands.ts';
import { eventually } from '../../../testing/poll.ts';
import { type RecordedRequest, recordRequests } from '../../../testing/request-recorder.ts';
import { createTerminalEmulator } from '../../../testing/terminal-emulator.ts';

let client: ClientHarness;
let target: Awaited<ReturnType<typeof recordRequests>>;
const answerTo: { status: string } = { status: '200 OK' };
beforeAll(async () => {
  client = await openClientHarness();
  target = await recordRequests(() => `HTTP/1.1 ${answerTo.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
});
afterAll(async () => {
  target.close();
  await client.close();
});

const programs: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.kill('SIGKILL');
    await program.exited;
  }
});

const main = join(import.meta.dir, '../../../main.ts');
let number = 0;

/** With a mark before and after it, to see that the screen of the shell comes back. */
async function startOnTerminal(more: Record<string, string> = {}) {
  const inbox = await client.json<{ id: string; url: string }>('endpoint', 'create', `terminal-${++number}`);
  const emulator = createTerminalEmulator({ columns: 80, rows: 24 });
  emulator.write('$ hooktape listen\r\n');
  const before = { lines: await emulator.lines(), modes: await emulator.modes() };
  const program = Bun.spawn(
    [process.execPath, main, 'listen', inbox.id, '--to', `${target.origin}/hook`, '--as', 'me', '--retry', '0'],
    {
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', TZ: 'UTC', ...client.env, ...more },
      terminal: { cols: 80, rows: 24, data: (_, data) => emulator.writeBytes(data) },
    },
  );
  programs.push(program);
  const { terminal } = program;
  if (!terminal) throw new Error('there is no pseudo-terminal');
  const sees = (part: string | RegExp): Promise<string[]> =>
    eventually(async () => {
      const lines = await emulator.lines();
      const isThere = lines.some(line => (typeof part === 'string' ? line.includes(part) : part.test(line)));
      return isThere ? lines : undefined;
    }, 120_000);
  await sees('● connected');
  return {
    inbox,
    program,
    emulator,
    sees,
    press: (keys: string): unknown => terminal.write(keys),
    resize: (columns: number, rows: number): void => {
      emulator.resize({ columns, rows });
      terminal.resize(columns, rows);
    },
    deliver: (body: string, type: string): Promise<string> =>
      client.server.deliver(inbox, body, { headers: { 'content-type': 'application/json', 'x-github-event': type } }),
    /** The exit code, when the terminal is as it was. */
    ended: async (): Promise<number> => {
      const exitCode = await program.exited;
      await eventually(async () => !(await emulator.isAlternate()));
      expect(await emulator.modes()).toEqual(before.modes);
      expect((await emulator.lines())[0]).toBe('$ hooktape listen');
      // Echo and lines are back.
      expect([terminal.localFlags & 0o10, terminal.localFlags & 0o2].every(flag => flag !== 0)).toBe(true);
      return exitCode;
    },
  };
}

const bodies = (): string[] => target.requests.map(({ body }: RecordedRequest) => body.toString());

describe('hooktape listen at a terminal', () => {
  test('shows what comes in and what the target answers; keys send, edit, resize and end it', async () => {
    // Ctrl+C in the editor reaches every program of the terminal.
    const editor = join(client.directory, 'editor');
    writeFileSync(
      editor,
      `#!/bin/sh\ntrap '' INT; kill -INT 0\nprintf 'the editor reads'; read answer\nprintf '{"edited":"%s"}' "$answer" > "$1"\n`,
    );
    chmodSync(editor, 0o755);
    const shown = await startOnTerminal({ EDITOR: editor, COLORTERM: 'truecolor' });
    await shown.deliver('{"title":"\x1b]0;owned\x07"}', 'push\x1b[2J'.replace(/[^ -~]/g, ''));
    await shown.sees(/> .* 200 {2}\d+ ms/);

    answerTo.status = '500 Internal Server Error';
    await shown.deliver('{"a":2}', 'issues');
    await shown.sees(/> .* 500 {2}held/);
    const held = await shown.sees('HELD');
    expect(held[22]).toStartWith('1 behind');

    shown.press('e');
    await shown.sees('the editor reads');
    expect(await shown.emulator.isAlternate()).toBe(false);
    shown.press('by hand\n');
    await shown.sees(/^Sent as edited: 500/);
    expect(bodies().at(-1)).toBe('{"edited":"by hand"}');

    answerTo.status = '200 OK';
    shown.press('r');
    await shown.sees(/^Sent again: 200/);
    await shown.sees('0 behind');
    shown.press('d');
    await shown.sees(/^\+ #3 .* 200/);

    shown.resize(130, 30);
    shown.press('\x1b');
    await shown.sees(/│ POST \//);
    shown.resize(30, 5);
    await shown.sees('The window is too small');
    shown.resize(80, 24);
    await shown.sees('● connected');
    expect({ ...shown.emulator, bells: shown.emulator.bells() }).toMatchObject({ titles: [], replies: [], bells: 0 });
    shown.press('q');
    expect(await shown.ended()).toBe(0);
  }, 120_000);

  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGHUP', 129],
  ] as const)(
    'gives the terminal back on %s',
    async (signal, exitCode) => {
      const shown = await startOnTerminal();
      shown.program.kill(signal);
      expect(await shown.ended()).toBe(exitCode);
    },
    30_000,
  );
});
