/* The npm packages in Node, Bun and Deno, and their types. */
import type { Checks } from '../lib/checks.ts';
import { run } from '../test-clients/workspace.ts';
import type { Proof } from './project.ts';

export async function checkNpm(checks: Checks, { server, key, destination, npmProject }: Proof): Promise<void> {
  const script = ['shop.mjs', server.origin, key, destination];
  const runtimes = {
    node: ['node', ...script],
    bun: [process.execPath, ...script],
    deno: ['node_modules/.bin/deno', 'run', '--no-prompt', '--no-lock', '--allow-net', ...script],
  };
  await checks.check('npm: the packages are installed into an empty project', async () => {
    await npmProject();
    return undefined;
  });
  for (const [name, command] of Object.entries(runtimes))
    await checks.check(`${name}: capture, waitFor, feed, answers, send`, async () =>
      (await run(command, { cwd: await npmProject(), minutes: 2 })).trim(),
    );
  await checks.check('typescript 5: a strict project compiles, declarations included', async () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022'];
    const cwd = await npmProject();
    await run(['node_modules/.bin/tsc', ...options, ...modules, '--skipLibCheck', 'types.ts'], { cwd });
    // Excludes the declarations of testcontainers, which need further packages.
    const own = [
      '--lib',
      'es2022,dom,dom.asynciterable',
      '--typeRoots',
      'none',
      'node_modules/@hooktape/client/dist/hooktape.d.ts',
    ];
    await run(['node_modules/.bin/tsc', ...options, ...modules, ...own], { cwd });
    return undefined;
  });
}
