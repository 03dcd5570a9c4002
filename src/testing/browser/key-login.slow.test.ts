/* `hooktape login`, as a process, with a real browser. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../poll.ts';
import { violations } from './accessibility.ts';
import { browserTitle, hasNoBrowser } from './chromium.ts';
import { type Dashboard, openDashboard, owner } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

setDefaultTimeout(120_000);

describe.skipIf(hasNoBrowser)(browserTitle('signing in on the command line'), () => {
  let dashboard: Dashboard;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hooktape-login-'));
    dashboard = await openDashboard();
    await dashboard.setUp(await dashboard.open());
  });
  afterAll(async () => {
    await dashboard?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = (...args: string[]) =>
    Bun.spawn([process.execPath, join(import.meta.dir, '../../main.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: Bun.env['PATH'] ?? '', HOME: directory, BROWSER: join(directory, 'browser') },
    });

  /** Starts the command. @returns it, and the URL that it opens */
  async function startLogin() {
    const opened = join(directory, 'opened');
    writeFileSync(
      join(directory, 'browser'),
      `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
    );
    chmodSync(join(directory, 'browser'), 0o755);
    const command = run('login', dashboard.origin);
    await eventually(() => existsSync(opened), 20_000);
    const url = readFileSync(opened, 'utf8');
    rmSync(opened);
    return { command, url };
  }

  test('after signing in and allowing it, the terminal is signed in; both show the same code', async () => {
    const { command, url } = await startLogin();
    const page = await dashboard.open({ viewport: { width: 360, height: 640 } });
    await page.goto(url);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in on the command line?' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await expectEventually(() => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
      true,
    );
    const code = (await page.locator('.code').textContent()) ?? '';
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect([await command.exited, await new Response(command.stderr).text()]).toEqual([
      0,
      expect.stringContaining(code),
    ]);
    const who = run('whoami');
    expect([await who.exited, await new Response(who.stdout).text()]).toEqual([
      0,
      `${owner.email}\tpro\t${dashboard.origin}\n`,
    ]);
    await page.context().close();
  });

  test('cancelling ends the command with 1', async () => {
    const { command, url } = await startLogin();
    const page = await dashboard.open();
    await page.goto(url);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    expect(await command.exited).toBe(1);
    await page.context().close();
  });

  test('no page showed a dialog, broke the policy or left the origin', () => {
    const { foreign, ...problems } = dashboard.problems;
    expect(problems).toEqual({ dialogs: [], violations: [], errors: [] });
    expect(foreign.filter(url => !url.startsWith('http://127.0.0.1:'))).toEqual([]);
  });
});
