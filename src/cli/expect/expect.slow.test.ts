/* `hooktape mark` and `expect` against a real server: each outcome with its code and its words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hooktape } from '../../testing/command.ts';
import { type ExpectHarness, openExpectHarness } from '../../testing/expectations.ts';

let harness: ExpectHarness;
beforeAll(async () => {
  harness = await openExpectHarness();
});
afterAll(() => harness.close());

/** Short, so that missing events are noticed soon. */
const soon = ['--within', '50ms', '--settle', '50ms'];

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
    expect(await harness.expectIn(inbox, ...soon)).toEqual({
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

  test('too few: exit code 1, with the events that did arrive', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const id = await push(inbox, { n: 1 });
    const { exitCode, stderr } = await expectIn(inbox, '--count', '3', ...soon);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('not met: expected exactly 3 events within 50ms, but only 1 event arrived\n');
    expect(stderr).toContain(`1 event matched:\n  ${id}  `);
  });

  test('doubled: exit code 3 at once, without waiting further', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    const ids = [await push(inbox, { n: 1 }), await push(inbox, { n: 2 })];
    const { exitCode, stdout, stderr } = await expectIn(inbox, '--count', '1', '--within', '1h', '--settle', '1h');
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('too many: expected exactly 1 event, but 2 events arrived\nEvents that arrived:\n');
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
    expect(forged.stderr).toContain('1 event arrived, and it does not match');
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
      expect.stringContaining('its signature is unchecked: no secret is saved for its platform'),
    ]);
    const waiting = expectIn(inbox, '--verdict', 'valid', '--within', '3s');
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
    await push(inbox, { n: 1 }, { delivery });
    const { exitCode, stderr } = await perEvent;
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('They are attempts of 1 delivery: use --per delivery'),
    ]);
    const perDelivery = await expectIn(inbox, '--count', '1', '--per', 'delivery', '--json', ...soon);
    const { count, events } = JSON.parse(perDelivery.stdout);
    expect([perDelivery.exitCode, count, events.length]).toEqual([0, 1, 2]);
    await push(inbox, { n: 2 });
    const two = await expectIn(inbox, '--count', '1', '--per', 'delivery', ...soon);
    expect([two.exitCode, two.stderr]).toEqual([
      3,
      expect.stringContaining('exactly 1 delivery, but 2 deliveries arrived'),
    ]);
  });
});

describe('wrong usage', () => {
  test.each<[string, string[]]>([
    ['--after MARK is missing', []],
    ['use only one of --count, --at-least and --none', ['--after', 'x', '--count', '1', '--none']],
    ['use only one of --count, --at-least and --none', ['--after', 'x', '--count', '0', '--none']],
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

  test('an invalid filter, and a mark of another endpoint', async () => {
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
