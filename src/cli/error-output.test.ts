import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../testing/command.ts';
import { reportError } from './error-output.ts';
import { type Io, OperationError } from './io.ts';

let directory: string;
let env: Record<string, string>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data') };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('with --json', () => {
  test.each([
    [
      'wrong usage',
      'account create',
      2,
      { error: 'EMAIL is missing', usage: [expect.stringContaining('create EMAIL')] },
    ],
    ['an unknown command', 'nonsense', 2, { error: 'unknown command: nonsense', usage: [] }],
    ['a refusal', 'account delete a@example.com', 1, { error: 'account a@example.com not found' }],
    ['a missing file', 'restore /no/where.db', 1, { error: 'the backup /no/where.db not found' }],
  ])('%s is one line of JSON on stderr', async (_what, words, exitCode, expected) => {
    await hooktape(env, 'account', 'create', 'owner@example.com');
    const ended = await hooktape(env, ...words.split(' '), '--json');
    expect([ended.exitCode, ended.stdout]).toEqual([exitCode, '']);
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(ended.stderr)).toEqual({ ...expected, exitCode });
  });

  test('an invalid configuration is one JSON line with every problem', async () => {
    const wrong = { ...env, HOOKTAPE_PORT: 'none', HOOKTAPE_MAX_BODY: 'much' };
    const { exitCode, stderr } = await hooktape(wrong, '--json', 'config');
    expect(exitCode).toBe(78);
    expect(JSON.parse(stderr)).toEqual({
      error: 'the configuration is invalid',
      problems: [expect.stringContaining('HOOKTAPE_PORT'), expect.stringContaining('HOOKTAPE_MAX_BODY')],
      exitCode,
    });
  });

  test('a server prints its address in one JSON document when it is ready', async () => {
    const { stdout } = await (await startServer(env, {}, ['--json'])).stop();
    expect(JSON.parse(stdout)).toEqual({
      version: 'test',
      baseUrl: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      setupUrl: expect.stringContaining('/setup?token='),
    });
  });

  test('a backup prints only its result', async () => {
    await hooktape(env, 'account', 'create', 'a@example.com');
    const { exitCode, stdout, stderr } = await hooktape(env, 'backup', join(directory, 'copy.db'), '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
  });
});

describe('error messages', () => {
  const said = (error: unknown, json: boolean): string => {
    let text = '';
    const io = { stderr: (more: string) => (text += more) } as unknown as Io;
    expect(reportError(error, { usage: '', json, io })).toBe(1);
    return text;
  };

  test('have no control characters', () => {
    const hostile = new OperationError('event 3: \x1b[2Junexpected \u202etoken\nTry another file.');
    expect(said(hostile, false)).toBe('hooktape: event 3: \\u001b[2Junexpected \\u202etoken\nTry another file.\n');
    expect(JSON.parse(said(hostile, true)).error).toBe(hostile.message);
    for (const char of ['\x1b', '\u202e']) expect(said(hostile, true)).not.toContain(char);
  });

  test('have a stack only for unexpected errors', () => {
    expect(said(new TypeError('oh'), false)).toMatch(/^hooktape: oh\n[\s\S]*error-output\.test\.ts/);
    expect(said(new OperationError('no'), false)).toBe('hooktape: no\n');
    expect(said(Object.assign(new Error('EIO: read'), { code: 'EIO' }), false)).toBe('hooktape: EIO: read\n');
  });
});
