/* `hooktape apply` and HOOKTAPE_ENDPOINTS_FILE, with and without a running server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape, startServer } from '../testing/command.ts';

const account = 'ada@example.com';
let prepared: string;
let directory: string;
let file: string;
let env: Record<string, string>;
beforeAll(async () => {
  prepared = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  await hooktape({ HOOKTAPE_DATA_DIR: prepared }, 'account', 'create', account, '--plan', 'pro');
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data'), HOOKTAPE_FIXED_ADDRESSES: 'on' };
  cpSync(prepared, join(directory, 'data'), { recursive: true });
  file = join(directory, 'endpoints.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
afterAll(() => rmSync(prepared, { recursive: true, force: true }));

const write = (...endpoints: object[]) => writeFileSync(file, JSON.stringify({ endpoints }, null, 2));
const apply = (...options: string[]) => hooktape(env, 'apply', file, ...options);
const counts = async (...options: string[]) => JSON.parse((await apply('--json', ...options)).stdout) as object;

describe('hooktape apply', () => {
  test('makes the endpoints, prints their URLs, and the second time no changes', async () => {
    write({ name: 'orders', account, address: 'orders' }, { name: 'billing', account, retention: '3d' });
    const first = await apply();
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(
      /^created orders: http:\/\/localhost:4665\/in\/orders\ncreated billing: http:\/\/localhost:4665\/in\/\w{32}\n2 created, 0 changed, 0 removed, 0 unchanged\n$/,
    );
    expect(await apply()).toEqual({ exitCode: 0, stdout: 'no changes\n', stderr: '' });
    expect(await counts()).toEqual({ created: 0, changed: 0, removed: 0, unchanged: 2 });
    write({ name: 'orders', account, address: 'orders', retention: '1d' }, { name: 'new', account });
    expect((await apply('--dry-run')).stdout).toBe(
      'would create new\nwould change orders: retention\ndry run: 1 created, 1 changed, 0 removed, 0 unchanged\n',
    );
    expect(await counts('--prune')).toEqual({ created: 1, changed: 1, removed: 1, unchanged: 0 });
  });

  test('names line and field of every problem, of the file and of the database, and changes nothing', async () => {
    writeFileSync(
      file,
      `{
  "endpoints": [
    { "name": "good", "account": "${account}" },
    {
      "name": "bad",
      "account": "nobody@example.com",
      "guard": {
        "cidrs": ["10.0.0.0/8",
                  "10.0.0"],
        "token": { "in": "header", "name": "X-Token", "valueFrom": { "env": "NOT_SET" } },
        "onRefuse": "drop"
      },
      "secrets": [{ "platform": "stripe", "valueFrom": { "env": "NOT_SET" } }],
      "retantion": "3d"
    }
  ]
}`,
    );
    const refused = await apply();
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      `hooktape: ${file}: 5 problems; nothing was changed:
  line 6, endpoints[1].account: there is no account nobody@example.com
  line 9, endpoints[1].guard.cidrs[1]: must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32
  line 10, endpoints[1].guard.token.valueFrom: the variable "NOT_SET" is not set
  line 13, endpoints[1].secrets[0].valueFrom: the variable "NOT_SET" is not set
  line 14, endpoints[1].retantion: no such field; did you mean retention?
`,
    );
    const asJson = JSON.parse((await apply('--json')).stderr);
    expect(asJson).toMatchObject({
      exitCode: 1,
      problems: [{ line: 6, column: 7, field: 'endpoints[1].account' }, {}, {}, {}, {}],
    });
    write({ name: 'good', account });
    expect(await counts()).toMatchObject({ created: 1 });
  });

  test('names every wrong value in answers, each with its own line', async () => {
    writeFileSync(
      file,
      `{ "endpoints": [{ "name": "a", "account": "${account}", "answers": { "rules": [
  {
    "name": "flaky",
    "chance": "often",
    "answer": {
      "headers": [
        ["Retry-After", "5"],
        ["Set-Cookie", "a=b"]
      ],
      "status": 999
    }
  },
  7,
  { "name": "flaky", "rate": { "max": 0 },
    "when": "attempt>1",
    "answer": { "delayMs": 60001, "body": ["x"] } }
] } }] }`,
    );
    const at = 'endpoints[0].answers.rules';
    expect((await apply()).stderr).toBe(
      `hooktape: ${file}: 10 problems; nothing was changed:
  line 4, ${at}[0].chance: must be a number from 0 to 1
  line 8, ${at}[0].answer.headers[1]: "Set-Cookie" cannot be set by a rule
  line 10, ${at}[0].answer.status: must be a whole number from 200 to 599
  line 13, ${at}[1]: must be an object
  line 14, ${at}[2].name: another rule is called "flaky", too
  line 14, ${at}[2].rate.perS: required
  line 14, ${at}[2].rate.max: must be a whole number from 1 to 1000
  line 15, ${at}[2].when: attempt is not known before the answer; write "per": "delivery" with first or every
  line 16, ${at}[2].answer.delayMs: must be a whole number from 0 to 60000
  line 16, ${at}[2].answer.body: must be a text
`,
    );
  });

  test('a missing HOOKTAPE_FIXED_ADDRESSES is reported together with all other problems', async () => {
    write({ name: 'a', account, address: 'orders' }, { account: 'nobody@example.com', address: 'bills', paused: true });
    const { exitCode, stderr } = await hooktape({ ...env, HOOKTAPE_FIXED_ADDRESSES: 'off' }, 'apply', file);
    expect(exitCode).toBe(1);
    for (const problem of [
      '4 problems',
      'endpoints[0].address: fixed addresses need HOOKTAPE_FIXED_ADDRESSES=on',
      'endpoints[1].address: fixed addresses need HOOKTAPE_FIXED_ADDRESSES=on',
      'endpoints[1].name: required',
      'endpoints[1].paused: no such field',
    ])
      expect(stderr).toContain(problem);
  });

  test.each([
    ['{ "endpoints": [ { "name": "a" "account": "b" } ] }', 'line 1: not JSON: comma expected'],
    ['{\n"endpoints": [],\n}', 'line 3: not JSON: property name expected'],
    ['// comment\n{ "endpoints": [] }', 'line 1: not JSON: invalid comment token'],
    ['', 'line 1: not JSON: value expected'],
    ['[]', 'line 1: must be an object'],
    ['{}', 'line 1, endpoints: required'],
    [`{"endpoints":[\n{"name":"a","account":"${account}",\n"name":"b"}]}`, 'line 3, endpoints[0].name: is given twice'],
    [`${'['.repeat(200)}`, 'line 1: not JSON, or nested too deeply'],
    [
      `{"endpoints":[{"name":"a","account":"${account}","guard":{"methods":["POST"],"onRefuse":"x"}}]}`,
      '1 problem; nothing was changed:\n  line 1, endpoints[0].guard.onRefuse: must be record or drop',
    ],
    [
      '{"endpoints":[{"account":"x","name":7}]}',
      'line 1, endpoints[0].account: must be an address like name@example.com',
    ],
  ])('wrong content is 1, number %#', async (text, expected) => {
    writeFileSync(file, text);
    const { exitCode, stderr } = await apply();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(expected)]);
  });

  test('a file that cannot be read is 2, and so is --force without --prune', async () => {
    const missing = await apply();
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining(`cannot read ${file}: ENOENT`)]);
    mkdirSync(file);
    expect((await apply()).exitCode).toBe(2);
    expect((await apply('--force')).exitCode).toBe(2);
    expect((await hooktape(env, 'apply')).exitCode).toBe(2);
  });

  test('secrets come from the environment and from files beside FILE', async () => {
    mkdirSync(join(directory, 'secrets'));
    writeFileSync(join(directory, 'secrets', 'github'), 'gh-secret-1\n');
    env['STRIPE'] = `whsec_${'a'.repeat(32)}`;
    const github = { platform: 'github', valueFrom: { file: 'secrets/github' } };
    write({
      name: 'a',
      account,
      secrets: [github, { platform: 'stripe', valueFrom: { env: 'STRIPE' } }],
      guard: {
        basic: { user: 'u', passwordFrom: { env: 'STRIPE' } },
        token: { in: 'query', name: 't', valueFrom: { file: './secrets/github' } },
        onRefuse: 'drop',
      },
    });
    expect(await counts()).toMatchObject({ created: 1 });
    expect(await counts()).toMatchObject({ unchanged: 1 });
    writeFileSync(join(directory, 'secrets', 'github'), 'gh-secret-2');
    expect((await apply()).stdout).toStartWith('changed a: guard, secrets\n');
    write({
      name: 'a',
      account,
      secrets: [
        { platform: 'github', value: 'plain' },
        { ...github, valueFrom: { file: 'none' } },
      ],
    });
    expect((await apply()).stderr).toMatch(
      /secrets\[0\].value: secrets must not be in the file[\s\S]*"none" cannot be read \(ENOENT\)/,
    );
  });

  test('works through a running server, which takes deliveries to a fixed address at once', async () => {
    const { origin, stop } = await startServer(env);
    try {
      write({ name: 'orders', account, address: 'orders', guard: { methods: ['POST'], onRefuse: 'drop' } });
      expect((await fetch(`${origin}/in/orders`, { method: 'POST' })).status).toBe(404);
      expect(await counts()).toMatchObject({ created: 1 });
      expect((await fetch(`${origin}/in/orders`, { method: 'POST' })).status).toBe(200);
      expect((await fetch(`${origin}/in/orders`)).status).toBe(405);
      const both = await Promise.all([counts(), counts(), counts('--prune')]);
      const same = { created: 0, changed: 0, removed: 0, unchanged: 1 };
      expect(both).toEqual([same, same, same]);
      write();
      expect(await counts('--prune')).toMatchObject({ removed: 1 });
      expect((await fetch(`${origin}/in/orders`, { method: 'POST' })).status).toBe(404);
    } finally {
      await stop();
    }
  });
});

describe('HOOKTAPE_ENDPOINTS_FILE', () => {
  test('is applied at each start, after the owner was made, and before the server listens', async () => {
    write({ name: 'orders', account: 'owner@example.com', address: 'orders' });
    const fresh = {
      ...env,
      HOOKTAPE_DATA_DIR: join(directory, 'empty'),
      HOOKTAPE_ENDPOINTS_FILE: file,
      HOOKTAPE_OWNER_EMAIL: 'owner@example.com',
      HOOKTAPE_OWNER_PASSWORD: 'correct horse battery',
    };
    for (const expected of [{ created: 1 }, { created: 0, unchanged: 1 }]) {
      const { origin, stop } = await startServer(fresh);
      expect((await fetch(`${origin}/in/orders`, { method: 'POST' })).status).toBe(200);
      const { exitCode, stderr } = await stop();
      const logged = stderr.split('\n').find(line => line.includes('endpoints file applied')) ?? '';
      expect([exitCode, JSON.parse(logged)]).toMatchObject([0, expected]);
    }
  });

  test('wrong content and an unreadable file are 78, and nothing listens', async () => {
    const serve = () => hooktape({ ...env, HOOKTAPE_PORT: '0', HOOKTAPE_ENDPOINTS_FILE: file }, 'serve');
    const unreadable = await serve();
    expect([unreadable.exitCode, unreadable.stderr]).toEqual([
      78,
      expect.stringContaining(`HOOKTAPE_ENDPOINTS_FILE: cannot read ${file}: ENOENT`),
    ]);
    write({ name: 'a', account, forwards: [{ name: 'a', url: 'no' }] });
    const { exitCode, stdout, stderr } = await serve();
    expect([exitCode, stdout]).toEqual([78, '']);
    expect(stderr).toContain(
      `HOOKTAPE_ENDPOINTS_FILE: ${file}, line 9, endpoints[0].forwards[0].url: must be an absolute`,
    );
  });
});
