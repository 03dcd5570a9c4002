/* Why an expectation was not met: the nearest events, and their values. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { type ExpectHarness, openExpectHarness } from '../../testing/expectations.ts';

let harness: ExpectHarness;
/** How far the server's clock is ahead of this machine's. */
let aheadMs = 0;
beforeAll(async () => {
  harness = await openExpectHarness({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
});
afterAll(() => harness.close());

const soon = ['--within', '50ms', '--settle', '50ms'];

describe('the explanation', () => {
  test('names the nearest three, and for each the first part of the filter that fails and the actual value', async () => {
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
      `not met: expected at least 1 event matching ${where} within 50ms, but 5 events arrived, none of them matches`,
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
    ['size>10k', 'its body has 42 bytes'],
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

  test('says that the types of the filter are only in the bodies', async () => {
    const { createInbox, push, expectIn } = harness;
    const inbox = await createInbox();
    await push(inbox, { type: 'order.created' });
    const { exitCode, stderr } = await expectIn(inbox, '--where', 'type:order.*', ...soon);
    expect(exitCode).toBe(1);
    expect(stderr).toEndWith(
      'No event has such an event type, but some have it in their body. Try: body.type:order.*\n',
    );
  });

  test('an exact count cannot be known when retention has removed events', async () => {
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
