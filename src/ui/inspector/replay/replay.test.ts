import { describe, expect, test } from 'bun:test';
import type { ProblemCode } from '../../../shared/problem-codes.ts';
import { appendTarget } from '../../../shared/replay-target.ts';
import { ApiError } from '../../kit/api.ts';
import { readDestination } from '../../kit/destination.ts';
import { bodyProblem, bodyToEdit, type Draft, editOf, sentHeaders } from './changes.ts';
import { sendCommand } from './command.ts';
import { explainRefusal } from './refusal.ts';
import { statusText } from './status-text.ts';

describe('a destination as people type it', () => {
  test.each([
    ['localhost:3000', 'http://localhost:3000'],
    ['localhost', 'http://localhost'],
    [' 127.0.0.1:3000/x ', 'http://127.0.0.1:3000/x'],
    ['[::1]:3000/x', 'http://[::1]:3000/x'],
    ['web:8080/hooks?a=1', 'http://web:8080/hooks?a=1'],
    ['app.example.com:8080', 'http://app.example.com:8080'],
    ['app.example.com:443', 'https://app.example.com:443'],
    ['app.example.com/hooks', 'https://app.example.com/hooks'],
    ['myapp.test/hooks', 'http://myapp.test/hooks'],
    [':3000', 'http://localhost:3000'],
    ['3000/hooks', 'http://localhost:3000/hooks'],
    ['https://a.example', 'https://a.example'],
    ['HTTP://a.example', 'HTTP://a.example'],
  ])('%s is %s', (typed, url) => expect(readDestination(typed)).toEqual({ url, problem: '' }));

  test.each(['ftp://a.example', 'http://', 'a b', 'https://user:pass@a.example', 'javascript://x', 'localhost:99999'])(
    '%s is refused with a reason',
    typed => expect(readDestination(typed)).toMatchObject({ url: '', problem: expect.stringMatching(/\w/) }),
  );
  test('an empty field has neither', () => expect(readDestination(' ')).toEqual({ url: '', problem: '' }));
});

test.each([
  ['http://h', '', null, 'http://h/'],
  ['http://h/hooks/', '/orders', 'a=%zz', 'http://h/hooks/orders?a=%zz'],
  ['http://h/hooks?k=1#f', '/x', 'a=1', 'http://h/hooks/x?k=1&a=1'],
  ['http://h/hooks?k=1', '', null, 'http://h/hooks?k=1'],
  ['http://h', '/a b?', '', 'http://h/a%20b%3F'],
] as const)('%s with path %p and query %p goes to %s', (url, path, query, target) =>
  expect(appendTarget(url, { path, query })).toBe(target),
);

const refused = (status: number, message: string, code?: ProblemCode): ApiError =>
  new ApiError(status, message, code ? { problems: [{ path: 'url', message, code }] } : {});

describe('a refusal', () => {
  test('names the setting and the exact entry', () => {
    const settingOf = (code: ProblemCode, url: string) => explainRefusal(refused(400, 'No.', code), url).setting;
    expect(settingOf('not_public', 'http://10.0.0.5:3000/x')).toBe('HOOKTAPE_REPLAY_ALLOW=10.0.0.5:3000');
    expect(settingOf('port_not_allowed', 'https://a.example')).toBe('HOOKTAPE_REPLAY_ALLOW=a.example:443');
  });
  test('says what to do about a signature', () => {
    const textOf = (...given: Parameters<typeof refused>) => explainRefusal(refused(...given), 'http://h').text;
    expect(textOf(400, 'discord uses a key pair', 'cannot_sign')).toStartWith(
      "Can't re-sign: Discord uses a key pair. Send it with the captured signature instead.",
    );
    expect(textOf(403, 'This secret may not sign.')).toContain('Enter the secret to sign');
    expect(textOf(502, 'No answer.')).toBe('No answer.');
  });
});

const captured = {
  rawHeaders: [
    ['Host', 'h'],
    ['Content-Type', 'application/json'],
    ['X-A', '1'],
    ['X-A', '2'],
    ['Authorization', '[redacted]'],
  ] as [string, string][],
  payloadRaw: '{"a":1}',
  payloadEncoding: 'utf8' as const,
};

describe('the edit of a draft', () => {
  const draft = (change: Partial<Draft>): Draft => ({
    body: bodyToEdit(captured),
    headers: sentHeaders(captured.rawHeaders),
    ...change,
  });
  test('none for an untouched draft, nor for the same text typed again', () => {
    expect(sentHeaders(captured.rawHeaders).map(([name]) => name)).toEqual(['Content-Type', 'X-A', 'X-A']);
    expect(editOf(captured, draft({}))).toBeUndefined();
    expect(editOf(captured, draft({ body: '{"a":1}' }))).toBeUndefined();
  });
  test('none of a body that is binary or too large to edit', () => {
    const binary = { ...captured, payloadRaw: '/w==', payloadEncoding: 'base64' as const };
    const large = { ...captured, payloadRaw: 'x'.repeat((512 << 10) + 1) };
    for (const event of [binary, large]) {
      expect(bodyToEdit(event)).toBeUndefined();
      expect(editOf(event, draft({ body: bodyToEdit(event) }))).toBeUndefined();
    }
  });
  test('the changed body, and the headers that are other, new or gone', () => {
    expect(editOf(captured, draft({ body: '' }))).toEqual({ body: '', bodyEncoding: 'utf8' });
    const headers: [string, string][] = [
      ['X-A', '1'],
      ['content-type', 'application/json'],
      ['X-New', ''],
      ['', 'no name'],
    ];
    expect(editOf(captured, draft({ headers }))).toEqual({
      headers: [
        ['X-A', '1'],
        ['X-New', ''],
      ],
    });
    expect(editOf(captured, draft({ headers: [] }))).toEqual({
      headers: [
        ['Content-Type', null],
        ['X-A', null],
      ],
    });
  });
  test('broken JSON is named with its place, other text is not JSON to begin with', () => {
    expect(bodyProblem('{"a":1}', '{"a":\n1,}')).toContain('line 2, column 3');
    expect(bodyProblem('{"a":1}', '{"a":2}')).toBe('');
    expect(bodyProblem('a=1', '{')).toBe('');
  });
});

describe('hooktape send', () => {
  const base = { url: 'http://localhost:3000', appendPath: true };
  test('has the flags for what the dialog does', () => {
    expect(sendCommand('evt_1', 'http://localhost:3000/x', base)).toBe(
      'hooktape send evt_1 --to http://localhost:3000/x',
    );
    const full = sendCommand('evt_1', 'https://a.example/x', {
      ...base,
      sign: { mode: 'tamper', secret: 'never in the command', newId: true },
      edit: {
        body: "it's",
        headers: [
          ['X-A', '$(id)'],
          ['X-Gone', null],
        ],
      },
    });
    expect(full).not.toContain('never in the command');
    expect(
      full
        .split('\n')
        .filter(line => !line.startsWith('#'))
        .join('\n'),
    ).toBe(
      [
        'hooktape send evt_1 --to https://a.example/x',
        '--tamper',
        '--new-id',
        '--secret-env WEBHOOK_SECRET',
        "--header 'X-A: $(id)'",
        "--body <(printf %s 'it'\\''s')",
        '--allow-remote',
      ].join(' \\\n  '),
    );
    expect(full).toContain('# The command line cannot leave out the header X-Gone');
  });

  test('bash hands the body over byte for byte', async () => {
    for (const body of ["it's\n", '\u0000\u001b[201~', '%s\\n']) {
      const command = sendCommand('evt_1', 'http://localhost', { ...base, edit: { body } });
      const script = `hooktape() { cat "\${@: -1}"; }; ${command}`;
      const child = Bun.spawn(['bash', '-c', script], { stdout: 'pipe', stderr: 'ignore' });
      expect(await new Response(child.stdout).text()).toBe(body);
    }
  });
});

test('status lines', () => {
  expect([statusText(404), statusText(299), statusText(null)]).toEqual(['404 Not Found', '299', 'No response']);
});
