import { describe, expect, test } from 'bun:test';
import { platforms as catalog } from '../platforms/platforms.ts';
import { hooktape } from '../testing/command.ts';

/** No server, and no setting that can be read. */
const run = (...words: string[]) => hooktape({ HOOKTAPE_PORT: 'none' }, 'platforms', ...words);

describe('hooktape platforms', () => {
  test('lists all platforms, a line each', async () => {
    const { exitCode, stdout, stderr } = await run();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(catalog.length);
    expect(stdout).toContain('asana\tAsana\thmac-sha256\thandshake\n');
    const { platforms } = JSON.parse((await run('--json')).stdout);
    expect(platforms.map(({ name }: { name: string }) => name)).toEqual(catalog.map(({ name }) => name));
    expect(platforms).toContainEqual({
      name: 'alertmanager',
      title: 'Prometheus Alertmanager',
      docsUrl: expect.stringContaining('https://'),
      verified: [],
      proves: [],
      signs: null,
      handshake: false,
    });
  });

  test('prints what is known about one, by name, alias or title', async () => {
    const { stdout } = await run('github');
    for (const line of [
      /^GitHub\n\n {2}name +github\n {2}documentation +https:/,
      /recognised by +header `x-github-event` or `x-github-delivery`, no/,
      /delivery id +header `X-GitHub-Delivery`\n +\(https:/,
      /signature +`hmac-sha256` in header `x-hub-signature-256`/,
      /URL +the repository or organization > Settings > Webhooks/,
      /secret +Settings > Webhooks > the webhook > Secret/,
    ])
      expect(stdout).toMatch(line);
    expect((await run('GITHUB')).stdout).toBe(stdout);
    expect((await run('prometheus alertmanager')).stdout).toContain(
      'signature      none: the platform does not sign\n',
    );
    expect(JSON.parse((await run('asana', '--json')).stdout)).toMatchObject({
      name: 'asana',
      detection: ['header `x-hook-signature`'],
      signature: [expect.stringContaining('hmac-sha256')],
      handshake: [expect.stringContaining('X-Hook-Secret')],
      deliveryId: [],
      url: expect.stringContaining('POST /webhooks'),
    });
  });

  test.each(catalog.map(({ name }) => name))('%s fits into 80 columns, except for long words', async name => {
    const { exitCode, stdout } = await run(name);
    expect(exitCode).toBe(0);
    const long = stdout.split('\n').filter(line => Bun.stringWidth(line) > 80);
    expect(long.filter(line => line.trim().includes(' ') && !/^ {2}\w+( \w+)? {2,}\S+$/.test(line))).toEqual([]);
  });

  test('an unknown name is wrong usage, with the nearest name', async () => {
    expect(await run('strpe')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('unknown platform: strpe; did you mean stripe?'),
    });
  });
});
