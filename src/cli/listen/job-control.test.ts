/* `hooktape listen` as a job of a shell at a pseudo-terminal: in the background, stopped, continued, in the foreground again. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useListenHarness } from '../../testing/listen-harness.ts';
import { eventually } from '../../testing/poll.ts';
import { createTerminalEmulator } from '../../testing/terminal-emulator.ts';

setDefaultTimeout(120_000);

const harness = await useListenHarness();
const shells: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const shell of shells.splice(0)) {
    // A shell passes it on to its jobs, also to stopped ones.
    shell.kill('SIGHUP');
    await Promise.race([shell.exited, Bun.sleep(3000).then(() => shell.kill('SIGKILL'))]);
  }
});

/** An interactive shell in which `listen` starts the program. */
async function openShell() {
  const program = join(harness.client.directory, 'listen');
  const words = [process.execPath, join(import.meta.dir, '../../main.ts'), 'listen', harness.inbox().id];
  const line = [...words, '--as', 'me', '--to', `${harness.target().origin}/hook`].map(word => `'${word}'`).join(' ');
  writeFileSync(program, `#!/bin/sh\nexec ${line} "$@"\n`);
  chmodSync(program, 0o755);
  const emulator = createTerminalEmulator({ columns: 100, rows: 24 });
  let written = '';
  const shell = Bun.spawn(['bash', '--noprofile', '--norc', '-i'], {
    cwd: harness.client.directory,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', PS1: '$ ', ...harness.client.env },
    terminal: {
      cols: 100,
      rows: 24,
      data: (_, data) => {
        written += Buffer.from(data).toString();
        emulator.writeBytes(data);
      },
    },
  });
  shells.push(shell);
  const { terminal } = shell;
  if (!terminal) throw new Error('there is no pseudo-terminal');
  const press = (keys: string): unknown => terminal.write(keys);
  /** What was written since the last call, once there is such a text in it. */
  const sees = async (pattern: RegExp): Promise<string> => {
    await eventually(() => pattern.test(written), 15_000);
    const taken = written;
    written = '';
    return taken;
  };
  await sees(/\$ /);
  return {
    emulator,
    press,
    sees,
    resize(columns: number, rows: number): void {
      emulator.resize({ columns, rows });
      terminal.resize(columns, rows);
    },
    /** Waits for that many lines of the screen. */
    shows: (part: string | RegExp, count = 1): Promise<boolean> =>
      eventually(async () => (await emulator.lines()).filter(line => line.search(part) >= 0).length === count, 15_000),
    /** Waits for the answer of the shell, of which the typed line is no part. */
    async jobs(): Promise<string> {
      press('jobs; echo e""nd\n');
      return sees(/^end/m);
    },
    delivered: async (body: string): Promise<void> => {
      await harness.deliver(body);
      await eventually(() => harness.bodies().includes(body), 15_000);
    },
  };
}

const screen = '\x1b[?1049h';

test('in the background it delivers and prints lines, and Ctrl+C ends it after `fg`', async () => {
  const { press, sees, jobs, delivered, emulator } = await openShell();
  press('./listen &\n');
  const start = await sees(/Connected[\s\S]*0 behind/);
  await delivered('1');
  const outcome = await sees(/200 in \d+ ms/);
  expect(await jobs()).toContain('Running');
  expect(`${start}${outcome}`).not.toContain(screen);
  expect(`${start}${outcome}`).not.toContain('\x1b[K0 behind');
  press('fg\n');
  await delivered('2');
  await sees(/200 in \d+ ms/);
  press('\x03');
  await sees(/\$ $/);
  expect(await jobs()).not.toMatch(/Running|Stopped/);
  expect(await emulator.isAlternate()).toBe(false);
});

test('after Ctrl+Z, `bg` delivers without a screen and leaves the keys to the shell, and `fg` shows it again', async () => {
  const { press, sees, shows, jobs, delivered, resize, emulator } = await openShell();
  press('./listen\n');
  await shows('● connected');
  press('\x1a');
  await sees(/Stopped/);
  press('bg\n');
  await delivered('1');
  press('echo he""re\n');
  await sees(/^here/m);
  expect(await jobs()).toContain('Running');
  expect(await emulator.isAlternate()).toBe(false);
  // The system reports this only to the shell.
  resize(30, 5);
  press('fg\n');
  await shows('The window is too small');
  resize(100, 24);
  await delivered('2');
  await shows(/200 {2}\d+ ms/, 2);
  press('q');
  await sees(/\$ $/);
  expect(await jobs()).not.toMatch(/Running|Stopped/);
});

test('after Ctrl+Z and `bg` it can be ended there, without being stopped by its own end', async () => {
  const { press, sees, shows, jobs, delivered } = await openShell();
  press('./listen\n');
  await shows('● connected');
  press('\x1a');
  await sees(/Stopped/);
  press('bg\n');
  await delivered('1');
  press('kill %1; wait %1; echo "ended with $?"\n');
  await sees(/^ended with 0/m);
  expect(await jobs()).not.toMatch(/Running|Stopped/);
});

test('--output tui in the background waits for the foreground with its screen, not with its deliveries', async () => {
  const { press, sees, shows, delivered, emulator } = await openShell();
  press('./listen --output tui &\n');
  await sees(/\$ /);
  await eventually(
    () =>
      harness.consumer().then(
        () => true,
        () => false,
      ),
    15_000,
  );
  await delivered('1');
  expect(await emulator.isAlternate()).toBe(false);
  press('fg\n');
  await shows(/200 {2}\d+ ms/);
  press('q');
  await eventually(async () => !(await emulator.isAlternate()), 15_000);
});
