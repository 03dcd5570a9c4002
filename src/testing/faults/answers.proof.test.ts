/* The short version of scripts/proofs/answers-kills.ts. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWhileAnswering } from '../answer-kills.ts';
import { isRemote } from '../remote/databases.ts';

const main = new URL('../../main.ts', import.meta.url).pathname;

test.skipIf(isRemote)(
  'each delivery is answered 500, 500, 200, whenever the server is killed',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    try {
      const { problems, attempts, unanswered, kills } = await killWhileAnswering({
        command: [process.execPath, main],
        directory,
        deliveries: 120,
        senders: 6,
        minKills: 2,
        killAfter: () => 20 + Math.floor(Math.random() * 60),
      });
      expect(problems).toEqual([]);
      expect(attempts).toBeGreaterThanOrEqual(360);
      expect(unanswered).toBeGreaterThan(0);
      expect(kills).toBeGreaterThanOrEqual(2);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  120_000,
);
