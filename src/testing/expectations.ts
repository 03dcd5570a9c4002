/* The harness of the tests of `hooktape expect`: a server, endpoints with a secret, and deliveries signed like GitHub's. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientHarness, openClientHarness } from './client-commands.ts';
import { type Ended, hooktapeAtTerminal } from './command.ts';
import type { TestServerOptions } from './test-server.ts';

export const githubSecret = 'It’s a secret to everybody';

export type Inbox = { id: string; url: string };

export type ExpectHarness = Awaited<ReturnType<typeof openExpectHarness>>;

/** @param options of the server */
export async function openExpectHarness(options: TestServerOptions = {}) {
  const client: ClientHarness = await openClientHarness(options);
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-expect-'));
  let made = 0;

  /** An endpoint without events, and the mark at its beginning. */
  const createInbox = async (): Promise<Inbox & { mark: string }> => {
    const inbox = await client.json<Inbox>('endpoint', 'create', `inbox ${++made}`);
    return { ...inbox, mark: await mark(inbox) };
  };
  const mark = async ({ id }: Inbox): Promise<string> => (await client.run('mark', id)).stdout.trim();
  const registerSecret = ({ id }: Inbox): Promise<unknown> =>
    client.ada.json(201, 'POST', `/api/endpoints/${id}/secrets`, { platform: 'github', secret: githubSecret });

  /** @param delivery its id, equal for each attempt @param secret the signing secret */
  const push = (
    inbox: Inbox,
    body: object,
    { delivery = String(crypto.randomUUID()), secret = githubSecret, type = 'push' } = {},
  ) => {
    const text = JSON.stringify(body);
    return client.server.deliver(inbox, text, {
      headers: {
        'content-type': 'application/json',
        'x-github-event': type,
        'x-github-delivery': delivery,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
      },
    });
  };

  const sleep = (ms: number): Promise<void> => Bun.sleep(ms);
  const run = (...args: string[]): Promise<Ended> => hooktapeAtTerminal({ sleep }, client.env, ...args);
  return {
    client,
    /** For files that commands write. */
    directory,
    createInbox,
    mark,
    registerSecret,
    push,
    run,
    /** `hooktape expect` after the mark at the beginning of an endpoint. */
    expectIn: (inbox: Inbox & { mark: string }, ...args: string[]): Promise<Ended> =>
      run('expect', inbox.id, '--after', inbox.mark, ...args),
    async close(): Promise<void> {
      await client.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
