/* The set-up of a container, with the program itself in place of the container: it runs the same commands, and listens on a port. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AbstractStartedContainer, type ExecResult, type StartedTestContainer } from 'testcontainers';
import { hooktape, startServer } from '../../../src/testing/command.ts';
import packageJson from '../package.json' with { type: 'json' };
import { HooktapeContainer, hooktapeImage, startedHooktape } from '../src/container.ts';

/** The values that the constructor set. */
class Inspected extends HooktapeContainer {
  get settings() {
    return { image: this.imageName.string, environment: this.environment, ports: this.exposedPorts };
  }
}

const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
const { settings } = new Inspected();
let server: Awaited<ReturnType<typeof startServer>>;
let env: Record<string, string>;
beforeAll(async () => {
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data'), ...settings.environment };
  server = await startServer(env);
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The started server as a container. Commands run as in the image, where `hooktape` is on the PATH. */
function container(overrides: Partial<StartedTestContainer> = {}) {
  const stopped: string[] = [];
  const given: Partial<StartedTestContainer> = {
    getHost: () => '127.0.0.1',
    getMappedPort: () => Number(new URL(server.origin).port),
    exec: async command => {
      const [program, ...args] = command;
      expect(program).toBe('hooktape');
      const { exitCode, stdout, stderr } = await hooktape(env, ...args);
      return { exitCode, stdout, stderr, output: stdout + stderr } satisfies ExecResult;
    },
    stop: async () => {
      stopped.push('stopped');
      return { getId: () => '1', copyArchiveFromContainer: () => Promise.reject(new Error('stopped')) };
    },
    ...overrides,
  };
  return { given: given as StartedTestContainer, stopped };
}

test('the container has the image of this release, and settings that the program takes', () => {
  expect(settings.image).toBe(hooktapeImage);
  expect(hooktapeImage).toEndWith(`:${packageJson.version}`);
  expect(settings.ports).toEqual([4665]);
  expect(new Inspected('other/image:2').withReplayTo('10.0.0.0/8').settings).toMatchObject({
    image: 'other/image:2',
    environment: { HOOKTAPE_REPLAY_ALLOW: 'host.testcontainers.internal,host.docker.internal,10.0.0.0/8' },
  });
});

describe('a started container', () => {
  test('has an account and a key, and takes deliveries at the mapped port', async () => {
    const started = await startedHooktape(container().given);
    expect(started).toBeInstanceOf(AbstractStartedContainer);
    expect(started.url).toBe(`http://127.0.0.1:${new URL(server.origin).port}`);
    const client = started.client();
    const endpoint = await client.endpoints.create({ name: 'shop' });
    const events = await client
      .endpoint(endpoint)
      .capture(() => fetch(started.endpointUrl(endpoint), { method: 'POST', body: '{"n":1}' }), {
        atLeast: 1,
        settle: 0,
      });
    expect(events.map(({ payload }) => payload)).toEqual([{ n: 1 }]);
    const inNetwork = started.endpointUrl(endpoint, { alias: 'hooktape' });
    expect(inNetwork).toBe(`http://hooktape:4665${endpoint.path}`);
  });

  test('that is started again has an account of its own', async () => {
    const [one, two] = [await startedHooktape(container().given), await startedHooktape(container().given)];
    const { id } = await one.client().endpoints.create({ name: 'mine' });
    expect(await two.client().endpoints.list()).toEqual([]);
    expect((await one.client().endpoints.list()).map(endpoint => endpoint.id)).toEqual([id]);
  });

  test('is stopped when it cannot be set up, and the error says why', async () => {
    const failing = container({ exec: async () => ({ exitCode: 78, stdout: '', stderr: 'wrong', output: 'wrong' }) });
    const error = await startedHooktape(failing.given).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('hooktape account create: exit code 78\nwrong');
    expect(failing.stopped).toEqual(['stopped']);
  });
});
