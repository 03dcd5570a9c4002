/* The module for testcontainers, in a container if an engine is available. */
import type { Checks } from '../lib/checks.ts';
import { run } from '../test-clients/workspace.ts';
import type { Proof } from './project.ts';

export async function checkContainer(checks: Checks, { installation, server, npmProject }: Proof): Promise<void> {
  await checks.check('testcontainers: set up with the executable in place of the container', async () => {
    const program = `${installation.dir}/../hooktape`;
    const env = { HOOKTAPE_DATA_DIR: installation.dataDir, HOOKTAPE_PORT: String(server.port) };
    const script = ['container.mjs', server.origin, program];
    return (await run(['node', ...script], { cwd: await npmProject(), env, minutes: 2 })).trim();
  });
  const image = process.env['PROOF_IMAGE'];
  if (!image) return;
  await checks.check(`testcontainers: a container of ${image}`, async () =>
    (await run(['node', 'container.mjs', image], { cwd: await npmProject(), minutes: 5 })).trim(),
  );
}
