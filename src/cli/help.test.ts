import { describe, expect, test } from 'bun:test';
import { hooktape } from '../testing/command.ts';

// Wrong, so that whatever reads the settings fails.
const env = { HOOKTAPE_PORT: 'none' };
const run = (words: string) => hooktape(env, ...words.split(' '));

const create = /^hooktape account create EMAIL [^\n]*\n {4}\[--password-stdin\]\n\n[\s\S]*--team-of EMAIL/;

describe('help', () => {
  test.each([
    ['help', /^Hooktape [\s\S]*hooktape serve[\s\S]*hooktape restore[\s\S]*--env-file[\s\S]*78/],
    ['--help', /^Hooktape /],
    ['-h --json', /^\{"commands":\[\{"name":"serve",/],
    ['help key', /^hooktape key create NAME --account EMAIL \[--expires-in D\] \[--read-only\]\nhooktape key list/],
    ['key --help', /^hooktape key create NAME --account EMAIL .*\nhooktape key list/],
    ['--env-file x key --help', /^hooktape key create NAME --account EMAIL .*\nhooktape key list/],
    ['key create -h', /^hooktape key create NAME --account EMAIL .*\n\n/],
    ['help account create', create],
    ['account create --help', create],
    ['account --help create', create],
    ['account create a@example.com --plan free --help', create],
    ['help account delete', /^hooktape account delete EMAIL\n\n(?![\s\S]*--plan)/],
    ['help signing-key rotate', /^hooktape signing-key rotate .*\n\n[\s\S]*--revoke/],
    ['help keys rotate', /^hooktape signing-key rotate .*\n\n[\s\S]*--revoke/],
    ['backup FILE --help', /^hooktape backup FILE\n/],
    ['serve --help', /^hooktape serve \[--tunnel/],
    ['help help', /^hooktape help \[COMMAND/],
  ])('%s is on stdout, and needs no configuration', async (words, expected) => {
    const { exitCode, stdout, stderr } = await run(words);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(expected);
  });

  test('is the same as JSON', async () => {
    const { stdout } = await run('help account create --json');
    expect(JSON.parse(stdout)).toEqual({
      name: 'account',
      summary: expect.any(String),
      usage: [expect.stringContaining('hooktape account create EMAIL')],
      options: expect.arrayContaining([{ option: '--plan free|pro', about: expect.any(String) }]),
    });
  });
});

describe('an unknown word', () => {
  test.each([
    ['acount list', 'unknown command: acount; did you mean account?'],
    ['server', 'unknown command: server; did you mean serve?'],
    ['help bakcup', 'unknown command: bakcup; did you mean backup?'],
    ['nonsense --help', 'unknown command: nonsense\n'],
    ['help nonsense', 'unknown command: nonsense\n'],
    ['toString', 'unknown command: toString\n'],
    ['help toString', 'unknown command: toString\n'],
    ['help toString now', 'unknown command: toString\n'],
    ['help __proto__ now', 'unknown command: __proto__\n'],
    ['account crate a@example.com', 'unknown subcommand: account crate; did you mean create?'],
    ['help account crate', 'unknown subcommand: account crate; did you mean create?'],
    ['account crate --help', 'unknown subcommand: account crate; did you mean create?'],
    ['key revok key_1', 'unknown subcommand: key revok; did you mean revoke?'],
    ['keys rotat', 'unknown subcommand: signing-key rotat; did you mean rotate?'],
    ['account', 'a subcommand is missing: create, list, plan, password, two-factor, sign-in-link, oidc, delete'],
    ['check --reindx', 'unknown option: --reindx; did you mean --reindex?'],
    ['version --josn', 'unknown option: --josn; did you mean --json?'],
    [
      'serve --port 80',
      'unknown option: --port; set HOOKTAPE_PORT in the environment or in an env file (--env-file FILE)',
    ],
    ['--data-dir=/x', 'unknown option: --data-dir; set HOOKTAPE_DATA_DIR in the environment'],
    ['help serve now', 'unexpected argument: now'],
    ['help key create now', 'unexpected argument: now'],
  ])('hooktape %s exits with 2 and suggests the nearest name', async (words, said) => {
    const { exitCode, stdout, stderr } = await run(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`hooktape: ${said}`);
  });

  test('only the usage of the given subcommand is shown', async () => {
    expect((await run('account plan a@example.com')).stderr).toBe(
      'hooktape: free|pro is missing\n\nhooktape account plan EMAIL free|pro\n',
    );
  });
});
