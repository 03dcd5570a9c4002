/* `hooktape test-event`. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ClientHarness, openClientHarness } from '../../testing/client-commands.ts';
import { hooktape } from '../../testing/command.ts';

let client: ClientHarness;
beforeAll(async () => {
  client = await openClientHarness();
  await client.ada.createEndpoint('payments');
});
afterAll(() => client.close());

test('prints the id of an event that is valid with a test secret, or the one that is named', async () => {
  const { exitCode, stdout, stderr } = await client.run('test-event', 'payments', 'stripe');
  expect([exitCode, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^evt_\w+\n$/),
    expect.stringMatching(/^Sent .+ to payments \(signed\)\.\n$/),
  ]);
  expect(await client.json('show', stdout.trim())).toMatchObject({ platform: 'stripe', signatureValid: true });
  const env = { ...client.env, MY_SECRET: 'whsec_of_my_handler_0123456789' };
  const signed = await hooktape(env, 'test-event', 'payments', 'github', '--secret-env', 'MY_SECRET', '--json');
  expect(JSON.parse(signed.stdout)).toMatchObject({ platform: 'github', signed: true, secretId: null });
});

test('names the wrong argument: the variable (2), the platform, the sample, the endpoint (1)', async () => {
  const wrong = (...args: string[]) => client.run('test-event', ...args);
  expect(await wrong('payments', 'stripe', '--secret-env', 'NOT_SET')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('NOT_SET is not set'),
  });
  expect((await wrong('payments')).exitCode).toBe(2);
  for (const args of [
    ['payments', 'nobody'],
    ['payments', 'stripe', '--sample', 'none'],
    ['unknown', 'stripe'],
  ])
    expect(await wrong(...args)).toMatchObject({ exitCode: 1, stdout: '' });
});
