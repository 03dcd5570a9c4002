/* `hooktape listen` for tests: a real server, an endpoint and a target for each test, and listeners that are stopped after it. */
import { afterAll, afterEach, beforeEach } from 'bun:test';
import { type ClientHarness, openClientHarness } from './client-commands.ts';
import { startListener } from './command.ts';
import { eventually } from './poll.ts';
import { type RecordedRequest, recordRequests } from './request-recorder.ts';

type Inbox = { id: string; url: string };
export type Consumer = { name: string; cursor: string; behind: number };

export const response = (status: string, text = '', more = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\n${more}Connection: close\r\n\r\n${text}`;

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

export type ListenHarness = Awaited<ReturnType<typeof openListenHarness>>;

export async function openListenHarness() {
  const client: ClientHarness = await openClientHarness();
  const listeners: ReturnType<typeof startListener>[] = [];
  let answer: (request: RecordedRequest, n: number) => string | undefined = () => response('200 OK');
  let target = await recordRequests((request, n) => answer(request, n));
  let inbox: Inbox = { id: '', url: '' };
  let number = 0;

  const start = (args: readonly string[], { env = {}, ...given }: Parameters<typeof startListener>[2] = {}) => {
    const listener = startListener(
      { ...client.env, ...(env as Record<string, string>) },
      [inbox.id, '--as', 'me', ...args],
      given,
    );
    listeners.push(listener);
    return listener;
  };
  return {
    client,
    /** Creates a new endpoint and a new target, which returns 200. */
    async begin(): Promise<void> {
      answer = () => response('200 OK');
      target = await recordRequests((request, n) => answer(request, n));
      inbox = await client.json<Inbox>('endpoint', 'create', `inbox-${++number}`);
    },
    async end(): Promise<void> {
      await Promise.all(listeners.splice(0).map(one => one.stop()));
      target.close();
    },
    close: (): Promise<void> => client.close(),
    target: () => target,
    inbox: () => inbox,
    answerWith(next: typeof answer): void {
      answer = next;
    },
    start,
    /** Starts a listener. Resolves once it is connected. */
    async listen(...args: string[]) {
      const listener = start(args);
      await eventually(() => /Connected/.test(listener.said.stderr));
      return listener;
    },
    deliver: (body: string, more: RequestInit & { suffix?: string } = {}) => client.server.deliver(inbox, body, more),
    bodies: (): string[] => target.requests.map(({ body }) => body.toString()),
    arrived: (count: number) => eventually(() => target.requests.length >= count),
    consumer: () => client.ada.json<Consumer>(200, 'GET', `/api/endpoints/${inbox.id}/consumers/me`),
  };
}

/** For a whole test file: opens the harness, begins and ends each test with it, and closes it. */
export async function useListenHarness(): Promise<ListenHarness> {
  const harness = await openListenHarness();
  beforeEach(() => harness.begin());
  afterEach(() => harness.end());
  afterAll(() => harness.close());
  return harness;
}
