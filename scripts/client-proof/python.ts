/* The wheel in Python, and the types of package and user under mypy. */
import { join } from 'node:path';
import type { Checks } from '../lib/checks.ts';
import { clientsDir } from '../release/clients.ts';
import { run } from '../test-clients/workspace.ts';
import type { Proof } from './project.ts';

const mypy = 'mypy==2.4.1';

export async function checkPython(checks: Checks, { server, key, destination, python }: Proof): Promise<void> {
  const script = join(import.meta.dir, 'shop.py');
  const env = { PYTHONDONTWRITEBYTECODE: '1' };
  await checks.check('python: the wheel is installed into an empty environment', async () =>
    (await run([await python(), '--version'], { cwd: import.meta.dir })).trim(),
  );
  await checks.check('python: capture, wait_for, feed, answers, send', async () => {
    const cwd = import.meta.dir;
    return (await run([await python(), script, server.origin, key, destination], { cwd, env, minutes: 2 })).trim();
  });
  await checks.check('mypy --strict: the package, its tests, and a script that uses it', async () => {
    // Installed only now, so that the previous scripts ran without any other package.
    await run([await python(), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', mypy], {
      cwd: clientsDir,
    });
    const strict = [await python(), '-m', 'mypy', '--strict', '--cache-dir', '/dev/null'];
    await run([...strict, '--config-file', 'pyproject.toml'], { cwd: join(clientsDir, 'python'), env });
    await run([...strict, script], { cwd: import.meta.dir, env });
    return undefined;
  });
}
