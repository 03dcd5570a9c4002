/* Creates the account and the API key of a test, with the commands of the program in the container. */
import type { StartedTestContainer } from 'testcontainers';

type Container = Pick<StartedTestContainer, 'exec'>;

/** @throws if a command fails, with its output */
export async function setUp(container: Container): Promise<{ key: string }> {
  // One for each start, because a container may be used again by later runs.
  const email = `test-${crypto.randomUUID()}@example.com`;
  await run(container, ['account', 'create', email, '--plan', 'pro']);
  const output = await run(container, ['key', 'create', 'testcontainers', '--account', email]);
  const key = /^htk_\S+$/m.exec(output)?.[0];
  if (key === undefined) throw new Error('hooktape key create printed no API key');
  return { key };
}

async function run(container: Container, args: string[]): Promise<string> {
  const { exitCode, stdout, output } = await container.exec(['hooktape', ...args]);
  if (exitCode !== 0) throw new Error(`hooktape ${args.slice(0, 2).join(' ')}: exit code ${exitCode}\n${output}`);
  return stdout;
}
