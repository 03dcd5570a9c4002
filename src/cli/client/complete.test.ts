/* What is completed, and that shells complete it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape } from '../../testing/command.ts';
import { eventually } from '../../testing/poll.ts';

let client: ClientHarness;
beforeAll(async () => {
  client = await openClientHarness();
  for (const name of ['orders', 'Bestellungen-ä', '$(touch /tmp/x)', 'My first endpoint', "quo'te", '-option'])
    await client.ada.json(201, 'POST', '/api/endpoints', { name });
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
  [['backup', ''], ['s3']],
  [
    ['backup', 's3', ''],
    ['status', 'now', 'verify'],
  ],
  [['restore', ''], []],
  [['restore', 's3://tapes/one', '--a'], ['--at']],
  [['nonsense', ''], []],
  [['toString', ''], []],
  [[''], expect.arrayContaining(['serve', 'login', 'help'])],
  [['""'], expect.arrayContaining(['serve', 'login', 'help'])],
])('%j is completed to %j', async (words, expected) => {
  expect(await complete({}, ...words)).toEqual(expected);
});

describe('an endpoint', () => {
  test('is offered by its name; by its id to scripts that do not quote, when a shell might interpret the name', async () => {
    const found = await complete(client.env, 'events', '');
    expect(found.slice().sort()).toEqual(
      ['Bestellungen-ä', ...[1, 2, 3, 4].map(() => expect.stringMatching(/^ep_\w+$/)), 'orders'].sort((a, b) =>
        String(a) < String(b) ? -1 : 1,
      ),
    );
    expect(await complete(client.env, 'endpoint', 'delete', 'ord')).toEqual(['orders']);
    expect(await complete(client.env, 'export', '--format', 'har', 'ord')).toEqual(['orders']);
  });

  test('is offered by a name in the way the shell writes it, unless it looks like an option', async () => {
    expect(await complete(client.env, '--shell=bash', 'events', '')).toEqual(
      expect.arrayContaining(['My\\ first\\ endpoint', "quo\\'te", '\\$\\(touch\\ /tmp/x\\)', 'orders']),
    );
    expect(await complete(client.env, '--shell=bash', 'events', '-')).not.toContain('-option');
    expect(await complete(client.env, '--shell=bash', 'events', 'My\\ f')).toEqual(['My\\ first\\ endpoint']);
    expect(await complete(client.env, '--shell=bash', 'events', '"My f')).toEqual(['My first endpoint']);
    expect(await complete(client.env, '--shell=fish', 'events', "'My f")).toEqual(['My first endpoint']);
    expect(await complete(client.env, '--shell=powershell', 'events', 'My')).toEqual(["'My first endpoint'"]);
    expect(await complete(client.env, '--shell=bash', 'events', 'My\\ first\\ endpoint', '--w')).toEqual(['--where']);
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
    expect(await complete(env, '--shell=zsh', 'events', '')).toEqual(['a b', '`x`', 'ep_2']);
  });

  test('is not offered without a server or a key, and nothing is printed', async () => {
    expect(await complete(client.anonymous, 'events', '')).toEqual([]);
    expect(await complete({ ...client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' }, 'events', '')).toEqual([]);
  });
});

describe('at a prompt', () => {
  let script: (shell: string) => string;
  beforeAll(async () => {
    const program = join(client.directory, 'hooktape');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, '../../main.ts')}' "$@"\n`);
    chmodSync(program, 0o755);
    const scripts = new Map<string, string>();
    for (const shell of ['bash', 'zsh', 'fish']) {
      const file = join(client.directory, `completion.${shell}`);
      writeFileSync(file, (await hooktape({}, 'completion', shell)).stdout);
      scripts.set(shell, file);
    }
    script = shell => scripts.get(shell) ?? '';
  });
  const env = () => ({
    ...client.env,
    PATH: `${client.directory}:${Bun.env['PATH']}`,
    HOME: client.directory,
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
  });

  /** Types into an interactive shell, and waits for what it then shows. */
  async function typing(command: string[], setUp: string, steps: readonly (readonly [keys: string, shown: string])[]) {
    let screen = '';
    const shell = Bun.spawn(command, {
      env: env(),
      cwd: client.directory,
      terminal: {
        cols: 200,
        rows: 24,
        data: (_, data) => {
          screen += Buffer.from(data).toString();
        },
      },
    });
    try {
      // The answer, and not the echo of the line, which has the quotes.
      for (const [keys, shown] of [[`${setUp}; echo rea''dy\r`, 'ready'] as const, ...steps]) {
        const from = screen.length;
        shell.terminal?.write(keys);
        const isShown = await eventually(() => screen.slice(from).includes(shown) || undefined, 15_000).catch(
          () => false,
        );
        if (!isShown) throw new Error(`after ${JSON.stringify(keys)}: ${JSON.stringify(screen.slice(from))}`);
      }
    } finally {
      shell.kill('SIGKILL');
      await shell.exited;
    }
  }
  const args = `args() { printf '<%s>' "$@"; echo; }`;
  const clear = '\x15';

  test('bash completes commands and names with spaces, also after a quote', async () => {
    await typing(
      ['bash', '--norc', '--noprofile', '-i'],
      `source '${script('bash')}'; complete -F _hooktape args; ${args}`,
      [
        ['hooktape endp\t', 'oint '],
        [`${clear}hooktape events My\t`, 'My\\ first\\ endpoint '],
        [`${clear}hooktape events 'My f\t`, "'My first endpoint' "],
        [`${clear}hooktape events "My f\t`, '"My first endpoint" '],
        [`\x01args \x05\r`, '<hooktape><events><My first endpoint>'],
        [`hooktape events \\$\t\x01args \r`, '<hooktape><events><$(touch /tmp/x)>'],
      ],
    );
  }, 120_000);

  test.skipIf(!Bun.which('zsh'))(
    'zsh completes names with spaces',
    async () => {
      const setUp = `autoload -Uz compinit; compinit -u -D; source '${script('zsh')}'; ${args}`;
      await typing(['zsh', '-f', '-i'], setUp, [
        ['args hooktape\r', '<hooktape>'],
        [`hooktape events My\t`, '\\ first\\ endpoint'],
        [`\x01args \r`, '<hooktape><events><My first endpoint>'],
        [`hooktape events 'My f\t`, 'irst endpoint'],
        [`\x01args \r`, '<hooktape><events><My first endpoint>'],
      ]);
    },
    30_000,
  );

  test.skipIf(!Bun.which('fish'))(
    'fish completes names with spaces',
    async () => {
      const ask = async (line: string): Promise<string[]> => {
        const words = ['fish', '--no-config', '-c', `source '${script('fish')}'; complete -C ${line}`];
        return (await new Response(Bun.spawn(words, { env: env(), stdout: 'pipe' }).stdout).text())
          .trimEnd()
          .split('\n');
      };
      expect(await ask(`'hooktape events My'`)).toEqual(['My first endpoint']);
      expect(await ask(`'hooktape events My\\\\ f'`)).toEqual(['My first endpoint']);
      expect(await ask(`"hooktape events 'My f"`)).toEqual(['My first endpoint']);
      expect(await ask(`'hooktape endpoint '`)).toEqual(expect.arrayContaining(['list', 'create', 'delete']));
    },
    30_000,
  );
});
