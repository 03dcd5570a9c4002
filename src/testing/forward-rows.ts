/* Checks the rows of a server after both of its forwards have sent everything. */
import { rowsOf } from './events.ts';
import { openTestServer, type TestServerOptions } from './test-server.ts';

/** @returns the number of stored events, and the problems in the rows of the queues and of the attempts */
export async function forwardRows(options: TestServerOptions): Promise<{ stored: number; problems: string[] }> {
  const problems: string[] = [];
  const server = await openTestServer(options);
  const countOf = async (query: string): Promise<number> => Number((await rowsOf(server, query))[0]?.[0]);
  const stored = await countOf('SELECT count(*) FROM events');
  const left = await countOf('SELECT count(*) FROM queue_items');
  if (left !== 0) problems.push(`${left} items are left in the queues`);
  const wrong = await countOf(
    `SELECT count(*) FROM events WHERE (SELECT count(*) || '/' || count(DISTINCT destination) FROM replays
      WHERE replays.event = events.seq AND via = 'forward' AND response IS NULL) <> '2/2'`,
  );
  if (wrong !== 0) problems.push(`${wrong} events do not have one row for each forward`);
  await server.close();
  return { stored, problems };
}
