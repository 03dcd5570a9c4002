/*
 * Senders that retry until they get 200, at an endpoint whose rule fails the first two attempts of each delivery, while the server is
 * killed at random times and started again. Every attempt that got a response must be stored with that response, and the stored
 * attempts of each delivery must have got 500, 500 and 200. Attempts without a response because of a kill count, too.
 */
import { freePort } from './free-port.ts';
import { exchange } from './raw-http.ts';
import { startServerProcess } from './server-process.ts';
import { openTestServer } from './test-server.ts';

export type KillsResult = {
  attempts: number;
  /** Attempts without a response. */
  unanswered: number;
  /** How many of these are stored. */
  unansweredStored: number;
  kills: number;
  /** The first few problems. */
  problems: string[];
};

type Attempt = { id: string; status: number };
type StoredEvent = { id: string; payloadRaw: string; answered: { status: number; rule: string | null } };

const maxWaitMs = 5000;
const secret = 'the secret of this proof, long enough';

/**
 * @param command starts the server with `serve`
 * @param killAfter how many attempts a server may answer before it is killed
 */
export async function killWhileAnswering(options: {
  command: readonly string[];
  directory: string;
  deliveries: number;
  senders: number;
  minKills: number;
  killAfter: () => number;
}): Promise<KillsResult> {
  const { command, directory, deliveries, senders, minKills, killAfter } = options;
  const { key, id, path } = await prepare(directory);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const start = () => startServerProcess(command, directory, port, { HOOKTAPE_SECRET: secret });
  // A connection for each attempt: clients that keep connections do not always notice that the server was killed.
  const post = async (body: string): Promise<{ status: number; text: string }> => {
    const text = await exchange(
      origin,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
  };

  let child = await start();
  let [kills, answered, unanswered, next, running] = [0, 0, 0, 0, senders];
  const hanging: string[] = [];
  const seen: Attempt[][] = Array.from({ length: deliveries }, () => []);

  const send = async (): Promise<void> => {
    for (let n = next++; n < deliveries; n = next++) {
      for (let status = 0; status !== 200; ) {
        const [before, startedAt] = [kills, performance.now()];
        try {
          const answer = await post(JSON.stringify({ delivery: n }));
          // 503: the server is stopping or its queue is full; nothing was stored.
          if (answer.status === 503) continue;
          answered++;
          status = answer.status;
          seen[n]?.push({ id: /evt_[0-9a-z]+/.exec(answer.text)?.[0] ?? '', status });
        } catch {
          unanswered++;
          if (before === kills && performance.now() - startedAt > maxWaitMs) hanging.push(`delivery ${n}: no answer`);
          await Bun.sleep(20);
        }
      }
    }
    running--;
  };
  const killer = async (): Promise<void> => {
    while (running > 0) {
      // Not after a time, because a busy machine would answer little or nothing until then.
      const enough = answered + killAfter();
      while (running > 0 && answered < enough) await Bun.sleep(1);
      if (running === 0 && kills >= minKills) return;
      child.kill('SIGKILL');
      await child.exited;
      kills++;
      child = await start();
    }
  };
  await Promise.all([killer(), ...Array.from({ length: senders }, send)]);
  const headers = { authorization: `Bearer ${key}` };
  const exported = await fetch(`${origin}/api/endpoints/${id}/export?format=ndjson`, { headers });
  const ndjson = await exported.text();
  child.kill('SIGKILL');
  await child.exited;
  const checked = check(seen, ndjson, unanswered);
  return { ...checked, problems: [...hanging, ...checked.problems], unanswered, kills };
}

/** An endpoint with the rule. */
async function prepare(directory: string) {
  const server = await openTestServer({ directory, env: { HOOKTAPE_SECRET: secret } });
  const ada = await server.createAccount();
  const { id, url } = await ada.createEndpoint();
  await ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
    rules: [{ name: 'twice', per: 'delivery', first: 2, answer: { status: 500, body: '{{id}}' } }],
  });
  await server.close();
  return { key: ada.key, id, path: new URL(url).pathname };
}

function check(seen: readonly (readonly Attempt[])[], ndjson: string, unanswered: number) {
  const problems: string[] = [];
  const stored = new Map<number, StoredEvent[]>();
  const statuses = new Map<string, number>();
  let attempts = 0;
  for (const line of ndjson.trim().split('\n')) {
    const event = JSON.parse(line) as StoredEvent;
    const { delivery } = JSON.parse(event.payloadRaw) as { delivery: number };
    const ofDelivery = stored.get(delivery);
    if (ofDelivery) ofDelivery.push(event);
    else stored.set(delivery, [event]);
    statuses.set(event.id, event.answered.status);
    attempts++;
  }
  let answered = 0;
  for (const [n, saw] of seen.entries()) {
    answered += saw.length;
    const found = (stored.get(n) ?? []).map(event => event.answered.status);
    // The response to the third attempt may have been lost; then there are more attempts.
    const isRight = found.slice(0, 3).join() === '500,500,200' && found.slice(3).every(status => status === 200);
    if (!isRight) problems.push(`delivery ${n}: stored ${found}, seen ${saw.map(({ status }) => status)}`);
    for (const { id, status } of saw)
      if (statuses.get(id) !== status)
        problems.push(`delivery ${n}: ${id} was answered ${status}, stored ${statuses.get(id)}`);
  }
  const unansweredStored = attempts - answered;
  if (unansweredStored > unanswered) problems.push(`${attempts} attempts are stored, more than were sent`);
  return { attempts, unansweredStored, problems: problems.slice(0, 10) };
}
