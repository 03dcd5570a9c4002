/* Client commands against a real server: its events, the commands' environment, and a browser that is simulated over HTTP. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, hooktape, hooktapeAtTerminal, hooktapeWithInput } from './command.ts';
import { eventually } from './poll.ts';
import { openTestServer, type TestAccount, type TestServer, type TestServerOptions } from './test-server.ts';

export const password = 'correct horse battery';

export type ClientHarness = Awaited<ReturnType<typeof openClientHarness>>;

/** @param options of the server */
export async function openClientHarness(options: TestServerOptions = {}) {
  const server: TestServer = await openTestServer(options);
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-client-'));
  const url = await server.listen();
  const ada: TestAccount = await server.createAccount('ada@example.com', { password });
  /** An environment without a key; saved servers are in the directory of this harness. */
  const anonymous = { XDG_CONFIG_HOME: join(directory, 'config'), HOOKTAPE_URL: url };
  const env = { ...anonymous, HOOKTAPE_KEY: ada.key };

  /** Signs the account in. @returns the browser's cookie */
  const signIn = async (email = 'ada@example.com'): Promise<string> => {
    const response = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };

  /** A program for BROWSER that writes its URL to a file. */
  const browserFile = join(directory, 'opened');
  const browser = join(directory, 'browser');
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf %s "$1" > '${browserFile}.part' && mv '${browserFile}.part' '${browserFile}'\n`,
  );
  chmodSync(browser, 0o755);
  const openedPage = async (): Promise<string> => {
    await eventually(() => existsSync(browserFile));
    const page = readFileSync(browserFile, 'utf8');
    rmSync(browserFile);
    return page;
  };
  /** Reads the page of a sign-in and answers it. @returns its HTML and where the browser is sent */
  const decide = async (
    page: string,
    decision: 'allow' | 'deny',
    cookie: string,
  ): Promise<{ html: string; location: string }> => {
    const html = await (await fetch(page, { headers: { cookie }, redirect: 'manual' })).text();
    const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const answer = await fetch(new URL('/authorize/key', page), {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ handle, decision }),
      redirect: 'manual',
    });
    return { html, location: answer.headers.get('location') ?? '' };
  };

  return {
    server,
    directory,
    url,
    ada,
    env,
    anonymous,
    browser,
    signIn,
    openedPage,
    decide,
    run: (...args: string[]): Promise<Ended> => hooktape(env, ...args),
    runWithInput: (stdin: string, ...args: string[]): Promise<Ended> => hooktapeWithInput(stdin, env, ...args),
    /** At a terminal of 80 columns. */
    runAtTerminal: (...args: string[]): Promise<Ended> =>
      hooktapeAtTerminal({ outputTerminal: { columns: 80 } }, env, ...args),
    /** The JSON on stdout of a command that must succeed. */
    json: async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
      const { exitCode, stdout, stderr } = await hooktape(env, ...args, '--json');
      if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`);
      return JSON.parse(stdout);
    },
    close: async (): Promise<void> => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
