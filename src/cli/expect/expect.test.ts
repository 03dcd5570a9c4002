/* `hooktape mark` and `expect` against a real server: each outcome with its code and its words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { hooktape } from '../../testing/command.ts';
import { type ExpectHarness, openExpectHarness } from '../../testing/expectations.ts';

let harness: ExpectHarness;
let directory: string;
/** How far the server's clock is ahead of this machine's. */
let aheadMs = 0;
beforeAll(async () => {
  harness = await openExpectHarness({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
  directory = mkdtempSync(join(tmpdir(), 'hooktape-expect-'));
});
afterAll(async () => {
  await harness.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Not long, so that what is missing is missed soon. */
const soon = ['--within', '50ms', '--settle', '50ms'];
const outcome = ({ exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string }) => ({
  exitCode,
  stdout,
  stderr,
});

describe('hooktape mark', () => {
  test('prints a position: events before it do not count, later ones do', async () => {
    const { client, createInbox, push, run } = harness;
    const inbox = await createInbox();
    await push(inbox, { n: 1 });
    const { stdout, exitCode } = await run('mark', inbox.id);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^\S+\n$/)]);
    expect(await client.json('mark', inbox.id)).toEqual({
      events: [],
      cursor: stdout.trim(),
      more: false,
      truncated: false,
    });
    const id = await push(inbox, { n: 2 });
    const met = await run('expect', inbox.id, '--after', stdout.trim(), '--count', '1', ...soon);
    expect([met.exitCode, met.stdout.split('\t')[0], met.stderr]).toEqual([0, id, '']);
  });
});

describe('what arrives', () => {
  test('before the command and while it waits is counted alike', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const first = await push(inbox, { n: 1 });
    const waiting = expectIn(inbox, '--at-least', '2', '--where', 'type:push', '--json');
    await push(inbox, { n: 2 }, { type: 'ping' });
    const second = await push(inbox, { n: 3 });
    const { exitCode, stdout, stderr } = await waiting;
    expect([exitCode, stderr]).toEqual([0, '']);
    const { met, count, events, unmatched, truncated } = JSON.parse(stdout);
    expect({ met, count, unmatched, truncated }).toEqual({ met: true, count: 2, unmatched: [], truncated: false });
    expect(events.map(({ id }: { id: string }) => id)).toEqual([first, second]);
  });

  test('nothing: exit code 1', async () => {
    const inbox = await harness.createInbox();
    expect(outcome(await harness.expectIn(inbox, ...soon))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'hooktape: not met: expected at least 1 event within 50ms, but nothing arrived after the mark\n',
    });
  });

  test('too late: exit code 1, and the same mark finds it afterwards', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const missed = await expectIn(inbox, '--where', 'type:push', ...soon);
    expect([missed.exitCode, missed.stderr]).toEqual([1, expect.stringContaining('nothing arrived')]);
    await push(inbox, { n: 1 });
    expect((await expectIn(inbox, '--where', 'type:push', ...soon)).exitCode).toBe(0);
  });

  test('too few: exit code 1, with those that did arrive', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const id = await push(inbox, { n: 1 });
    const { exitCode, stderr } = await expectIn(inbox, '--count', '3', ...soon);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('not met: expected exactly 3 events within 50ms, but only 1 event arrived\n');
    expect(stderr).toContain(`1 event matched:\n  ${id}  `);
  });

  test('doubled: exit code 3 at once, whatever time is left', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const ids = [await push(inbox, { n: 1 }), await push(inbox, { n: 2 })];
    const { exitCode, stdout, stderr } = await expectIn(inbox, '--count', '1', '--within', '1h', '--settle', '1h');
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('too many: expected exactly 1 event, but 2 events arrived\nThey are:\n');
    for (const id of ids) expect(stderr).toContain(`  ${id}  `);
    expect(stderr).not.toContain('--per delivery');
  });

  test('although none was expected: exit code 3; nothing: 0 after the whole time', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    expect((await expectIn(inbox, '--none', ...soon)).exitCode).toBe(0);
    expect((await expectIn(inbox, '--count', '0', ...soon)).exitCode).toBe(0);
    const waiting = expectIn(inbox, '--none', '--where', 'type:push', '--within', '1h');
    await push(inbox, {});
    const { exitCode, stderr } = await waiting;
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('too many: expected no event matching type:push, but 1 event arrived'),
    ]);
  });

  test('forged: exit code 1, and why its signature does not hold', async () => {
    const { createInbox, push, expectIn, registerSecret } = harness;
    const inbox = await createInbox();
    await registerSecret(inbox);
    const id = await push(inbox, { n: 1 }, { secret: 'guessed' });
    const forged = await expectIn(inbox, '--where', 'type:push', '--verdict', 'valid', ...soon);
    expect([forged.exitCode, forged.stdout]).toEqual([1, '']);
    expect(forged.stderr).toContain('the one event that arrived does not match');
    expect(forged.stderr).toContain(`  ${id}  `);
    expect(forged.stderr).toContain(
      'fails verdict:valid: its signature is invalid: it was made with another secret, or the body was changed',
    );
    await push(inbox, { n: 1 });
    expect((await expectIn(inbox, '--count', '1', '--verdict', 'valid', ...soon)).exitCode).toBe(0);
    expect((await expectIn(inbox, '--count', '1', '--verdict', 'invalid', ...soon)).exitCode).toBe(0);
    // OR binds less than the verdict that is added.
    const either = ['--where', 'body.n:1 OR body.n:2', '--verdict', 'valid', '--count', '1'];
    expect((await expectIn(inbox, ...either, ...soon)).exitCode).toBe(0);
  });

  test('with a verdict that holds only later, because the secret is registered then', async () => {
    const { createInbox, push, expectIn, registerSecret } = harness;
    const inbox = await createInbox();
    const id = await push(inbox, { n: 1 });
    const unchecked = await expectIn(inbox, '--verdict', 'valid', ...soon);
    expect([unchecked.exitCode, unchecked.stderr]).toEqual([
      1,
      expect.stringContaining('its signature is unchecked: no secret is registered for its platform'),
    ]);
    const waiting = expectIn(inbox, '--verdict', 'valid', '--within', '1500ms');
    await registerSecret(inbox);
    const { exitCode, stdout } = await waiting;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(id)]);
  });

  test('a second attempt while an exact count settles: one too many per event, none per delivery', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const delivery = crypto.randomUUID();
    await push(inbox, { n: 1 }, { delivery });
    const perEvent = expectIn(inbox, '--count', '1', '--settle', '1h');
    const perDelivery = expectIn(inbox, '--count', '1', '--settle', '1500ms', '--per', 'delivery', '--json');
    await push(inbox, { n: 1 }, { delivery });
    const { exitCode, stderr } = await perEvent;
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('They are attempts of 1 delivery: with --per delivery'),
    ]);
    const settled = await perDelivery;
    expect([settled.exitCode, JSON.parse(settled.stdout).count, JSON.parse(settled.stdout).events.length]).toEqual([
      0, 1, 2,
    ]);
    await push(inbox, { n: 2 });
    const two = await expectIn(inbox, '--count', '1', '--per', 'delivery', ...soon);
    expect([two.exitCode, two.stderr]).toEqual([
      3,
      expect.stringContaining('exactly 1 delivery, but 2 deliveries arrived'),
    ]);
  });
});

describe('the explanation', () => {
  test('names the nearest three, and of each the first part of the filter that fails and what is there instead', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const where = 'type:push body.ref:refs/heads/main -body.n:7';
    const ping = await push(inbox, { zen: 'x' }, { type: 'ping' });
    const other = await push(inbox, { zen: 'x' }, { type: 'star' });
    const branch = await push(inbox, { ref: 'refs/heads/dev' });
    const numberless = await push(inbox, {});
    const seven = await push(inbox, { ref: 'refs/heads/main', n: 7 });
    const { exitCode, stdout, stderr } = await expectIn(inbox, '--where', where, ...soon, '--json');
    const { error, details } = JSON.parse(stderr);
    expect([exitCode, error]).toEqual([
      1,
      `not met: expected at least 1 event matching ${where} within 50ms, but none of the 5 events that arrived matches`,
    ]);
    const near = details.slice(1) as string[];
    expect(near.map(line => line.trim().split(' ')[0] ?? '')).toEqual([seven, numberless, branch]);
    expect(near.map(line => line.split('\n')[1])).toEqual([
      '    fails -body.n:7: its body.n is 7',
      '    fails body.ref:refs/heads/main: it has no body.ref',
      '    fails body.ref:refs/heads/main: its body.ref is "refs/heads/dev"',
    ]);
    const { met, unmatched } = JSON.parse(stdout);
    expect(met).toBe(false);
    expect(unmatched.map(({ event, clause }: { event: { id: string }; clause: string }) => [event.id, clause])).toEqual(
      [
        [seven, '-body.n:7'],
        [numberless, 'body.ref:refs/heads/main'],
        [branch, 'body.ref:refs/heads/main'],
      ],
    );
    expect([ping, other]).not.toContain(near[0]);
  });

  test.each<[string, string]>([
    ['type:ping', 'its type is push'],
    ['(type:ping OR type:star)', 'its type is push'],
    ['platform:stripe', 'its platform is github'],
    ['method:GET', 'its method is POST'],
    ['path:/orders', 'its path is ""'],
    ['size>10k', 'it has 42 bytes'],
    ['attempt>1', 'it is attempt 1'],
    ['tag:golden', 'it has no tags'],
    ['ip:10.0.0.0/8', 'it came from 127.0.0.1'],
    ['header.x-none:1', 'it has no header.x-none'],
    ['header.X-GitHub-Event:ping', 'its header.x-github-event is push'],
    ['query.page:2', 'it has no query.page'],
    ['body.id>12345678901234567890', 'its body.id is 12345678901234567890'],
    ['body.list[]:4', 'its body.list[] is 1, 2, 3'],
    ['has:body.none', 'it has no body.none'],
    ['"not there"', '"not there" is not in its type or payload'],
    ['received<2020-01-01', 'it was received at 20'],
  ])('of %s says that %s', async (where, actual) => {
    const { client, createInbox, expectIn } = harness;
    const inbox = await createInbox();
    await client.server.deliver(inbox, '{"id":12345678901234567890,"list":[1,2,3]}', {
      headers: { 'x-github-event': 'push', 'content-type': 'application/json' },
    });
    const { exitCode, stderr } = await expectIn(inbox, '--where', where, '--within', '0');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`    fails ${where}: ${actual}`);
  });

  test('of what retention removed: an exact count cannot be known', async () => {
    const { client, createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    await push(inbox, {});
    aheadMs += 60_000;
    await client.ada.json(200, 'PATCH', `/api/endpoints/${inbox.id}`, { retention: '30s' });
    await push(inbox, {});
    for (const args of [
      ['--count', '1'],
      ['--none', '--where', 'type:ping'],
    ]) {
      const { exitCode, stderr } = await expectIn(inbox, ...args, ...soon);
      expect([args, exitCode, stderr]).toEqual([args, 1, expect.stringContaining('retention has removed events')]);
    }
    expect((await expectIn(inbox, '--at-least', '1', '--within', '0')).exitCode).toBe(0);
  });
});

describe('wrong usage', () => {
  test.each<[string, string[]]>([
    ['--after MARK is missing', []],
    ['--count, --at-least and --none exclude each other', ['--after', 'x', '--count', '1', '--none']],
    ['--count, --at-least and --none exclude each other', ['--after', 'x', '--count', '0', '--none']],
    ['--count must be a whole number', ['--after', 'x', '--count', '1.5']],
    ['--at-least must be a whole number from 1', ['--after', 'x', '--at-least', '0']],
    ['--within must be a duration', ['--after', 'x', '--within', '30']],
    ['--settle must be a duration', ['--after', 'x', '--settle', '-1s']],
    ['--per must be one of event, delivery', ['--after', 'x', '--per', 'day']],
    ['--verdict must be one of valid', ['--after', 'x', '--verdict', 'good']],
    ['--save: there is no folder /no/where', ['--after', 'x', '--save', '/no/where/x.json']],
    ['--junit: /tmp is a folder', ['--after', 'x', '--junit', '/tmp']],
  ])('%s', async (said, args) => {
    const { exitCode, stdout, stderr } = await hooktape({ HOOKTAPE_KEY: 'x' }, 'expect', 'ep_x', ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`hooktape: ${said}`);
  });

  test('a wrong filter, and what is not a mark of this endpoint', async () => {
    const { createInbox, expectIn, run } = harness;
    const [inbox, other] = [await createInbox(), await createInbox()];
    const filter = await expectIn(inbox, '--where', 'tpye:push', '--within', '1h');
    expect([filter.exitCode, filter.stderr]).toEqual([2, expect.stringContaining('  tpye:push\n  ^\n')]);
    for (const mark of [other.mark, 'x', inbox.mark.slice(1)]) {
      const { exitCode, stderr } = await run('expect', inbox.id, '--after', mark, '--within', '1h');
      expect([mark, exitCode, stderr]).toEqual([
        mark,
        2,
        expect.stringContaining('--after: not a mark of this endpoint'),
      ]);
    }
  });

  test('an endpoint that is not there is exit code 1', async () => {
    const { exitCode } = await harness.run('expect', 'nothing', '--after', 'start', '--within', '1h');
    expect(exitCode).toBe(1);
  });
});

describe('files', () => {
  const path = (name: string): string => join(directory, name);

  test('--save writes what matches, as HAR or as the export, for the owner only and in one piece', async () => {
    const { client, createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const id = await push(inbox, { n: 1 });
    await push(inbox, { n: 2 }, { type: 'ping' });
    writeFileSync(path('old.json'), 'old', { mode: 0o644 });
    symlinkSync(path('old.json'), path('link.json'));
    for (const name of ['link.json', 'new.HAR'])
      expect((await expectIn(inbox, '--where', 'type:push', '--save', path(name), ...soon)).exitCode).toBe(0);
    const exported = await client.ada.json<{ events: object[] }>(
      200,
      'GET',
      `/api/endpoints/${inbox.id}/export?ids=${id}`,
    );
    expect(JSON.parse(readFileSync(path('old.json'), 'utf8')).events).toEqual(exported.events);
    expect(JSON.parse(readFileSync(path('new.HAR'), 'utf8')).log.entries).toMatchObject([{ _id: id }]);
    for (const name of ['old.json', 'new.HAR']) expect(statSync(path(name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter(name => name.endsWith('.part'))).toEqual([]);
  });

  test('--save of more than an export takes at once has all of them', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const ids: string[] = [];
    for (let n = 0; n < 201; n++) ids.push(await push(inbox, { n }));
    for (const name of ['many.json', 'many.har'])
      expect((await expectIn(inbox, '--count', '201', '--save', path(name), ...soon)).exitCode).toBe(0);
    const read = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'));
    expect(read('many.json').events.map((event: { id: string }) => event.id)).toEqual(ids);
    expect(read('many.har').log.entries.map((entry: { _id: string }) => entry._id)).toEqual(ids);
  });

  test('--save on failure writes what did arrive; --junit says why', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const id = await push(inbox, { n: 1 });
    const files = ['--save', path('failed.json'), '--junit', path('failed.xml')];
    expect((await expectIn(inbox, '--where', 'type:ping', ...files, ...soon)).exitCode).toBe(1);
    expect(JSON.parse(readFileSync(path('failed.json'), 'utf8')).events).toMatchObject([{ id }]);
    const xml = readFileSync(path('failed.xml'), 'utf8');
    expect(xml).toContain('tests="1" failures="1" errors="0"');
    expect(xml).toContain('type="not-met"');
    expect(xml).toContain('fails type:ping: its type is push');
    expect((await expectIn(inbox, ...files, ...soon)).exitCode).toBe(0);
    expect(readFileSync(path('failed.xml'), 'utf8')).toContain('tests="1" failures="0" errors="0"');
  });

  test('a server that cannot be reached is exit code 4 at once, and an error in the JUnit file', async () => {
    const env = { ...harness.client.env, HOOKTAPE_URL: 'http://127.0.0.1:1' };
    const args = ['--after', 'start', '--within', '1h', '--junit', path('error.xml')];
    const { exitCode, stdout } = await hooktape(env, 'expect', `ep_${'x'.repeat(26)}`, ...args);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(readFileSync(path('error.xml'), 'utf8')).toMatch(/errors="1"[\s\S]*type="unreachable"/);
  });
});
