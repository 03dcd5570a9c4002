/* Uses the installed module in a container: `container.mjs IMAGE`, or with the executable in its place: `container.mjs URL PROGRAM`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { HooktapeContainer, startedHooktape } from '@hooktape/testcontainers';

const [first, program] = process.argv.slice(2);

const executable = () => ({
  getHost: () => new URL(first).hostname,
  getMappedPort: () => Number(new URL(first).port),
  exec: ([, ...args]) =>
    new Promise(resolve => {
      execFile(program, args, (error, stdout, stderr) =>
        resolve({ exitCode: error?.code ?? 0, stdout, stderr, output: stdout + stderr }),
      );
    }),
  stop: async () => {},
});

const hooktape = program ? await startedHooktape(executable()) : await new HooktapeContainer(first).start();
try {
  const client = hooktape.client();
  const endpoint = await client.endpoints.create({ name: 'shop' });
  const events = await client
    .endpoint(endpoint)
    .capture(() => fetch(hooktape.endpointUrl(endpoint), { method: 'POST', body: '{"n":1}' }), { atLeast: 1 });
  assert.deepEqual(
    events.map(({ payload }) => payload),
    [{ n: 1 }],
  );
} finally {
  await hooktape.stop();
}
console.log(`ok: ${hooktape.url}`);
process.exit(0);
