/*
 * `bun scripts/proofs/answers-kills.ts [DELIVERIES]`: builds the executable and kills it at random times while 10,000
 * deliveries, each of which fails twice, are sent until they get 200. Ends with the line `N passed, N failed`.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWhileAnswering } from '../../src/testing/answer-kills.ts';
import { buildExecutable } from '../lib/executable.ts';

const deliveries = Number(process.argv[2] ?? 10_000);
const directory = mkdtempSync(join(tmpdir(), 'hooktape-answers-kills-'));
try {
  const outfile = join(directory, 'hooktape');
  await buildExecutable({ outfile });
  const data = join(directory, 'data');
  mkdirSync(data);
  const result = await killWhileAnswering({
    command: [outfile],
    directory: data,
    deliveries,
    senders: 16,
    minKills: 10,
    killAfter: () => Math.floor(Math.random() * 400),
  });
  const { attempts, unanswered, unansweredStored, kills, problems } = result;
  console.log(
    `${deliveries} deliveries, ${attempts} stored attempts, ${kills} kills, ${unanswered} attempts without an answer, ${unansweredStored} of them stored`,
  );
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
