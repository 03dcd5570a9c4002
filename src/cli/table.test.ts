/* The table of commands: its usage lines, its documentation, and what a command really takes. */
import { describe, expect, test } from 'bun:test';
import { pagePath, renderPage } from '../../scripts/cli-doc.ts';
import { hooktape } from '../testing/command.ts';
import type { Command } from './io.ts';
import { clientCommands } from './table/client-commands.ts';
import { serverCommands } from './table/server-commands.ts';
import { readForm, readForms } from './usage-grammar.ts';

const commands: [string, Command][] = Object.entries({ ...serverCommands, ...clientCommands });

test('docs/cli.md is up to date with the table of commands', async () => {
  const page = await Bun.file(pagePath).text();
  expect(page === renderPage()).toBe(true);
  for (const [name] of commands) expect(page).toContain(`\n### ${name}\n`);
});

describe('the documents', () => {
  const root = new URL('../..', import.meta.url).pathname;
  const pages = ['README.md', 'docs/*.md', 'clients/*/README.md', 'skills/**/*.md'].flatMap(pattern => [
    ...new Bun.Glob(pattern).scanSync(root),
  ]);
  const optionsOf = new Map(
    commands.map(([name, { usage }]) => [
      name,
      readForms(usage).flatMap(form => form.options.map(option => option.name)),
    ]),
  );
  /** `hooktape NAME …` in code, up to a pipe or a comment, without quoted values, `$(…)` and what follows `--exec`. */
  const unknownIn = (text: string): string[] => {
    const code = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$|`([^`\n]+)`/gm)].map(([, block, span]) => block ?? span);
    const calls = code
      .join('\n')
      .replace(/ \\\n */g, ' ')
      .replace(/'[^'\n]*'|"[^"\n]*"|\$\([^)]*\)/g, '…')
      .matchAll(/(?:^|[/( ])hooktape (?!hooktape )([a-z][a-z-]+)(?= |$)([^|&#;\n]*)/gm);
    return [...calls].flatMap(([call, name = '', rest = '']) => {
      const options = optionsOf.get(name);
      const used = [...rest.replace(/--exec .*/, '--exec').matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option);
      if (options === undefined) return used.length > 0 ? [call] : [];
      const known = [...options, '--json', '--env-file', '--help'];
      return used.filter(option => !known.includes(option)).map(option => `${name} ${option}`);
    });
  };

  test.each(pages)('%s uses only options that commands have', async page => {
    expect(unknownIn(await Bun.file(`${root}/${page}`).text())).toEqual([]);
  });
});

describe('a usage line', () => {
  test('says which arguments and options a command takes', () => {
    expect(readForm("hooktape send EVENT [NAME] TAG… --to URL [--raw] [--plan free|pro] [--header 'N: V']…")).toEqual({
      words: ['send'],
      arguments: [
        { name: 'EVENT', choices: [], isOptional: false, isRepeated: false },
        { name: 'NAME', choices: [], isOptional: true, isRepeated: false },
        { name: 'TAG', choices: [], isOptional: false, isRepeated: true },
      ],
      options: [
        { name: '--to', value: 'URL', choices: [], isRequired: true, isRepeated: false },
        { name: '--raw', value: undefined, choices: [], isRequired: false, isRepeated: false },
        { name: '--plan', value: 'free|pro', choices: ['free', 'pro'], isRequired: false, isRepeated: false },
        { name: '--header', value: 'N: V', choices: [], isRequired: false, isRepeated: true },
      ],
    });
    expect(readForm('hooktape key list --account EMAIL').words).toEqual(['key', 'list']);
    expect(readForm('hooktape account plan EMAIL free|pro').arguments[1]?.choices).toEqual(['free', 'pro']);
    expect(readForm('hooktape signing-key rotate [--now|--revoke]').options.map(({ name }) => name)).toEqual([
      '--now',
      '--revoke',
    ]);
    expect(readForm('hooktape account password EMAIL --password-stdin [--keep-keys]').options[0]).toMatchObject({
      name: '--password-stdin',
      value: undefined,
      isRequired: true,
    });
  });

  test.each(commands)('of %s explains each of its options', (_name, { usage, details = [] }) => {
    const options = readForms(usage).flatMap(form => form.options.map(({ name }) => name));
    const explained = details.map(([option]) => option.split(' ')[0] ?? '');
    expect([...new Set(options)].sort()).toEqual(explained.filter(name => name.startsWith('--')).sort());
  });
});

describe('help', () => {
  test.each([['help'], ...commands.map(([name]) => [name])])('of %s fits into 80 columns', async name => {
    const { stdout } = await hooktape({}, ...(name === 'help' ? ['help'] : ['help', name]));
    expect(stdout.split('\n').filter(line => Bun.stringWidth(line) > 80)).toEqual([]);
  });
});

describe('client commands', () => {
  const env = { XDG_CONFIG_HOME: '/no/where', HOOKTAPE_URL: 'http://127.0.0.1:1', HOOKTAPE_KEY: 'htk_x' };

  test.each([
    ['ENDPOINT is missing', 'events'],
    ['EVENT is missing', 'show'],
    ['TAG is missing; --none removes all tags', 'tag evt_1'],
    ['--to URL is missing', 'send evt_1'],
    ['unexpected argument: two', 'unpin one two'],
    ['a subcommand is missing: list, create, delete', 'endpoint'],
    ['unknown subcommand: endpoint lst; did you mean list?', 'endpoint lst'],
    ['unknown option: --limt; did you mean --limit?', 'events inbox --limt 3'],
    ['unknown option: --url; set HOOKTAPE_URL', 'events inbox --url x'],
    ['--format must be one of json, har, ndjson, csv, curl', 'export inbox --format xml'],
    ['must be one of bash, zsh, fish, powershell', 'completion tcsh'],
    ['not a server URL: http://', 'login http://'],
    ['the env file /no/where.env cannot be read: there is no such file or folder', 'whoami --env-file /no/where.env'],
  ])('"%s" is wrong usage: %s', async (said, words) => {
    const { exitCode, stdout, stderr } = await hooktape(env, ...words.split(' '));
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`hooktape: ${said}`);
  });

  test('the variables of client commands do not disturb those of the server', async () => {
    expect((await hooktape({ ...env, HOOKTAPE_DATA_DIR: '/tmp/none' }, 'config')).exitCode).toBe(0);
  });
});
