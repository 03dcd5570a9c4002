/* SIGTERM under load: uploads in progress get a response, and no acknowledged delivery is lost. */

import { openInbox } from '../lib/api.ts';
import { type Checks, ensure } from '../lib/checks.ts';
import { install, withInstallation } from '../lib/installation.ts';
import type { Payload } from '../lib/payloads.ts';
import { ensureConsistent, payloadOf, recordAnswer, startSenders } from '../lib/senders.ts';
import { connect, deliveryRequest } from '../lib/wire.ts';

const slowUploads = 8;
const uploadPauseMs = 400;

export async function checkDrain({ check }: Checks, payloads: readonly Payload[]): Promise<void> {
  await check('SIGTERM under load answers uploads in progress and loses nothing', () =>
    withInstallation(install({ HOOKTAPE_RATE_LIMIT: '1000000' }), async installation => {
      const { server, api, endpoint, address } = await openInbox(installation, 'drain');
      const senders = startSenders(address, payloads);

      // When the signal arrives, the server has the first part of each slow upload.
      const uploads = await Promise.all(
        Array.from({ length: slowUploads }, async () => {
          const number = senders.ledger.sent++;
          const request = deliveryRequest(`${address}/${number}`, payloadOf(payloads, number));
          const connection = await connect(address);
          const splitAt = request.length - 200;
          connection.write(request.subarray(0, splitAt));
          return { number, connection, rest: request.subarray(splitAt) };
        }),
      );
      await Bun.sleep(uploadPauseMs);
      const ended = server.end('SIGTERM');
      await Bun.sleep(uploadPauseMs);
      const answers = await Promise.allSettled(
        uploads.map(async ({ number, connection, rest }) => {
          const answer = await connection.send(rest);
          recordAnswer(senders.ledger, number, answer);
          return answer.status;
        }),
      );
      const exitCode = await ended;
      const output = server.output();
      const ledger = await senders.stop();

      const again = await installation.start(server.port);
      const comparison = await ensureConsistent(api, endpoint, ledger, payloads);
      await again.end('SIGTERM');

      const statuses = answers.map(answer => (answer.status === 'fulfilled' ? answer.value : String(answer.reason)));
      ensure(exitCode === 0, `exit code ${exitCode}\n${output}`);
      ensure(
        statuses.every(status => status === 200),
        `uploads in progress were answered with ${statuses.join(', ')}`,
      );
      return `${ledger.acknowledged.size} acknowledged, ${comparison.stored} stored, ${slowUploads} uploads finished`;
    }),
  );
}
