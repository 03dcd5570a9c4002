/* What is completed, and that bash completes it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape } from '../../testing/command.ts';

let client: ClientHarness;
beforeAll(async () => {
  client = await openClientHarness();
  for (const name of ['orders', 'Bestellungen-ä', '$(touch /tmp/x)', 'two words', "quo'te"])
    await client.json('endpoint', 'create', name);
});
afterAll(() => client.close());

const complete = async (env: Record<string, string>, ...words: string[]): Promise<string[]> => {
  const { exitCode, stdout, stderr } = await hooktape(env, '__complete', ...words);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout.split('\n').slice(0, -1);
};

test.each<[string[], string[]]>([
  [['ev'], ['events']],
  [['si'], ['signing-key']],
  [
    ['endpoint', ''],
    ['list', 'create', 'delete'],
  ],
  [['help', 'endpoint', 'l'], ['list']],
  [['events', 'x', '--w'], ['--where']],
  [
    ['events', 'x', '--where', 'a', '--'],
    ['--limit', '--env-file', '--json', '--help'],
  ],
  [
    ['export', 'x', '--format', 'c'],
    ['csv', 'curl'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'powershell'],
  ],
  [['account', 'plan', 'a@example.com', 'p'], ['pro']],
  [
    ['send', 'x', '--set', 'a=1', '--se'],
    ['--secret-env', '--set'],
  ],
  [['backup', ''], []],
  [['nonsense', ''], []],
  [['toString', ''], []],
  [[''], expect.arrayContaining(['serve', 'login', 'help'])],
  [['""'], expect.arrayContaining(['serve', 'login', 'help'])],
])('%j is completed to %j', async (words, expected) => {
  expect(await complete({}, ...words)).toEqual(expected);
});

describe('an endpoint', () => {
  test('is offered by its name, and by its id when a shell might interpret the name', async () => {
    const found = await complete(client.env, 'events', '');
    expect(found.slice().sort()).toEqual(
      ['Bestellungen-ä', ...[1, 2, 3].map(() => expect.stringMatching(/^ep_\w+$/)), 'orders'].sort((a, b) =>
        String(a) < String(b) ? -1 : 1,
      ),
    );
    expect(await complete(client.env, 'endpoint', 'delete', 'ord')).toEqual(['orders']);
    expect(await complete(client.env, 'export', '--format', 'har', 'ord')).toEqual(['orders']);
  });

  test('is not offered when not even its id is plain: the server may be hostile', async () => {
    const endpoints = [
      { id: '$(touch /tmp/x)', name: 'a b' },
      { id: 'ep_1\n;reboot', name: '`x`' },
      { id: 'ep_2', name: '\u001b[31m' },
    ];
    using hostile = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ endpoints }) });
    const env = { ...client.env, HOOKTAPE_URL: `http://127.0.0.1:${hostile.port}` };
    expect(await complete(env, 'events', '')).toEqual(['ep_2']);
  });

  test('is not offered without a server or a key, and nothing is printed', async () => {
    expect(await complete(client.anonymous, 'events', '')).toEqual([]);
    expect(await complete({ ...client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' }, 'events', '')).toEqual([]);
  });
});

test('bash completes with the script', async () => {
  const program = join(client.directory, 'hooktape');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, '../../main.ts')}' "$@"\n`);
  chmodSync(program, 0o755);
  const { stdout: script } = await hooktape({}, 'completion', 'bash');
  const ask = async (line: string): Promise<string> => {
    const words = line.split(' ').map(word => `'${word}'`);
    const test = `${script}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_hooktape; printf '%s|' "\${COMPREPLY[@]}"`;
    const env = { ...client.env, PATH: Bun.env['PATH'] ?? '' };
    return new Response(Bun.spawn(['bash', '-c', test], { env, stdout: 'pipe' }).stdout).text();
  };
  expect(await ask(`${program} endpoint `)).toBe('list|create|delete|');
  expect(await ask(`${program} events ord`)).toBe('orders|');
});
