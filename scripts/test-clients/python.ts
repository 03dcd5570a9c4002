/* Tests OAuth and live streams with libraries from PyPI, in a virtual environment. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from '../lib/checks.ts';
import type { Subject } from './server.ts';
import { requirePrograms, run, workspace } from './workspace.ts';

const packages = ['requests-oauthlib==2.0.0', 'Authlib==1.9.9', 'httpx==0.28.1', 'httpx-sse==0.4.3'];

export async function checkPython(checks: Checks, { origin, key, owner }: Subject): Promise<void> {
  const dir = workspace('python');
  const python = join(dir, 'venv/bin/python');
  let isReady = false;

  await checks.check('PyPI: the libraries can be installed', async () => {
    requirePrograms({ name: 'python3', packageName: 'python3-venv' });
    if (!existsSync(python)) await run(['python3', '-m', 'venv', join(dir, 'venv')], { cwd: dir });
    await run([python, '-m', 'pip', 'install', '--quiet', ...packages], { cwd: dir });
    isReady = true;
    return packages.join(', ');
  });

  const script = async (name: string): Promise<undefined> => {
    if (!isReady) throw new Error('the libraries are not installed');
    await run([python, join(import.meta.dir, 'python', name)], {
      cwd: dir,
      env: {
        ORIGIN: origin,
        KEY: key,
        EMAIL: owner.email,
        PASSWORD: owner.password,
        // Without this, oauthlib refuses plain http.
        OAUTHLIB_INSECURE_TRANSPORT: '1',
        AUTHLIB_INSECURE_TRANSPORT: '1',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      minutes: 2,
    });
  };
  await checks.check('requests-oauthlib: code and refresh, with and without offline_access', () =>
    script('requests_oauthlib_flow.py'),
  );
  await checks.check('authlib: code, use and revocation with each client authentication method', () =>
    script('authlib_flow.py'),
  );
  await checks.check('httpx-sse: no message without data, also after a quiet period', () =>
    script('httpx_sse_flow.py'),
  );
}
