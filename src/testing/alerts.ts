/* A server with a held clock, and receivers of notifications on this host. */
import type { Alert, AlertList } from '../features/alerts/model.ts';
import { type HeldClock, holdClock } from './clock.ts';
import { openReceiver, type ReceivedRequest } from './receivers.ts';
import { openTestServer } from './test-server.ts';

export { openMailServer, openReceiver, type ReceivedMail, type ReceivedRequest } from './receivers.ts';

/** A notification in the form that a receiver of the channel `webhook` gets. */
type Sent = { type: string; timestamp: string; data: Record<string, unknown> };
export const sentOf = ({ text }: ReceivedRequest): Sent => JSON.parse(text) as Sent;
export const typesOf = (received: readonly ReceivedRequest[]): string[] => received.map(one => sentOf(one).type);
/** The part of an alert that names its receiver. */
export const to = ({ origin }: { origin: string }) => ({ channel: { type: 'webhook', url: `${origin}/hook` } });

export type AlertBench = Awaited<ReturnType<typeof openAlerts>>;

export async function openAlerts(env: Record<string, string> = {}) {
  const clock: HeldClock = holdClock();
  const server = await openTestServer({ clock, env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.0/8', ...env } });
  const ada = await server.createAccount('ada@example.com');
  const receivers: ReturnType<typeof openReceiver>[] = [];
  const { alerts, background, queues } = server.services;
  const check = async (): Promise<void> => {
    alerts.evaluation.wake();
    await background.idle();
    await queues.idle();
  };
  return {
    server,
    clock,
    ada,
    check,
    /** Lets time pass for a running server. */
    async pass(ms: number): Promise<void> {
      const stepMs = ms > 120_000 ? 25_000 : 10_000;
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        await check();
      }
    },
    create: async (endpointId: string, alert: object): Promise<Alert> => {
      const created = await ada.json<Alert>(201, 'POST', `/api/endpoints/${endpointId}/alerts`, {
        name: 'an alert',
        ...alert,
      });
      await check();
      return created;
    },
    alert: async (endpointId: string): Promise<Alert> => {
      const [alert] = (await ada.json<AlertList>(200, 'GET', `/api/endpoints/${endpointId}/alerts`)).alerts;
      if (!alert) throw new Error('no alert');
      return alert;
    },
    /** A receiver that is closed by `clear`. */
    receiver: (...given: Parameters<typeof openReceiver>): ReturnType<typeof openReceiver> => {
      const opened = openReceiver(...given);
      receivers.push(opened);
      return opened;
    },
    /** Call it after each test, because its alerts would otherwise fire during the next one. */
    async clear(): Promise<void> {
      const { endpoints } = await ada.json<{ endpoints: { id: string }[] }>(200, 'GET', '/api/endpoints');
      for (const { id } of endpoints) await ada.json(200, 'DELETE', `/api/endpoints/${id}`);
      for (const receiver of receivers.splice(0)) await receiver.close();
    },
    close: server.close,
  };
}
