/* A server with a held clock, and receivers of notifications on this host. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Alert, AlertList } from '../features/alerts/model.ts';
import { type HeldClock, holdClock } from './clock.ts';
import { openTestServer } from './test-server.ts';

export type ReceivedRequest = { path: string; headers: Record<string, string>; text: string };
export type ReceivedMail = { from: string; to: string[]; text: string; isSecure: boolean; user: string | undefined };

/** A receiver of HTTP requests, such as Slack or ntfy. */
export function openReceiver(answer: (n: number) => Response = () => new Response('ok')) {
  const received: ReceivedRequest[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const { pathname: path } = new URL(request.url);
      received.push({ path, headers: Object.fromEntries(request.headers), text: await request.text() });
      return answer(received.length);
    },
  });
  return { origin: `http://127.0.0.1:${http.port}`, received, close: () => http.stop(true) };
}

/** A mail server. */
export async function openMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    onAuth: ({ username, password }, _, done) =>
      password === 'a password' ? done(null, { user: username ?? '' }) : done(new Error('wrong')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
          user: session.user,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return { port, received, close: () => new Promise<void>(resolve => server.close(resolve)) };
}

export type AlertBench = Awaited<ReturnType<typeof openAlerts>>;

export async function openAlerts(env: Record<string, string> = {}) {
  const clock: HeldClock = holdClock();
  const server = await openTestServer({ clock, env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8', ...env } });
  const ada = await server.createAccount('ada@example.com');
  const { alertEvaluation, background, queues } = server.services;
  const look = async (): Promise<void> => {
    alertEvaluation.wake();
    await background.idle();
    await queues.idle();
  };
  return {
    server,
    clock,
    ada,
    look,
    /** Lets time pass as a running server sees it. */
    async pass(ms: number): Promise<void> {
      const stepMs = ms > 120_000 ? 25_000 : 10_000;
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        await look();
      }
    },
    create: async (endpointId: string, alert: object): Promise<Alert> => {
      const created = await ada.json<Alert>(201, 'POST', `/api/endpoints/${endpointId}/alerts`, {
        name: 'an alert',
        ...alert,
      });
      await look();
      return created;
    },
    alert: async (endpointId: string): Promise<Alert> => {
      const [alert] = (await ada.json<AlertList>(200, 'GET', `/api/endpoints/${endpointId}/alerts`)).alerts;
      if (!alert) throw new Error('no alert');
      return alert;
    },
    close: server.close,
  };
}
