/* The files of `hooktape expect`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooktape } from '../../testing/command.ts';
import { type ExpectHarness, openExpectHarness } from '../../testing/expectations.ts';

let harness: ExpectHarness;
let directory: string;
beforeAll(async () => {
  harness = await openExpectHarness();
  ({ directory } = harness);
});
afterAll(() => harness.close());

const soon = ['--within', '50ms', '--settle', '50ms'];

describe('files', () => {
  const path = (name: string): string => join(directory, name);

  test('--save writes the matching events, as HAR or as the export, for the owner only and in one piece', async () => {
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

  test('--save on failure writes the events that did arrive; --junit says why', async () => {
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

  test('that cannot be made are wrong usage, said in words before anything is waited for', async () => {
    const long = path('n'.repeat(300));
    writeFileSync(path('file'), '');
    for (const [file, problem] of [
      [directory, `${directory} is a folder; name a file`],
      [path('no/file.json'), `there is no folder ${path('no')}`],
      [path('file/x.json'), `${path('file/x.json')} cannot be written: a part of its path is not a folder`],
      [long, `${long} cannot be written: its name is too long`],
    ] as const) {
      const { exitCode, stderr } = await harness.client.run('expect', 'x', '--after', 'start', '--save', file);
      expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `hooktape: --save: ${problem}`]);
    }
  });
});
